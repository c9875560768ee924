"""Agents that need nothing and recommend nothing: what any system must beat, and what tests talk to."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from trialogue.agents.base import Turn
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.session import SimpleSession
from trialogue.agents.spec import AgentSpec, Workload
from trialogue.records import Utterance


class Echo(SimpleSession):
    """Says what the user said. It keeps no state: one object is agent and session of any number of dialogues."""

    def __init__(self, *, name: str = "echo") -> None:
        self.name = name
        self.sessions_at_once: int | None = None

    def open(self, dialogue_id: str, *, seed: int) -> "Echo":
        """Itself; it draws nothing, so the seed is ignored."""
        return self

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The user's last words."""
        return turn_of(last_message(history))


class Fixed(Echo):
    """Says the same in every turn."""

    def __init__(self, *messages: str, name: str = "fixed") -> None:
        super().__init__(name=name)
        self._turn = turn_of(list(messages))

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """Its messages."""
        return self._turn


class EchoSpec(AgentSpec):
    """``echo``: says what the user said."""

    workload: ClassVar[Workload | None] = Workload.REPEATS_TEXT

    def make(self) -> Echo:
        """The agent."""
        return Echo(name=self.name or "echo")


class FixedSpec(AgentSpec):
    """``fixed``: says the same in every turn, as in ``fixed:Have you seen Heat?``."""

    argument: ClassVar[str] = "text"
    workload: ClassVar[Workload | None] = Workload.REPEATS_TEXT

    text: str = Field(default="Could you tell me more about what you like?", pattern=r"\S")
    """What it says."""

    def make(self) -> Fixed:
        """The agent."""
        return Fixed(self.text, name=self.name or "fixed")
