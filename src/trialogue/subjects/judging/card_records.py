"""The report card of a judge: what is known of it where people labelled the same units."""

from typing import Literal

from trialogue.records import Estimate, Reason, Record
from trialogue.subjects.agreement.records import AgreementCoefficient, Ceiling


class SystemLeniency(Record):
    """How much higher than people a judge scores one system."""

    system: str
    """Its name."""
    leniency: Estimate
    """Mean of the judge's scores less people's labels of the same units, on the scale of the labels."""
    unscored: int
    """Units without a score of the judge, those without labels included."""
    judged: int
    """All its units."""


class ScaleShare(Record):
    """How often one value is given."""

    value: float
    """The value."""
    judge: float
    """Share of the judge's scores of labelled units."""
    people: float
    """Share of people's single labels."""


class ScaleUse(Record):
    """Which part of the scale a judge uses, on the units that people labelled."""

    low: float
    """Lowest label: of the declared scale, or that occurs."""
    high: float
    """Highest label."""
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
    """Unit of analysis."""
    labelled: int
    """Units with labels."""
    scored: int
    """Labelled units with a score of the judge."""
    is_weighted: bool
    """Whether sampling probabilities were given: leniency and self-preference use them, the rest does not."""
    agreement: tuple[AgreementCoefficient, ...]
    """Within systems (Pearson of deviations, Spearman of ranks) and between them (of their means)."""
    ceiling: Ceiling
    """Agreement that a perfect judge would reach with raters who disagree among themselves."""
    leniency: tuple[SystemLeniency, ...]
    """By system."""
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
