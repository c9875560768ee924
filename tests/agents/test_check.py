"""What a check finds out about agents of known character."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from trialogue.agents import AgentCheck, check_agent, make_agent
from trialogue.agents.baselines import Echo, Fixed
from trialogue.agents.callable_agent import CallableAgent
from trialogue.records import Utterance


class Counting:
    """Keeps a state, by dialogue."""

    def __init__(self) -> None:
        self.turns = 0

    def greet(self) -> str:
        return "Welcome!"

    def reply(self, message: str) -> object:
        self.turns += 1
        return {"text": f"{self.turns}", "acts": [{"intent": "COUNT"}], "ranking": ["a"], "ends": self.turns == 3}


class Shared:
    """Keeps a state over all dialogues since the last one was opened: two users would meet in it."""

    heard = 0

    def __init__(self) -> None:
        Shared.heard = 0

    def reply(self, message: str) -> str:
        Shared.heard += 1
        return f"{Shared.heard}"


def test_an_echo_is_deterministic_without_state_and_isolated() -> None:
    found = check_agent(Echo(), messages=("a", "b", "c"))
    assert found.reachable
    assert found.answers
    assert found.replies == (("a",), ("b",), ("c",))
    assert (found.deterministic, found.keeps_state, found.isolated) == (True, False, True)
    assert (found.greeting, found.ended, found.acts, found.rankings, found.why) == ((), False, False, False, {})
    assert found.turns == 14  # 3 alone, 3 again, 2 that are shown the history, 3 + 3 at the same time
    assert found.latency_p50_s is not None
    assert found.latency_p95_s is not None
    assert 0 < found.latency_p50_s <= found.latency_p95_s


def test_greeting_acts_rankings_ending_and_state_are_seen() -> None:
    found = check_agent(CallableAgent(Counting))
    assert found.greeting == ("Welcome!",)
    assert found.replies == (("1",), ("2",), ("3",))
    assert (found.ended, found.acts, found.rankings) == (True, True, True)
    assert (found.deterministic, found.keeps_state, found.isolated) == (True, True, True)


class Forgetful(Counting):
    """Its last reply does not depend on its state, those before do."""

    def reply(self, message: str) -> object:
        counted = super().reply(message)
        return "Goodbye!" if "Thanks" in message else counted


def test_a_state_is_seen_in_any_turn() -> None:
    messages = ("a", "b", "c, Thanks")
    assert check_agent(CallableAgent(Forgetful), messages=messages).keeps_state is True


def test_two_users_who_meet_in_one_state_are_found() -> None:
    assert check_agent(CallableAgent(Shared)).isolated is False


def test_an_agent_of_one_user_is_not_asked_for_two() -> None:
    found = check_agent(CallableAgent(Counting, sessions_at_once=1))
    assert (found.isolated, found.why) == (None, {"isolated": "it handles one dialogue at a time (sessions_at_once)"})


def test_chance_is_found_and_nothing_is_concluded_from_differences() -> None:
    rng = random.Random(0)
    found = check_agent(CallableAgent(lambda message: f"{rng.random()}"))
    assert (found.deterministic, found.keeps_state, found.isolated) == (False, None, None)
    assert set(found.why.values()) == {"it does not answer the same way twice"}


def test_an_agent_that_ends_at_once_leaves_things_open() -> None:
    found = check_agent(CallableAgent(lambda message: {"text": "Bye", "ends": True}, name="short"))
    assert (found.deterministic, found.keeps_state, found.ended) == (True, None, True)
    assert found.why["keeps_state"] == "its dialogue has fewer than two turns"


def test_an_agent_that_fails_in_the_middle_is_reachable_and_does_not_answer() -> None:
    def forgets(message: str, history: Sequence[Utterance]) -> str:
        return "" if len(history) > 2 else "hello"

    found = check_agent(CallableAgent(forgets))
    assert (found.reachable, found.answers, found.failure) == (True, False, "empty")
    assert found.replies == (("hello",),)


def test_an_agent_that_fails_the_second_time_is_reported_under_why() -> None:
    calls: Iterator[int] = iter(range(100))
    found = check_agent(CallableAgent(lambda message: "x" if next(calls) < 3 else ""), messages=("a", "b"))
    assert found.answers
    assert (found.deterministic, "second dialogue failed" in found.why["deterministic"]) == (None, True)


def test_an_agent_that_cannot_read_a_history_leaves_its_state_open() -> None:
    class Strict(Counting):
        def reply(self, message: str, history: Sequence[Utterance] = ()) -> object:
            if len(history) > 2 * self.turns + 2:
                raise ValueError("I was not there")
            return super().reply(message)

    found = check_agent(CallableAgent(Strict))
    assert (found.answers, found.keeps_state) == (True, None)
    assert "I was not there" in found.why["keeps_state"]


def test_an_agent_that_refuses_a_second_user_is_found() -> None:
    class Single:
        open_now = 0

        def __init__(self) -> None:
            Single.open_now += 1
            if Single.open_now > 1:
                Single.open_now -= 1
                raise RuntimeError("busy")

        def reply(self, message: str) -> str:
            return message

        def close(self) -> None:
            Single.open_now -= 1

    found = check_agent(CallableAgent(Single))
    assert (found.isolated, "busy" in found.why["isolated"]) == (None, True)


def test_nobody_there_is_a_finding_not_an_exception() -> None:
    found = check_agent(make_agent("http://127.0.0.1:9", protocol="moviebot", retries={"most": 0}))
    assert (found.reachable, found.answers, found.failure, found.turns) == (False, False, "unreachable", 0)
    assert found.latency_p50_s is None
    assert found.detail is not None
    assert "Is the server running" in found.detail


@pytest.mark.parametrize("protocol", ["trialogue", "moviebot", "ievalm"])
def test_a_real_server_is_checked_through_its_protocol(served: dict[str, str], protocol: str) -> None:
    agent: Any = make_agent(served[f"counting/{protocol}"], protocol=protocol)
    found = check_agent(agent)
    agent.close()
    assert (found.reachable, found.answers, found.deterministic, found.isolated) == (True, True, True, True)
    assert found.keeps_state is True


def test_a_check_survives_a_trip_through_json() -> None:
    found = check_agent(Fixed("Heat?"))
    assert AgentCheck.model_validate(found.to_json()) == found
