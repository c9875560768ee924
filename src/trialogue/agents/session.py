"""Base class for sessions: the user speaks first, and leaving the ``with`` block closes the session."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from trialogue.agents.base import Turn
from trialogue.records import Utterance


class SimpleSession(ABC):
    """A session that says nothing first and holds nothing; an agent may have its own, this one only saves lines."""

    def greet(self) -> Turn | None:
        """None: it waits for the user."""
        return None

    @abstractmethod
    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The agent's turn."""

    def close(self) -> None:  # noqa: B027 - most sessions hold nothing
        """Nothing is held."""

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
