"""Degrade an agent on purpose: a share of its replies is off-topic, repeated, of lower-ranked items, or another agent's.

A system that is known to be worse serves as a positive control for metrics, simulated users and raters.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

import numpy as np
from pydantic import Field

from trialogue.agents.base import Agent, Session, SimpleSession, Turn, retries_of
from trialogue.agents.baselines import OFF_TOPIC
from trialogue.agents.registry import OptionsError, spec_of
from trialogue.agents.replies import turn_of
from trialogue.agents.spec import AgentSpec, CatalogueSpec, Workload
from trialogue.errors import UsageError
from trialogue.records import RetryCost, Utterance
from trialogue.records.files.validation import Mistake
from trialogue.seeds import rng_for


class Replacement(StrEnum):
    """Replacement of replies, unless another agent gives them."""

    OFF_TOPIC = "off-topic"
    """Sentences that have nothing to do with anything."""
    REPEATED = "repeated"
    """The agent's own turn before; its first reply stays."""


LOWER_RANKED = "lower-ranked"
"""Replies of the same agent with its best items left out of every ranking; needs an agent with an option ``skip``."""
SKIP = 20
"""Best items that are left out of the rankings of lower-ranked replies."""


class Sabotage:
    """Wraps an agent and replaces a share of its replies by worse ones."""

    def __init__(
        self, agent: Agent, share: float, *, name: str | None = None, by: Agent | Replacement = Replacement.OFF_TOPIC
    ) -> None:
        """Wrap any agent; its greeting is kept, and it does not learn about the turns that were replaced.

        Args:
            agent: who replies otherwise. It is closed with this one.
            share: probability, 0 to 1, with which a reply is replaced, drawn for each reply by the seed of the session.
            name: the system's name in dialogues; None: the agent's, with ``", sabotaged"``.
            by: what replies are replaced by: off-topic sentences, the turn before, or what another agent replies in the same
                place, such as a version of this one that leaves out its best items. It is closed, too.
        """
        self.name = name or f"{agent.name}, sabotaged"
        self.sessions_at_once = agent.sessions_at_once
        self._agent, self._share, self._by = agent, share, by

    def open(self, dialogue_id: str, *, seed: int) -> "SabotageSession":
        """Open a session of the agent with the same seed, and a generator for the replacements."""
        by = self._by if isinstance(self._by, Replacement) else self._by.open(dialogue_id, seed=seed)
        return SabotageSession(self._agent.open(dialogue_id, seed=seed), self._share, rng_for(seed, "sabotage"), by=by)

    def close(self) -> None:
        """Close the agents."""
        self._agent.close()
        if not isinstance(self._by, Replacement):
            self._by.close()


class SabotageSession(SimpleSession):
    """Session of another agent, with some turns replaced."""

    def __init__(
        self,
        session: Session,
        share: float,
        rng: np.random.Generator,
        *,
        by: Session | Replacement = Replacement.OFF_TOPIC,
    ) -> None:
        self._session, self._share, self._rng, self._by = session, share, rng, by
        self._before: Turn | None = None

    @property
    def retries(self) -> RetryCost:
        """Cost of the wrapped agent's retries."""
        return retries_of(self._session)

    def greet(self) -> Turn | None:
        """The agent's own greeting."""
        return self._session.greet()

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The agent's turn, or a replacement without calling the agent."""
        if self._rng.random() < self._share and (worse := self._worse(history)) is not None:
            return worse
        self._before = self._session.reply(history)
        return self._before

    def _worse(self, history: Sequence[Utterance]) -> Turn | None:
        match self._by:
            case Replacement.OFF_TOPIC:
                return turn_of(OFF_TOPIC[int(self._rng.integers(len(OFF_TOPIC)))])
            case Replacement.REPEATED:
                return self._before
            case _:
                return self._by.reply(history)

    def close(self) -> None:
        """Close the agents' sessions."""
        self._session.close()
        if not isinstance(self._by, Replacement):
            self._by.close()


class SabotageSpec(CatalogueSpec):
    """``sabotage``: another agent with some of its replies made worse, as in ``sabotage:reference:guided``."""

    argument: ClassVar[str] = "agent"
    workload: ClassVar[Workload | None] = Workload.RANKS_ITEMS

    agent: str = "echo"
    """Wrapped agent as text: ``reference:guided``, ``my_bot:reply``, ... ."""
    share: float = Field(default=0.3, ge=0, le=1)
    """Share of replaced replies."""
    by: str = Replacement.OFF_TOPIC.value
    """Replacement: ``off-topic``, ``repeated`` (the previous turn), ``lower-ranked`` (the same agent without the 20
    best items of every ranking), or another agent, such as ``reference:popular``."""

    def mistakes(self) -> list[Mistake]:
        """Mistakes in the options of the wrapped agent, and of the one that replaces its replies."""
        found = self._mistakes_of("agent", self.agent)
        if self.by == LOWER_RANKED:
            return found or self._mistakes_of_skipping()
        return found if self.by in set(Replacement) else [*found, *self._mistakes_of("by", self.by)]

    def _mistakes_of_skipping(self) -> list[Mistake]:
        """Why the agent has no worse items to offer; [] if it has."""
        agent = self._other(self.agent)
        hint = "Use off-topic, repeated or another agent for 'by', or reference:guided as the agent."
        if "skip" not in type(agent).model_fields:
            return [Mistake(("by",), f"{self.agent} cannot leave out its best items: it has no option 'skip'.", hint)]
        return [Mistake(("by",), each.what, hint) for each in spec_of(agent, skip=SKIP).mistakes()]

    def _mistakes_of(self, option: str, agent: str) -> list[Mistake]:
        try:
            return [Mistake((option,), mistake.what, mistake.hint) for mistake in self._other(agent).mistakes()]
        except OptionsError as error:
            return [Mistake((option,), mistake.what, mistake.hint) for mistake in error.mistakes]
        except UsageError as error:
            return [Mistake((option,), str(error))]

    def make(self) -> Sabotage:
        """The agent around the other one."""
        return Sabotage(self._other(self.agent).make(), self.share, name=self.name, by=self._replacement())

    def _replacement(self) -> Agent | Replacement:
        if self.by == LOWER_RANKED:
            if wrong := self._mistakes_of_skipping():
                raise OptionsError("sabotage", wrong)
            return spec_of(self._other(self.agent), skip=SKIP).make()
        return Replacement(self.by) if self.by in set(Replacement) else self._other(self.by).make()

    def _other(self, agent: str) -> AgentSpec:
        """An agent's options: the same catalogue and ratings, if it recommends items of one."""
        spec = spec_of(agent)
        if isinstance(spec, CatalogueSpec):
            return spec_of(spec, catalogue=self.catalogue, ratings=self.ratings)
        return spec
