"""Check an agent with a few conversations: availability, latency, reply format and isolation of concurrent sessions.

A detected problem is real; that none is detected in a few conversations does not prove that there is none.
"""

import contextlib
import secrets
import time
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from trialogue.agents.base import Agent, Session, Turn
from trialogue.records import Record, Utterance
from trialogue.records.trace import ToolCall, calls_in
from trialogue.transport.failures import AgentFailure, FailureKind

MESSAGES = (
    "Hello!",
    "I am looking for something exciting, and I liked the last thriller that I saw.",
    "Can you recommend something like that?",
    "Thanks. Do you know another one?",
)
"""The default messages."""


class AgentCheck(Record):
    """Results of checking an agent."""

    kind: ClassVar[str] = "agent_check"

    agent: str
    """Name of the checked agent."""
    reachable: bool
    """Whether a session could be opened."""
    answers: bool
    """Whether every message got a usable reply."""
    greeting: tuple[str, ...] = ()
    """Greeting; () if the agent waits for the user."""
    replies: tuple[tuple[str, ...], ...] = ()
    """Replies, turn by turn."""
    calls: tuple[tuple[ToolCall, ...], ...] = ()
    """Calls of tools, turn by turn."""
    ended: bool = False
    """Whether it ended the dialogue itself; no further message was sent then."""
    acts: bool = False
    """Whether it declares dialogue acts."""
    rankings: bool = False
    """Whether it exposes a ranked list of items."""
    latency_p50_s: float | None = None
    """Median seconds of a turn, over all turns of the check; None: no turn."""
    latency_p95_s: float | None = None
    """95th percentile (nearest rank)."""
    turns: int = 0
    """Number of timed turns."""
    deterministic: bool | None = None
    """Whether a second dialogue with the same seed went the same way; None: see ``why``."""
    keeps_state: bool | None = None
    """Whether a new session that is only shown the history answers otherwise; None: see ``why``."""
    isolated: bool | None = None
    """Whether two dialogues at the same time left each other alone; None: see ``why``."""
    why: dict[str, str] = Field(default_factory=dict)
    """Reason for unknown results."""
    failure: FailureKind | None = None
    """Kind of the first failure, at opening the session or in the first dialogue; None: there was none."""
    detail: str | None = None
    """Cause of ``failure``, and what to do about it; None: there was no failure."""


class _Timed:
    """Talks, and takes the time."""

    def __init__(self, agent: Agent, seed: int, nonce: str) -> None:
        self._agent, self._seed, self._nonce = agent, seed, nonce
        self.latencies: list[float] = []

    def open(self, name: str) -> Session:
        return self._agent.open(f"check-{self._nonce}-{name}", seed=self._seed)

    def reply(self, session: Session, history: Sequence[Utterance]) -> Turn:
        start = time.perf_counter()
        turn = session.reply(history)
        self.latencies.append(time.perf_counter() - start)
        return turn


class _Conversation:
    """A conversation as it grows."""

    def __init__(self, timed: _Timed, name: str) -> None:
        self._timed, self.session = timed, timed.open(name)
        self.greeting = self.session.greet()
        self.history: list[Utterance] = list(self.greeting.utterances) if self.greeting else []
        self.turns: list[Turn] = []

    def say(self, text: str) -> None:
        self.history.append(Utterance(speaker="user", text=text))
        turn = self._timed.reply(self.session, self.history)
        self.turns.append(turn)
        self.history.extend(turn.utterances)

    @property
    def is_over(self) -> bool:
        return bool(self.turns) and self.turns[-1].ends

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(said.text for said in turn.utterances) for turn in self.turns)


def check_agent(
    agent: Agent, *, messages: Sequence[str] = MESSAGES, seed: int = 0, nonce: str | None = None
) -> AgentCheck:
    """Check an agent with a few short dialogues. Never raises for the agent's behavior; the agent stays open.

    Args:
        agent: the agent.
        messages: what to say to it, at least two.
        seed: seed for its sessions.
        nonce: part of the dialogues' names, so that a server that remembers users does not know these; None: drawn.
    """
    timed = _Timed(agent, seed, nonce or secrets.token_hex(4))
    try:
        healthy = getattr(agent, "healthy", None)
        if callable(healthy):
            healthy()
        with contextlib.closing(timed.open("first")):
            pass
    except AgentFailure as failure:
        return AgentCheck(agent=agent.name, reachable=False, answers=False, failure=failure.kind, detail=failure.detail)
    talk, wrong = _converse(timed, "alone", messages)
    found = _describe_talk(agent, talk)
    if wrong is not None:
        found = found.model_copy(update={"answers": False, "failure": wrong.kind, "detail": wrong.detail})
    elif talk is not None:
        found = found.model_copy(update=_compare_dialogues(agent, timed, talk, messages))
    return found.model_copy(update=_times(timed.latencies))


def _converse(timed: _Timed, name: str, messages: Sequence[str]) -> tuple[_Conversation | None, AgentFailure | None]:
    talk = None
    try:
        talk = _Conversation(timed, name)
        for message in messages:
            if talk.is_over:
                break
            talk.say(message)
    except AgentFailure as failure:
        return talk, failure
    finally:
        if talk is not None:
            talk.session.close()
    return talk, None


def _describe_talk(agent: Agent, talk: _Conversation | None) -> AgentCheck:
    if talk is None:
        return AgentCheck(agent=agent.name, reachable=True, answers=True)
    said = [utterance for utterance in talk.history if utterance.speaker == "system"]
    return AgentCheck(
        agent=agent.name,
        reachable=True,
        answers=True,
        greeting=tuple(utterance.text for utterance in talk.greeting.utterances) if talk.greeting else (),
        replies=talk.words,
        calls=tuple(tuple(calls_in(turn.utterances)) for turn in talk.turns),
        ended=talk.is_over,
        acts=any(utterance.acts for utterance in said),
        rankings=any(utterance.ranking for utterance in said),
    )


def _compare_dialogues(agent: Agent, timed: _Timed, talk: _Conversation, messages: Sequence[str]) -> dict[str, object]:
    """Compare repeated dialogues; differences are meaningful only for agents that are deterministic per seed."""
    found: dict[str, object] = {}
    why: dict[str, str] = {}
    again, failure = _converse(timed, "again", messages)
    if failure is not None or again is None:
        why = dict.fromkeys(("deterministic", "keeps_state", "isolated"), f"a second dialogue failed: {failure}")
        return {"why": why}
    found["deterministic"] = again.words == talk.words
    if not found["deterministic"]:
        why = dict.fromkeys(("keeps_state", "isolated"), "it does not answer the same way twice")
    elif len(talk.turns) < 2:
        why = dict.fromkeys(("keeps_state", "isolated"), "its dialogue has fewer than two turns")
    else:
        found["keeps_state"], why["keeps_state"] = _keeps_state(timed, talk)
        found["isolated"], why["isolated"] = _check_isolation(agent, timed, talk, messages)
    return {**found, "why": {name: reason for name, reason in why.items() if reason}}


def _keeps_state(timed: _Timed, talk: _Conversation) -> tuple[bool | None, str]:
    """Whether a new session that is shown the history up to some later turn answers that turn otherwise."""
    places = [place for place, said in enumerate(talk.history) if said.speaker == "user"]
    try:
        for place, words in zip(places[1:], talk.words[1:], strict=True):
            with contextlib.closing(timed.open(f"shown-{place}")) as session:
                turn = timed.reply(session, talk.history[: place + 1])
            if tuple(said.text for said in turn.utterances) != words:
                return True, ""
    except AgentFailure as failure:
        return None, f"a new session did not answer a history: {failure.detail}"
    return False, ""


def _check_isolation(
    agent: Agent, timed: _Timed, talk: _Conversation, messages: Sequence[str]
) -> tuple[bool | None, str]:
    if agent.sessions_at_once == 1:
        return None, "it handles one dialogue at a time (sessions_at_once)"
    try:
        one, other = _Conversation(timed, "one"), _Conversation(timed, "other")
        with contextlib.closing(one.session), contextlib.closing(other.session):
            for said, distraction in zip(messages[: len(talk.turns)], reversed(messages), strict=False):
                if not other.is_over:
                    other.say(distraction)
                one.say(said)
    except AgentFailure as failure:
        return None, f"two dialogues at once failed: {failure.detail}"
    return one.words == talk.words, ""


def _times(latencies: list[float]) -> dict[str, object]:
    if not latencies:
        return {}
    ordered = sorted(latencies)
    rank = -(-95 * len(ordered) // 100)  # nearest rank: ceil(.95 n)
    return {
        "turns": len(ordered),
        "latency_p50_s": ordered[(len(ordered) - 1) // 2],
        "latency_p95_s": ordered[rank - 1],
    }
