"""The baselines of recommendation: arithmetic by hand, and no look at one's own answers."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.metrics import get_metric, measure, offline_conversations
from trialogue.metrics.alignment.baselines import COPY_CONTEXT, POPULARITY, recommendation_baselines
from trialogue.metrics.engine.accumulate import Settings
from trialogue.records import Mention, Response, Situation, Utterance


def situation(name: str, *, mentioned: Sequence[str] | None, targets: Sequence[str] | None, dialogue: str) -> Situation:
    mentions = None if mentioned is None else tuple(Mention(title=item, item_id=item) for item in mentioned)
    return Situation(
        id=name,
        context=(Utterance(speaker="user", text="?", mentions=mentions),),
        targets=None if targets is None else tuple(targets),
        dialogue_id=dialogue,
    )


# Dialogue 1 wants a twice and b, dialogue 2 wants b, dialogue 3 wants b and c.
SITUATIONS = [
    situation("1a", mentioned=["x", "b"], targets=["a"], dialogue="1"),
    situation("1b", mentioned=[], targets=["a", "b"], dialogue="1"),
    situation("2a", mentioned=["b"], targets=["b"], dialogue="2"),
    situation("3a", mentioned=None, targets=["b", "c"], dialogue="3"),
]


def rankings(system: str, responses: Sequence[Response]) -> dict[str, tuple[str, ...] | None]:
    return {one.situation_id: one.utterance.ranking for one in responses if one.system == system}


def test_popularity_counts_the_other_dialogues_only() -> None:
    found = rankings(POPULARITY, list(recommendation_baselines(SITUATIONS)))
    # All: a 2, b 3, c 1. Without dialogue 1: b 2, c 1. Without 2: a 2, b 2, c 1. Without 3: a 2, b 2.
    assert found == {"1a": ("b", "c"), "1b": ("b", "c"), "2a": ("a", "b", "c"), "3a": ("a", "b")}


def test_copying_puts_the_last_mention_first_then_what_is_popular() -> None:
    found = rankings(COPY_CONTEXT, list(recommendation_baselines(SITUATIONS)))
    assert found == {"1a": ("b", "x", "c"), "1b": ("b", "c"), "2a": ("b", "a", "c"), "3a": None}


def test_given_counts_are_taken_as_they_are() -> None:
    found = rankings(POPULARITY, list(recommendation_baselines(SITUATIONS, {"z": 5, "y": 9, "a": 9})))
    assert set(found.values()) == {("a", "y", "z")}


def test_rankings_end_at_the_depth() -> None:
    responses = list(recommendation_baselines(SITUATIONS, {"z": 5, "y": 9, "a": 9}, depth=2))
    assert rankings(POPULARITY, responses)["1a"] == ("a", "y")
    assert rankings(COPY_CONTEXT, responses)["1a"] == ("b", "x")


def test_a_depth_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="depth must be a whole number"):
        list(recommendation_baselines(SITUATIONS, depth=0))


def test_two_responses_to_each_situation_in_their_order() -> None:
    responses = list(recommendation_baselines(SITUATIONS))
    assert [one.situation_id for one in responses] == ["1a", "1a", "1b", "1b", "2a", "2a", "3a", "3a"]
    assert [one.system for one in responses] == [COPY_CONTEXT, POPULARITY] * 4


def test_no_situations_no_baselines() -> None:
    assert list(recommendation_baselines([])) == []


def test_unknown_targets_teach_nothing() -> None:
    alone = [situation("1", mentioned=["m"], targets=None, dialogue="1")]
    assert rankings(COPY_CONTEXT, list(recommendation_baselines(alone))) == {"1": ("m",)}
    assert rankings(POPULARITY, list(recommendation_baselines(alone))) == {"1": ()}


def test_copying_scores_by_repetition_and_falls_on_novel_targets() -> None:
    scores = measure(
        offline_conversations(SITUATIONS, recommendation_baselines(SITUATIONS)),
        [get_metric("recall(k=1)@per_label"), get_metric("recall(k=1)@per_label_novel")],
        settings=Settings(resamples=10, permutations=10),
    )
    values = {(one.system, str(one.measure)): one.value for one in scores if one.level == "system"}
    # copy-context: 1a (b) misses a; 1b (b) misses a, hits b; 2a (b) hits b; 3a has no ranking: 2 of 4 labels
    assert values[COPY_CONTEXT, "recall(k=1)@per_label|v1"] == 0.5
    # 2a's b was mentioned and drops out; left are a | a, b: 1 of 3
    assert values[COPY_CONTEXT, "recall(k=1)@per_label_novel|v1"] == pytest.approx(1 / 3)
    # popularity: b | b | a | a for the labels a | a b | b | b c: 1 of 6
    assert values[POPULARITY, "recall(k=1)@per_label|v1"] == pytest.approx(1 / 6)


ITEMS = st.lists(st.sampled_from("abcdef"), max_size=4)


@settings(deadline=None)
@given(
    st.lists(st.tuples(ITEMS, ITEMS, st.sampled_from("12345")), min_size=1, max_size=8),
    st.integers(1, 5),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True),
)
def test_a_dialogue_s_own_answers_cannot_change_its_baselines(
    drawn: list[tuple[list[str], list[str], str]], depth: int, others: list[str]
) -> None:
    before = [
        situation(str(number), mentioned=mentioned, targets=targets, dialogue=dialogue)
        for number, (mentioned, targets, dialogue) in enumerate(drawn)
    ]
    own = before[0].dialogue_id
    after = [one.model_copy(update={"targets": tuple(others)}) if one.dialogue_id == own else one for one in before]
    asked = {one.id for one in before if one.dialogue_id == own}
    for system in (COPY_CONTEXT, POPULARITY):
        was = rankings(system, list(recommendation_baselines(before, depth=depth)))
        now = rankings(system, list(recommendation_baselines(after, depth=depth)))
        assert {name: was[name] for name in asked} == {name: now[name] for name in asked}


@settings(deadline=None)
@given(st.lists(st.tuples(ITEMS, st.sampled_from("123")), max_size=8), st.integers(1, 4))
def test_popularity_equals_a_recount_for_every_dialogue(drawn: list[tuple[list[str], str]], depth: int) -> None:
    situations = [
        situation(str(number), mentioned=[], targets=targets, dialogue=dialogue)
        for number, (targets, dialogue) in enumerate(drawn)
    ]
    found = rankings(POPULARITY, list(recommendation_baselines(situations, depth=depth)))
    for one in situations:
        others = [
            item for other in situations if other.dialogue_id != one.dialogue_id for item in set(other.targets or ())
        ]
        expected = sorted(set(others), key=lambda item: (-others.count(item), item))[:depth]
        assert found[one.id] == tuple(expected)
