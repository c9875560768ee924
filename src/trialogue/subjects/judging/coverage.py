"""How much of what a judge was asked it answered, by system."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trialogue.records import Reason, Score


@dataclass(frozen=True)
class JudgeCoverage:
    """Answers of a judge about one system."""

    system: str
    units: int
    """Units that it was to score."""
    missing: int
    """Those without a score."""
    asked: int = 0
    """Samples of units with a score; 0: the scores do not say."""
    read: int = 0
    """Those of them that could be read."""
    why: Reason | None = None
    """Commonest reason of missing scores."""
    family: str | None = None
    """Family of the language model that both the judge and the system are of; None: unknown, or not the same."""

    @property
    def missing_share(self) -> float:
        """Share of units without a score; 0 for no units."""
        return self.missing / self.units if self.units else 0.0

    @property
    def read_share(self) -> float | None:
        """Share of samples that could be read; None: the scores do not say."""
        return self.read / self.asked if self.asked else None


def coverage_of(
    systems: Sequence[str], scored: Iterable[bool], scores: Iterable[tuple[str, Score]], families: dict[str, str]
) -> tuple[JudgeCoverage, ...]:
    """Coverage by system, in order of name.

    Args:
        systems: systems of each unit.
        scored: whether each unit has a score.
        scores: (system, score) of the judge, as far as they belong to a unit.
        families: by system, the family of models that it shares with the judge.
    """
    units, missing = Counter(systems), Counter(name for name, has in zip(systems, scored, strict=True) if not has)
    asked: Counter[str] = Counter()
    read: Counter[str] = Counter()
    whys: dict[str, Counter[Reason]] = {}
    for system, score in scores:
        if score.value is None and score.why is not None:
            whys.setdefault(system, Counter())[score.why] += 1
        elif score.value is not None and score.n is not None:
            asked[system] += score.n + (score.skipped or 0)
            read[system] += score.n
    return tuple(
        JudgeCoverage(
            system=name,
            units=units[name],
            missing=missing[name],
            asked=asked[name],
            read=read[name],
            why=whys[name].most_common(1)[0][0] if name in whys else None,
            family=families.get(name),
        )
        for name in sorted(units)
    )
