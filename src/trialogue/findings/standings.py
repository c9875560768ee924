"""Records of a league: the measure's column, a standing per system, a contrast per pair.

``records.Findings`` holds one ``League`` per measure.
"""

from typing import Any, Literal

from pydantic import Field, model_validator

from trialogue.findings.threat import Validity
from trialogue.records import (
    Basis,
    Card,
    Estimate,
    Interval,
    MeasureName,
    Raters,
    Reason,
    Record,
    Scale,
)
from trialogue.stats.comparison.families import FamilyMethod

Verdict = Literal["a", "b", "inconclusive", "undefined"]
OVER_MEASURES = "Bonferroni, over the deciding measures,"
"""The correction of a comparison of two versions, which is over measures."""


def column_name(name: str, users: str | None) -> str:
    """Name of a measure's column, distinct for simulated users.

    Args:
        name: the measure's full name.
        users: the kind of simulated users whose dialogues were measured; None: people, or replies to situations.
    """
    return name if users is None else f"{users}: {name}"


class Measure(Record):
    """The measure of one column of the league table."""

    name: str
    """Full name, such as ``distinct(n=2)@ratio|v1`` or ``human:satisfaction``; no two columns share one."""
    title: str
    """Name in prose, for headings."""
    by: Literal["people", "simulation", "metric", "judge"]
    """Source of the measure: people, metrics of dialogues with simulated users, metrics of dialogues with people, or a judge
    whose scores were given (raw, or corrected with people's labels), which is shown and never compared."""
    better: Literal["higher", "lower", "neither"]
    """Direction; measures of ``neither`` are shown and never ranked."""
    unit: str
    """Unit of the values."""
    card: Card | None = None
    """Card of the metric; None for questions to people."""
    signature: str | None = None
    """Everything that made the numbers."""
    raters: tuple[Raters, ...] = ()
    """The kinds of those who gave the ratings, where ``by`` is people; () for a metric."""
    labels_from: tuple[str, ...] = ()
    """Labellers of the labels or beliefs that the metric reads; (): it reads none."""
    is_calibrated: bool = False
    """Whether it rests on a calibration that was fitted on other data."""
    users: str | None = None
    """The kind of simulated users whose dialogues were measured, such as ``cir6-pkg``; None for anything else."""
    scale: Scale | None = None
    """The scale of people's answers, where it was declared; None for a metric, whose card says it."""
    counts_failures: bool = False
    """Whether a dialogue that failed by the agent's fault counts as the worst value; else it is left out."""
    measured: MeasureName = MeasureName("")
    """Full name of the measure regardless of the kind of user; equal to the column's name without simulated users."""
    plain_title: str = ""
    """The title without the simulated users."""

    @model_validator(mode="before")
    @classmethod
    def _check_name(cls, given: Any) -> Any:
        """Check that a column without simulated users has the name of its measure."""
        if not isinstance(given, dict):
            return given
        return {"measured": given.get("name"), "plain_title": given.get("title"), **given}

    @property
    def is_share(self) -> bool:
        """Whether values are unit counts over units, so that they have the interval of a share."""
        return self.card.is_share if self.card is not None else self.scale is not None and self.scale.is_share

    @property
    def bounds(self) -> Scale | None:
        """Lowest and highest possible value; None: unbounded, or not declared."""
        return self.scale if self.card is None else Scale.of(self.card.low, self.card.high)

    @property
    def basis(self) -> Basis:
        """Kind of evidence behind the values; unknown for a measure without a card."""
        if self.by == "people":
            return Basis.PEOPLE
        return Basis.CRITERION if self.card is None else self.card.basis

    @property
    def is_alignment(self) -> bool:
        """Whether it measures alignment with a human recommender."""
        return self.card is not None and self.card.family == "alignment"

    @property
    def reads_acts(self) -> bool:
        """Whether it judges simulated dialogues by acts, and so depends on the user's understanding."""
        card = self.card
        return card is not None and card.family == "simulation" and not {"acts", "user_acts"}.isdisjoint(card.needs)

    @property
    def counts_labels(self) -> bool:
        """Whether it counts strategy labels as they are, from any source."""
        return self.card is not None and "strategies" in self.card.needs

    def with_simulated(self, users: str) -> "Measure":
        """The same measure on dialogues with simulated users, as a separate column.

        >>> measure = Measure(name="turns|v1", title="Turns", by="metric", better="higher", unit="utterances")
        >>> simulated = measure.with_simulated("cir6-pkg")
        >>> simulated.name, simulated.title, simulated.measured
        ('cir6-pkg: turns|v1', 'Turns (cir6-pkg)', 'turns|v1')
        """
        column = {
            "name": column_name(self.name, users),
            "title": f"{self.title} ({users})",
            "by": "simulation",
            "users": users,
        }
        return self.model_copy(update=column)


class Standing(Record):
    """One system's result on one measure."""

    system: str
    """Name of the system."""
    estimate: Estimate
    """Its value with interval and counts."""
    rank_low: int | None = None
    """Best rank consistent with the corrected comparisons; None where the measure ranks nothing."""
    rank_high: int | None = None
    """Worst rank consistent with them."""
    skipped: int = 0
    """Units left out as undefined."""
    left_out: Reason | None = None
    """Why they are left out."""


class Contrast(Record):
    """Difference of two systems on one measure: a minus b."""

    a: str
    """First system of the pair."""
    b: str
    """Second system: the one whose value is subtracted."""
    difference: Estimate
    """a minus b, with interval and uncorrected p."""
    simultaneous: Interval | None = None
    """Its single-step interval, which holds together with those of the other pairs; None for a single pair."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """p after correction across all pairs of the measure."""
    verdict: Verdict
    """Better system after correction at the declared level; undefined if blocked by a threat."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""

    @property
    def leader(self) -> str | None:
        """The better system; None if the verdict names none."""
        return self.a if self.verdict == "a" else self.b if self.verdict == "b" else None

    def turn(self) -> "Contrast":
        """The contrast as b minus a."""
        verdicts: dict[Verdict, Verdict] = {"a": "b", "b": "a"}
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                "difference": self.difference.negate(),
                "simultaneous": self.simultaneous and self.simultaneous.negate(),
                "verdict": verdicts.get(self.verdict, self.verdict),
            }
        )


class League(Record):
    """All systems on one measure, best first (alphabetical if nothing is ranked)."""

    measure: Measure
    """The measure that all systems are compared on, with its direction and unit."""
    standings: tuple[Standing, ...]
    """Systems, best first; those without a value last."""
    contrasts: tuple[Contrast, ...] = ()
    """Every pair of systems."""
    correction: FamilyMethod = FamilyMethod.BONFERRONI
    """Correction of the p-values of pairs."""
    questions: int = Field(default=1, ge=1)
    """Questions to people over which the p-values are corrected, too; 1: within this measure alone."""
    baselines: tuple[Standing, ...] = ()
    """Baselines that ignore the user, best first: neither ranked nor compared with each other."""
    above_baseline: tuple[Contrast, ...] = ()
    """Each system less the best baseline, where baselines have values; p-values corrected across the systems."""
    validity: Validity = Validity.FIRM
    """Validity of the measure's verdicts after the gate."""
    values: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    """Values of single dialogues (or replies) by system, for pictures of the spread."""

    def contrast_of(self, a: str, b: str) -> Contrast | None:
        """Contrast of two systems as a minus b, in either stored orientation; None if there is none."""
        for contrast in self.contrasts:
            if (contrast.a, contrast.b) == (a, b):
                return contrast
            if (contrast.a, contrast.b) == (b, a):
                return contrast.turn()
        return None
