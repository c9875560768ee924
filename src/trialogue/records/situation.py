"""Situations and systems' responses to them: the unit of offline response metrics and of rating studies.

A *situation* is the beginning of a dialogue that ends on a user utterance (INFACT, KaRS 2022, sec. 3); its *reference* is
what the human recommender said next.
"""

from collections.abc import Iterator
from typing import ClassVar, Self

from pydantic import Field, model_validator

from trialogue.records.base import JsonValue, Record
from trialogue.records.dialogue import Dialogue, Utterance
from trialogue.records.kinds.endings import Ending
from trialogue.records.kinds.origins import Role
from trialogue.records.reading import ClusterKind


class Situation(Record):
    """Beginning of a dialogue up to a user utterance, with the human recommender's reply if known."""

    kind: ClassVar[str] = "situation"

    id: str
    """Unique within its file."""
    context: tuple[Utterance, ...] = Field(min_length=1)
    """Dialogue history; the last utterance is the user's."""
    reference: Utterance | None = None
    """The human recommender's reply."""
    further_references: tuple[Utterance, ...] = ()
    """Further replies that people gave. Texts are compared with all of them, everything else with ``reference`` alone."""
    targets: tuple[str, ...] | None = None
    """Ids of the items that the reference recommends; None: unknown, (): it recommends none."""
    dialogue_id: str | None = None
    """Dialogue it was cut from: the cluster that situations of one dialogue share."""
    turn: int | None = None
    """Number of system turns before the reply; 0 for the first."""
    source: str | None = None
    """Corpus it comes from."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Further data of the corpus."""

    @model_validator(mode="after")
    def _ends_on_a_user_utterance(self) -> Self:
        if self.context[-1].speaker != "user":
            raise ValueError("the context of a situation must end with a user utterance")
        if self.reference is None and self.further_references:
            raise ValueError("a situation with further references must have a reference")
        if any(each.speaker != "system" for each in self.references):
            raise ValueError("the reference of a situation must be a system utterance")
        return self

    @property
    def references(self) -> tuple[Utterance, ...]:
        """All references, the first one first."""
        return self.further_references if self.reference is None else (self.reference, *self.further_references)

    @property
    def cluster(self) -> str:
        """Resampling unit: the dialogue it was cut from, or else itself."""
        return f"dialogue:{self.dialogue_id}" if self.dialogue_id else f"situation:{self.id}"

    @property
    def cluster_kind(self) -> ClusterKind:
        """What the resampling unit is."""
        return ClusterKind.DIALOGUE if self.dialogue_id else ClusterKind.SITUATION


class Response(Record):
    """One system's reply to a situation."""

    kind: ClassVar[str] = "response"

    situation_id: str
    """The situation it answers."""
    system: str
    """Name of the system that replied."""
    utterance: Utterance
    """The reply, with whatever is known of it: labels, mentions, ranking, ratings."""
    failure: Ending | None = None
    """Failure of a system that was asked and gave no reply; the utterance is then empty. None: it replied."""
    role: Role = Role.SYSTEM
    """Whether the system is evaluated, or a baseline that ignores the user."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Further data of the corpus."""

    @model_validator(mode="after")
    def _is_said_by_the_system(self) -> Self:
        if self.utterance.speaker != "system":
            raise ValueError("the utterance of a response must be a system utterance")
        if self.failure is not None and not self.failure.is_failure:
            raise ValueError(f"{self.failure.value!r} is not a failure; leave the field out where the system replied")
        return self


def situations_of(dialogue: Dialogue) -> Iterator[Situation]:
    """Extract every situation of a dialogue: the context up to each user utterance that is answered.

    The reference is the first system utterance after it. Ids are ``{dialogue id}#{index of the reply}``. A dialogue of
    one speaker has none. Targets are the items the reference names; unknown (None) where one of its titles has no id.
    """
    turn = 0
    for index, (before, after) in enumerate(zip(dialogue.utterances, dialogue.utterances[1:], strict=False), start=1):
        if before.speaker == "system" and (index == 1 or dialogue.utterances[index - 2].speaker == "user"):
            turn += 1
        if before.speaker == "user" and after.speaker == "system":
            named = None if after.mentions is None else [mention.item_id for mention in after.mentions]
            targets = None if named is None or None in named else tuple(name for name in named if name is not None)
            yield Situation(
                id=f"{dialogue.id}#{index}",
                context=dialogue.utterances[:index],
                reference=after,
                targets=targets,
                dialogue_id=dialogue.id,
                turn=turn,
                source=dialogue.source,
            )
