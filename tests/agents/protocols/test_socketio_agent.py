"""An agent over socket.io: served by ourselves, by a server that misbehaves, and by the real FlaskSocketPlatform."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import Started
from tests.agents.talk import said_to, texts, user
from trialogue.agents import AgentFailure, check_agent, make_agent
from trialogue.agents.callable_agent import CallableAgent
from trialogue.agents.protocols.socketio_agent import SocketIoAgent
from trialogue.agents.serving.http_server import AgentServer
from trialogue.records import DialogueAct, SlotValue

pytest.importorskip("socketio", reason="python-socketio is not installed (extra socketio)")
ROOT = Path(__file__).parent.parent.parent.parent
PYTHON = "TRIALOGUE_DIALOGUEKIT_PYTHON"


def agent_at(url: str, **options: Any) -> SocketIoAgent:
    agent = make_agent(url, protocol="socketio", **{"timeout_s": 5, **options})
    assert isinstance(agent, SocketIoAgent)
    return agent


@pytest.fixture(scope="module")
def bad(start: Started) -> str:
    """Address of a socket.io server that does what the message says (``tests.agents.servers.sockets``)."""
    return start("tests.agents.servers.sockets")


def test_greeting_bursts_and_acts_arrive(bad: str) -> None:
    with agent_at(bad).open("d", seed=0) as session:
        assert texts(session.greet()) == ["Welcome!", "What do you like?"]
        turn = session.reply([user("burst")])
        assert texts(turn) == ["one", "two", "three"]
        slots = (SlotValue(slot="TITLE", value="Heat"), SlotValue(slot="YEAR"))
        assert turn.utterances[0].acts == (DialogueAct(intent="REVEAL", slots=slots),)
        assert turn.utterances[1].acts is None
        assert texts(session.reply([user("hi")])) == ["hi"]


def test_the_stop_intent_ends_the_dialogue(bad: str) -> None:
    with agent_at(bad).open("d", seed=0) as session:
        turn = session.reply([user("bye")])
        assert (texts(turn), turn.ends) == (["Goodbye."], True)


def test_an_answer_after_the_acknowledgement_is_waited_for(bad: str) -> None:
    with agent_at(bad).open("d", seed=0) as session:
        assert texts(session.reply([user("later")])) == ["here it is"]


def test_a_server_that_acknowledges_late_is_not_waited_for_when_it_is_quiet(bad: str) -> None:
    from tests.agents.servers.sockets import HANG_S

    with agent_at(bad, quiet_s=0.05).open("d", seed=0) as session:
        start = time.perf_counter()
        assert texts(session.reply([user("answer, then hang")])) == ["first"]
        assert time.perf_counter() - start < HANG_S


@pytest.mark.parametrize(
    ("message", "kind", "said"),
    [
        ("silence", "timeout", "sent nothing within 0.3 s (timeout_s)"),
        ("leave", "closed", "disconnected without an answer; did the agent crash?"),
        ("schema", "malformed", "no message.text"),
        ("text only", "malformed", "no message.text"),
        ("odd acts", "malformed", "dialogue_acts of its message cannot be read"),
        ("empty", "empty", "without any text"),
    ],
)
def test_each_way_to_fail_is_distinguished(bad: str, message: str, kind: str, said: str) -> None:
    timeout_s = 0.3 if kind == "timeout" else 5
    with agent_at(bad, timeout_s=timeout_s).open("d", seed=0) as session, pytest.raises(AgentFailure) as caught:
        session.reply([user(message)])
    assert caught.value.kind == kind
    assert said in caught.value.detail


def test_after_the_connection_is_gone_there_is_no_answer(bad: str) -> None:
    with agent_at(bad).open("d", seed=0) as session:
        for _ in range(2):
            with pytest.raises(AgentFailure) as caught:
                session.reply([user("leave")])
            assert caught.value.kind == "closed"


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(AgentFailure, match="Is a FlaskSocketPlatform running there") as caught:
        agent_at("http://127.0.0.1:9").open("d", seed=0)
    assert caught.value.kind == "unreachable"


def test_a_server_that_speaks_no_socketio_is_unreachable(faulty: str) -> None:
    with pytest.raises(AgentFailure) as caught:
        agent_at(faulty).open("d", seed=0)
    assert caught.value.kind == "unreachable"


def test_an_agent_that_never_greets_is_a_time_out_unless_that_is_known() -> None:
    with AgentServer(CallableAgent(lambda message: message), protocol="socketio") as server:
        with pytest.raises(AgentFailure) as caught:
            agent_at(server.url, timeout_s=0.6).open("d", seed=0)
        assert caught.value.kind == "timeout"
        assert said_to(agent_at(server.url, greets=False), "hi") == [[], ["hi"]]


class Counting:
    def __init__(self) -> None:
        self.turns = 0

    def greet(self) -> str:
        return "Welcome!"

    def reply(self, message: str) -> object:
        self.turns += 1
        acts = [{"intent": "COUNT", "slots": [{"slot": "NUMBER", "value": str(self.turns)}]}]
        return {"messages": ["Well.", {"text": f"{message} {self.turns}", "acts": acts}], "ends": self.turns == 3}


def test_an_agent_of_ours_is_served_and_heard_end_to_end() -> None:
    with AgentServer(CallableAgent(Counting), protocol="socketio") as server:
        agent = agent_at(server.url)
        assert said_to(agent, "a", "b") == [["Welcome!"], ["Well.", "a 1"], ["Well.", "b 2"]]
        found = check_agent(agent, messages=("a", "b", "c", "d"))
    assert (found.answers, found.ended, found.acts, found.isolated, found.keeps_state) == (True, True, True, True, True)


def test_an_agent_that_fails_behind_the_server_hangs_up() -> None:
    def broken(message: str) -> str:
        raise RuntimeError("out of films")

    with AgentServer(CallableAgent(broken), protocol="socketio") as server:
        with agent_at(server.url, greets=False).open("d", seed=0) as session, pytest.raises(AgentFailure) as caught:
            session.reply([user("hi")])
        assert caught.value.kind == "closed"


PLATFORM = """
import socket, sys, warnings
warnings.simplefilter("ignore")
from dialoguekit.platforms.flask_socket_platform import FlaskSocketPlatform
from tests.agents.kit_agents import Talker
with socket.socket() as sock:
    sock.bind(("127.0.0.1", 0))
    port = sock.getsockname()[1]
print(f"http://127.0.0.1:{port}", flush=True)
platform = FlaskSocketPlatform(Talker)
from dialoguekit.platforms.flask_socket_platform import ChatNamespace
platform.socketio.on_namespace(ChatNamespace("/", platform))
platform.socketio.run(platform.app, host="127.0.0.1", port=port, allow_unsafe_werkzeug=True)
"""


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[str]:
    """Address of the real FlaskSocketPlatform, in the environment that has DialogueKit."""
    python = os.environ.get(PYTHON)
    if not python:
        pytest.skip(f"{PYTHON} is not set: the Python of an environment with dialoguekit==0.1.1")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [python, "-c", PLATFORM],
        cwd=tmp_path,  # it writes dialogues where it runs
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(10)
    process.stdout.close()


def test_the_real_platform_is_talked_to(platform: str) -> None:
    agent = agent_at(platform, timeout_s=20)
    deadline = time.monotonic() + 20
    while True:  # it says its address before it listens
        try:
            agent.open("probe", seed=0).close()
            break
        except AgentFailure as failure:
            if failure.kind != "unreachable" or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    assert said_to(agent, "hi", "Heat") == [["Welcome!", "What do you like?"], ["hi, heard 3"], ["Heat, heard 5"]]
    with agent.open("a", seed=0) as one, agent.open("b", seed=0) as other:
        assert texts(one.reply([user("x")])) == texts(other.reply([user("x")])) == ["x, heard 3"]
        turn = one.reply([user("bye")])
        assert (texts(turn), turn.ends) == (["Goodbye."], True)
