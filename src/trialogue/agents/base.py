"""Protocols for agents and their sessions, and a base class of sessions without a greeting.

An agent opens sessions; a session replies to the history so far and is closed. Timeouts, retries, rate limits and
concurrency are the agent's own concern. A failure that remains after retries is raised as ``AgentFailure``, which the caller
records: a failed dialogue is a result, not an exception. An agent never sees its user's goal, preferences or agenda, only
text and the history.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from trialogue.records import JsonValue, RetryCost, Utterance


@dataclass(frozen=True)
class Turn:
    """One turn of a session: a message or a burst of several, and whether it ends the dialogue."""

    utterances: tuple[Utterance, ...]
    """Messages of the system, in order; at least one unless ``ends``."""
    ends: bool = False
    """Whether the agent regards the dialogue as over."""
    latency_s: float | None = None
    """Seconds it took, where the agent measured them; never part of a reproducible output."""
    meta: dict[str, JsonValue] = field(default_factory=dict)
    """Further details of the answer: tokens, model fingerprint, ..."""


class Session(Protocol):
    """One conversation with an agent. A context manager: leaving it closes the session."""

    def greet(self) -> Turn | None:
        """The agent's opening turn; None if it waits for the user."""
        ...

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The agent's turn in response to a history that ends on a user utterance.

        Raises:
            AgentFailure: there is no usable reply, after the agent's own retries.
        """
        ...

    def close(self) -> None:
        """Release the session's resources; never raises."""
        ...

    def __enter__(self) -> Self:
        """Return the session itself."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        ...


NO_RETRIES = RetryCost()


def retries_of(session: Session) -> RetryCost:
    """Cost of a session's retries so far (its ``retries``); zero for a session that does not record it."""
    found = getattr(session, "retries", None)  # a protocol's isinstance costs 10 µs a dialogue
    return found if isinstance(found, RetryCost) else NO_RETRIES


class Agent(Protocol):
    """A system under test."""

    @property
    def name(self) -> str:
        """The system's name in dialogues and tables."""
        ...

    @property
    def sessions_at_once(self) -> int | None:
        """Maximum number of concurrent sessions; None: unlimited. A stateful single-user agent returns 1."""
        ...

    def open(self, dialogue_id: str, *, seed: int) -> Session:
        """Open a new session.

        Args:
            dialogue_id: names the conversation, for agents that keep state by user or conversation.
            seed: seed for agents that draw at random; those that cannot be seeded ignore it, and say so in their docs.

        Raises:
            AgentFailure: it cannot be opened.
        """
        ...

    def close(self) -> None:
        """Release the agent's resources (connections, processes); never raises."""
        ...


class SimpleSession(ABC):
    """Convenience base class of sessions without a greeting or resources. Sessions need not inherit from it."""

    def greet(self) -> Turn | None:
        """None: wait for the user."""
        return None

    @abstractmethod
    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The agent's turn."""

    def close(self) -> None:  # noqa: B027 - most sessions hold nothing
        """Do nothing: there are no resources."""

    def __enter__(self) -> Self:
        """Return the session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        self.close()
