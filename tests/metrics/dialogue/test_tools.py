"""Calls of tools, cost and tokens of dialogues."""

from typing import Any

import pytest

from trialogue.metrics.base import Undefined
from trialogue.metrics.dialogue.resources import (
    NO_CALLS,
    Cost,
    Latency,
    Tokens,
    ToolCalls,
    satisfaction_in,
    uses_of_results,
)
from trialogue.records import Dialogue, Ending, Raters, Rating, Utterance
from trialogue.records.trace import ToolCall, Trace


def dialogue(*traces: Trace | None, **more: Any) -> Dialogue:
    said = [Utterance(speaker="user", text="hi")]
    said += [Utterance(speaker="system", text="Heat", trace=trace) for trace in traces]
    return Dialogue(id="d", utterances=tuple(said), **more)


def call(**more: Any) -> ToolCall:
    return ToolCall(**{"name": "search", "arguments": {"a": 1, "b": 2}, "has_result": True, **more})


def test_calls_are_counted_by_kind_over_the_whole_dialogue() -> None:
    unit = dialogue(
        Trace(calls=(call(), call(arguments={"b": 2, "a": 1}), call(arguments={"a": 3}, error="Error: no"))),
        Trace(calls=()),
        Trace(calls=(call(is_declared=True, refused="'a' is required", arguments={}), call(has_result=False))),
    )
    found = {each: ToolCalls(variant=each).statistics(unit) for each in ToolCalls.card.variants}
    assert found == {
        "failed": (1.0, 5.0),
        "repeated": (2.0, 5.0),
        "invalid": (1.0, 1.0),
        "unanswered": (1.0, 5.0),
        "ignored": Undefined(NO_CALLS),
        "per_dialogue": (5.0, 1.0),
    }


@pytest.mark.parametrize(
    ("result", "reply", "uses"),
    [
        ({"items": ["Heat (1995)"]}, "You may like HEAT.", [True]),
        ({"items": ["Heat (1995)"]}, "You may like Alien.", [False]),
        ({"title": "Heat"}, "Titles are hard to find.", [False]),  # names of fields say nothing
        ('{"price": 1234.5}', "It costs 1,234.50 euros.", [True]),
        ({"price": 1234567}, "About 1.234.567 yen.", [True]),
        ("3 rooms are free", "There were three.", [False]),  # a number in words is not recognised
        ("電影「熱」很好看", "推荐電影", [True]),
        ("電影很好看", "再見", [False]),
        ({"ok": True, "items": []}, "Fine.", []),
        ({"status": "success"}, "Fine.", []),
        ("Done.", "Fine.", []),
        (None, "Fine.", []),
    ],
)
def test_a_result_is_ignored_if_no_word_or_number_of_it_comes_back(result: Any, reply: str, uses: list[bool]) -> None:
    said = Utterance(speaker="system", text=reply, trace=Trace(calls=(call(result=result),)))
    unit = Dialogue(id="d", utterances=(said,))
    assert uses_of_results(unit) == uses
    found = ToolCalls(variant="ignored").statistics(unit)
    assert found == ((float(not uses[0]), 1.0) if uses else Undefined(NO_CALLS))


def test_a_result_is_used_by_a_later_call_or_a_later_reply_and_not_by_an_earlier_one() -> None:
    first, second = call(result={"id": "item-77"}), call(arguments={"item": "item-77"}, result="blue")
    assert uses_of_results(dialogue(Trace(calls=(first, second)))) == [True, False]
    assert uses_of_results(dialogue(Trace(calls=(second, first)))) == [False, False]
    early = Utterance(speaker="system", text="blue")
    late = Utterance(speaker="system", text="Sorry", trace=Trace(calls=(second,)))
    assert uses_of_results(Dialogue(id="d", utterances=(early, late))) == [False]
    assert uses_of_results(Dialogue(id="d", utterances=(late, early))) == [True]
    assert uses_of_results(dialogue(Trace(calls=(call(result="blue", error="blue"),)))) == []


@pytest.mark.parametrize("variant", ["failed", "repeated", "invalid", "unanswered"])
def test_no_calls_have_no_share_and_are_not_zero(variant: str) -> None:
    assert isinstance(ToolCalls(variant=variant).statistics(dialogue(Trace(calls=()))), Undefined)
    assert isinstance(ToolCalls(variant=variant).statistics(dialogue(None)), Undefined)
    assert ToolCalls(variant="per_dialogue").statistics(dialogue(Trace(calls=()))) == (0.0, 1.0)
    assert isinstance(ToolCalls(variant="per_dialogue").statistics(dialogue(Trace(cost=1.0))), Undefined)


def test_calls_and_costs_of_a_turn_without_a_reply_count() -> None:
    unit = dialogue(None, trace=Trace(calls=(call(error="Error"),), cost=0.5, input_tokens=7))
    assert ToolCalls().statistics(unit) == (1.0, 1.0)
    assert Cost().statistics(unit) == (0.5, 1.0)
    assert Tokens().statistics(unit) == (7.0, 1.0)
    assert isinstance(Tokens(variant="output").statistics(unit), Undefined)


@pytest.mark.parametrize(
    ("rating", "satisfied"),
    [
        (Rating(name="thumbs", value=1, low=0, high=1), 1.0),
        (Rating(name="thumbs", value=0, low=0, high=1), 0.0),
        (Rating(name="stars", value=3, low=1, high=5), 0.0),  # the middle is not the upper half
        (Rating(name="effort", value=1, low=1, high=5, better="lower"), 1.0),
        (Rating(name="thumbs", value=1, low=0, high=1, raters=Raters.MODEL), None),
        (Rating(name="likes", value=7), None),
    ],
)
def test_satisfied_is_the_upper_half_of_a_scale_that_people_used(rating: Rating, satisfied: float | None) -> None:
    assert satisfaction_in(dialogue(None, ratings=(rating,))) == satisfied


def test_what_a_failed_dialogue_cost_was_spent_in_vain() -> None:
    failed = dialogue(Trace(cost=2.0), ended_by=Ending.AGENT_ERROR)
    assert Cost(variant="per_satisfied").statistics(failed) == (2.0, 0.0)
    liked = dialogue(Trace(cost=1.0), ratings=(Rating(name="thumbs", value=1, low=0, high=1),))
    assert Cost(variant="per_satisfied").statistics(liked) == (1.0, 1.0)


def test_waits_of_a_log_are_its_traces() -> None:
    assert Latency().statistics(dialogue(Trace(latency_s=2.0), None, Trace(latency_s=4.0))) == (6.0, 2.0)
