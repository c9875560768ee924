"""Judgements: what judges answered about one unit, sample by sample, with everything needed to check it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from pydantic import Field

from trialogue.judges.rubric import Rubric
from trialogue.records import Dialogue, MeasureName, Reason, Record, Score

Vote = Literal["a", "b", "tie"]


class Sample(Record):
    """One answer of a model."""

    answer: str | None = None
    """As received; None: there was none."""
    values: dict[str, float] = Field(default_factory=dict)
    """Points on the rubric's scale by aspect; aspects in ``whys`` have none."""
    whys: dict[str, Reason] = Field(default_factory=dict)
    """Why an aspect has no point."""
    reason: str = ""
    """What the judgement rests on, in the model's words."""
    model: str | None = None
    """The model that answered, as the server calls it."""
    system_fingerprint: str | None = None
    """Configuration of the server; where it differs, answers may differ even with the same seed. None: not reported."""


class Judgement(Record):
    """What a judge says of one unit."""

    kind: ClassVar[str] = "judgement"

    judge: str
    """Name of the judge."""
    rubric: str
    """Signature of the rubric: id, version and hash."""
    system: str | None = None
    """The system it is about; the judge did not see it."""
    dialogue_id: str | None = None
    """Id of the dialogue that is judged, or that holds the judged reply; None: a reply to a situation."""
    situation_id: str | None = None
    """The situation of a reply."""
    utterance: int | None = None
    """Index of the judged utterance in its dialogue; None: the whole dialogue, or a reply to a situation."""
    values: dict[str, float] = Field(default_factory=dict)
    """Score by aspect: the mean over samples."""
    whys: dict[str, Reason] = Field(default_factory=dict)
    """Why an aspect has no score."""
    samples: tuple[Sample, ...] = ()
    """The answers; (): the model was not asked, for the reason in ``whys``, or since the dialogue failed."""
    is_worst: bool = False
    """Whether the scores are the lowest points: the dialogue failed through the system's fault, and nobody was asked."""
    masked: int = 0
    """Places in which something personal was masked."""
    anonymised: int = 0
    """Places in which a system or user was named."""


class Comparison(Record):
    """What a judge says of two units side by side, asked in both orders."""

    kind: ClassVar[str] = "comparison"

    judge: str
    """Name of the judge."""
    rubric: str
    """Signature of the rubric."""
    a: str | None = None
    """System of the one."""
    b: str | None = None
    """System of the other."""
    dialogue_a: str | None = None
    """Dialogue of the one."""
    dialogue_b: str | None = None
    """Dialogue of the other."""
    choices: dict[str, Vote] = Field(default_factory=dict)
    """By aspect: what both orders allow; contradictory answers are a tie."""
    whys: dict[str, Reason] = Field(default_factory=dict)
    """Why an aspect has no choice."""
    first_shown: dict[str, tuple[Vote, ...]] = Field(default_factory=dict)
    """By aspect: choices of the samples in which ``a`` was shown first."""
    second_shown: dict[str, tuple[Vote, ...]] = Field(default_factory=dict)
    """By aspect: choices of the samples in which ``b`` was shown first."""
    samples: tuple[Sample, ...] = ()
    """The answers: those with ``a`` first, then those with ``b`` first."""


@dataclass(frozen=True)
class JudgingProgress:
    """State of a judging run."""

    done: int
    """Questions that are answered, or failed."""
    total: int
    """Questions in all: distinct ones, times samples."""
    cached: int
    """Answers that came from the cache."""
    failed: int
    """Questions without an answer."""
    elapsed_s: float
    """Seconds since the start."""

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the pace of questions that were not cached; None before the first such answer."""
        asked = self.done - self.cached
        return None if asked <= 0 else (self.total - self.done) * self.elapsed_s / asked


Watch = Callable[[JudgingProgress], None]


class Judge(Protocol):
    """What scores dialogues by a rubric: a language model, a panel of them, or any object with these members."""

    name: str
    """Name of the judge in tables and messages."""
    rubric: Rubric
    """The rubric: what is asked, and on which scale."""

    def measure(self, aspect: str) -> MeasureName:
        """Full name of the column of an aspect."""
        ...

    def judge(self, dialogues: Sequence[Dialogue], *, watch: Watch | None = None) -> list[Judgement]:
        """Judge dialogues: one judgement each, or (level ``turn``) one for each reply, in order."""
        ...

    def scores(self, judgements: Sequence[Judgement]) -> list[Score]:
        """Convert judgements to scores with their origin."""
        ...


class PairwiseJudge(Protocol):
    """What compares two dialogues by a rubric."""

    name: str
    """Name of the judge in tables and messages."""
    rubric: Rubric
    """The rubric whose aspects the dialogues are compared on."""

    def compare(self, pairs: Sequence[tuple[Dialogue, Dialogue]], *, watch: Watch | None = None) -> list[Comparison]:
        """Compare the dialogues of each pair, in both orders."""
        ...


def by_aspect(
    judgements: Sequence[Judgement], aspect: str
) -> Mapping[tuple[str | None, str | None, int | None], float]:
    """Scores of an aspect by (system, dialogue, utterance); judgements without one are left out."""
    return {
        (each.system, each.dialogue_id, each.utterance): each.values[aspect]
        for each in judgements
        if aspect in each.values
    }
