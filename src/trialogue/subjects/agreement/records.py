"""Records of agreement with people: one coefficient each, with its scope and its data."""

from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.standings import Measure
from trialogue.findings.validity import Validity, Where
from trialogue.fingerprints import TrainingExposure
from trialogue.records import Estimate, Manifest, Raters, Reason, Record
from trialogue.records.kinds.origins import kinds_of

Statistic = Literal["auc", "pearson", "spearman", "kendall"]


class AgreementCoefficient(Record):
    """One agreement coefficient."""

    statistic: Statistic
    """Name of the coefficient."""
    scope: str
    """``pooled`` (all units), ``within`` (inside systems), ``within_users`` (inside people), ``between`` (over the systems'
    means), or ``group:NAME``."""
    estimate: Estimate
    """Its value over the units that the measure has a value for; chance is .5 for the AUC and 0 for correlations."""
    penalised: Estimate | None = None
    """The same over all rated units, each missing value counting as the worst guess (``abstention``); None where
    nothing is missing."""

    @property
    def headline(self) -> Estimate:
        """The main estimate: penalised if anything is missing."""
        return self.penalised or self.estimate


class RatingAgreement(Record):
    """Agreement of one measure with people's answers to one question."""

    measure: str
    """The measure's full name."""
    question: str
    """Full name of the question to people."""
    level: Where
    """What the compared values are of: single replies (``turn``), dialogues or systems."""
    rated: int
    """Units that people rated."""
    scored: int
    """Number of these units with a value of the measure."""
    rated_by_group: dict[str, int] = Field(default_factory=dict)
    """Rated units of each group, such as a dataset; empty where there are no groups."""
    agreed: tuple[AgreementCoefficient, ...]
    """Coefficients, each with the scope that it is computed in."""
    note: Reason | None = None
    """Why pooled and within-system agreement must not be taken for one another here; None where they go together."""

    @property
    def coverage(self) -> float:
        """Share of the rated units that have a value."""
        return self.scored / self.rated if self.rated else 0.0

    def get(self, statistic: Statistic, scope: str = "pooled") -> AgreementCoefficient | None:
        """One coefficient; None if it was not computed."""
        return next((each for each in self.agreed if (each.statistic, each.scope) == (statistic, scope)), None)


class AgreementContrast(Record):
    """Difference in agreement of two measures on the same question."""

    a: str
    """Full name of the first measure."""
    b: str
    """Full name of the second measure: the one whose agreement is subtracted."""
    question: str
    """Full name of the question to people."""
    level: Where
    """What the compared values are of: single replies (``turn``), dialogues or systems."""
    statistic: Statistic
    """Coefficient that is compared."""
    scope: str = "pooled"
    """``pooled`` or ``within`` systems."""
    difference: Estimate
    """a less b over all rated units, with the interval of the difference; missing values count as the worst guesses."""
    common: Estimate | None = None
    """The same on the units that both have a value for; None where nothing is missing."""


class PreferenceAgreement(Record):
    """Agreement of one measure's choices with people's."""

    measure: str
    """The measure, ``noise ceiling`` or ``human:...``."""
    votes: int
    """Choices of people between two sides."""
    scored: int
    """Number of these with values of the measure for both sides."""
    margin: float
    """Differences up to this are ties, in the measure's unit."""
    margin_rule: str
    """Rule by which the margin was chosen."""
    ties: float
    """Share of ties among the measure's choices."""
    kappa: Estimate
    """Cohen's kappa of the measure's choices (a, b, tie) and people's."""
    accuracy: Estimate
    """Share of people's decisive choices that the measure shares, an equal score counting half; without any margin."""
    kappa_penalised: Estimate | None = None
    """Kappa over all choices, those that the measure has no value for counting as wrong; None where nothing is missing."""
    accuracy_penalised: Estimate | None = None
    """The share over all decisive choices, likewise."""

    @property
    def headline_kappa(self) -> Estimate:
        """The main kappa: penalised if anything is missing."""
        return self.kappa_penalised or self.kappa

    @property
    def headline_accuracy(self) -> Estimate:
        """The main accuracy on decisive choices: penalised if anything is missing."""
        return self.accuracy_penalised or self.accuracy


class RankedSystem(Record):
    """Ranks of one system by people and by a measure."""

    system: str
    """Name of the system."""
    people: float
    """Value by people's answers or votes, in their unit."""
    people_rank: tuple[int | None, int | None]
    """Its rank's interval by people: best, worst."""
    measure: float
    """Value on the measure, in its unit."""
    measure_rank: tuple[int | None, int | None]
    """Its rank's interval by the measure."""


class RankingAgreement(Record):
    """Agreement of one measure's ranking of systems with people's."""

    measure: str
    """Full name of the measure."""
    against: str
    """Source of people's ranking: a question, or votes."""
    systems: tuple[RankedSystem, ...]
    """Systems with a value on both sides, best first by people."""
    spearman: Estimate
    """Rank correlation of the two orders; the interval from resampling people or dialogues, systems fixed."""
    kendall: Estimate
    """Kendall's tau-b of them."""
    p: float | None = Field(default=None, ge=0, le=1)
    """Chance of a correlation as high in size if the order were random (permutations of the systems)."""
    refusal: Reason | None = None
    """Reason why no conclusion is possible; None if one is."""


class Ceiling(Record):
    """Upper bound of agreement with these raters, given their agreement with each other."""

    question: str
    """Full name of the question to people."""
    level: Where
    """What the ratings are of: single replies (``turn``), dialogues or systems."""
    raters: float
    """Ratings per unit, on average."""
    alpha: Estimate
    """Krippendorff's alpha of the ratings, ordinal; undefined without units that several people rated."""
    single: float | None
    """Reliability of one rating: the mean correlation of two raters where the same people rated everything, ICC(1,1) where
    every unit has equally many ratings, else alpha."""
    mean: float | None
    """Reliability of the mean rating, by Spearman-Brown."""
    ceiling: float | None
    """Highest correlation that a perfect measure can be expected to have with the mean rating: root of its reliability."""
    why: Reason | None = None
    """Why there is none."""


class Discriminant(Record):
    """Discriminant validity of a measure of several aspects."""

    family: str
    """The measure whose aspects these are."""
    level: Where
    """What the compared values are of: single replies (``turn``), dialogues or systems."""
    aspects: tuple[str, ...]
    """Aspects that both people and the measure have."""
    people: float
    """Mean correlation between people's aspects."""
    measure: float
    """Mean correlation between the measure's aspects."""
    excess: Estimate
    """The second less the first, by resampling clusters."""
    confused: tuple[str, ...] = ()
    """Aspects of people's ratings that another aspect of the measure predicts significantly better than the same aspect
    does."""
    verdict: Literal["distinguishes them", "halo", "inconclusive"]
    """``halo``: its aspects go together more than people's do."""


class AgreementFindings(Record):
    """All findings about agreement."""

    kind: ClassVar[str] = "agreement"

    title: str
    """Title of the analysis."""
    answer: tuple[str, ...]
    """The answer, in sentences."""
    measures: tuple[Measure, ...]
    """The measures, with their cards where they are known."""
    baselines: tuple[str, ...] = ()
    """Full names of those among them that cost nothing and that any other must beat."""
    ratings: tuple[RatingAgreement, ...] = ()
    """Rating agreement, by question, level and measure."""
    references: tuple[RatingAgreement, ...] = ()
    """Reference predictor: a user's mean rating in their other dialogues. Not a measure, but a yardstick for measures;
    only for questions with several rated dialogues per user."""
    contrasts: tuple[AgreementContrast, ...] = ()
    """Differences between measures and the best baseline."""
    preferences: tuple[PreferenceAgreement, ...] = ()
    """Preference agreement by measure."""
    rankings: tuple[RankingAgreement, ...] = ()
    """Ranking agreement by measure."""
    ceilings: tuple[Ceiling, ...] = ()
    """Upper bounds of agreement."""
    discriminants: tuple[Discriminant, ...] = ()
    """Whether aspects are distinguished."""
    validity: tuple[Validity, ...] = ()
    """The cards that follow from it."""
    raters: dict[str, tuple[Raters, ...]] = Field(default_factory=dict)
    """Kinds of raters by question (and ``VOTES``); older files do not record them, and people are assumed."""
    training_data: tuple[TrainingExposure, ...] = ()
    """Dialogues of systems in a measure's training data, and how they were scored."""
    warnings: tuple[str, ...] = ()
    """Caveats on the data."""
    methods: tuple[str, ...] = Field(default=())
    """Paragraphs on what was computed, and how."""
    manifest: Manifest
    """Provenance: command, settings, seed, versions and checksums of the inputs."""

    def raters_of(self, question: str) -> tuple[Raters, ...]:
        """Kinds of raters who answered a question."""
        return self.raters.get(question, ())

    @property
    def all_raters(self) -> tuple[Raters, ...]:
        """Kinds of all raters."""
        return kinds_of(kind for kinds in self.raters.values() for kind in kinds)
