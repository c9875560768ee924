"""Records of a comparison of two versions."""

from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.threat import Threat, Validity
from trialogue.records import Estimate, Record

Light = Literal["better", "worse", "mixed", "not worse", "equivalent", "inconclusive", "changed", "no verdict"]
FAVOURABLE: tuple[Light, ...] = ("better", "not worse", "equivalent")
"""Lights that speak for the new version."""


class MeasureComparison(Record):
    """Result of one measure on the new version."""

    measure: str
    """Full name of the measure."""
    title: str
    """Name of the measure in prose."""
    light: Light
    """Result. ``not worse``: not better, but not worse by more than the margin; ``equivalent``: within the margin on both
    sides; ``changed``: different, on a measure without direction; ``no verdict``: blocked by a threat, or nothing that
    decides could be tested."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""
    difference: Estimate
    """After minus before, with interval and uncorrected p."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """p after correction across the measures that decide; of the others uncorrected."""
    decides: bool
    """Whether the verdict rests on it."""
    paired: int = 0
    """Units of the new version whose situation, need or person the old version met, too."""

    @property
    def is_tested(self) -> bool:
        """Whether it has a p-value, or an interval within the margin, or a threat withholds its verdict."""
        return self.p_adjusted is not None or self.light not in ("inconclusive", "changed")


class ChangedUnit(Record):
    """A dialogue or situation whose value changed."""

    measure: str
    """Full name of the measure."""
    unit: str
    """Id of the dialogue or situation."""
    before: float
    """Its value with the old version."""
    after: float
    """Its value with the new one."""


class FailureComparison(Record):
    """Failure rates of two versions by the agent's fault."""

    before: int
    """Failed dialogues of the old version."""
    before_dialogues: int
    """All dialogues of the old version."""
    after: int
    """Failed dialogues of the new one."""
    after_dialogues: int
    """All dialogues of the new one."""
    p: float = Field(ge=0, le=1)
    """Fisher's exact test, two-sided."""
    margin: float
    """Share of dialogues by which the new version may fail more often."""
    are_replies: bool = False
    """Whether these are replies to situations, and not dialogues."""
    is_worse: bool
    """Whether the new version fails significantly more often, or more often by more than the margin."""


class Comparison(Record):
    """Comparison of two versions."""

    kind: ClassVar[str] = "comparison"

    before: str
    """Name of the old version."""
    after: str
    """Name of the new version."""
    light: Light
    """The verdict over all measures that decide."""
    validity: Validity = Validity.FIRM
    """Validity of the verdict after the gate."""
    answer: tuple[str, ...]
    """The verdict in sentences."""
    failures: FailureComparison | None = None
    """Failure rates of both versions; None unless both are known."""
    threats: tuple[Threat, ...] = ()
    """Threats to the verdict, blocking ones first."""
    judgements: tuple[MeasureComparison, ...]
    """Measures that decide first, then the others, each in the runs' order."""
    moved: tuple[ChangedUnit, ...] = ()
    """Units with the largest losses on deciding measures, the largest first."""
    notes: tuple[str, ...] = ()
    """Caveats: omitted measures, runs with different settings."""
