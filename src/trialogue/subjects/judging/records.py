"""Records of judging: systems by a judge, by human labels and by both, the report card of a judge, and bias probes.

Corrected values are deliberately not ``Score`` records: they contain people's answers, so comparing them with these answers
would be circular.
"""

from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.threat import Threat, Validity
from trialogue.judges.probe_kinds import ProbeKind
from trialogue.records import Estimate, Manifest, MeasureName, Raters, Reason, Record
from trialogue.stats.correction.association import Statistic
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.agreement.records import AgreementCoefficient, Ceiling


class SystemLeniency(Record):
    """How much higher than people a judge scores one system."""

    system: str
    """Name of the system."""
    leniency: Estimate
    """Mean of the judge's scores less people's labels of the same units, on the scale of the labels."""
    unscored: int
    """Units without a score of the judge, those without labels included."""
    judged: int
    """Units of the system that it was to score, ``unscored`` among them."""


class ScaleShare(Record):
    """How often one value is given."""

    value: float
    """The value, on the scale of the labels."""
    judge: float
    """Share of the judge's scores of labelled units."""
    people: float
    """Share of people's single labels."""


class ScaleUse(Record):
    """Which part of the scale a judge uses, on the units that people labelled."""

    low: float
    """Lowest label: of the declared scale, or that occurs."""
    high: float
    """Highest label: of the declared scale, or that occurs."""
    is_declared: bool
    """Whether the scale was declared."""
    judge_at_high: float
    """Share of the judge's scores at the highest label or above."""
    people_at_high: float
    """Share of people's labels there."""
    judge_at_low: float
    """Share of the judge's scores at the lowest label or below."""
    people_at_low: float
    """Share of people's labels there."""
    spread_ratio: float | None
    """Standard deviation of the judge's scores over that of people's labels (means of raters); None: labels do not vary."""
    shares: tuple[ScaleShare, ...] = ()
    """By value; empty if there are too many different ones."""


class JudgeCard(Record):
    """What is known of a judge. Agreement is of its raw scores; a corrected score holds people's answers."""

    judge: str
    """Full name of the judge's column."""
    question: str
    """What people were asked."""
    level: Literal["dialogue", "turn"]
    """Whether units are dialogues, or single replies (``turn``)."""
    labelled: int
    """Number of units with labels."""
    scored: int
    """Labelled units with a score of the judge."""
    is_weighted: bool
    """Whether sampling probabilities were given: leniency and self-preference use them, the rest does not."""
    agreement: tuple[AgreementCoefficient, ...]
    """Within systems (Pearson of deviations, Spearman of ranks) and between them (of their means)."""
    ceiling: Ceiling
    """Agreement that a perfect judge would reach with raters who disagree among themselves."""
    leniency: tuple[SystemLeniency, ...]
    """Leniency towards each system."""
    scale: ScaleUse | None
    """Use of the scale; None: the judge scored no labelled unit."""
    verbosity: Estimate
    """Change of the score with each doubling of the length, at equal quality by people, within systems."""
    verbosity_noise: float | None
    """Variance of people's mean labels that was taken for error; None: nobody labelled twice, and quality was taken as
    measured without error, so that what goes with quality can pass for a preference for length: no interval then."""
    self_preference: Estimate
    """Leniency to systems of the judge's own family, less that to the others."""
    unscored: Reason | None = None
    """The commonest reason for missing scores, where it is known."""

    def coefficient(self, statistic: str, scope: str) -> AgreementCoefficient | None:
        """One coefficient of agreement."""
        return next((each for each in self.agreement if (each.statistic, each.scope) == (statistic, scope)), None)


class ProbeVerdict(StrEnum):
    """What the cases of a probe show."""

    BIASED = "biased"
    """The score changes with what should not change it, significantly after Bonferroni's correction across the probes."""
    NOT_SHOWN = "not_shown"
    """No such change was found; with few cases a bias may be there all the same."""
    NOTICED = "noticed"
    """A planted defect lowers the score, significantly after Bonferroni's correction."""
    UNNOTICED = "unnoticed"
    """It was not shown to lower it."""
    UNSTABLE = "unstable"
    """Other words of an instruction: scores under them are not shown to order dialogues as those under ours do."""
    TOO_FEW = "too_few"
    """So few cases that not even equal changes in all of them would be significant after Bonferroni's correction."""
    UNDEFINED = "undefined"
    """Too few cases, or none."""


class ProbeFinding(Record):
    """Result of one probe of one judge."""

    judge: str
    """Name of the judge."""
    aspect: str
    """Aspect of the rubric whose score is compared."""
    probe: ProbeKind
    """The kind of change that was planted."""
    effect: Estimate
    """Mean change of the score, in points, ``n`` cases. Position: share of answers for the dialogue shown first less that
    for the one shown second, which is 0 without a preference."""
    moved: Estimate
    """Share of cases whose score changed towards what is looked for: down (planted defects), up (padding, injection,
    position), or at all (wordings)."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """p-value of the effect by Bonferroni's method over the probes of the judge; None: there is none."""
    agreement: Estimate | None = None
    """Wordings: Spearman's correlation of scores under our instruction and under the other one, over dialogues. Position:
    share of pairs with the same answers in both orders. None: no such probe."""
    least: int
    """Cases from which on equal changes in all of them are significant, given the number of probes."""
    verdict: ProbeVerdict
    """What the cases show, such as a bias, or that a planted defect was noticed."""
    unanswered: int
    """Cases without both scores."""
    inapplicable: int
    """Dialogues that the change could not be planted in, or pairs that were not asked."""


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
    """Name of the system."""
    judged: int
    """Number of units in the analysis."""
    labels: int
    """Number of labelled units."""
    value: JudgedValue
    """Mean of the system over its units: by the judge, by labels, and corrected."""
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
    """First system of the pair."""
    b: str
    """Second system: the one whose mean is subtracted."""
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
    """Name of the question that people answered."""
    level: Literal["dialogue", "turn"]
    """Whether units are dialogues, or single replies (``turn``)."""
    estimand: Estimand
    """What conclusions are about: these units, or the population they were drawn from."""
    raters: Estimand
    """The same for raters: these, or the population they were drawn from."""
    is_share: bool
    """Whether labels are 0 and 1."""
    labels_by: tuple[Raters, ...]
    """Kinds of those who labelled, such as people."""
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
    """Systems by their rank, best first; those without a rank last."""
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
    """Paragraphs on what was computed, and how."""
    manifest: Manifest
    """Provenance: command, settings, seed, versions and checksums of the inputs."""


class PlannedLabel(Record):
    """One unit to be labelled."""

    kind: ClassVar[str] = "planned_label"

    system: str
    """The system; labellers must not see it."""
    dialogue_id: str | None
    """Id of the dialogue that is to be labelled, or that holds the reply; None: a reply to a situation."""
    situation_id: str | None = None
    """The situation of a reply."""
    utterance: int | None = None
    """Index of the reply in its dialogue; None: the whole dialogue, or a reply to a situation."""
    chance: float = Field(gt=0, le=1)
    """Probability that the unit is labelled, now or earlier; the correction weights by it if it differs within a system."""
    is_labelled: bool = False
    """Whether it has a label already."""
