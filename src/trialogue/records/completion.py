"""Completion counts of a system: finished dialogues, failures by fault, and missing replies.

Counted once from the records, before anything is measured. A system without a finished dialogue is not ranked.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import Field

from trialogue.records.base import Record
from trialogue.records.dialogue import Dialogue
from trialogue.records.kinds.endings import Ending, Fault, RetryCost
from trialogue.records.kinds.origins import ActOrigin
from trialogue.records.situation import Response, Situation

MAX_QUOTED = 3  # different errors of a system that nothing explains
LONGEST = 60  # characters of an error's first line that are quoted
UNNAMED = "unnamed"
"""The system of dialogues that name none."""


class ActCounts(Record):
    """Origins of the dialogue acts of a system's utterances; those without acts count as ``unrecognised`` only."""

    declared: int = Field(default=0, ge=0)
    """By the system itself."""
    annotated: int = Field(default=0, ge=0)
    """By people, or the corpus' authors."""
    recognised: int = Field(default=0, ge=0)
    """By the simulated user that it talked to."""
    unknown: int = Field(default=0, ge=0)
    """Utterances with acts of which nothing records the origin."""
    unrecognised: int = Field(default=0, ge=0)
    """Utterances without acts, of which a language model was asked for the act and gave none."""
    labellers: tuple[str, ...] = ()
    """Language models that were asked for acts, by name; (): none was."""

    @property
    def total(self) -> int:
        """Number of utterances with acts."""
        return self.declared + self.annotated + self.recognised + self.unknown

    @property
    def recognised_share(self) -> float | None:
        """Share of the acts recognised by the simulated user; None without acts."""
        return self.recognised / self.total if self.total else None

    def __add__(self, other: "ActCounts") -> "ActCounts":
        """Sum of both counts, with the labellers of both."""
        counts = [name for name in ActCounts.model_fields if name != "labellers"]
        labellers = tuple(sorted({*self.labellers, *other.labellers}))
        return ActCounts(**{name: getattr(self, name) + getattr(other, name) for name in counts}, labellers=labellers)


class CompletionCounts(Record):
    """Counts of what a system completed of what it was asked to do."""

    kind: ClassVar[str] = "completion"

    system: str
    """Name of the system."""
    dialogues: int = Field(default=0, ge=0)
    """Dialogues it took part in."""
    failed: dict[Ending, int] = Field(default_factory=dict)
    """Dialogues that a failure ended, by how they ended."""
    unrecorded: int = Field(default=0, ge=0)
    """Dialogues without a recorded ending; they count as finished."""
    unexplained: dict[str, int] = Field(default_factory=dict)
    """First lines of the details of unknown failures, the commonest three: what to look for, or words of an old file."""
    situations: int = Field(default=0, ge=0)
    """Situations it was asked to reply to: all that are given, if it replies to any."""
    answered: int = Field(default=0, ge=0)
    """Situations that it replied to, with text or a ranking."""
    failed_replies: dict[Ending, int] = Field(default_factory=dict)
    """Situations where it failed, by how; they are among the unanswered ones."""
    acts: ActCounts = ActCounts()
    """Origins of the dialogue acts of its utterances."""
    retries: RetryCost = RetryCost()
    """Requests to it that were made again, and the waits, over all its dialogues."""

    @property
    def finished_count(self) -> int:
        """Number of dialogues that did not end in a failure."""
        return self.dialogues - sum(self.failed.values())

    @property
    def unanswered_count(self) -> int:
        """Number of situations without a reply, or with a blank one."""
        return self.situations - self.answered

    @property
    def has_finished_any(self) -> bool:
        """Whether there is anything to rank the system by."""
        return self.finished_count > 0 or self.answered > 0

    def failures_by(self, fault: Fault) -> int:
        """Number of dialogues that failed through a party's fault."""
        return sum(count for ending, count in self.failed.items() if ending.fault is fault)

    @property
    def tried(self) -> int:
        """Number of dialogues asked for, or of replies to situations if there were no dialogues."""
        return self.dialogues or self.situations

    @property
    def charged(self) -> int:
        """Number of these that failed through the system's own fault."""
        failed = self.failed if self.dialogues else self.failed_replies
        return sum(count for ending, count in failed.items() if ending.fault is Fault.AGENT)

    @property
    def failure_rate(self) -> float | None:
        """Share of dialogues that failed, through anybody's fault; None without dialogues."""
        return self._share(sum(self.failed.values()))

    @property
    def charged_rate(self) -> float | None:
        """Share of dialogues that failed through the system's own fault, which count as the worst outcome."""
        return self._share(self.failures_by(Fault.AGENT))

    @property
    def missing_rate(self) -> float | None:
        """Share of dialogues that failed through the fault of others and are therefore missing."""
        return self._share(sum(self.failed.values()) - self.failures_by(Fault.AGENT))

    @property
    def abstention_rate(self) -> float | None:
        """Share of situations left unanswered; None without situations."""
        return self.unanswered_count / self.situations if self.situations else None

    def __add__(self, other: "CompletionCounts") -> "CompletionCounts":
        """Sum of the counts of one system over different dialogues or situations."""
        return CompletionCounts(
            system=self.system,
            dialogues=self.dialogues + other.dialogues,
            failed=dict((Counter(self.failed) + Counter(other.failed)).most_common()),
            unrecorded=self.unrecorded + other.unrecorded,
            unexplained=dict((Counter(self.unexplained) + Counter(other.unexplained)).most_common(MAX_QUOTED)),
            situations=self.situations + other.situations,
            answered=self.answered + other.answered,
            failed_replies=dict((Counter(self.failed_replies) + Counter(other.failed_replies)).most_common()),
            acts=self.acts + other.acts,
            retries=self.retries + other.retries,
        )

    def _share(self, count: int) -> float | None:
        return count / self.dialogues if self.dialogues else None


@dataclass
class _Tally:
    dialogues: int = 0
    unrecorded: int = 0
    failed: Counter[Ending] = field(default_factory=Counter)
    unexplained: Counter[str] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)
    asked: bool = False
    failed_replies: Counter[Ending] = field(default_factory=Counter)
    acts: Counter[ActOrigin | None] = field(default_factory=Counter)
    unrecognised: int = 0
    labellers: set[str] = field(default_factory=set)
    retries: RetryCost = field(default_factory=RetryCost)

    def add(self, dialogue: Dialogue) -> None:
        self.dialogues += 1
        self.unrecorded += dialogue.ended_by is None
        if dialogue.ended_by is not None and dialogue.ended_by.is_failure:
            self.failed[dialogue.ended_by] += 1
        if dialogue.fault is Fault.UNKNOWN and (dialogue.ending_detail or "").strip():
            self.unexplained[(dialogue.ending_detail or "").strip().splitlines()[0][:LONGEST]] += 1
        if dialogue.retries is not None:
            self.retries += dialogue.retries
        for said in dialogue.utterances:
            if said.speaker == "system":
                if said.acts:
                    self.acts[said.acts_by] += 1
                elif said.acts_unknown is not None:
                    self.unrecognised += 1
                if said.acts_labeller is not None:
                    self.labellers.add(said.acts_labeller)

    def add_reply(self, response: Response) -> None:
        self.asked = True
        if response.failure is not None:
            self.failed_replies[response.failure] += 1
        elif response.utterance.text.strip() or response.utterance.ranking:
            self.answered.add(response.situation_id)

    def to_counts(self, system: str, situations: int) -> CompletionCounts:
        acts = {origin.value: self.acts[origin] for origin in ActOrigin}
        return CompletionCounts(
            system=system,
            dialogues=self.dialogues,
            failed=dict(self.failed.most_common()),
            unrecorded=self.unrecorded,
            unexplained=dict(self.unexplained.most_common(MAX_QUOTED)),
            situations=situations if self.asked else 0,
            answered=len(self.answered),
            failed_replies=dict(self.failed_replies.most_common()),
            acts=ActCounts(
                **acts,
                unknown=self.acts[None],
                unrecognised=self.unrecognised,
                labellers=tuple(sorted(self.labellers)),
            ),
            retries=self.retries,
        )


def completion_counts(
    dialogues: Iterable[Dialogue] = (),
    *,
    situations: Sequence[Situation] = (),
    responses: Iterable[Response] = (),
    system: str | None = None,
) -> Mapping[str, CompletionCounts]:
    """Completion counts by system name, in order of appearance.

    Args:
        dialogues: finished or not.
        situations: what systems were asked to reply to.
        responses: what they replied.
        system: names the system of dialogues that name none.
    """
    tallies: dict[str, _Tally] = {}
    for dialogue in dialogues:
        tallies.setdefault(dialogue.system or system or UNNAMED, _Tally()).add(dialogue)
    for response in responses:
        tallies.setdefault(response.system, _Tally()).add_reply(response)
    count = len({situation.id for situation in situations})
    return {name: tally.to_counts(name, max(count, len(tally.answered))) for name, tally in tallies.items()}
