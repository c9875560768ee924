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
    """Number of participants by kind of behavior."""
    turned_away: int
    """Number of participants who never got an item, however often they tried."""
    states: dict[str, int]
    """Participants in the database, by state."""
    requests: int
    """Requests of pages, without redirects."""
    server_errors: int
    """Responses with a 5xx status; 0 if all is well."""
    stuck: int
    """Participants who reached a page that leads nowhere; 0 if all is well."""
    acknowledged: int
    """Forms of steps that were acknowledged."""
    stored: int
    """Number of these answers that are in the database; equal if nothing was lost."""
    raters_per_item: int
    """Judgements that each item needs."""
    coverage: dict[str, int]
    """Number of items by number of judgements that count: of participants who completed and are not left out."""
    positions: dict[str, tuple[int, ...]]
    """For each system the number of the study's slots in which it stands first, second, ..."""
    imbalance: int
    """Largest difference between a system's counts in two positions, among items of the same systems; at most 1 is right."""
    judged_positions: dict[str, tuple[int, ...]]
    """The same for slots with a judgement that counts."""
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
    """Signs of language models by kind of participant, among those who completed."""
    export: str | None = None
    """Folder of the export; None if none was kept."""

    @property
    def largest_count(self) -> int:
        """Number of judgements of the item with the most."""
        return max(map(int, self.coverage), default=0)

    @property
    def complete(self) -> bool:
        """Whether every item has all its judgements."""
        return set(self.coverage) == {str(self.raters_per_item)}

    @property
    def recovers_order(self) -> bool:
        """Whether the observed means follow the order of the effects."""
        means = [self.means.get(system, 0.0) for system in sorted(self.effects, key=lambda name: self.effects[name])]
        return means == sorted(means)

    @property
    def wrong(self) -> list[str]:
        """Violated invariants in words; empty if there are none."""
        lost = self.acknowledged - self.stored
        failed = sum(self.checks[kind][0] for kind in READERS if kind in self.checks)
        violations = {
            f"{_count(self.server_errors, 'server response')} had a 5xx status": self.server_errors,
            f"{_count(self.stuck, 'participant')} reached a page that leads nowhere": self.stuck,
            f"{_count(lost, 'acknowledged form')} not found in the database": lost,
            f"an item has {self.largest_count} judgements instead of {self.raters_per_item}": self.largest_count
            > self.raters_per_item,
            f"{_count(failed, 'attention check')} failed by participants who followed the instructions": failed,
            f"a system is shown {self.imbalance} more times in one position than in another": self.imbalance > 1,
        }
        return [text for text, is_violated in violations.items() if is_violated]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
