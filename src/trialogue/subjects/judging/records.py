"""Records of judged systems: values by a judge, by human labels, and by both combined.

They are deliberately not ``Score`` records: a corrected value contains people's answers, so comparing it with them would be
circular.
"""

from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.threat import Threat, Validity
from trialogue.records import Estimate, Manifest, MeasureName, Raters, Record
from trialogue.stats.correction.association import Statistic
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.judging.card_records import JudgeCard
from trialogue.subjects.judging.probe_records import ProbeFinding

JudgeVerdict = Literal["better", "worse", "inconclusive", "undefined"]


class JudgedValue(Record):
    """One quantity, estimated by the judge alone, by labels alone, and by both."""

    judge: float
    """Value by the judge's scores of all units, uncorrected."""
    alone: Estimate
    """Estimate from labelled units alone, without the judge."""
    corrected: Estimate
    """Estimate from both: the judge's value, corrected by its errors on labelled units."""
    weight: float
    """Weight of the judge's scores in the corrected estimate: labels per unit of its scores; 0: they were not used."""
    width_ratio: float | None = None
    """Width of the corrected interval over that of labels alone; below 1 the judge saved labels."""
    raw: Estimate | None = None
    """``judge`` with an interval, if there are no labels at all; the interval leaves out the judge's own error."""

    @property
    def leading(self) -> Estimate:
        """What verdicts rest on: the corrected estimate; where there are no labels, the judge's own."""
        return self.corrected if self.raw is None else self.raw


class JudgedSystem(Record):
    """Results of one system."""

    system: str
    """Its name."""
    judged: int
    """Number of units in the analysis."""
    labels: int
    """Number of labelled units."""
    value: JudgedValue
    """Its mean."""
    rank: int | None = None
    """1 for the best corrected mean; None: it has none."""
    best_rank: int | None = None
    """Best rank in its simultaneous range over all systems; None: it has no rank."""
    worst_rank: int | None = None
    """Worst rank in that range."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""


class JudgedDifference(Record):
    """Difference of two systems."""

    a: str
    """The one."""
    b: str
    """The other."""
    value: JudgedValue
    """The difference of their means."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """p-value of the corrected difference by Bonferroni's method over all pairs."""
    verdict: JudgeVerdict
    """Whether ``a`` is better or worse, by the corrected difference."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""


class JudgedCorrelation(Record):
    """Correlation of another measure with people's answers, over all systems together."""

    measure: MeasureName
    """Full name of the measure."""
    statistic: Statistic
    """Pearson's r, Spearman's rho or Kendall's tau-b."""
    units: int
    """Number of units with a value of the measure."""
    judge: float | None
    """Correlation with the judge's scores; None: one of the two does not vary."""
    alone: Estimate
    """Correlation with people's labels, from labelled units alone."""
    corrected: Estimate
    """The same, estimated from labels and the judge's scores of all units."""
    width_ratio: float | None = None
    """Width of the corrected interval over that of labels alone."""


class JudgingFindings(Record):
    """Complete findings on a judge's scores and human labels."""

    kind: ClassVar[str] = "judging"

    title: str
    """Title of the data."""
    judge: str
    """Full name of the judge's column."""
    question: str
    """Question to people."""
    level: Literal["dialogue", "turn"]
    """Unit of analysis."""
    estimand: Estimand
    """What conclusions are about: these units, or the population they were drawn from."""
    raters: Estimand
    """The same for raters: these, or the population they were drawn from."""
    is_share: bool
    """Whether labels are 0 and 1."""
    labels_by: tuple[Raters, ...]
    """Kinds of labellers."""
    rater_count: int
    """Number of raters known by code; 0: only aggregates are known, so that the raters' error is not."""
    noise: float | None
    """Variance of the labels within units, between their raters; None: no unit has two raters."""
    leniency: float | None
    """Variance of the raters' mean labels, between raters; None: it is not estimated."""
    judged: int
    """Number of units in the analysis."""
    labels: int
    """Number of units with a label."""
    abstained: int
    """Number of units without a score of the judge."""
    confidence: float
    """Confidence level of every interval, before the correction for looks."""
    looks: int
    """Planned number of looks at the result while labels are added."""
    overall: JudgedValue
    """Mean over all units."""
    systems: tuple[JudgedSystem, ...]
    """Systems, best first."""
    differences: tuple[JudgedDifference, ...]
    """All pairs that have estimates, the most certain first."""
    correlations: tuple[JudgedCorrelation, ...] = ()
    """Correlations of the other measures of the run with people's answers; empty without labels or other measures."""
    threats: tuple[Threat, ...]
    """Threats to the result."""
    answer: tuple[str, ...]
    """The answer, in sentences."""
    card: JudgeCard | None = None
    """Report card of the judge; None: there are no labels, or a file of an earlier version."""
    probes: tuple[ProbeFinding, ...] = ()
    """Bias probes of the judges, where they were asked for."""
    warnings: tuple[str, ...] = ()
    """Caveats on the data."""
    methods: tuple[str, ...] = ()
    """Methods text."""
    manifest: Manifest
    """Provenance."""


class PlannedLabel(Record):
    """One unit to be labelled."""

    kind: ClassVar[str] = "planned_label"

    system: str
    """The system; labellers must not see it."""
    dialogue_id: str | None
    """The dialogue."""
    situation_id: str | None = None
    """The situation of a reply."""
    utterance: int | None = None
    """The turn."""
    chance: float = Field(gt=0, le=1)
    """Probability that the unit is labelled, now or earlier; the correction weights by it if it differs within a system."""
    is_labelled: bool = False
    """Whether it has a label already."""
