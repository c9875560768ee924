"""Factories of language-model users: needs, prompts and client are shared, each dialogue gets its own user."""

from collections.abc import Callable, Mapping

from trialogue.catalogue.domains import domain_of
from trialogue.errors import UnknownNameError
from trialogue.llm.models import open_model
from trialogue.llm.usage import Usage
from trialogue.records import Need
from trialogue.seeds import rng_for, seed_for
from trialogue.simulation.llm.model_queries import ModelQueries
from trialogue.simulation.llm.need_text import (
    describe_need,
    describe_persona,
    describe_target,
    describe_tastes,
    describe_traits,
)
from trialogue.simulation.llm.options import USUAL_WORDS, LlmUserOptions, LocalUserOptions
from trialogue.simulation.llm.people_style import describe_examples, read_style
from trialogue.simulation.llm.style import persona_of, read_personas, typist
from trialogue.simulation.llm.targets import TitleGuard, tastes_need
from trialogue.simulation.llm.user import DualPrompt, LlmUser, Policy, SinglePrompt
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.kinds import NeedsByCase, World
from trialogue.simulation.users.targets import target_need
from trialogue.simulation.users.user import SimulatedUser
from trialogue.transport.retry import RetryPolicy

TURNS_OF_TARGET = 5  # iEvaLM's


class LlmUsers:
    """Users of ``llm:single``, and base class of all kinds; thread-safe."""

    policy: Callable[..., Policy] = SinglePrompt
    usual_turns: int | None = None

    def __init__(
        self,
        name: str,
        prompts: Mapping[str, str],
        signature: str,
        options: LlmUserOptions | LocalUserOptions,
        world: World,
        *,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        """Store the settings; no request is made yet.

        Raises:
            UsageError: the key's environment variable is not set, the address is none, or a folder holds no model.
            UnknownNameError: the options name an attribute that no item has.
            DataError: the catalogue has nothing to talk about, or the file of personas or the style cannot be read.
        """
        self.name, self.prompts, self.signature = name, prompts, signature
        self.world, self.options = world, options
        self.attributes = options.attributes or world.attributes
        if strange := [each for each in self.attributes if each not in world.catalogue.attributes]:
            raise UnknownNameError("attribute of the catalogue", strange[0], world.catalogue.attributes)
        self.domain = options.domain or domain_of(world.catalogue).things
        self._personas = () if options.personas is None else read_personas(options.personas)
        self._style = None if options.style is None else read_style(options.style)
        self.cases = NeedsByCase.of_world(world, attributes=self.attributes)
        self._client = open_model(options, retry_policy=retry_policy)

    def new(self, case: str, *, seed: int) -> SimulatedUser:
        """Create the user of a case, with the need that users of any kind have in this case."""
        need = self.need_of(self.cases.draw(case, seed=seed).need)
        persona = need.persona or self.persona(case, seed=seed)
        need = need.model_copy(update={"persona": persona}) if persona else need
        values = {
            "domain": self.domain,
            "who": self.describe_user(persona, case, seed=seed),
            "need": self.words(need),
        }
        style = self._style
        values["words"] = str(self.options.words or (style.words if style else USUAL_WORDS))
        policy = self.guard_policy(type(self).policy(self.prompts, values, role=self.options.instruction_role), need)
        turns = self.options.turns or self.usual_turns
        typos = self.options.typos if self.options.typos is not None else style.typos if style else None
        typing = typist(typos or 0.0, self.world.linker, RandomSource(rng_for(seed, case, "typing")))
        return LlmUser(policy, self.ask_for(case, seed=seed), need, turns=turns, typing=typing)

    def persona(self, case: str, *, seed: int) -> str:
        """Persona of a case."""
        return persona_of(self._personas, case, seed=seed) or self.options.persona

    def describe_user(self, persona: str, case: str, *, seed: int) -> str:
        """Description of the user in prompts: the persona, and how a person of the style writes, drawn for the case."""
        parts = [describe_persona(persona), describe_traits(self.options.traits.items())]
        if self._style is not None and self._style.examples:
            examples = RandomSource(rng_for(seed, case, "style")).pick(self._style.examples)
            parts.append(describe_examples(examples))
        return "\n".join(part for part in parts if part)

    def ask_for(self, case: str, *, seed: int) -> ModelQueries:
        """Create the model client of a case.

        The case is the trial of the cache: where agents say the same, the user answers the same.
        """
        own = seed_for(seed, case, "model of the user")
        return ModelQueries(
            self._client, seed=own, trial=f"users/{seed}/{case}", longest_text=self.options.longest_text
        )

    def need_of(self, need: Need) -> Need:
        """Need of this kind of users, derived from the general one."""
        return need

    def words(self, need: Need) -> str:
        """Text of a need in the prompt: its sentence, if it has one, and what is typed."""
        return "\n".join(
            filter(None, [need.scenario and f"- {need.scenario}", describe_need(need, self.world.catalogue)])
        )

    def guard_policy(self, policy: Policy, need: Need) -> Policy:
        """Policy with the safeguards of this kind."""
        return policy

    def usage(self) -> Usage:
        """Usage and cost of this object's requests."""
        return self._client.ledger.usage()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class DualUsers(LlmUsers):
    """Users of ``llm:dual``."""

    policy = DualPrompt


class TargetItemUsers(LlmUsers):
    """Users of ``llm:target-item``: they know one item, describe it without its title, and accept nothing else."""

    usual_turns = TURNS_OF_TARGET

    def need_of(self, need: Need) -> Need:
        """Need with a single target."""
        return target_need(need)

    def words(self, need: Need) -> str:
        """The target with its attributes, about which the model answers questions."""
        return describe_target(need, self.world.catalogue)

    def guard_policy(self, policy: Policy, need: Need) -> Policy:
        """Policy that withholds the title until the agent has named it."""
        return TitleGuard(policy, need.targets, self.world)


class TargetFreeUsers(LlmUsers):
    """Users of ``llm:target-free``: they have tastes, but no target."""

    def need_of(self, need: Need) -> Need:
        """Need without an outcome, so that such users share no column with others."""
        return tastes_need(need)

    def words(self, need: Need) -> str:
        """Known, liked and disliked items with attributes."""
        return describe_tastes(need, self.world.catalogue, self.attributes)
