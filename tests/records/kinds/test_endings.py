"""Endings are a closed list, and each failure is charged to who caused it."""

import pytest
from pydantic import ValidationError

from trialogue.records import Dialogue, Ending, Fault, RetryCost
from trialogue.records.kinds.endings import FAILURES, failures_of, regular_ending

OF_THE_AGENT = {
    Ending.AGENT_ERROR,
    Ending.AGENT_TIMEOUT,
    Ending.AGENT_UNREACHABLE,
    Ending.AGENT_INVALID_REPLY,
    Ending.AGENT_TOOL_CALL,
}


def test_only_the_agents_own_failures_are_the_agents_fault() -> None:
    assert failures_of(Fault.AGENT) == OF_THE_AGENT
    for ending in (Ending.RATE_LIMITED, Ending.LOST, Ending.HARNESS_ERROR):
        assert ending.fault is Fault.HARNESS
    assert (Ending.USER_ERROR.fault, Ending.JUDGE_ERROR.fault) == (Fault.USER, Fault.JUDGE)


def test_a_regular_ending_has_no_fault_and_is_no_failure() -> None:
    regular = [ending for ending in Ending if not ending.is_failure]
    assert {ending.fault for ending in regular} == {None}
    assert set(Ending) - FAILURES == set(regular)
    assert len(regular) == 6


def test_every_fault_has_an_ending() -> None:
    assert set().union(*map(failures_of, Fault)) == FAILURES
    assert all(failures_of(fault) for fault in Fault)


def test_a_word_that_is_no_ending_is_refused() -> None:
    with pytest.raises(ValidationError, match="agenda_empty"):
        Dialogue(id="d", utterances=(), ended_by="bored")


def test_nobody_charges_a_failure_to_somebody_else_by_a_word() -> None:
    assert regular_ending("agent_error") == (Ending.OTHER, "agent_error")
    assert regular_ending("turn_limit") == (Ending.TURN_LIMIT, None)


def test_costs_of_retries_add_up() -> None:
    # 1 + 2 retries, 0.25 s + 0.5 s
    both = RetryCost(count=1, waited_s=0.25) + RetryCost(count=2, waited_s=0.5)
    assert both == RetryCost(count=3, waited_s=0.75)


def test_a_dialogue_knows_whose_fault_its_end_was() -> None:
    assert Dialogue(id="d", utterances=(), ended_by=Ending.LOST).fault is Fault.HARNESS
    assert Dialogue(id="d", utterances=(), ended_by=Ending.TURN_LIMIT).fault is None
    assert Dialogue(id="d", utterances=()).fault is None
