"""Kinds of language-model users, registered as ``llm:NAME`` with the plug-in interface of simulated users."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from trialogue.agents.registry import OptionsError, without_secrets
from trialogue.errors import UnknownNameError, UsageError
from trialogue.llm.models import model_identity
from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.simulation.llm.options import options_class
from trialogue.simulation.llm.prompts import PROMPTS, signature_of
from trialogue.simulation.llm.users import DualUsers, LlmUsers, TargetFreeUsers, TargetItemUsers
from trialogue.simulation.llm.worded import WordedUsers, agenda_of
from trialogue.simulation.users.world import World
from trialogue.transport.retry import RetryPolicy

WORDED = "worded"
MAKERS: Mapping[str, type[LlmUsers]] = {
    "single": LlmUsers,
    "dual": DualUsers,
    "target-item": TargetItemUsers,
    "target-free": TargetFreeUsers,
    "worded": WordedUsers,
}
SUMMARIES: Mapping[str, str] = {
    "single": "a model writes each message, and ends the dialogue with a marker in it",
    "dual": "a model first decides whether to continue, then writes the message",
    "target-item": "a model knows one item, describes it without its title and accepts nothing else (iEvaLM); five turns",
    "target-free": "a model has tastes but no specific need",
    "worded": "an agenda decides, and a model phrases it; a gate checks that the act is unchanged",
}


class LlmKind:
    """A kind of language-model users."""

    def __init__(self, member: str, given: Mapping[str, Any] | None = None) -> None:
        """``member``: a key of ``SUMMARIES``; ``given``: options, possibly incomplete."""
        self.member, self._given = member, dict(given or {})

    @property
    def name(self) -> str:
        """Name of these users in tables."""
        return f"llm:{self.member}"

    @property
    def prompts(self) -> Mapping[str, str]:
        """Prompts by purpose; placeholders for domain, persona and need are not filled in."""
        own = self._given.get("prompt")
        return {**PROMPTS[self.member], "utterance": own} if isinstance(own, str) else PROMPTS[self.member]

    @property
    def signature(self) -> str:
        """Kind, protocol version, and a hash of the prompts; for a model in a folder also its name and content hash.

        Where a language model understands the agent for ``llm:worded``, its name and hash of the prompt follow.
        """
        own = signature_of(self.member, self.prompts, model=self._identity())
        if self.member != WORDED or self.mistakes():
            return own
        understanding = agenda_of(options_class(self._given).model_validate(self._given)).signature
        return own if understanding is None else f"{own}|{understanding}"

    def with_options(self, **changes: Any) -> "LlmKind":
        """Copy with some options changed.

        Raises:
            OptionsError: unknown options, or values that they cannot have; options that are still missing are no mistake.
        """
        kind = LlmKind(self.member, self._given | changes)
        if wrong := [each for each in kind.mistakes() if each.place and each.place[0] in kind._given]:
            raise OptionsError(self.name, wrong, what="users")
        return kind

    def mistakes(self) -> list[Mistake]:
        """Invalid and missing options."""
        record = options_class(self._given)
        try:
            options = record.model_validate(self._given)
        except ValidationError as error:
            found = mistakes_of(error, self._given, record)
            return [without_secrets(mistake, record) for mistake in found]
        if options.understanding is not None and self.member != WORDED:
            what = f"only llm:{WORDED} goes by acts of the agent; llm:{self.member} reads its words."
            return [Mistake(("understanding",), what, "Leave it out.")]
        try:
            model_identity(options)
        except UsageError as error:
            return [Mistake(("folder",), str(error))]
        return []

    def _identity(self) -> str:
        """What identifies a model in a folder; "" for other models, and where options are missing or wrong."""
        if self.mistakes():
            return ""
        return model_identity(options_class(self._given).model_validate(self._given))

    def settle(self, world: World, *, retry_policy: RetryPolicy | None = None) -> "LlmUsers":
        """Create users of this kind in a world.

        Raises:
            OptionsError: options are missing or wrong.
            UsageError: the key's environment variable is not set, or the address is none.
            DataError: the catalogue has nothing to talk about.
        """
        if wrong := self.mistakes():
            raise OptionsError(self.name, wrong, what="users")
        options = options_class(self._given).model_validate(self._given)
        return MAKERS[self.member](self.name, self.prompts, self.signature, options, world, retry_policy=retry_policy)


class LlmKinds:
    """Family of kinds behind the entry point ``llm``."""

    members = SUMMARIES

    def member(self, name: str) -> LlmKind:
        """Get a kind by name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in SUMMARIES:
            raise UnknownNameError(
                "kind of language-model users", name, SUMMARIES, hint="Write, for example, llm:single."
            )
        return LlmKind(name)


KINDS = LlmKinds()
