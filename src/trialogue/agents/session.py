"""Base class for sessions: the user speaks first, and leaving the ``with`` block closes the session."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from trialogue.agents.base import Turn
from trialogue.records import Utterance


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
