"""Our TF-IDF against scikit-learn's, which it replaces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.strategies.base import Context
from trialogue.strategies.learning.features import Vectors, character_terms, context_terms, fold, words
from trialogue.strategies.taxonomy import bundled_examples

TEXTS = [example.text for example in bundled_examples()][::5]


def test_vectors_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words_of = TfidfVectorizer(
        tokenizer=words, token_pattern=None, preprocessor=fold, ngram_range=(1, 3), sublinear_tf=True, min_df=2
    )
    characters = TfidfVectorizer(analyzer="char_wb", preprocessor=fold, ngram_range=(2, 5), sublinear_tf=True, min_df=2)
    ours = Vectors.fit(TEXTS)
    for block, theirs in ((ours.word, words_of), (ours.character, characters)):
        expected = theirs.fit_transform(TEXTS)
        assert list(block.terms) == sorted(theirs.get_feature_names_out())
        assert np.allclose(block.idf, theirs.idf_)
        start = 0 if block is ours.word else len(ours.word.terms)
        found = ours.matrix(TEXTS)[:, start : start + len(block.terms)]
        assert abs(found - expected).max() < 1e-12


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_character_grams_of_a_text_are_those_of_scikit_learn(text: str) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    analyze = TfidfVectorizer(analyzer="char_wb", preprocessor=fold, ngram_range=(2, 5)).build_analyzer()
    ours = [gram for word in fold(text).split() for gram in character_terms(word)]
    assert sorted(ours) == sorted(analyze(text))


def test_every_block_of_a_row_has_length_one_or_nothing_known() -> None:
    vectors = Vectors.fit(TEXTS)
    rows = vectors.matrix([*TEXTS[:5], "", "日本語"])
    split = len(vectors.word.terms)
    for part in (rows[:, :split], rows[:, split:]):
        lengths = np.sqrt(np.asarray(part.multiply(part).sum(axis=1))).ravel()
        assert np.allclose(lengths[:5], 1)
    assert rows[6].nnz <= 2  # at most the marks of beginning and end


def test_years_numbers_and_curly_quotes_are_folded() -> None:
    assert fold("It’s Blade Runner 2049 (1982), 8.1!") == "it's blade runner xxyear (xxyear), xxnum.xxnum!"
    assert words(fold("Me too!")) == ["xxbos", "me", "too", "!", "xxeos"]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ((), ["turn:0", "last:none"]),
        (
            (("user", "Hi"),),
            ["turn:1", "last:user", "user:xxbos", "user:hi", "user:xxeos", "user:xxbos hi", "user:hi xxeos"],
        ),
    ],
)
def test_the_context_is_who_spoke_last_how_far_we_are_and_what_was_said(context: Context, expected: list[str]) -> None:
    assert context_terms(context) == expected


def test_terms_of_one_sentence_only_are_kept_where_there_are_no_others() -> None:
    assert Vectors.fit(["alpha", "beta"]).size > 0
