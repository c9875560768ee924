"""Records of what is known about a sample, and of what becomes of verdicts under it."""

from pydantic import Field

from trialogue.findings.standings import Verdict
from trialogue.findings.threat import ThreatCode
from trialogue.records import Estimate, MeasuredUnits, PopulationKind, Record
from trialogue.records.kinds.suspicions import Suspicion


class UnitCounts(Record):
    """How many of a system's dialogues, or of its replies to situations, are suspicious."""

    system: str
    """The system."""
    units: int = Field(ge=1)
    """All of them."""
    suspects: dict[Suspicion, int] = Field(default_factory=dict)
    """Those that look like failures that nobody recorded, by the sign."""
    echoes: int = Field(default=0, ge=0)
    """Replies that repeat the reference."""
    copies: int = Field(default=0, ge=0)
    """Those that are equal to an earlier one."""
    near_copies: int = Field(default=0, ge=0)
    """Those that are nearly equal to an earlier one of another cluster, the equal ones among them."""
    is_of_situations: bool = False
    """Whether they are replies to situations."""

    @classmethod
    def of(cls, table: MeasuredUnits) -> "UnitCounts | None":
        """Counts of a table; None where nothing is suspicious."""
        found = cls(
            system=table.system,
            units=max(1, len(table.ids)),
            suspects={sign: len(names) for sign, names in table.suspects.items()},
            echoes=len(table.echoes),
            copies=sum(len(group) - 1 for group in table.copies),
            near_copies=sum(len(group) - 1 for group in table.near_copies),
            is_of_situations=table.kind_of is PopulationKind.SITUATIONS,
        )
        return found if found.suspects or found.echoes or found.copies or found.near_copies else None


class ReEstimate(Record):
    """A difference computed again, on what is left of the sample if a doubt about it is right."""

    code: ThreatCode
    """The doubt."""
    measure: str
    """Name of the column."""
    a: str
    """The one system."""
    b: str
    """The other."""
    units: dict[str, int]
    """Units that were changed, by system."""
    difference: Estimate
    """a minus b."""
    verdict: Verdict
    """The better system, after the correction of the verdict that is in doubt."""
    stands: bool
    """Whether it is the same verdict."""


class MissingValues(Record):
    """Values that one system of a pair lacks more often than the other, and how bad they would have to be."""

    measure: str
    """Name of the column."""
    a: str
    """The one system."""
    b: str
    """The other."""
    missing: dict[str, int]
    """Units without a value by system: dialogues or replies, or people (needs, tasks) that the other system met."""
    units: dict[str, int]
    """All units by system."""
    are_pairs: bool
    """Whether people, needs or tasks are counted, which both systems should have met."""
    share: float = Field(gt=0, le=1)
    """Unpaired: the difference of the two shares that are missing. Of pairs: the share that is incomplete."""
    tipping: float = Field(ge=0)
    """By how much worse (of the other system: better) the missing values must be for the interval to reach 0."""
    reach: float = Field(ge=0)
    """How much worse they can be at most: up to the end of the scale, or two standard deviations."""

    @property
    def is_within_reach(self) -> bool:
        """Whether the missing values can turn the verdict."""
        return self.tipping <= self.reach
