"""Tokenisers: each rule by example, and against the library it reproduces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.oracles import parlai
from tests.metrics.replies import TEXT
from trialogue.metrics.text import tokens
from trialogue.metrics.text.tokens import Tokeniser

ALL = (
    tokens.words,
    tokens.spaced_words,
    tokens.lower_words,
    tokens.laps_words,
    tokens.bare_words,
    tokens.answer_words,
    tokens.spaced_answer_words,
    tokens.mteval_words,
    tokens.alphanumeric_words,
)
PIECES = [*"abZ01 .,-'&;!?<>/()[]_`~@\n\té’神", "&quot;", "&amp;lt;", "<skipped>", "..", "1.", "-\n"]

SENTENCE = "It's  The Matrix (1999), an A-list film. Amélie."


@pytest.mark.parametrize(
    ("tokenise", "expected"),
    [
        (tokens.words, ["It's", "The", "Matrix", "(1999),", "an", "A-list", "film.", "Amélie."]),
        (tokens.spaced_words, ["It's", "", "The", "Matrix", "(1999),", "an", "A-list", "film.", "Amélie."]),
        (tokens.lower_words, ["it's", "the", "matrix", "(1999),", "an", "a-list", "film.", "amélie."]),
        (tokens.laps_words, ["it's", "the", "matrix", "(1999),", "an", "a-list", "film", "amélie"]),
        (tokens.bare_words, ["its", "the", "matrix", "1999", "an", "alist", "film", "amélie"]),
        (tokens.answer_words, ["it", "s", "matrix", "1999", "list", "film", "amélie"]),
        (tokens.spaced_answer_words, ["it", "s", "matrix", "1999", "list", "film", "amélie"]),
        (
            tokens.mteval_words,
            ["It's", "The", "Matrix", "(", "1999", ")", ",", "an", "A-list", "film", ".", "Amélie", "."],
        ),
        (tokens.alphanumeric_words, ["it", "s", "the", "matrix", "1999", "an", "a", "list", "film", "am", "lie"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_one_sentence_is_cut_in_nine_ways(tokenise: Tokeniser, expected: list[str]) -> None:
    assert list(tokenise(SENTENCE)) == expected


@pytest.mark.parametrize("tokenise", ALL, ids=lambda value: value.__name__)
def test_an_empty_text_has_no_word_unless_it_is_split_at_single_spaces(tokenise: Tokeniser) -> None:
    assert tokenise("") == (("",) if "spaced" in tokenise.__name__ else ())


@given(text=st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=20))
@settings(max_examples=400)
def test_mteval_words_are_those_of_sacrebleu(text: str) -> None:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    assert list(tokens.mteval_words(text)) == Tokenizer13a()(text.rstrip()).split()  # type: ignore[no-untyped-call]


@given(text=TEXT | st.text(max_size=20))
def test_alphanumeric_words_are_those_of_rouge_score(text: str) -> None:
    from rouge_score.tokenize import tokenize

    assert list(tokens.alphanumeric_words(text)) == tokenize(text, None)


@given(text=TEXT)
def test_answers_are_normalised_like_parlai_does(text: str) -> None:
    assert tokens.normalise_answer(text) == parlai(text)


@given(text=TEXT, n=st.integers(1, 4))
def test_there_are_as_many_ngrams_as_places_for_them(text: str, n: int) -> None:
    found = tokens.words(text)
    assert len(tokens.ngrams(found, n)) == max(len(found) - n + 1, 0)
    starts = range(len(found) - n + 1)
    assert list(tokens.ngrams(found, n)) == [found[start] if n == 1 else found[start : start + n] for start in starts]
    assert list(tokens.ngrams(text, n)) == [text[start : start + n] for start in range(len(text) - n + 1)]
