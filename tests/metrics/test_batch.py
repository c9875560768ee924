"""Many replies at once, against one reply at a time: the same statistics, things and words."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.replies import PAIRS, PLAIN, TEXT, replies
from trialogue.metrics import Conversation, conversations_of, get_metric
from trialogue.metrics.base import Undefined, UtteranceMetric
from trialogue.metrics.batch import Batch, BatchCountMetric, BatchSumMetric, rows_of_utterances
from trialogue.metrics.text import tokens
from trialogue.metrics.text import word_hashes as encoding
from trialogue.metrics.text.overlap import longest_common_subsequence, matches
from trialogue.metrics.text.tokens import Rule, ngrams
from trialogue.metrics.text.word_hashes import (
    Vocabulary,
    characters,
    common,
    distinct,
    distinct_ngrams,
    longest_common_subsequences,
    object_hash,
    word_hash,
)
from trialogue.records import Dialogue, Mention, Utterance

RULES = {name: rule for name, rule in vars(tokens).items() if isinstance(rule, Rule)}
SPACES = st.lists(TEXT | st.sampled_from(["a\tb", "-\nb", "<skipped>", "&amp;", "a.\n", " x", "ΑΣ", "İ"]), max_size=4)
PAIRED = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6)


def batch_of(pairs: list[tuple[str, str]]) -> Batch:
    """Conversations of one and of two replies."""
    units = replies(pairs)
    parts = [units[:1], units[1:3], [], units[3:]]
    return Batch([Conversation("A", str(place), tuple(part)) for place, part in enumerate(parts)])


@pytest.mark.parametrize("name", RULES)
@given(texts=st.lists(SPACES.map(" ".join), min_size=1, max_size=4))
def test_words_of_many_texts_are_those_of_each(name: str, texts: list[str]) -> None:
    vocabulary = Vocabulary()
    found = vocabulary.encode(vocabulary.cut(texts), RULES[name])
    assert found.lengths.tolist() == [len(RULES[name](text)) for text in texts]
    said = [word for text in texts for word in RULES[name](text)]
    if RULES[name].keeps_pieces:  # with the hashes of the pieces
        assert (
            len(set(zip(found.hashes.tolist(), said, strict=True))) == len(set(said)) == len(set(found.hashes.tolist()))
        )
    else:
        assert found.hashes.tolist() == [word_hash(word) for word in said]


def test_words_have_the_same_hashes_in_every_process_and_after_they_were_forgotten() -> None:
    assert word_hash("film") == 0x5B2CBEDED4014340  # printf film | b2sum -l 64: 404301d4debe2c5b, from the low end
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoding, "MAX_PIECES", 1)
        vocabulary = Vocabulary()
        first = vocabulary.encode(vocabulary.cut(["a film", "a book"]), tokens.words)
        vocabulary.forget_if_full()
        again = vocabulary.encode(vocabulary.cut(["a book"]), tokens.words)
    assert again.hashes.tolist() == first.hashes.tolist()[2:]


def test_things_that_differ_have_different_hashes() -> None:
    things = ["a", ("a",), ("a", "b"), ("b", "a"), ("ab",), (("a",), "b"), 1, 1.5, None, ()]
    assert len({object_hash(thing) for thing in things}) == len(things)


@given(pairs=PAIRED, n=st.integers(1, 4))
def test_counts_of_ngrams_are_those_of_sets_and_counters(pairs: list[tuple[str, str]], n: int) -> None:
    first, second = (characters([pair[side] for pair in pairs]) for side in (0, 1))
    size = len(pairs)
    assert distinct(first.grams(n), size).tolist() == [len(set(ngrams(text, n))) for text, _ in pairs]
    expected = [(Counter(ngrams(a, n)) & Counter(ngrams(b, n))).total() for a, b in pairs]
    assert common(first.grams(n), second.grams(n), size).tolist() == expected
    assert expected == [matches(a, b, n)[n - 1] for a, b in pairs]


def test_ngrams_of_texts_of_very_different_lengths_are_counted_in_groups_and_come_by_text() -> None:
    texts = ["ab" * 400, "", "aab", "a", "abcdefg", "", "aaaa"]
    grams = characters(texts).grams(1)
    assert len([*encoding._sorted_rows([grams], len(texts))]) > 1  # one long text would make all rows as long
    found = distinct_ngrams(grams, len(texts))
    assert found.owner.tolist() == [0, 0, 2, 2, 3, *[4] * 7, 6]
    codes = [set(characters([text]).hashes.tolist()) for text in texts]
    assert [set(found.hashes[found.owner == place].tolist()) for place in range(len(texts))] == codes
    others = ["b" * 5, "ab", "", "a", "gg", "", "aab"]
    expected = [(Counter(one) & Counter(other)).total() for one, other in zip(texts, others, strict=True)]
    assert common(grams, characters(others).grams(1), len(texts)).tolist() == expected == [5, 0, 0, 1, 1, 0, 2]


def test_of_no_texts_there_are_no_ngrams() -> None:
    none = characters([]).grams(2)
    assert (distinct_ngrams(none, 0).owner.tolist(), common(none, none, 0).tolist()) == ([], [])
    blank = characters(["", ""]).grams(1)
    assert (distinct(blank, 2).tolist(), common(blank, blank, 2).tolist()) == ([0, 0], [0, 0])


@given(pairs=PAIRED)
def test_subsequences_are_as_long_as_one_by_one(pairs: list[tuple[str, str]]) -> None:
    first, second = (characters([pair[side] for pair in pairs]) for side in (0, 1))
    found, known = longest_common_subsequences(first, second)
    assert known.all()
    assert found.tolist() == [longest_common_subsequence(tuple(a), tuple(b)) for a, b in pairs]


def test_subsequences_of_texts_of_up_to_64_words_are_known() -> None:
    first, second = characters(["a" * 64, "a" * 65, "a"]), characters(["b" + "a" * 63, "a", "a" * 65])
    found, known = longest_common_subsequences(first, second)
    assert (found.tolist(), known.tolist()) == ([63, 0, 0], [True, False, False])


@pytest.mark.parametrize(
    "name", ["item_ratio@any", "item_ratio@slots", "unrecognised_titles@presented", "contradicted_facts"]
)
def test_a_metric_of_what_is_said_measures_a_batch_of_dialogues_as_each_reply(name: str) -> None:
    metric = get_metric(name)
    single: Any = metric
    heat = Mention(title="Heat", item_id="h")
    said = [
        Utterance(speaker="system", text="Try Heat.", mentions=(heat,), unrecognised=(), claims=()),
        Utterance(speaker="system", text="Try <movie>."),
        Utterance(speaker="system", text="Ronin?", mentions=(), unrecognised=(Mention(title="Ronin"),)),
        Utterance(speaker="user", text="No."),
    ]
    dialogues = [Dialogue(id=str(place), utterances=tuple(said[place % 4 :] + said[:place])) for place in range(9)]
    batch = Batch(list(conversations_of(dialogues)))
    assert isinstance(metric, UtteranceMetric)
    assert len(batch.different_utterances) == 3
    rows = rows_of_utterances(metric, batch)
    for place, reply in enumerate(batch.replies):
        one = single.statistics(reply)
        assert rows.undefined.get(place, tuple(rows.values[place].tolist())) == one
    assert len(rows.values) == len(batch.replies) == len(batch.owner)


@pytest.mark.parametrize("name", [*PLAIN, "distinct(n=3)@chars", "repetition(n=1)@ngram"])
def test_a_batch_has_the_statistics_of_its_replies(name: str) -> None:
    metric = get_metric(name)
    single: Any = metric
    long = " ".join(f"w{place % 70}" for place in range(120))
    batch = batch_of([*PAIRS, (long, long[5:]), ("  ", "a"), ("", "")])
    if isinstance(metric, BatchSumMetric):
        rows = metric.statistics_of(batch)
        for place, reply in enumerate(batch.replies):
            one = single.statistics(reply)
            if isinstance(one, Undefined):
                assert rows.undefined[place] == one
            else:
                assert place not in rows.undefined
                np.testing.assert_allclose(rows.values[place], one, rtol=1e-13, atol=1e-15)
    elif isinstance(metric, BatchCountMetric):
        found = metric.types_of(batch)
        for place, reply in enumerate(batch.replies):
            types = single.types(reply)
            own = found.grams.hashes[found.grams.owner == place]
            if isinstance(types, Undefined):
                assert found.undefined[place] == types
                assert not len(own)
            else:
                assert (len(own), len(set(own.tolist()))) == (len(types.seen), len(set(types.seen)))
                assert found.extra[place] == types.extra
    else:
        assert name in {"repetition@self", "repetition@corpus", "meteor@exact_stem"}
