"""What a server of an agent does at its edges."""

import threading
import urllib.error
import urllib.request

import pytest

from tests.agents.talk import said_to, user
from trialogue.agents import AgentFailure, make_agent
from trialogue.agents.baselines import Echo
from trialogue.agents.callable_agent import CallableAgent
from trialogue.agents.serving.conversations import ConversationStore
from trialogue.agents.serving.http_server import AgentServer
from trialogue.errors import UnknownNameError, UsageError


def test_an_unknown_protocol_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'moviebot'"):
        AgentServer(Echo(), protocol="movibot")


def test_a_port_that_is_taken_is_reported() -> None:
    with AgentServer(Echo(), protocol="trialogue") as server:
        port = int(server.url.rsplit(":", 1)[1])
        with pytest.raises(UsageError, match="Choose another port"):
            AgentServer(Echo(), protocol="trialogue", port=port)


def test_a_body_that_is_no_json_or_too_long_is_refused_and_the_server_goes_on() -> None:
    with AgentServer(Echo(), protocol="trialogue") as server:
        for headers, status in (({}, 400), ({"Content-Length": "99999999999"}, 413)):
            request = urllib.request.Request(server.url, b"<hello>", headers)
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(request)
            with caught.value as error:
                assert error.code == status
        agent = make_agent(server.url, protocol="trialogue")
        assert said_to(agent, "still there?")[1] == ["still there?"]
        agent.close()


def test_a_server_that_was_never_started_can_be_closed() -> None:
    AgentServer(Echo(), protocol="trialogue").close()


class Noting:
    closed: list[int] = []  # noqa: RUF012 - what happened, over all objects

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def reply(self, message: str) -> str:
        return f"{message} {self.seed}"

    def close(self) -> None:
        Noting.closed.append(self.seed)


def test_the_conversation_that_was_silent_longest_is_closed_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trialogue.agents.serving.conversations.MAX_OPEN", 2)
    desk = ConversationStore(CallableAgent(Noting))
    Noting.closed.clear()
    desk.open("a", seed=1)
    desk.open("b", seed=2)
    desk.say("a", "hi")
    desk.open("c", seed=3)
    assert Noting.closed == [2]
    desk.close()
    assert sorted(Noting.closed) == [1, 2, 3]


def test_seeds_follow_from_names_where_nobody_gives_one() -> None:
    one, other = (ConversationStore(CallableAgent(Noting), seed=seed) for seed in (0, 0))
    assert one.say("a", "hi").utterances == other.say("a", "hi").utterances
    assert one.say("b", "hi").utterances != other.say("a", "hi").utterances


def test_messages_of_one_conversation_are_answered_one_after_the_other() -> None:
    inside = threading.Semaphore(1)

    def alone(message: str) -> str:
        assert inside.acquire(blocking=False)
        inside.release()
        return message

    desk = ConversationStore(CallableAgent(alone))
    threads = [threading.Thread(target=desk.say, args=("a", str(n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    turn = desk.say("a", "last", history=[user("first")])
    assert turn.utterances[0].text == "last"


def test_an_agent_that_raises_anything_is_a_failure() -> None:
    def broken(message: str) -> str:
        raise ZeroDivisionError

    with pytest.raises(AgentFailure, match="ZeroDivisionError"):
        ConversationStore(CallableAgent(broken)).say("a", "hi")
