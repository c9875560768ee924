"""Records of judged systems: values by a judge, by human labels, and by both combined.

They are deliberately not ``Score`` records: a corrected value contains people's answers, so comparing it with them would be
circular.
"""

from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.judging.card_records import JudgeCard
from trialogue.findings.judging.probe_records import ProbeFinding
from trialogue.findings.threat import Threat, Validity
from trialogue.records import Estimate, Manifest, MeasureName, Raters, Record
from trialogue.stats.correction.association import Statistic
from trialogue.stats.correction.table import Estimand

JudgeVerdict = Literal["better", "worse", "inconclusive", "undefined"]


class JudgedValue(Record):
    """One quantity estimated three ways."""

    judge: float
    """By the judge alone, uncorrected."""
    alone: Estimate
    """By labels alone."""
    corrected: Estimate
    """By both."""
    weight: float
    """The judge's weight: labels per unit of its scores; 0: it was not used."""
    width_ratio: float | None = None
    """Width of the corrected interval over that of labels alone."""
    raw: Estimate | None = None
    """By the judge alone, where there are no labels; the interval leaves out the judge's own error."""

    @property
    def leading(self) -> Estimate:
        """What verdicts rest on: the corrected estimate; where there are no labels, the judge's own."""
        return self.corrected if self.raw is None else self.raw


class JudgedSystem(Record):
    """Results of one system."""

    system: str
    """Its name."""
    judged: int
    """Units that are to be judged."""
    labels: int
    """Number of labelled units."""
    value: JudgedValue
    """Its mean."""
    rank: int | None = None
    """1 for the best corrected mean; None: it has none."""
    best_rank: int | None = None
    """Best rank that it may well have, all systems at once."""
    worst_rank: int | None = None
    """Worst one."""
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
    """p-value of the corrected difference by Holm's method over all pairs."""
    verdict: JudgeVerdict
    """Result of the corrected difference for ``a``."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""


class JudgedCorrelation(Record):
    """Correlation of another measure with people's answers, over all systems together."""

    measure: MeasureName
    """Full name of the measure."""
    statistic: Statistic
    """Pearson's r, Spearman's rho or Kendall's tau-b."""
    units: int
    """Units with a value of it."""
    judge: float | None
    """Correlation with the judge's scores; None: one of the two does not vary."""
    alone: Estimate
    """Correlation with people's labels, from labelled units alone."""
    corrected: Estimate
    """From both."""
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
    """These units, or the population they were drawn from."""
    raters: Estimand
    """These raters, or the population of raters."""
    is_share: bool
    """Whether labels are 0 and 1."""
    labels_by: tuple[Raters, ...]
    """Kinds of labellers."""
    rater_count: int
    """Raters that are known by code; 0: only aggregates are known, and their error is not."""
    noise: float | None
    """Variance of one rater's label about the mean of its unit; None: no unit has two raters."""
    leniency: float | None
    """Variance between raters of how high they label."""
    judged: int
    """Units."""
    labels: int
    """Units with a label."""
    abstained: int
    """Units without a score of the judge."""
    confidence: float
    """Confidence level of every interval, before the correction for looks."""
    looks: int
    """Planned number of looks at the result while labels are added."""
    overall: JudgedValue
    """Mean over all units."""
    systems: tuple[JudgedSystem, ...]
    """Systems, best first."""
    differences: tuple[JudgedDifference, ...]
    """All pairs that have estimates, the surest first."""
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
    """The system; do not show it to who labels."""
    dialogue_id: str | None
    """The dialogue."""
    situation_id: str | None = None
    """The situation of a reply."""
    utterance: int | None = None
    """The turn."""
    chance: float = Field(gt=0, le=1)
    """Chance that it is labelled, earlier labels included; the correction needs it if it differs within a system."""
    is_labelled: bool = False
    """Whether it has a label already."""
