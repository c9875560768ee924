"""Differences of distinct-n between systems of different size, rarefied: levels, coverage, and what is refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from trialogue.metrics import Conversation, Reply, Settings, Undefined, get_metric
from trialogue.metrics.base import EqualSize
from trialogue.metrics.engine.accumulate import CountedTotals
from trialogue.metrics.engine.distinct_samples import CountedSample
from trialogue.metrics.engine.distinct_totals import Incidence
from trialogue.metrics.text.distinct import Distinct
from trialogue.records import ReasonCode, Utterance

SETTINGS = Settings()
N_GRAMS = EqualSize("total", "n-grams")
VOCABULARY = 2_000
CHANCES = 1 / np.arange(1, VOCABULARY + 1)
CHANCES /= CHANCES.sum()


def conversation(*texts: str, cluster: str) -> Conversation:
    replies = tuple(Reply("A", Utterance(speaker="system", text=text), index=place) for place, text in enumerate(texts))
    return Conversation("A", cluster, replies, dialogue_id=cluster)


def totals(metric: Any, texts: Sequence[Sequence[str]], prefix: str = "") -> CountedTotals:
    found = CountedTotals(metric)
    found.add([conversation(*own, cluster=f"{prefix}{place}") for place, own in enumerate(texts)])
    return found


def zipf_dialogue(rng: np.random.Generator, *, repeats: float, words: int = VOCABULARY) -> np.ndarray:
    """About 40 tokens; a token repeats an earlier one of its dialogue with some probability, else it is Zipf's."""
    size = max(3, rng.poisson(40 * rng.lognormal(-0.08, 0.4)))
    own = CHANCES[:words] / CHANCES[:words].sum()
    tokens = rng.choice(words, size, p=own)
    for place in np.flatnonzero(rng.random(size) < repeats):
        tokens[place] = tokens[rng.integers(place)] if place else tokens[0]
    return np.asarray(tokens)


def sample(dialogues: Sequence[np.ndarray], prefix: str) -> CountedSample:
    incidence = Incidence()
    for place, tokens in enumerate(dialogues):
        incidence.add(set(tokens.tolist()), place)
    names = tuple(f"{prefix}{place}" for place in range(len(dialogues)))
    sizes = np.array([len(tokens) for tokens in dialogues], dtype=float)
    metric = Distinct(n=1)
    return CountedSample(metric, names, incidence.occurrences(len(names)), sizes, np.ones(len(names)), len(names))  # type: ignore[arg-type]


@pytest.mark.parametrize("times", [1, 4, 7])
def test_two_samples_of_one_source_differ_in_at_most_one_of_twenty_whatever_their_sizes(times: int) -> None:
    """Dialogues repeat 30% of their own words. Of 100 pairs 5 are expected at level .05; 11 or more have chance .01."""
    rng = np.random.default_rng(times)
    called = 0
    gaps: list[float] = []
    for _ in range(100):
        a = sample([zipf_dialogue(rng, repeats=0.3) for _ in range(20)], "a")
        b = sample([zipf_dialogue(rng, repeats=0.3) for _ in range(20 * times)], "b")
        found = a.rarefied_minus(b, N_GRAMS, n=1, confidence=0.95)
        assert found is not None
        assert found.p is not None
        assert found.value is not None
        called += found.p < 0.05
        gaps.append(found.value)
    assert called <= 10
    assert abs(np.mean(gaps)) < 3.3 * np.std(gaps) / 10  # no bias for the larger or the smaller one


def test_the_interval_holds_the_true_difference_at_equal_size() -> None:
    """1,500 against 2,000 words, 15 dialogues against 60. The truth at that size is that of two samples of 6,000 dialogues.

    Of 100 intervals 95 are to hold it; fewer than 89 have chance .01.
    """
    rng = np.random.default_rng(3)
    ideal = [
        sample([zipf_dialogue(rng, repeats=0.3, words=words) for _ in range(3_000)], str(words))
        for words in (300, 2_000)
    ]
    held = 0
    for _ in range(100):
        a = sample([zipf_dialogue(rng, repeats=0.3, words=300) for _ in range(15)], "a")
        b = sample([zipf_dialogue(rng, repeats=0.3, words=2_000) for _ in range(60)], "b")
        found = a.rarefied_minus(b, N_GRAMS, n=1, confidence=0.95)
        assert found is not None
        assert found.interval is not None
        size = found.interval.facts["rarefied_to"]
        truths = [float(one.curve(N_GRAMS).expected_distinct(np.array([size]))[0]) / size for one in ideal]
        held += found.interval.contains(truths[0] - truths[1])
    assert held >= 89


def test_single_tokens_would_call_the_larger_of_two_equal_sources_more_diverse() -> None:
    """Why clusters are drawn: 20 against 140 dialogues of one source. Token by token the larger one seems more diverse."""
    from trialogue.stats.resampling.rarefaction import expected_distinct

    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(30):
        small = np.concatenate([zipf_dialogue(rng, repeats=0.3) for _ in range(20)])
        large = np.concatenate([zipf_dialogue(rng, repeats=0.3) for _ in range(140)])
        occurrences, types = np.unique(np.unique(large, return_counts=True)[1], return_counts=True)
        rarefied = expected_distinct(occurrences, types, len(large), np.array([float(len(small))]))[0]
        gaps.append((len(np.unique(small)) - rarefied) / len(small))
    assert np.mean(gaps) < -5 * np.std(gaps) / 30**0.5


def test_a_system_of_any_size_is_compared_and_the_interval_says_at_what_size() -> None:
    rng = np.random.default_rng(2)
    words = np.array([f"w{number}" for number in range(400)])
    texts = [[" ".join(rng.choice(words, 9)) for _ in range(3)] for _ in range(60)]
    metric = get_metric("distinct(n=2)@ratio")
    small, large = totals(metric, texts[:10], "a"), totals(metric, texts[10:], "b")
    found = small.minus(large, SETTINGS)
    assert found.interval is not None
    # 30 replies of 9 words have 8 bigrams each
    assert found.interval.method == "jackknife over 60 clusters, t, rarefied to 240 n-grams"
    assert found.interval.facts["rarefied_to"] == 240
    turned = large.minus(small, SETTINGS)
    assert turned.value == pytest.approx(-(found.value or 0))
    assert turned.p == pytest.approx(found.p)
    per_reply = get_metric("distinct(n=2)@per_response")
    other = totals(per_reply, texts[:10], "a").minus(totals(per_reply, texts[10:], "b"), SETTINGS)
    assert other.interval is not None
    assert other.interval.method == "jackknife over 60 clusters, t, rarefied to 30 replies"


def test_a_difference_at_equal_size_is_worked_by_hand() -> None:
    # Small: one dialogue "a b" and one "a c": 3 of 4 words. Large: ab, ac, ad, ae; two of four hold 3 of 4, always. Equal.
    metric = get_metric("distinct(n=1)@ratio")
    small = totals(metric, [["a b"], ["a c"]], "s")
    large = totals(metric, [["a b"], ["a c"], ["a d"], ["a e"]], "l")
    assert small.minus(large, SETTINGS).value == pytest.approx(0)
    # As they are, 3/4 - 5/8: the larger one only looks poorer.
    gaps = [one.estimate("s", SETTINGS).value or 0 for one in (small, large)]
    assert gaps == [3 / 4, 5 / 8]


@pytest.mark.parametrize(
    "variant", ["ratio", "per_response", "per_response_marks", "chars", "laps", "music_crs", "mese", "ead"]
)
def test_every_variant_over_replies_is_compared_between_systems_of_different_size(variant: str) -> None:
    rng = np.random.default_rng(8)
    words = np.array([f"w{number}" for number in range(60)])
    texts = [[" ".join(rng.choice(words, 8)) for _ in range(2)] for _ in range(36)]
    metric = get_metric(f"distinct(n=1)@{variant}")
    found = totals(metric, texts[:12], "a").minus(totals(metric, texts[12:], "b"), SETTINGS)
    assert found.p is not None
    assert found.p > 0.001  # one source


def test_laps_has_no_difference_where_a_side_is_above_its_budget() -> None:
    metric = get_metric("distinct(n=1)@laps")
    long = totals(metric, [["a " * 500] for _ in range(20)], "a")  # 10,000 tokens; the budget is 7,012
    found = long.minus(totals(metric, [["a b c"]] * 6, "b"), SETTINGS)
    assert (found.value, found.why and found.why.code) == (None, ReasonCode.LAPS_TOO_LONG)


def test_less_text_than_one_dialogue_of_the_other_is_not_compared_and_says_so() -> None:
    metric = get_metric("distinct(n=1)@ratio")
    found = totals(metric, [["a"], ["b"]], "a").minus(totals(metric, [["c d e f"]] * 6, "b"), SETTINGS)
    assert (found.p, found.interval, found.why and found.why.code) == (None, None, ReasonCode.REPLY_COUNTS_DIFFER)
    assert found.value == pytest.approx(1 - 4 / 24)


def test_a_counted_metric_that_names_no_size_is_not_rarefied() -> None:
    class Plain:
        card = get_metric("distinct").card
        measure = "plain@x|v1"

        def types(self, unit: Reply) -> Any:
            return Undefined("never")

        def value(self, distinct: Any, total: Any, extra: Any) -> Any:
            return distinct / total

    metric = get_metric("distinct(n=1)@ratio")
    a, b = totals(metric, [["a b"]] * 6, "a"), totals(metric, [["a c"]] * 12, "b")
    a.metric = b.metric = Plain()
    assert (why := a.minus(b, SETTINGS).why) is not None
    assert why.code is ReasonCode.REPLY_COUNTS_DIFFER


@pytest.mark.parametrize("variant", ["ratio", "per_response", "ead"])
def test_one_constant_reply_is_the_same_in_any_number_of_dialogues(variant: str) -> None:
    """Rounding in 3,000 dialogues is no difference, and no spread to divide it by."""
    metric = get_metric(f"distinct(n=1)@{variant}")
    few, many = totals(metric, [["I like that film"]] * 7, "a"), totals(metric, [["I like that film"]] * 3_000, "b")
    for found in (few.minus(many, SETTINGS), many.minus(few, SETTINGS)):
        assert (found.value, found.p, found.interval) == (0.0, 1.0, None)


def test_totals_that_are_finished_give_the_same_numbers_and_their_counts_once() -> None:
    metric = get_metric("distinct(n=1)@ratio")
    texts = [["one two two"], ["two three"], ["one one"], ["four"], ["five two"], ["six"]]
    kept, finished = totals(metric, texts), totals(metric, texts)
    finished.finish()
    assert finished.estimate("A", Settings()) == kept.estimate("A", Settings())
    assert finished.minus(kept, Settings()) == kept.minus(kept, Settings())
    assert finished.counts("A") == kept.counts("A")
    with pytest.raises(RuntimeError, match="were already taken"):
        finished.counts("A")
