"""Conversations with agents stay open in one process, and go on in another."""

from collections.abc import Sequence

import pytest

from trialogue.agents import AgentFailure, Turn
from trialogue.agents.base import SimpleSession
from trialogue.records import Utterance
from trialogue.study.services.chatting import OpenConversations


class Counting(SimpleSession):
    """Says how many messages it heard itself, and how many there were in all."""

    def __init__(self, agent: "CountingAgent", seed: int) -> None:
        self.agent, self.seed, self.heard = agent, seed, 0

    def greet(self) -> Turn | None:
        return Turn((Utterance(speaker="system", text=f"hello {self.seed}"),))

    def reply(self, history: Sequence[Utterance]) -> Turn:
        if history[-1].text == "break":
            raise AgentFailure("timeout", "too slow")
        self.heard += 1
        return Turn((Utterance(speaker="system", text=f"{self.heard} of {len(history)}"),))

    def close(self) -> None:
        self.agent.closed += 1


class CountingAgent:
    name = "counting"

    def __init__(self, sessions_at_once: int | None = None) -> None:
        self.sessions_at_once = sessions_at_once
        self.closed = 0

    def open(self, dialogue_id: str, *, seed: int) -> Counting:
        return Counting(self, seed)

    def close(self) -> None:
        pass


X = {"agent": "x"}


def said(*texts: str) -> list[Utterance]:
    return [Utterance(speaker="user", text=text) for text in texts]


def words(turn: Turn | None) -> str:
    assert turn
    return turn.utterances[0].text


def test_a_session_stays_open_between_turns_and_another_process_gets_the_history() -> None:
    here, elsewhere = OpenConversations(lambda _: CountingAgent()), OpenConversations(lambda _: CountingAgent())
    assert words(here.greet("c1", X, seed=7)) == "hello 7"
    assert words(here.reply("c1", X, said("a"), seed=7)) == "1 of 1"
    assert words(here.reply("c1", X, said("a", "b"), seed=7)) == "2 of 2"
    assert words(elsewhere.reply("c1", X, said("a", "b", "c"), seed=7)) == "1 of 3"


def test_a_failure_closes_the_session_and_the_next_turn_opens_another() -> None:
    agent = CountingAgent()
    talks = OpenConversations(lambda _: agent)
    talks.reply("c1", X, said("a"), seed=1)
    with pytest.raises(AgentFailure, match="too slow"):
        talks.reply("c1", X, said("break"), seed=1)
    assert agent.closed == 1
    assert words(talks.reply("c1", X, said("a", "b"), seed=1)) == "1 of 2"


def test_an_agent_for_one_at_a_time_is_busy_until_the_first_is_done() -> None:
    agent = CountingAgent(sessions_at_once=1)
    talks = OpenConversations(lambda _: agent)
    talks.greet("c1", X, seed=1)
    with pytest.raises(AgentFailure, match="limit of concurrent conversations"):
        talks.greet("c2", X, seed=1)
    talks.close("c1")
    assert words(talks.greet("c2", X, seed=2)) == "hello 2"


def test_the_session_that_was_silent_longest_is_closed_first() -> None:
    agent = CountingAgent()
    talks = OpenConversations(lambda _: agent, most=2)
    for key in ("c1", "c2", "c1", "c3"):
        talks.reply(key, X, said("a"), seed=1)
    assert agent.closed == 1
    assert words(talks.reply("c1", X, said("a"), seed=1)) == "3 of 1"
    assert words(talks.reply("c2", X, said("a"), seed=1)) == "1 of 1"
