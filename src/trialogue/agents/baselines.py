"""Baseline agents that recommend nothing: echo, fixed replies and off-topic replies.

Every system must beat them. They need no data, so tests use them as well.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec, Workload
from trialogue.records import Utterance


class Echo(SimpleSession):
    """Agent that repeats the user's last utterance.

    Stateless: one object is agent and session of any number of dialogues.
    """

    def __init__(self, *, name: str = "echo") -> None:
        self.name = name
        self.sessions_at_once: int | None = None

    def open(self, dialogue_id: str, *, seed: int) -> "Echo":
        """Return itself; nothing is random, so the seed is ignored."""
        return self

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The user's last utterance."""
        return turn_of(last_message(history))


class Fixed(Echo):
    """Agent that gives the same reply in every turn."""

    def __init__(self, *messages: str, name: str = "fixed") -> None:
        super().__init__(name=name)
        self._turn = turn_of(list(messages))

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The fixed messages."""
        return self._turn


OFF_TOPIC = (
    "Bread needs two hours to rise in a warm kitchen.",
    "My neighbour repairs clocks in the afternoon.",
    "The ferry to the island leaves at seven.",
    "Snow fell on the tracks all night.",
    "There are eleven chairs in the hall.",
    "A potato field looks quiet in October.",
    "The printer is out of blue ink again.",
    "Goats can climb steep slopes.",
    "Most bridges of the town were painted green.",
    "The committee meets on the second Tuesday.",
    "Tall grass hides the well behind the house.",
    "He parked the tractor beside the barn.",
    "Copper turns green over the years.",
    "The bakery closes early on Sundays.",
    "Rain is expected in the northern valleys.",
    "Somebody left an umbrella on the bench.",
    "Onions keep longer in a dark cellar.",
    "The lift stops on every second floor.",
    "Two swans nest beside the canal.",
    "The new timetable starts in December.",
    "Salt melts ice down to minus ten degrees.",
    "A plumber came about the kitchen tap.",
    "The choir practises in the gym.",
    "Beans climb up any pole they find.",
)
"""Sentences that have nothing to do with recommending anything."""


class OffTopic(Echo):
    """Agent that replies with irrelevant sentences, drawn by the seed of the session."""

    def __init__(self, *, name: str = "off-topic", rng: np.random.Generator | None = None) -> None:
        super().__init__(name=name)
        self._rng = rng or np.random.default_rng(0)

    def open(self, dialogue_id: str, *, seed: int) -> "OffTopic":
        """Open a separate session, since sentences are random."""
        return OffTopic(name=self.name, rng=np.random.default_rng(seed))

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """A random sentence, whatever the history."""
        return turn_of(OFF_TOPIC[int(self._rng.integers(len(OFF_TOPIC)))])


class OffTopicSpec(AgentSpec):
    """``off-topic``: says random sentences that recommend nothing."""

    def make(self) -> OffTopic:
        """Create the agent."""
        return OffTopic(name=self.name or "off-topic")


class EchoSpec(AgentSpec):
    """``echo``: says what the user said."""

    workload: ClassVar[Workload | None] = Workload.REPEATS_TEXT

    def make(self) -> Echo:
        """Create the agent."""
        return Echo(name=self.name or "echo")


class FixedSpec(AgentSpec):
    """``fixed``: says the same in every turn, as in ``fixed:Have you seen Heat?``."""

    argument: ClassVar[str] = "text"
    workload: ClassVar[Workload | None] = Workload.REPEATS_TEXT

    text: str = Field(default="Could you tell me more about what you like?", pattern=r"\S")
    """Text of every reply."""

    def make(self) -> Fixed:
        """Create the agent."""
        return Fixed(self.text, name=self.name or "fixed")
