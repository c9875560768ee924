"""The kinds of users that a language model plays, as the plug-in point of simulated users wants them: ``llm:NAME``."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from trialogue.agents.registry import OptionsError, without_secrets
from trialogue.errors import UnknownNameError
from trialogue.llm.chat import ChatClient, ChatOptions
from trialogue.llm.usage import Usage
from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.seeds import seed_for
from trialogue.simulation.llm.asking import Asking
from trialogue.simulation.llm.options import LlmUserOptions
from trialogue.simulation.llm.prompts import PROMPTS, signature_of
from trialogue.simulation.llm.user import DualPrompt, LlmUser, Policy, SinglePrompt
from trialogue.simulation.llm.wishes import need_in_words, who_in_words
from trialogue.simulation.users.kinds import NeedsByCase, World
from trialogue.simulation.users.population import main_attribute
from trialogue.transport.retry import RetryPolicy

POLICIES: Mapping[str, Callable[..., Policy]] = {"single": SinglePrompt, "dual": DualPrompt}
SUMMARIES: Mapping[str, str] = {
    "single": "a model writes each message, and ends the dialogue with a marker in it",
    "dual": "a model first decides whether to go on, then writes the message",
}


class LlmKind:
    """A kind of users that a language model plays."""

    def __init__(self, member: str, given: Mapping[str, Any] | None = None) -> None:
        """``member``: a key of ``SUMMARIES``; ``given``: options, of which some may be missing yet."""
        self.member, self._given = member, dict(given or {})

    @property
    def name(self) -> str:
        """What these users are called in tables."""
        return f"llm:{self.member}"

    @property
    def prompts(self) -> Mapping[str, str]:
        """What the model is told, by what it is for; places for domain, persona and need are not filled in yet."""
        own = self._given.get("prompt")
        return {**PROMPTS[self.member], "utterance": own} if isinstance(own, str) else PROMPTS[self.member]

    @property
    def signature(self) -> str:
        """The kind, the version of its protocol, and a hash of its prompts."""
        return signature_of(self.member, self.prompts)

    def with_options(self, **changes: Any) -> "LlmKind":
        """The same kind with some options set.

        Raises:
            OptionsError: unknown options, or values that they cannot have; options that are still missing are no mistake.
        """
        kind = LlmKind(self.member, self._given | changes)
        if wrong := [each for each in kind.mistakes() if each.place and each.place[0] in kind._given]:
            raise OptionsError(self.name, wrong, what="users")
        return kind

    def mistakes(self) -> list[Mistake]:
        """What keeps these users from being made: wrong options, and missing ones."""
        try:
            LlmUserOptions.model_validate(self._given)
        except ValidationError as error:
            found = mistakes_of(error, self._given, LlmUserOptions)
            return [without_secrets(mistake, LlmUserOptions) for mistake in found]
        return []

    def settle(self, world: World, *, retry_policy: RetryPolicy | None = None) -> "LlmUsers":
        """Users of this kind in a world.

        Raises:
            OptionsError: options are missing or wrong.
            UsageError: the key's environment variable is not set, or the address is none.
            DataError: the catalogue has nothing to talk about.
        """
        if wrong := self.mistakes():
            raise OptionsError(self.name, wrong, what="users")
        return LlmUsers(self, LlmUserOptions.model_validate(self._given), world, retry_policy=retry_policy)


class LlmUsers:
    """Users of one kind in one world; threads may share it."""

    def __init__(
        self, kind: LlmKind, options: LlmUserOptions, world: World, *, retry_policy: RetryPolicy | None = None
    ) -> None:
        """Nothing is asked yet."""
        self.name, self.signature, self.world, self.options = kind.name, kind.signature, world, options
        self._policy, self._prompts = POLICIES[kind.member], kind.prompts
        attributes = options.attributes or (main_attribute(world.catalogue),)
        if strange := [name for name in attributes if name not in world.catalogue.attributes]:
            raise UnknownNameError("attribute of the catalogue", strange[0], world.catalogue.attributes)
        self._cases = NeedsByCase.of_world(world, attributes=attributes)
        chat = ChatOptions(**{name: getattr(options, name) for name in ChatOptions.model_fields})
        self._client = ChatClient(chat, retry_policy=retry_policy)

    def new(self, case: str, *, seed: int) -> LlmUser:
        """The user of a case, with the need that users of any kind have in this case.

        The case is the trial of the cache: where agents say the same, the user answers the same.
        """
        need = self._cases.draw(case, seed=seed).need
        persona = need.persona or self.options.persona
        need = need.model_copy(update={"persona": persona}) if persona else need
        values = {
            "domain": self.options.domain,
            "who": who_in_words(persona),
            "need": need_in_words(need, self.world.catalogue),
        }
        policy = self._policy(self._prompts, values, role=self.options.instruction_role)
        trial = f"users/{seed}/{case}"
        asking = Asking(
            self._client,
            seed=seed_for(seed, case, "model of the user"),
            trial=trial,
            longest_text=self.options.longest_text,
        )
        return LlmUser(policy, asking, need)

    def usage(self) -> Usage:
        """What the model was asked by this object, and what that cost."""
        return self._client.ledger.usage()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class LlmKinds:
    """The family of kinds that stands behind the entry point ``llm``."""

    members = SUMMARIES
    """What each of them is, by name."""

    def member(self, name: str) -> LlmKind:
        """The kind of a name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in SUMMARIES:
            raise UnknownNameError("kind of users llm:", name, SUMMARIES, hint="Give one as llm:single.")
        return LlmKind(name)


KINDS = LlmKinds()
