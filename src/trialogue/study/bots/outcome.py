"""Result of a simulated study."""

from pydantic import Field

from trialogue.records import Record
from trialogue.study.bots.people import READERS


class SimulatedStudy(Record):
    """Result of a simulated study: counts from its pages and from its database."""

    study: str
    """Short name."""
    workers: int
    """Number of participants."""
    seed: int
    """Random seed."""
    effects: dict[str, float]
    """Simulated true effects: utility by system, in logits."""
    kinds: dict[str, int]
    """Participants by how they behave."""
    turned_away: int
    """Number of participants who never got an item, however often they tried."""
    states: dict[str, int]
    """Participants in the database, by state."""
    requests: int
    """Requests of pages, without redirects."""
    server_errors: int
    """Responses with a 5xx status; 0 if all is well."""
    stuck: int
    """Participants who met a page without a way on; 0 if all is well."""
    acknowledged: int
    """Forms of steps that were acknowledged."""
    stored: int
    """Number of these answers that are in the database; equal if nothing was lost."""
    raters_per_item: int
    """Judgements that each item needs."""
    coverage: dict[str, int]
    """Number of items by how many people judged them."""
    positions: dict[str, tuple[int, ...]]
    """For each system the number of the study's slots in which it stands first, second, ..."""
    imbalance: int
    """Largest difference between the positions of a system among items of the same systems; more than 1 is wrong."""
    judged_positions: dict[str, tuple[int, ...]]
    """The same for slots that were judged."""
    means: dict[str, float]
    """Observed value of each system: mean rating, or, for pairs, the mean of 1 (chosen), 0.5 (tie) and 0."""
    reused: int
    """Slots that were released and rated by another participant."""
    checks: dict[str, tuple[int, int]]
    """Attention checks by kind of participant: (failed, seen)."""
    flags: dict[str, dict[str, int]]
    """Rules hit by kind of participant."""
    completed: dict[str, int] = Field(default_factory=dict)
    """Participants who completed, by kind."""
    signals: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Signs of language models by kind of participant, of those who completed."""
    export: str | None = None
    """Folder of the export; None: none was kept."""

    @property
    def largest_count(self) -> int:
        """Judgements of the item that has most."""
        return max(map(int, self.coverage), default=0)

    @property
    def complete(self) -> bool:
        """Whether every item has all its judgements."""
        return set(self.coverage) == {str(self.raters_per_item)}

    @property
    def recovers_order(self) -> bool:
        """Whether the plain means are in the order of the effects."""
        means = [self.means.get(system, 0.0) for system in sorted(self.effects, key=lambda name: self.effects[name])]
        return means == sorted(means)

    @property
    def wrong(self) -> list[str]:
        """Violated invariants in words; empty if there are none."""
        lost = self.acknowledged - self.stored
        failed = sum(self.checks[kind][0] for kind in READERS if kind in self.checks)
        violations = {
            f"{self.server_errors} responses of the server had a 5xx status": self.server_errors,
            f"{self.stuck} participants reached a page without a way on": self.stuck,
            f"{lost} acknowledged forms are not in the database": lost,
            f"an item has {self.largest_count} judgements instead of {self.raters_per_item}": self.largest_count
            > self.raters_per_item,
            f"{failed} attention checks were failed although the participant followed them": failed,
            f"a system stands in one position {self.imbalance} times more often than in another": self.imbalance > 1,
        }
        return [text for text, is_violated in violations.items() if is_violated]
