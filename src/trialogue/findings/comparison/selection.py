"""Whether ratings are given by quality: by people who were pleased, or for dialogues that somebody chose.

What is not rated cannot be seen; a column that covers all dialogues and goes with ratings (a model's scores, a count of
turns) can. If it is higher where there are ratings, these are too high, beyond chance. Without such a column nothing shows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.findings.comparison.sample_changes import tables_of
from trialogue.findings.comparison.system_sample import Rows, SystemSample
from trialogue.findings.standings import Contrast, Measure
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.two_sides import hall_difference, match
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import cluster_sums
from trialogue.stats.resampling.contributions import contributions

COVERED = 0.9  # of a system's dialogues, by a column that may show who is rated
FEWEST = 10  # dialogues with a rating, and without
RELATED = 2.6  # standard errors of a correlation, p = .01
CHOSEN = 0.005  # level at which ratings seem to be given by quality, of all columns and both systems together


@dataclass(frozen=True)
class Counts:
    """Units of a system, and those of them without a value."""

    missing: int
    units: int

    @property
    def share(self) -> float:
        """The share without a value."""
        return self.missing / self.units if self.units else 0.0


def drawn_units(side: SystemSample, rows: Rows) -> set[str]:
    """Units that a plan drew to be rated, the rated ones among them; none where nothing records that."""
    chances = [
        each for table in tables_of(side, rows) for each in zip(table.ids, table.chances, strict=bool(table.chances))
    ]
    drawn = {name for name, chance in chances if chance is not None}
    return drawn if drawn.issuperset(rows.dialogues) else set()


def count_units(side: SystemSample, rows: Rows) -> Counts:
    """Units of a system that a measure could have a value for, rated or not: of those that were drawn, if any were."""
    names = drawn_units(side, rows) or {name for table in tables_of(side, rows) for name in table.ids}
    return Counts(len(names.difference(rows.dialogues)), len(names))


@dataclass(frozen=True)
class Chosen:
    """Ratings of one of two systems that seem to be given by quality."""

    place: int
    column: str
    p: float


def ratings_by_quality(
    measure: Measure, pair: Contrast, sides: tuple[SystemSample, SystemSample], rows: tuple[Rows, Rows]
) -> list[Chosen]:
    """The systems whose ratings seem to be given by quality, to the leader's advantage, and the columns that show it."""
    columns = [each for each in sides[0].rows if each != measure.name and each in sides[1].rows]
    found = []
    for place, side in enumerate(sides):
        sign = 1 if (pair.leader == (pair.a, pair.b)[place]) == (measure.better == "higher") else -1
        tested = []
        for name in columns:
            parts = [_Column.of(each, own, each.rows[name]) for each, own in zip(sides, rows, strict=True)]
            relation = _relation([each for each in parts if each is not None])
            own = parts[place]
            p = own.p_value(sign * relation) if own is not None and relation else None
            tested += [] if p is None else [Chosen(place, side.measures[name].title, p)]
        best = min(tested, key=lambda each: each.p, default=None)
        if best is not None and best.p * len(tested) * len(sides) <= CHOSEN:
            found.append(best)
    return found


@dataclass(frozen=True)
class _Column:
    """Values of a column in (nearly) all dialogues of a system, some of which are rated."""

    values: Floats
    clusters: tuple[str, ...]
    ratings: Floats
    """Mean ratings of the same dialogues; NaN: none."""

    @classmethod
    def of(cls, side: SystemSample, rows: Rows, column: Rows) -> "_Column | None":
        """None where it does not cover them, or hardly any is rated (or not)."""
        given: defaultdict[str, list[float]] = defaultdict(list)
        for unit, value in zip(rows.dialogues, rows.sums[:, 0].tolist(), strict=True):
            given[unit].append(value)
        units = dict(zip(column.dialogues, range(len(column.dialogues)), strict=True)) if column.values else {}
        if column.of_situations or len(units) < COVERED * count_units(side, rows).units:
            return None
        places = list(units.values())
        means = np.array([np.mean(given[unit]) if unit in given else np.nan for unit in units])
        if min(np.isnan(means).sum(), (~np.isnan(means)).sum()) < FEWEST:
            return None
        return cls(column.sums[places, 0], tuple(column.clusters[at] for at in places), means)

    @property
    def pairs(self) -> tuple[Floats, Floats]:
        """Values and ratings of rated dialogues, less their means."""
        known = ~np.isnan(self.ratings)
        return self.values[known] - self.values[known].mean(), self.ratings[known] - self.ratings[known].mean()

    def p_value(self, sign: float) -> float | None:
        """That values are higher (sign > 0) or lower where there is a rating; None: it is the other way round."""
        has = ~np.isnan(self.ratings)
        sums = [
            cluster_sums(np.column_stack([self.values[own], np.ones(own.sum())]), np.array(self.clusters)[own].tolist())
            for own in (has, ~has)
        ]
        sides = match(*sums)
        gap = hall_difference(contributions(sides.a, mean_of), contributions(sides.b, mean_of), sides.shared)
        return gap.p if gap.value * sign > 0 else None


def _relation(columns: Sequence[_Column]) -> float:
    """1 or -1 if a column rises or falls with ratings within systems; 0: it hardly does either."""
    if not columns:
        return 0.0
    values, ratings = (np.concatenate(each) for each in zip(*(each.pairs for each in columns), strict=True))
    if not values.any() or not ratings.any():
        return 0.0
    r = float((values * ratings).sum() / ((values**2).sum() * (ratings**2).sum()) ** 0.5)
    return float(np.sign(r)) if abs(r) >= RELATED / len(values) ** 0.5 else 0.0
