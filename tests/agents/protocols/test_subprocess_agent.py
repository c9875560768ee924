"""Commands as agents: real processes, well-behaved and not."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import AgentFailure
from trialogue.agents.protocols.subprocess_agent import SubprocessAgent, SubprocessSpec
from trialogue.errors import UsageError
from trialogue.records import DialogueAct, SlotValue

LINES = Path(__file__).parent.parent / "servers" / "lines.py"
Options = Any


@pytest.fixture
def command() -> Iterator[Any]:
    """Makes agents of ``servers/lines.py``, and closes them."""
    agents: list[SubprocessAgent] = []

    def made(mode: str, **options: Options) -> SubprocessAgent:
        agents.append(SubprocessAgent([sys.executable, str(LINES), mode], **options))
        return agents[-1]

    yield made
    for agent in agents:
        agent.close()


def failure_of(agent: SubprocessAgent) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        turn_of(agent)
    return caught.value


def pid_in(words: list[str]) -> int:
    return int(words[0].rsplit("pid ", 1)[1].rstrip(")"))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_greets_and_answers(command: Any) -> None:
    agent = command("greets")
    greeting, first, second = said_to(agent, "hi", "Heat")
    assert greeting == ["Hello!"]
    assert first[0].startswith("hi (dialogue 1, turn 1")
    assert second[0].startswith("Heat (dialogue 1, turn 2")


def test_a_process_serves_one_dialogue_after_the_other_and_ends_with_the_agent(command: Any) -> None:
    agent = command("counts")
    first, second = said_to(agent, "a")[1], said_to(agent, "b")[1]
    assert second[0].startswith("b (dialogue 2, turn 1")
    assert pid_in(first) == pid_in(second)
    agent.close()
    assert not is_running(pid_in(first))


def test_dialogues_at_the_same_time_have_processes_of_their_own(command: Any) -> None:
    agent = command("counts", sessions_at_once=2)
    with agent.open("a", seed=0) as one, agent.open("b", seed=0) as other:
        assert pid_in(texts(one.reply([user("x")]))) != pid_in(texts(other.reply([user("x")])))


def test_bursts_acts_rankings_endings_and_meta_arrive(command: Any) -> None:
    turn = turn_of(command("say everything"))
    assert texts(turn) == ["Well.", "Heat?"]
    assert turn.utterances[1].acts == (DialogueAct(intent="RECOMMEND", slots=(SlotValue(slot="TITLE", value="Heat"),)),)
    assert turn.utterances[1].ranking == ("heat", "ronin")
    assert (turn.ends, turn.meta) == (True, {"model": "v2"})
    assert turn.latency_s is not None


def test_a_crash_is_reported_with_exit_code_and_the_end_of_stderr(command: Any) -> None:
    agent = command("crash")
    with agent.open("d", seed=0) as session:
        session.reply([user("a")])
        with pytest.raises(AgentFailure) as caught:
            session.reply([user("b")])
        assert caught.value.kind == "error"
        assert "ended with exit code 3" in caught.value.detail
        assert caught.value.detail.endswith("RuntimeError: out of films")
        assert len(caught.value.detail) < 5_000
        with pytest.raises(AgentFailure, match="earlier failure"):
            session.reply([user("c")])


def test_after_a_crash_the_next_dialogue_has_a_new_process(command: Any) -> None:
    agent = command("crash")
    with pytest.raises(AgentFailure):
        said_to(agent, "a", "b")
    assert said_to(agent, "c")[1][0].startswith("c (dialogue 1, turn 1")


@pytest.mark.parametrize(
    ("mode", "kind", "said"),
    [
        ("leave", "closed", "ended (exit code 0) during a dialogue"),
        ("be killed", "error", f"was terminated by signal {int(signal.SIGKILL)}"),
        ("crash at once", "error", "no model here"),
        ("say error", "error", "it reported: no such film"),
        ("say list", "malformed", "not an object"),
        ("say other", "malformed", "'song'"),
        ("say ready", "malformed", "'ready' where a turn is expected"),
        ("print logs", "malformed", "logs belong on stderr. It begins: 'loading the model ...'"),
        ("say bytes", "malformed", "byte 29 of its answer is not UTF-8"),  # 17 + 9 + 3 before it
        ("say long", "malformed", "1,048,576 characters; at most 100,000"),
        ("say huge", "malformed", "a line of more than 2,248,576 bytes"),  # 100,000 * 12 + 2**20
    ],
)
def test_each_way_to_fail_is_distinguished(command: Any, mode: str, kind: str, said: str) -> None:
    failure = failure_of(command(mode))
    assert failure.kind == kind
    assert said in failure.detail


def test_lines_that_nobody_asked_for_are_found_before_they_are_taken_for_answers(command: Any) -> None:
    with command("print late").open("d", seed=0) as session:
        session.reply([user("a")])
        until = time.monotonic() + 5
        while session._process._lines.empty() and time.monotonic() < until:
            time.sleep(0.005)
        with pytest.raises(AgentFailure, match="without being asked"):
            session.reply([user("b")])


def test_a_command_that_hangs_is_ended(command: Any) -> None:
    agent = command("hang", timeout_s=0.2)
    failure = failure_of(agent)
    assert (failure.kind, "within 0.2 s" in failure.detail) == ("timeout", True)


def test_a_command_that_never_starts_to_speak_is_ended(command: Any) -> None:
    assert failure_of(command("never ready", start_timeout_s=0.2)).kind == "timeout"


def test_a_new_process_may_take_longer_for_its_first_answer_than_for_others(command: Any) -> None:
    session = command("hang", start_timeout_s=20, timeout_s=0.1).open("d", seed=0)
    with pytest.raises(AgentFailure, match=r"within 0.1 s"):
        session.reply([user("x")])


def test_a_command_that_does_not_read_is_not_waited_for() -> None:
    agent = SubprocessAgent(["sleep", "5"], timeout_s=0.1, start_timeout_s=0.1)
    with pytest.raises(AgentFailure):
        agent.open("d" * 200_000, seed=0)  # more than a pipe holds
    agent.close()


def test_long_messages_pass_the_pipe(command: Any) -> None:
    with command("say history").open("d", seed=0) as session:
        assert texts(session.reply([user("ü" * 90_000)])) == ["90000"]


def test_a_command_that_does_not_exist_is_unreachable() -> None:
    failure = failure_of(SubprocessAgent(["no-such-program-anywhere"]))
    assert failure.kind == "unreachable"
    assert "'no-such-program-anywhere' cannot be started (No such file" in failure.detail


def test_closing_the_agent_during_a_dialogue_ends_its_process(command: Any) -> None:
    agent = command("counts")
    session = agent.open("d", seed=0)
    pid = pid_in(texts(session.reply([user("x")])))
    agent.close()
    assert not is_running(pid)
    session.close()


def test_the_spec_reads_commands_as_a_shell_would_without_starting_one(tmp_path: Path) -> None:
    spec = SubprocessSpec(command=f"{sys.executable} '{LINES}' counts", folder=tmp_path, env={"A": "b"}, name="mine")
    agent = spec.make()
    assert agent.name == "mine"
    assert said_to(agent, "$(echo hi)")[1][0].startswith("$(echo hi) (")
    agent.close()


def test_a_blank_command_is_refused() -> None:
    with pytest.raises(UsageError, match="empty"):
        SubprocessSpec(command="  ").make()
