"""Factories of language-model users: needs, prompts and client are shared, each dialogue gets its own user."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trialogue.catalogue.domains import domain_of
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.llm.models import open_model
from trialogue.llm.usage import Usage
from trialogue.records import Need, Utterance
from trialogue.seeds import rng_for, seed_for
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.language.styles import add_typos
from trialogue.simulation.llm.options import USUAL_WORDS, LlmUserOptions, LocalUserOptions
from trialogue.simulation.llm.people_style import describe_examples, read_style
from trialogue.simulation.llm.prompts import (
    describe_need,
    describe_persona,
    describe_target,
    describe_tastes,
    describe_traits,
)
from trialogue.simulation.llm.user import DualPrompt, LlmUser, ModelQueries, Policy, SinglePrompt, UserMove
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.user import SimulatedUser, UserFailure
from trialogue.simulation.users.world import NeedsByCase, TitleDetector, World, target_need
from trialogue.transport.retry import RetryPolicy


def read_personas(path: Path) -> tuple[str, ...]:
    """Read personas from a text file, one per non-empty line.

    Raises:
        DataError: the file cannot be read, or holds none.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(Problem(f"cannot be read: {error.strerror or error}.", str(path))) from error
    except UnicodeDecodeError as error:
        raise DataError(Problem(f"byte {error.start} is not UTF-8.", str(path))) from error
    found = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not found:
        raise DataError(Problem("holds no persona.", str(path), hint="Write one persona on each line."))
    return found


def persona_of(personas: tuple[str, ...], case: str, *, seed: int) -> str:
    """Persona of a case, the same for every agent; "" without personas."""
    return RandomSource(rng_for(seed, case, "persona")).pick(personas) if personas else ""


def typist(rate: float, linker: Linker, rng: RandomSource) -> Callable[[str], str] | None:
    """Function that adds typos outside titles, with the user's own random numbers; None for a rate of 0."""
    if not rate:
        return None

    def type_around_titles(text: str) -> str:
        spans = [
            (each.start, each.end) for each in linker.find(text) if each.start is not None and each.end is not None
        ]
        pieces, at = [], 0
        for start, end in sorted(spans):
            if start >= at:
                pieces += [add_typos(text[at:start], rate, rng), text[start:end]]
                at = end
        return "".join([*pieces, add_typos(text[at:], rate, rng)])

    return type_around_titles


SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
WITHHELD = "withheld_sentences"
"""Key in a message's ``meta`` for the number of sentences withheld because they named the target."""


def tastes_need(need: Need) -> Need:
    """Need of a user with tastes only: without constraints, and satisfied by nothing."""
    return need.model_copy(
        update={"id": f"{need.id}-tastes", "constraints": (), "targets": (), "acceptable": (), "requests": ()}
    )


class TitleGuard:
    """Policy wrapper whose messages never name a target before the agent does.

    Sentences that do are left out of what is said; iEvaLM leaves them out of its own prompt alone, and the agent reads
    them. How many they were stands with the message.
    """

    def __init__(self, policy: Policy, targets: Sequence[str], world: World) -> None:
        """``targets``: ids of items of the world's catalogue."""
        self._policy, self._target = policy, TitleDetector(targets, world)

    def move(self, said: Sequence[Utterance], asking: ModelQueries) -> UserMove:
        """The policy's move without sentences that reveal the target.

        Raises:
            UserFailure: nothing of the message is left.
        """
        move = self._policy.move(said, asking)
        if any(self._target.names(each.text) for each in said if each.speaker == "system"):
            return move
        sentences = SENTENCE_END.split(move.text)
        kept = [each for each in sentences if not self._target.names(each)]
        if len(kept) == len(sentences):
            return move
        asking.note(WITHHELD, len(sentences) - len(kept))
        text = " ".join(kept).strip()
        if not text and move.leaving is None:
            raise UserFailure("the model said nothing but the title that it must not name.")
        return UserMove(text, move.leaving)


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
