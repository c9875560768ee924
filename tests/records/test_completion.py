"""What a system did of what it was asked to do, and through whose fault it did not do the rest."""

import pytest
from pydantic import ValidationError

from trialogue.records import (
    ActCounts,
    ActOrigin,
    Dialogue,
    DialogueAct,
    Ending,
    Fault,
    Response,
    RetryCost,
    Situation,
    UnknownAct,
    Utterance,
    completion_counts,
    merge_turns,
)


def dialogue(name: str, ending: Ending | None, *said: Utterance, retries: int = 0) -> Dialogue:
    cost = RetryCost(count=retries, waited_s=0.5 * retries) if retries else None
    return Dialogue(id=name, system="aria", utterances=said, ended_by=ending, retries=cost)


def reply(text: str = "x", origin: ActOrigin | None = None, *, acts: bool = True) -> Utterance:
    act = (DialogueAct(intent="List"),) if acts else ()
    return Utterance(speaker="system", text=text, acts=act, acts_by=origin)


def test_failures_are_counted_by_fault_and_finished_dialogues_are_the_rest() -> None:
    endings = [Ending.AGENT_ERROR, Ending.AGENT_ERROR, Ending.LOST, Ending.AGENDA_EMPTY, Ending.TURN_LIMIT, None]
    found = completion_counts(dialogue(str(place), ending) for place, ending in enumerate(endings))["aria"]
    assert (found.dialogues, found.finished_count, found.unrecorded) == (6, 3, 1)
    assert found.failed == {Ending.AGENT_ERROR: 2, Ending.LOST: 1}
    assert (found.failures_by(Fault.AGENT), found.failures_by(Fault.HARNESS), found.failures_by(Fault.USER)) == (
        2,
        1,
        0,
    )
    assert (found.failure_rate, found.charged_rate, found.missing_rate) == (3 / 6, 2 / 6, 1 / 6)


def test_a_system_without_a_finished_dialogue_says_so() -> None:
    assert not completion_counts([dialogue("a", Ending.AGENT_TIMEOUT)])["aria"].has_finished_any
    assert completion_counts([dialogue("a", Ending.AGENT_TIMEOUT), dialogue("b", None)])["aria"].has_finished_any


def test_counts_of_two_kinds_of_dialogues_add_up() -> None:
    people = completion_counts([dialogue("a", Ending.LOST, reply(origin=ActOrigin.DECLARED)), dialogue("b", None)])
    simulated = completion_counts([dialogue("c", Ending.AGENT_ERROR, retries=2), dialogue("d", Ending.LOST)])
    both = people["aria"] + simulated["aria"]
    assert (both.dialogues, both.finished_count, both.unrecorded) == (4, 1, 1)
    assert both.failed == {Ending.LOST: 2, Ending.AGENT_ERROR: 1}
    assert both.acts == ActCounts(declared=1)
    assert both.retries == RetryCost(count=2, waited_s=1.0)


def test_rates_of_nothing_are_undefined() -> None:
    (found,) = completion_counts(responses=[Response(situation_id="s", system="x", utterance=reply())]).values()
    assert (found.failure_rate, found.charged_rate, found.missing_rate, found.acts.recognised_share) == (None,) * 4
    assert completion_counts([dialogue("a", None)])["aria"].abstention_rate is None


def test_replies_that_are_missing_empty_or_failed_are_unanswered() -> None:
    user = (Utterance(speaker="user", text="hi"),)
    situations = [Situation(id=str(number), context=user) for number in range(5)]
    responses = [
        Response(situation_id="0", system="aria", utterance=reply("Heat?")),
        Response(situation_id="1", system="aria", utterance=reply(" \n")),
        Response(situation_id="2", system="aria", utterance=reply(""), failure=Ending.AGENT_TIMEOUT),
    ]
    found = completion_counts([dialogue("d", None)], situations=situations, responses=responses)["aria"]
    assert (found.situations, found.answered, found.unanswered_count) == (
        5,
        1,
        4,
    )  # 1 and 2 hold no words, 3 and 4 are missing
    assert found.failed_replies == {Ending.AGENT_TIMEOUT: 1}
    assert found.abstention_rate == 4 / 5


def test_a_reply_cannot_fail_by_a_regular_ending() -> None:
    with pytest.raises(ValidationError, match="'turn_limit' is not a failure"):
        Response(situation_id="0", system="a", utterance=reply(), failure=Ending.TURN_LIMIT)


def test_the_share_of_recognised_acts_is_over_the_systems_utterances_that_have_acts() -> None:
    said = (
        reply(origin=ActOrigin.RECOGNISED),
        reply(origin=ActOrigin.RECOGNISED),
        reply(origin=ActOrigin.DECLARED),
        reply(origin=None),
        reply(origin=ActOrigin.RECOGNISED, acts=False),  # it was not understood: no act
        Utterance(speaker="user", text="x", acts=(DialogueAct(intent="Note"),), acts_by=ActOrigin.DECLARED),
    )
    acts = completion_counts([dialogue("d", None, *said)])["aria"].acts
    assert acts == ActCounts(declared=1, recognised=2, unknown=1)
    assert acts.recognised_share == 2 / 4


def test_costs_of_retries_are_summed_over_dialogues() -> None:
    found = completion_counts([dialogue("a", None, retries=1), dialogue("b", None), dialogue("c", None, retries=2)])
    assert found["aria"].retries == RetryCost(count=3, waited_s=1.5)


@pytest.mark.parametrize(
    ("origins", "whole"),
    [
        ((ActOrigin.DECLARED, ActOrigin.RECOGNISED), ActOrigin.RECOGNISED),
        ((ActOrigin.ANNOTATED, None), None),
        ((ActOrigin.ANNOTATED, ActOrigin.ANNOTATED), ActOrigin.ANNOTATED),
    ],
)
def test_acts_of_a_joined_turn_are_as_sure_as_the_weakest(
    origins: tuple[ActOrigin | None, ...], whole: ActOrigin | None
) -> None:
    joined = merge_turns(dialogue("d", None, *(reply(origin=origin) for origin in origins)))
    assert joined.utterances[0].acts_by is whole


def test_acts_that_a_model_was_asked_for_name_it_and_messages_that_it_had_none_for_are_counted() -> None:
    asked = reply(origin=ActOrigin.RECOGNISED).model_copy(update={"acts_labeller": "llm|a"})
    nothing = reply(origin=ActOrigin.RECOGNISED, acts=False).model_copy(
        update={"acts_labeller": "llm|b", "acts_unknown": UnknownAct.UNSURE}
    )
    said_by_user = nothing.model_copy(update={"speaker": "user", "acts_labeller": "llm|c"})
    one = completion_counts([dialogue("1", None, asked, nothing, nothing, said_by_user)])["aria"].acts
    assert one == ActCounts(recognised=1, unrecognised=2, labellers=("llm|a", "llm|b"))
    other = completion_counts([dialogue("2", None, reply(origin=ActOrigin.DECLARED), asked)])["aria"].acts
    assert one + other == ActCounts(declared=1, recognised=2, unrecognised=2, labellers=("llm|a", "llm|b"))
    assert (one.total, one.recognised_share) == (1, 1)


def test_a_joined_turn_names_the_model_that_was_asked_and_says_why_no_part_has_an_act() -> None:
    asked = reply(origin=ActOrigin.RECOGNISED).model_copy(update={"acts_labeller": "llm|a"})
    nothing = reply(origin=ActOrigin.RECOGNISED, acts=False).model_copy(
        update={"acts_labeller": "llm|a", "acts_unknown": UnknownAct.NO_WORDS}
    )
    for parts, why in (((nothing, asked), None), ((nothing, nothing), UnknownAct.NO_WORDS), ((asked, asked), None)):
        (joined,) = merge_turns(dialogue("d", None, *parts)).utterances
        assert (joined.acts_labeller, joined.acts_unknown) == ("llm|a", why)
