"""Degrade an agent on purpose by replacing a share of its replies with off-topic ones.

A system that is known to be worse serves as a positive control for metrics, simulated users and raters.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from trialogue.agents.base import Agent, Session, Turn, retries_of
from trialogue.agents.baselines import OFF_TOPIC
from trialogue.agents.registry import OptionsError, spec_of
from trialogue.agents.replies import turn_of
from trialogue.agents.session import SimpleSession
from trialogue.agents.spec import AgentSpec, CatalogueSpec, Workload
from trialogue.errors import UsageError
from trialogue.records import RetryCost, Utterance
from trialogue.records.files.validation import Mistake
from trialogue.seeds import rng_for


class Sabotage:
    """Wraps an agent and replaces a share of its replies by irrelevant sentences."""

    def __init__(self, agent: Agent, share: float, *, name: str | None = None) -> None:
        """Wrap any agent; its greeting is kept, and it does not learn about the turns that were replaced.

        Args:
            agent: who replies otherwise. It is closed with this one.
            share: probability, 0 to 1, with which a reply is replaced, drawn for each reply by the seed of the session.
            name: the system's name in dialogues; None: the agent's, with ``", sabotaged"``.
        """
        self.name = name or f"{agent.name}, sabotaged"
        self.sessions_at_once = agent.sessions_at_once
        self._agent, self._share = agent, share

    def open(self, dialogue_id: str, *, seed: int) -> "SabotageSession":
        """Open a session of the agent with the same seed, and a generator for the replacements."""
        return SabotageSession(self._agent.open(dialogue_id, seed=seed), self._share, rng_for(seed, "sabotage"))

    def close(self) -> None:
        """Close the agent."""
        self._agent.close()


class SabotageSession(SimpleSession):
    """Session of another agent, with some turns replaced."""

    def __init__(self, session: Session, share: float, rng: np.random.Generator) -> None:
        self._session, self._share, self._rng = session, share, rng

    @property
    def retries(self) -> RetryCost:
        """Cost of the wrapped agent's retries."""
        return retries_of(self._session)

    def greet(self) -> Turn | None:
        """The agent's own greeting."""
        return self._session.greet()

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The agent's turn, or an off-topic sentence without asking it."""
        if self._rng.random() < self._share:
            return turn_of(OFF_TOPIC[int(self._rng.integers(len(OFF_TOPIC)))])
        return self._session.reply(history)

    def close(self) -> None:
        """Close the agent's session."""
        self._session.close()


class SabotageSpec(CatalogueSpec):
    """``sabotage``: another agent with some of its replies off-topic, as in ``sabotage:reference:guided``."""

    argument: ClassVar[str] = "agent"
    workload: ClassVar[Workload | None] = Workload.RANKS_ITEMS

    agent: str = "echo"
    """Who replies otherwise, as text: ``reference:guided``, ``my_bot:reply``, ... ."""
    share: float = Field(default=0.3, ge=0, le=1)
    """Which share of the replies is off-topic."""

    def mistakes(self) -> list[Mistake]:
        """Mistakes in the options of the wrapped agent."""
        try:
            return [Mistake(("agent",), mistake.what, mistake.hint) for mistake in self._other().mistakes()]
        except OptionsError as error:
            return [Mistake(("agent",), mistake.what, mistake.hint) for mistake in error.mistakes]
        except UsageError as error:
            return [Mistake(("agent",), str(error))]

    def make(self) -> Sabotage:
        """Create the wrapped agent and wrap it."""
        return Sabotage(self._other().make(), self.share, name=self.name)

    def _other(self) -> AgentSpec:
        """The other agent's options: the same catalogue and ratings, if it recommends items of one."""
        spec = spec_of(self.agent)
        if isinstance(spec, CatalogueSpec):
            return spec_of(spec, catalogue=self.catalogue, ratings=self.ratings)
        return spec
