"""Running totals: what one metric makes of one system, against brute force."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.metrics import Conversation, DistinctTypes, Reply, Settings, Undefined
from trialogue.metrics.base import Array, ratio
from trialogue.metrics.engine.accumulate import (
    NO_DIALOGUE,
    NO_UNITS,
    NO_VALUE,
    CountedTotals,
    SummedTotals,
    accumulator_for,
)
from trialogue.records import Card, Dialogue, Level, Reason, ReasonCode, Score, Utterance, Variant

FEW = Settings(resamples=200, permutations=199)


def card(name: str, level: Level = "response") -> Card:
    variants = {"plain": Variant(summary="-", source="-")}
    return Card.model_validate(
        {"name": name, "title": name, "summary": "-", "unit": "-", "better": "neither", "level": level}
        | {"variants": variants, "default": "plain"}
    )


class Words:
    """Words per reply; undefined for a reply that says nothing."""

    card = card("words")
    measure = "words@plain|v1"
    per_dialogue = False

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        words = len(unit.text.split())
        return (float(words), 1.0) if words else Undefined("it is empty")

    def combine(self, sums: Array) -> Array:
        return ratio(sums)


class WordsPerDialogue(Words):
    measure = "words@per_dialogue|v1"
    per_dialogue = True


class Exclamations(Words):
    """Share of words with an exclamation mark among words that end a sentence; undefined where none does."""

    measure = "exclamations@plain|v1"
    per_dialogue = True

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        return (float(unit.text.count("!")), float(unit.text.count("!") + unit.text.count(".")))


class Length(Words):
    card = card("utterances", "dialogue")
    measure = "utterances@plain|v1"

    def statistics(self, unit: Any) -> Sequence[float] | Undefined:
        return (float(len(unit.utterances)), 1.0)


class Vocabulary:
    """Distinct over all words."""

    card = card("vocabulary")
    measure = "vocabulary@plain|v1"

    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        return DistinctTypes(unit.text.split(), extra=1.0) if unit.text != "?" else Undefined("it is a question mark")

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        return distinct / total


def conversation(*texts: str, cluster: str = "c", system: str = "A", name: str | None = None) -> Conversation:
    said = [Utterance(speaker="system", text=text) for text in texts]
    replies = tuple(Reply(system, utterance, index=place) for place, utterance in enumerate(said))
    return Conversation(system, cluster, replies, dialogue_id=name or cluster)


def filled(metric: Any, conversations: Sequence[Conversation]) -> tuple[Any, list[Score]]:
    totals = accumulator_for(metric)
    scores: list[Score] = []
    totals.add(conversations, scores.append)
    return totals, scores


def test_the_kind_of_totals_follows_the_kind_of_metric() -> None:
    assert isinstance(accumulator_for(Words()), SummedTotals)
    assert isinstance(accumulator_for(Vocabulary()), CountedTotals)


def test_pooled_over_units_or_mean_over_conversations() -> None:
    talks = [conversation("a b c", "a", cluster="1"), conversation("a", cluster="2")]
    assert filled(Words(), talks)[0].estimate("A", FEW).value == pytest.approx(5 / 3)
    assert filled(WordsPerDialogue(), talks)[0].estimate("A", FEW).value == pytest.approx((2 + 1) / 2)


def test_every_unit_and_every_conversation_has_its_score() -> None:
    _, scores = filled(Words(), [conversation("a b c", "", "a", cluster="1"), conversation("a", cluster="2")])
    assert [(one.level, one.dialogue_id, one.utterance, one.value) for one in scores] == [
        ("utterance", "1", 1, None),
        ("utterance", "1", 0, 3.0),
        ("utterance", "1", 2, 1.0),
        ("utterance", "2", 0, 1.0),
        ("dialogue", "1", None, 2.0),
        ("dialogue", "2", None, 1.0),
    ]
    assert str(scores[0].why) == "it is empty"


def test_without_a_sink_the_estimate_is_the_same() -> None:
    for metric in (Words(), WordsPerDialogue(), Vocabulary()):
        quiet = accumulator_for(metric)
        talks = [conversation("a b", "", "?", cluster=str(place)) for place in range(3)]
        quiet.add(talks)
        assert quiet.estimate("A", FEW) == filled(metric, talks)[0].estimate("A", FEW)


def test_replies_to_situations_are_scored_as_responses() -> None:
    reply = Reply("A", Utterance(speaker="system", text="a"), situation_id="s1")
    _, scores = filled(Words(), [Conversation("A", "c", (reply,))])
    assert [(one.level, one.situation_id) for one in scores] == [("response", "s1")]


def test_all_units_undefined_is_none_with_the_commonest_reason() -> None:
    for metric, texts, why in ((Words(), ("", " "), "it is empty"), (Vocabulary(), ("?",), "it is a question mark")):
        totals, _ = filled(metric, [conversation(*texts)])
        estimate = totals.estimate("A", FEW)
        assert (estimate.value, estimate.why) == (None, Reason.other(why))
        assert totals.skipped == Counter({Reason.other(why): len(texts)})


@pytest.mark.parametrize("metric", [Words(), Vocabulary()])
def test_nothing_at_all_is_none_with_a_reason(metric: Any) -> None:
    totals, _ = filled(metric, [])
    assert totals.estimate("A", FEW).why == NO_UNITS
    assert totals.minus(totals, FEW).why == NO_UNITS
    silent, _ = filled(metric, [conversation()])
    assert silent.estimate("A", FEW).why == NO_UNITS


@pytest.mark.parametrize("metric", [Words(), Vocabulary()])
def test_one_conversation_has_a_value_and_no_interval(metric: Any) -> None:
    totals, _ = filled(metric, [conversation("a b", "a")])
    estimate = totals.estimate("A", FEW)
    assert estimate.value is not None
    assert estimate.interval is None
    assert estimate.why is not None
    assert estimate.why.code in (ReasonCode.ONE_CLUSTER, ReasonCode.TOO_FEW_CLUSTERS_FOR_DISTINCT)


def test_two_conversations_of_one_person_are_one_cluster() -> None:
    totals, _ = filled(Words(), [conversation("a", cluster="p", name="1"), conversation("a b", cluster="p", name="2")])
    estimate = totals.estimate("A", FEW)
    assert (estimate.n, estimate.clusters, estimate.interval) == (2, 1, None)


def test_a_formula_without_value_is_undefined_at_every_level() -> None:
    totals, scores = filled(Exclamations(), [conversation("no", cluster="1"), conversation("no", cluster="2")])
    assert {(one.value, one.why) for one in scores} == {(None, NO_VALUE)}
    assert totals.estimate("A", FEW).why == NO_VALUE


def test_a_conversation_without_value_does_not_enter_the_mean_over_conversations() -> None:
    talks = [conversation("no", cluster="1"), conversation("yes!", cluster="2"), conversation("a. b!", cluster="3")]
    assert filled(Exclamations(), talks)[0].estimate("A", FEW).value == pytest.approx((1 + 0.5) / 2)


def test_a_count_without_value_is_undefined() -> None:
    totals, scores = filled(Vocabulary(), [conversation("")])
    assert {one.why for one in scores} == {NO_VALUE}
    assert totals.estimate("A", FEW).why == NO_VALUE
    assert totals.minus(totals, FEW).why == NO_VALUE


def test_a_dialogue_metric_on_replies_to_situations_says_why_it_has_no_value() -> None:
    totals, scores = filled(Length(), [conversation("a")])
    assert scores == []
    assert totals.estimate("A", FEW).why == NO_DIALOGUE


def test_a_dialogue_metric_scores_each_dialogue_once() -> None:
    dialogue = Dialogue(id="d", utterances=(Utterance(speaker="user", text="Hi"),) * 3)
    totals, scores = filled(Length(), [Conversation("A", "c", (), dialogue, "d")])
    assert [(one.level, one.dialogue_id, one.value) for one in scores] == [("dialogue", "d", 3.0)]
    assert totals.estimate("A", FEW).value == 3.0


TALKS = st.lists(
    st.tuples(st.sampled_from(["p", "q", "r", "s"]), st.lists(st.text("ab ", max_size=6), max_size=3)),
    min_size=1,
    max_size=8,
)


def talks_of(drawn: list[tuple[str, list[str]]]) -> list[Conversation]:
    return [conversation(*texts, cluster=cluster, name=str(place)) for place, (cluster, texts) in enumerate(drawn)]


@settings(deadline=None)
@given(TALKS)
def test_distinct_things_and_every_leave_one_out_equal_a_recount(drawn: list[tuple[str, list[str]]]) -> None:
    totals, _ = filled(Vocabulary(), talks_of(drawn))

    def recount(left_out: str | None) -> float:
        words = [word for cluster, texts in drawn if cluster != left_out for text in texts for word in text.split()]
        return len(set(words)) / len(words) if words else float("nan")

    if not any(texts for _, texts in drawn):
        assert totals.estimate("A", FEW).why == NO_UNITS
        return
    value, without = totals._sample().with_and_without()
    assert value == pytest.approx(recount(None), nan_ok=True)
    assert set(without) == {cluster for cluster, texts in drawn if texts}
    for cluster, left in without.items():
        assert left == pytest.approx(recount(cluster), nan_ok=True)


@settings(deadline=None)
@given(TALKS)
def test_a_mean_equals_a_recount(drawn: list[tuple[str, list[str]]]) -> None:
    totals, _ = filled(Words(), talks_of(drawn))
    lengths = [len(text.split()) for _, texts in drawn for text in texts if text.split()]
    estimate = totals.estimate("A", FEW)
    assert estimate.value == (pytest.approx(np.mean(lengths)) if lengths else None)
    assert estimate.n == len(lengths)


@settings(deadline=None)
@given(TALKS, st.randoms(use_true_random=False), st.integers(1, 4))
def test_estimates_do_not_depend_on_order_or_on_how_conversations_come_in(
    drawn: list[tuple[str, list[str]]], random: Any, size: int
) -> None:
    talks = talks_of(drawn)
    mixed = list(talks)
    random.shuffle(mixed)
    for metric in (Words(), WordsPerDialogue(), Exclamations(), Vocabulary()):
        whole, _ = filled(metric, talks)
        parts = accumulator_for(metric)
        for start in range(0, len(mixed), size):
            parts.add(mixed[start : start + size])
        assert parts.estimate("A", FEW) == whole.estimate("A", FEW)
        assert parts.minus(whole, FEW) == whole.minus(parts, FEW)
        assert parts.skipped == whole.skipped


@pytest.mark.parametrize("metric", [Words(), WordsPerDialogue(), Vocabulary()])
def test_identical_systems_differ_by_nothing_with_certainty_of_nothing(metric: Any) -> None:
    talks = [conversation("a b", "c d e" * place, cluster=str(place)) for place in range(1, 7)]
    (one, _), (other, _) = filled(metric, talks), filled(metric, talks)
    difference = one.minus(other, FEW)
    assert (difference.value, difference.p) == (0.0, 1.0)


@pytest.mark.parametrize("metric", [Words(), Vocabulary()])
def test_a_difference_is_the_first_minus_the_second(metric: Any) -> None:
    rng = np.random.default_rng(3)
    words = [" ".join(rng.choice(list("abcdefghij"), size=rng.integers(1, 9))) for _ in range(40)]
    left, _ = filled(metric, [conversation(text, cluster=str(place)) for place, text in enumerate(words[:20])])
    right, _ = filled(metric, [conversation(text, cluster=str(place)) for place, text in enumerate(words[20:])])
    values = [totals.estimate("A", FEW).value for totals in (left, right)]
    found, turned = left.minus(right, FEW), right.minus(left, FEW)
    assert found.value == pytest.approx(values[0] - values[1])
    assert turned.value == pytest.approx(-found.value)
    assert found.interval.contains(found.value)
    assert found.n == 40
    assert found.clusters == 20


def test_a_difference_to_a_system_without_values_has_none() -> None:
    some, _ = filled(Words(), [conversation("a"), conversation("b", cluster="d")])
    none, _ = filled(Words(), [conversation("")])
    assert str(some.minus(none, FEW).why) == "it is empty"


def test_the_confidence_asked_for_is_the_one_given() -> None:
    totals, _ = filled(Words(), [conversation("a " * place, cluster=str(place)) for place in range(1, 9)])
    narrow = totals.estimate("A", Settings(resamples=500, confidence=0.5)).interval
    wide = totals.estimate("A", Settings(resamples=500, confidence=0.99)).interval
    assert wide.low < narrow.low < narrow.high < wide.high
    assert (narrow.confidence, wide.confidence) == (0.5, 0.99)


def test_many_clusters_are_drawn_in_groups_with_the_same_error() -> None:
    """6,000 replies of 1 or 2 words, one a cluster: standard error of the mean sqrt(.25 / 6000) = .00645, times 3.92."""
    rng = np.random.default_rng(11)
    many = [conversation("a b" if rng.random() < 0.5 else "a", cluster=str(place)) for place in range(6_000)]
    totals, _ = filled(Words(), many)
    found = totals.estimate("A", Settings(resamples=2_000))
    assert found.clusters == 6_000
    assert found.interval.high - found.interval.low == pytest.approx(3.92 * 0.00645, rel=0.08)


def test_shared_clusters_stay_together_in_groups() -> None:
    """Two systems that differ by exactly one word everywhere: the paired difference has no spread."""
    sizes = np.random.default_rng(12).integers(1, 30, size=4_500)
    left, _ = filled(Words(), [conversation("a " * n, cluster=str(place)) for place, n in enumerate(sizes)])
    right, _ = filled(Words(), [conversation("a " * (n + 1), cluster=str(place)) for place, n in enumerate(sizes)])
    found = left.minus(right, FEW)
    assert found.value == pytest.approx(-1)
    assert found.clusters == 4_500
    assert found.interval is None or found.interval.high - found.interval.low < 1e-9


def test_a_metric_may_say_itself_why_it_has_no_value() -> None:
    class Never(Vocabulary):
        no_value = "there is more than the formula allows"

        def value(self, distinct: Array, total: Array, extra: Array) -> Array:
            return np.full_like(distinct, np.nan)

    totals, _ = filled(Never(), [conversation("a b"), conversation("c", cluster="d")])
    assert str(totals.estimate("A", FEW).why) == "there is more than the formula allows"
