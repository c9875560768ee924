"""Functions and classes as agents."""

import errno
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import AgentFailure
from trialogue.agents.callable_agent import CallableAgent, CallableSpec
from trialogue.errors import UsageError
from trialogue.records import Ending, Utterance


def parrot(message: str) -> str:
    return f"{message}?"


def reader(message: str, history: Sequence[Utterance]) -> list[str]:
    return [f"You said {len(history)} things.", message]


def seeded(message: str, *, seed: int, dialogue_id: str) -> str:
    return f"{message} {seed} {dialogue_id}"


class Counter:
    made = 0
    closed = 0

    def __init__(self, seed: int) -> None:
        Counter.made += 1
        self.seed, self.turns = seed, 0

    def greet(self) -> str:
        return "Welcome!"

    def reply(self, message: str) -> str:
        self.turns += 1
        return f"{message} {self.turns} {self.seed}"

    def close(self) -> None:
        Counter.closed += 1
        raise RuntimeError("nobody cares any more")


class Stateless:
    @staticmethod
    def reply(message: str, history: Sequence[Utterance]) -> str:
        return message


def test_a_function_of_the_message_is_an_agent_named_after_it() -> None:
    agent = CallableAgent(parrot)
    assert agent.name == "parrot"
    assert said_to(agent, "hi", "Heat") == [[], ["hi?"], ["Heat?"]]


def test_a_function_may_take_the_history_and_answer_in_a_burst() -> None:
    assert said_to(CallableAgent(reader), "hi") == [[], ["You said 1 things.", "hi"]]


def test_seed_and_dialogue_are_given_to_those_who_name_them() -> None:
    assert said_to(CallableAgent(seeded), "hi", dialogue_id="d7", seed=3)[1] == ["hi 3 d7"]


def test_a_class_gets_an_object_for_every_dialogue_is_asked_to_greet_and_is_closed() -> None:
    agent = CallableAgent(Counter, name="counts")
    made, closed = Counter.made, Counter.closed
    assert said_to(agent, "a", "b", seed=5) == [["Welcome!"], ["a 1 5"], ["b 2 5"]]
    assert said_to(agent, "c", seed=6) == [["Welcome!"], ["c 1 6"]]
    assert (Counter.made - made, Counter.closed - closed) == (2, 2)


def test_a_static_method_is_a_reply_too() -> None:
    assert texts(turn_of(CallableAgent(Stateless))) == ["hi"]


def test_two_open_dialogues_do_not_mix() -> None:
    agent = CallableAgent(Counter)
    with agent.open("a", seed=1) as one, agent.open("b", seed=2) as other:
        for session in (one, other, one):
            session.reply([user("x")])
        assert texts(other.reply([user("x")])) == ["x 2 2"]


def test_time_is_measured() -> None:
    latency_s = turn_of(CallableAgent(parrot)).latency_s
    assert latency_s is not None
    assert 0 <= latency_s < 5


def explode(message: str) -> str:
    raise KeyError("film")


def leave(message: str) -> str:
    raise SystemExit(1)


@pytest.mark.parametrize("made", [explode, leave])
@pytest.mark.parametrize("timeout_s", [None, 5.0])
def test_what_the_code_raises_is_a_failure_that_shows_the_place(made: Any, timeout_s: float | None) -> None:
    with pytest.raises(AgentFailure) as caught:
        turn_of(CallableAgent(made, timeout_s=timeout_s))
    assert caught.value.kind == "error"
    assert f"{made.__name__}.reply() raised" in caught.value.detail
    assert "raise " in caught.value.detail


def test_its_own_failures_are_passed_on() -> None:
    def gone(message: str) -> str:
        raise AgentFailure("closed", "bye")

    with pytest.raises(AgentFailure, match="bye"):
        turn_of(CallableAgent(gone))


def test_code_that_hangs_is_left_behind_when_time_is_up() -> None:
    given_up, answers = threading.Event(), list[str]()

    def dream(message: str) -> str:
        given_up.wait(60)
        answers.append(message)
        return message

    with pytest.raises(AgentFailure, match=r"within 0.05 s \(timeout_s\)") as caught:
        turn_of(CallableAgent(dream, timeout_s=0.05))
    assert caught.value.kind == "timeout"
    assert answers == []  # it still hangs
    given_up.set()


def test_code_within_its_time_is_not_disturbed() -> None:
    assert texts(turn_of(CallableAgent(parrot, timeout_s=5))) == ["hi?"]


def test_an_answer_that_is_none_is_a_failure() -> None:
    with pytest.raises(AgentFailure, match="nothing"):
        turn_of(CallableAgent(lambda message: None))


class Silent:
    pass


def nothing() -> str:
    return ""


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Silent, "no method 'reply'"),
        (nothing, "its signature is () -> str"),
        ("parrot", "is not a function or class"),
        (Stateless(), "Give its class"),
    ],
)
def test_what_cannot_be_called_is_reported_before_the_first_dialogue(made: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        CallableAgent(made)
    assert said in str(caught.value)


def test_a_class_that_cannot_be_made_is_a_failure_of_the_dialogue() -> None:
    class Broken:
        def __init__(self) -> None:
            raise OSError("no model")

        def reply(self, message: str) -> str:
            return message

    with pytest.raises(AgentFailure, match="no model"):
        CallableAgent(Broken).open("d", seed=0)


def test_a_history_that_ends_on_the_system_is_a_mistake_of_the_caller() -> None:
    with CallableAgent(parrot).open("d", seed=0) as session, pytest.raises(ValueError, match="must end with a user"):
        session.reply([])


def test_the_spec_imports_the_code() -> None:
    assert texts(turn_of(CallableSpec(code="tests.agents.plugin:reply").make())) == ["You said: hi"]


def test_a_spec_without_an_object_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="module:Name"):
        CallableSpec(code="my_bot").make()


def test_a_full_disk_is_not_the_agents_fault() -> None:
    def logging(_message: str) -> str:
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise RuntimeError("cannot keep my log") from error

    def missing(_message: str) -> str:
        raise FileNotFoundError(errno.ENOENT, "No such file")

    for reply, ending in ((logging, Ending.HARNESS_ERROR), (missing, Ending.AGENT_ERROR)):
        with pytest.raises(AgentFailure) as caught:
            CallableAgent(reply).open("d", seed=0).reply([Utterance(speaker="user", text="hi")])
        assert caught.value.ending is ending


class Welcoming:
    def greet(self) -> str:
        return "Welcome to the films!"

    def reply(self, message: str) -> str:
        return "Welcome to the films!"


def test_the_longest_text_holds_for_greetings_as_for_replies() -> None:
    session = CallableAgent(Welcoming, longest_text=20).open("d", seed=0)
    for call in (session.greet, lambda: session.reply([user("Hello")])):
        with pytest.raises(AgentFailure, match="20"):
            call()
    long = CallableAgent(Welcoming, longest_text=21).open("d", seed=0)
    assert texts(long.greet()) == ["Welcome to the films!"]
