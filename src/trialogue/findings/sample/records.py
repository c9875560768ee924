"""Records of what is known about a sample, and of what becomes of verdicts under it."""

from enum import StrEnum

from pydantic import Field

from trialogue.findings.standings import Verdict
from trialogue.findings.threat import ThreatCode
from trialogue.records import ClusterKind, Estimate, Raters, Record, Scale
from trialogue.records.kinds.suspicions import Suspicion


class Design(StrEnum):
    """How a factor lies to another one, such as the systems."""

    CROSSED = "crossed"
    """Every level of it met every level of the other."""
    PARTLY = "partly crossed"
    """Some levels met several."""
    NESTED = "nested"
    """No level met more than one."""


class Factor(StrEnum):
    """What repeats."""

    PEOPLE = "people"
    NEEDS = "needs"
    TASKS = "tasks"
    SITUATIONS = "situations"
    RATERS = "raters"
    DIALOGUES = "dialogues"
    """Of ratings by raters."""
    SOURCES = "sources"
    PERIODS = "periods"
    """Quarters of the dialogues with people, by their times."""
    POSITIONS = "positions"
    """Whether a dialogue is a person's first one."""
    SYSTEMS = "systems"


class Draw(StrEnum):
    """How the units with a rating came to be rated, as far as the data record."""

    ALL = "all"
    """Every unit has a rating."""
    RECORDED = "recorded"
    """By a plan, each unit of a system was drawn with the same chance."""
    UNEQUAL = "recorded with unequal chances"
    """By a plan, with different chances; means do not correct for that."""
    UNKNOWN = "not recorded"
    """By people who like to answer, at random, or by those who were pleased."""


class Crossing(Record):
    """How one factor lies to another one."""

    factor: Factor
    """What repeats, such as people or needs; ``levels`` counts it."""
    beside: Factor = Factor.SYSTEMS
    """What it is crossed with or nested in; ``others`` counts it."""
    levels: int = Field(ge=1)
    """How many there are: people, needs, ..."""
    others: int = Field(default=0, ge=0)
    """Levels of the other one; 0 in files of earlier versions."""
    cells: int = Field(default=0, ge=0)
    """Pairs of levels that occur together, out of ``levels`` times ``others``."""
    several: int = Field(ge=0)
    """Levels that met more than one of the other's."""
    every: int = Field(ge=0)
    """Those that met every one."""

    @property
    def design(self) -> Design:
        """Crossed, partly crossed or nested."""
        if self.every == self.levels:
            return Design.CROSSED
        return Design.PARTLY if self.several else Design.NESTED


class UnitCounts(Record):
    """The dialogues of a system, or its replies to situations: how many, how they repeat, and which are suspicious."""

    system: str
    """Name of the system."""
    units: int = Field(ge=1)
    """Number of its dialogues, or of its replies to situations."""
    clusters: int = Field(ge=0)
    """People, needs, tasks or dialogues that they are drawn with."""
    effective: float = Field(ge=0)
    """Clusters of equal size that would be worth as much (Kish): the squared number of units over the sum of squares."""
    sources: dict[str, int] = Field(default_factory=dict)
    """Units by where they are from; {}: all from one source, or unknown."""
    suspects: dict[Suspicion, int] = Field(default_factory=dict)
    """Those that look like failures that nobody recorded, by the sign."""
    echoes: int = Field(default=0, ge=0)
    """Replies that repeat the reference."""
    copies: int = Field(default=0, ge=0)
    """Those that are equal to an earlier one."""
    near_copies: int = Field(default=0, ge=0)
    """Those that are nearly equal to an earlier one of another cluster, the equal ones among them."""
    twins: int = Field(default=0, ge=0)
    """Those that another system has, too, with somebody else."""
    is_of_situations: bool = False
    """Whether they are replies to situations."""


class RatingColumn(Record):
    """The ratings of one question."""

    measure: str
    """Full name of the measure of this question."""
    origins: tuple[Raters, ...]
    """Kinds of those who rated."""
    ratings: int = Field(ge=1)
    """Number of ratings, over all systems and raters."""
    raters: int = Field(ge=0)
    """Known raters who may have rated several things; 0: those who took part rated, or nobody knows who."""
    largest_share: float = Field(ge=0, le=1)
    """Share of the ratings by the rater who gave most; 0 without known raters."""
    scale: Scale | None = None
    """As declared; None: it is not."""
    low: float
    """Lowest rating that occurs."""
    high: float
    """Highest rating that occurs."""
    rated: dict[str, int]
    """Rated units by system."""
    units: dict[str, int] = Field(default_factory=dict)
    """All units that could have been rated, by system."""
    draw: Draw = Draw.UNKNOWN
    """How those with a rating were chosen."""


class Sample(Record):
    """What was compared: systems by what they met, who rated, and where all of it is from."""

    units: tuple[UnitCounts, ...] = ()
    """A record for each system and kind of units."""
    crossings: tuple[Crossing, ...] = ()
    """How factors that repeat (people, needs, raters) are crossed with others, systems first."""
    columns: tuple[RatingColumn, ...] = ()
    """The ratings of each question."""


class ReEstimate(Record):
    """A difference computed again, on what is left of the sample if a doubt about it is right."""

    code: ThreatCode
    """The kind of doubt, as a threat."""
    measure: str
    """Name of the column."""
    a: str
    """First system of the contrast that is in doubt."""
    b: str
    """Second system of that contrast."""
    units: dict[str, int]
    """Units that were changed, by system."""
    difference: Estimate
    """a minus b on the changed sample, with interval and uncorrected p."""
    verdict: Verdict
    """The better system, after the correction of the verdict that is in doubt."""
    stands: bool
    """Whether it is the same verdict."""


CHANCE = 0.02
"""Level up to which shares of missing values count as unequal. At .1, half of all ratings missing at random demoted 7% of
clean verdicts; seven of 60 against none are p = .01."""


class MissingValues(Record):
    """Values that one system of a pair lacks more often than the other, and how bad they would have to be."""

    measure: str
    """Name of the column."""
    a: str
    """First system of the contrast."""
    b: str
    """Second system of the contrast."""
    missing: dict[str, int]
    """Units without a value by system: dialogues or replies, or people, attempts at tasks, ... that the other system met."""
    units: dict[str, int]
    """All units by system."""
    pairs_of: ClusterKind | None = None
    """What both systems should have met equally often: people, needs, tasks. None: units are counted."""
    share: float = Field(gt=0, le=2)
    """Unpaired: the difference of the two shares that are missing. Of pairs: the share that is incomplete. With ``chosen``:
    the missing share of each system whose ratings seem to be given by quality, added up."""
    tipping: float = Field(ge=0)
    """By how much worse (of the other system: better) the missing values must be for the interval to reach 0."""
    reach: float = Field(ge=0)
    """How much worse they can be at most: up to the end of the scale, or two standard deviations."""

    p: float = Field(ge=0, le=1)
    """Fisher's exact test of the two shares that are missing; or of ``chosen``."""
    chosen: str | None = None
    """A column that is higher (or lower) where there are ratings, as it is where ratings are high: they seem to be given by
    quality. None: nothing shows that."""

    @property
    def is_within_reach(self) -> bool:
        """Whether the missing values can turn the verdict, and chance hardly explains that one system lacks more."""
        return self.tipping <= self.reach and self.p <= CHANCE
