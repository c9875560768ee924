"""From whatever an agent answers to a turn, or to a failure that says why not."""

import json
import pickle
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.talk import texts, user
from trialogue.agents import AgentFailure, Turn
from trialogue.agents.protocols.exchange import Exchange, turn_in
from trialogue.agents.replies import turn_of
from trialogue.records import DialogueAct, SlotValue, Utterance
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import PassingFailure, UnreadableAnswer
from trialogue.transport.http import HttpResponse

HEAT = Utterance(speaker="system", text="Heat?", acts=(DialogueAct(intent="RECOMMEND"),))


def failure_of(answer: object) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        turn_of(answer)
    return caught.value


@pytest.mark.parametrize(
    "answer",
    ["Hello!", ["Hello!"], {"text": "Hello!"}, {"messages": ["Hello!"]}, {"messages": [{"text": "Hello!"}]}],
)
def test_a_text_may_come_in_many_forms(answer: object) -> None:
    assert turn_of(answer) == Turn((Utterance(speaker="system", text="Hello!"),))


def test_a_burst_keeps_its_messages_and_leaves_out_the_blank_ones() -> None:
    assert texts(turn_of(["Hello!", " \n", HEAT])) == ["Hello!", "Heat?"]


def test_an_object_may_say_what_the_reply_does_and_that_it_is_the_last() -> None:
    slots = [{"slot": "TITLE", "value": "Heat"}]
    turn = turn_of({"text": "Heat?", "acts": [{"intent": "RECOMMEND", "slots": slots}], "ranking": ["h"], "ends": True})
    assert turn.utterances[0].acts == (DialogueAct(intent="RECOMMEND", slots=(SlotValue(slot="TITLE", value="Heat"),)),)
    assert turn.utterances[0].ranking == ("h",)
    assert turn.ends


def test_a_turn_stays_as_it_is_but_for_what_was_measured_outside() -> None:
    given = Turn((HEAT,), meta={"model": "v2"})
    assert turn_of(given, latency_s=0.5, meta={"tokens": 3}) == Turn(
        (HEAT,), latency_s=0.5, meta={"tokens": 3, "model": "v2"}
    )
    assert turn_of(Turn((HEAT,), latency_s=2), latency_s=0.5).latency_s == 2


@pytest.mark.parametrize("answer", ["", "  \n", [], ["", " "], {"messages": []}, {"text": "", "ends": False}])
def test_no_words_are_a_failure(answer: object) -> None:
    assert failure_of(answer).kind == "empty"


CALLS = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]


@pytest.mark.parametrize(
    "answer",
    [
        '<tool_call>{"name": "search", "arguments": {}}</tool_call>',
        ["Let me look.", '{"name": "search", "arguments": {}}'],
        {"text": 'Let me look. {"name": "search", "arguments": {}}'},
        {"text": "", "tool_calls": CALLS},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"content": [{"type": "text", "text": "Wait."}, {"type": "tool_use", "name": "search"}]},
        {"text": "Let me look.", "tool_calls": CALLS, "finish_reason": "tool_calls"},
        "<think>They like crime.</think>Action: search[crime]",
        "<|channel|>commentary to=functions.search<|message|>{}<|call|>",
    ],
)
def test_a_call_of_a_tool_is_no_reply_and_is_named(answer: object) -> None:
    failure = failure_of(answer)
    assert (failure.kind, failure.ending) == ("tool_call", "agent_tool_call")
    assert "the tool 'search', which nobody runs. Run tools inside the agent" in failure.detail


def in_http(message: object, reason: str, path: str = "choices.0.message.content") -> Turn:
    body = {"choices": [{"message": message, "finish_reason": reason}]}
    response = HttpResponse(200, Message(), json.dumps(body).encode(), 0.1)
    return turn_in(response, Exchange(reply=path), longest=LONGEST_TEXT, latency_s=None)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"content": "", "tool_calls": CALLS}, "tool_calls"),
        ({"content": None, "tool_calls": CALLS}, "stop"),
        ({"tool_calls": CALLS}, "tool_calls"),
        ({"content": "Let me look.", "tool_calls": CALLS}, "tool_calls"),
        ({"content": '[TOOL_CALLS][{"name": "search", "arguments": {}}]'}, "stop"),
    ],
)
def test_a_server_that_waits_for_a_tool_gives_no_reply(message: object, reason: str) -> None:
    with pytest.raises(AgentFailure, match="the tool 'search', which nobody runs") as caught:
        in_http(message, reason)
    assert caught.value.ending == "agent_tool_call"


def test_calls_that_a_server_ran_stand_beside_its_reply() -> None:
    assert texts(in_http({"content": "Heat?", "tool_calls": CALLS}, "stop")) == ["Heat?"]


@pytest.mark.parametrize("answer", [{"ends": True}, {"messages": [], "ends": True}, {"text": "", "ends": True}])
def test_an_agent_may_leave_without_a_word(answer: object) -> None:
    assert turn_of(answer) == Turn((), ends=True)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "nothing (null)"),
        (7, "a number"),
        (True, "true or false"),
        ([["Hello"]], "a list"),
        ({"text": 7}, "a number"),
        ({"reply": "Hello", "id": 3}, "the keys id, reply"),
        ({}, "nothing in it"),
        ({"messages": "Hello"}, "the keys messages"),
        ({"messages": ["Hello"], "end": True}, "the keys end, messages"),
        ({"text": "Hello", "ends": "yes"}, "'ends': 'yes'"),
        ({"text": "Hello", "akts": []}, "akts"),
        (user("me"), "speaker is the user"),
        ("half \ud83d", "character 5"),
        (["x"] * 101, "101 messages"),
        ({"messages": ["x"], "meta": {"a": "\ud83d"}}, "cannot be kept as JSON"),
        ({"messages": ["x"], "meta": {"a": float("nan")}}, "cannot be kept as JSON"),
        ({"messages": ["x"], "meta": {"a": {1, 2}}}, "cannot be kept as JSON"),
        (object(), "a object"),
    ],
)
def test_what_is_no_answer_is_malformed_and_named(answer: object, said: str) -> None:
    failure = failure_of(answer)
    assert failure.kind == "malformed"
    assert said in failure.detail


def test_a_megabyte_of_text_is_refused_with_the_limit_and_its_beginning() -> None:
    failure = failure_of("a" * (1 << 20))
    assert "1,048,576 characters; at most 100,000 are allowed (longest_text)" in failure.detail
    assert isinstance(failure, UnreadableAnswer)
    assert len(failure.raw) == 10_000  # failures go into ledgers
    assert turn_of("a" * LONGEST_TEXT).utterances[0].text == "a" * LONGEST_TEXT


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["text", "messages", "ends", "meta", "acts", "speaker"]) | st.text(max_size=3), inner
            )
        ),
    )
)
def test_any_json_is_a_turn_with_words_or_a_failure(answer: object) -> None:
    try:
        turn = turn_of(answer)
    except AgentFailure:
        return
    assert turn.ends or turn.utterances
    assert all(said.speaker == "system" and said.text.strip() for said in turn.utterances)


@pytest.mark.parametrize(
    "failure",
    [
        AgentFailure("timeout", "too slow"),
        PassingFailure("error", "busy", heard=False, after_s=2),
        UnreadableAnswer("no JSON.", "<html>"),
    ],
)
def test_failures_travel_between_processes(failure: AgentFailure) -> None:
    back = pickle.loads(pickle.dumps(failure))
    assert (type(back), str(back), vars(back)) == (type(failure), str(failure), vars(failure))
