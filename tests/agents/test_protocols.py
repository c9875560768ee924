"""Agents served in every protocol by a process of their own, and talked to by the agent that speaks it."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import Agent, AgentFailure, make_agent
from trialogue.records import DialogueAct, SlotValue

HTTP = ["trialogue", "moviebot", "moviebot-v2", "ievalm", "openai"]
CLIENTS = {"openai": "llm"}  # who speaks it, where that has another name
OPTIONS = {"openai": {"model": "counting"}}


@contextmanager
def talking(url: str, protocol: str, **options: Any) -> Iterator[Agent]:
    agent = make_agent(url, protocol=CLIENTS.get(protocol, protocol), **OPTIONS.get(protocol, {}), **options)
    yield agent
    agent.close()


@pytest.fixture(params=HTTP)
def counting(served: dict[str, str], request: pytest.FixtureRequest) -> tuple[str, str]:
    """(address, protocol) of the agent that counts."""
    return served[f"counting/{request.param}"], request.param


@pytest.fixture(params=HTTP)
def echoing(served: dict[str, str], request: pytest.FixtureRequest) -> tuple[str, str]:
    return served[f"echo/{request.param}"], request.param


def test_an_echo_is_heard_through_every_protocol(echoing: tuple[str, str]) -> None:
    with talking(*echoing) as agent:
        assert said_to(agent, "hi", "Amélie {x} 🎬") == [[], ["hi"], ["Amélie {x} 🎬"]]


def test_the_agents_state_greeting_and_turns_go_through(counting: tuple[str, str]) -> None:
    _, protocol = counting
    greets = protocol in ("trialogue", "moviebot", "moviebot-v2")
    bursts = protocol == "trialogue"  # the others have one message a turn
    with talking(*counting) as agent:
        greeting, first, second = said_to(agent, "a", "b", dialogue_id="d1")
    assert greeting == (["Welcome!"] if greets else [])
    assert first == (["Well.", "a 1"] if bursts else ["Well.\na 1"])
    assert second == (["Well.", "b 2"] if bursts else ["Well.\nb 2"])


def test_dialogues_at_the_same_time_are_kept_apart(counting: tuple[str, str]) -> None:
    with talking(*counting) as agent, agent.open("x", seed=0) as one, agent.open("y", seed=0) as other:
        history = [user("a")]
        first = one.reply(history)
        assert texts(other.reply([user("z")]))[-1].endswith("z 1")
        assert texts(one.reply([*history, *first.utterances, user("b")]))[-1].endswith("b 2")


def test_a_dialogue_of_the_same_name_begins_anew(counting: tuple[str, str]) -> None:
    with talking(*counting) as agent:
        assert said_to(agent, "a", dialogue_id="again") == said_to(agent, "a", dialogue_id="again")


def test_acts_and_endings_arrive_where_the_protocol_has_a_place_for_them(counting: tuple[str, str]) -> None:
    _, protocol = counting
    with talking(*counting) as agent, agent.open("ends", seed=0) as session:
        history = []
        for word in ("a", "b", "c"):
            history.append(user(word))
            turn = session.reply(history)
            history.extend(turn.utterances)
            if word == "a":
                act = turn.utterances[-1].acts
    number = (SlotValue(slot="NUMBER", value="1"),)
    acts = {
        "trialogue": (DialogueAct(intent="COUNT", slots=number),),
        "moviebot": (DialogueAct(intent="COUNT"),),
        "moviebot-v2": (DialogueAct(intent="COUNT"),),
    }
    assert act == acts.get(protocol)
    assert turn.ends == (protocol in acts)


@pytest.mark.parametrize("protocol", HTTP)
def test_what_fails_behind_the_server_is_a_failure_in_front_of_it(served: dict[str, str], protocol: str) -> None:
    url = served[f"broken/{protocol}"]
    with talking(url, protocol, retries={"most": 0}) as agent, pytest.raises(AgentFailure) as caught:
        turn_of(agent)
    assert caught.value.kind == "error"
    assert "out of films" in caught.value.detail


def test_every_server_says_that_it_is_there(counting: tuple[str, str]) -> None:
    with talking(*counting) as agent:
        agent.healthy()  # type: ignore[attr-defined]


def posted(url: str, body: object, **headers: str) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as answer:
            raw = answer.read()
            return json.loads(raw) if raw.startswith(b"{") else raw.decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_moviebots_bytes_are_what_moviebot_would_send(served: dict[str, str]) -> None:
    v1 = served["counting/moviebot"]

    def said(text: str) -> object:
        return {"entry": [{"messaging": [{"message": {"text": text}, "sender": {"id": "U1"}}]}]}

    assert posted(v1, said("/start")) == {"recipient": {"id": "U1"}, "message": {"text": "Welcome!", "intent": ""}}
    assert posted(v1, said("hi"))["message"] == {"text": "Well.\nhi 1", "intent": "COUNT"}
    assert posted(v1, said("/exit")) == "Message Processed"
    assert posted(v1, {"entry": []})[0] == 400
    v2 = served["counting/moviebot-v2"]
    message = {"message": {"text": "/start"}, "sender": {"id": "U1"}}
    assert posted(v2, message) == {"recipient": "U1", "message": {"text": "Welcome!", "intent": ""}}


def test_ievalm_wants_both_of_its_keys(served: dict[str, str]) -> None:
    url = served["echo/ievalm"]
    assert posted(url, {"context": ["hi", "Hello."], "message": "Heat?"}) == {"response": "Heat?"}
    assert posted(url, {"context": ["hi"]})[0] == 400


def test_our_own_protocol_is_as_documented(served: dict[str, str]) -> None:
    url = served["echo/trialogue"]
    opened = posted(url, {"type": "open", "protocol": 1, "dialogue_id": "d1", "seed": 7})
    assert opened == {"type": "ready"}
    history = [{"speaker": "user", "text": "hi"}]
    turn = posted(url, {"type": "turn", "dialogue_id": "d1", "message": "hi", "history": history})
    assert turn == {"type": "turn", "messages": [{"text": "hi"}]}
    assert posted(url, {"type": "close", "dialogue_id": "d1"}) == {"type": "ready"}
    assert posted(url, {"type": "sing"})[0] == 400
    assert posted(url, {"type": "turn", "dialogue_id": "d1", "message": "hi", "history": ["hi", "hi"]})[0] == 400


def test_a_moviebot_that_says_nothing_is_an_empty_answer(faulty: str) -> None:
    turn = {"method": "GET", "reply": "message.text", "silence": ["fine"]}
    agent = make_agent(faulty, protocol="moviebot", turn=turn, open=None, close=None)
    with pytest.raises(AgentFailure) as caught:
        turn_of(agent)
    agent.close()
    assert caught.value.kind == "empty"
    assert "'fine': it acknowledged the message without a reply" in caught.value.detail
