"""Values that are missing more often for one system, and the tipping point: how bad they must be to turn the verdict.

Without pairs, it is L / (f1 - f2): L is the end of the interval that is nearer to 0, f the share of a system's units
without a value. Where both systems should have met the same people, needs or tasks, it is L / f with the share of pairs
that are incomplete; a task or need that one system attempted three times should have been attempted three times by the
other. Equal shares cannot turn a verdict that way, unless ratings are given by quality: if a column that covers all
dialogues of a system (a model's scores, a count of turns) goes with its ratings, and is higher where there are some.
The share is then all that the system lacks.

Whether ratings are given by quality: by people who were pleased, or for dialogues that somebody chose.

What is not rated cannot be seen; a column that covers all dialogues and goes with ratings (a model's scores, a count of
turns) can. If it is higher where there are ratings, these are too high, beyond chance. Without such a column nothing shows.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from trialogue.findings.differences.sample_changes import tables_of
from trialogue.findings.differences.system_sample import Rows, SystemSample
from trialogue.findings.sample.records import MissingValues
from trialogue.findings.standings import Contrast, League, Measure
from trialogue.records import Basis, ClusterKind
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.two_sides import hall_difference, match
from trialogue.stats.contingency import fisher_p
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import cluster_sums, contributions

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


DEVIATIONS = 2.0  # of values without a worst one: how far missing ones may lie from the others
DESIGNED = frozenset({ClusterKind.TASK, ClusterKind.NEED})
"""What the evaluator gives every system equally often; people come as often as they like."""
USUAL = 0.9  # of a system's tasks have at most as many attempts as all were to have
BY_DESIGN = 0.05  # level of Fisher's test, above which incomplete pairs are taken for a design with different people


def missing_values(leagues: Sequence[League], sides: Mapping[str, SystemSample]) -> Iterator[MissingValues]:
    """Verdicts in which one system lacks more values than the other."""
    for league in leagues:
        if league.measure.basis is Basis.REPLIES:
            continue
        for pair in league.contrasts:
            if pair.leader is not None and pair.difference.interval is not None and {pair.a, pair.b} <= sides.keys():
                found = _of_pair(league.measure, pair, sides[pair.a], sides[pair.b])
                if found is not None:
                    yield found


def _of_pair(measure: Measure, pair: Contrast, a: SystemSample, b: SystemSample) -> MissingValues | None:
    one, other = (side.rows.get(measure.name) for side in (a, b))
    if one is None or other is None or not all(all(each.dialogues) and not each.are_without for each in (one, other)):
        return None
    own = one, other
    found = _by_count(measure, own, (a, b))
    chosen = ratings_by_quality(measure, pair, (a, b), own) if measure.by == "people" else []
    by_units = [count_units(side, each) for side, each in zip((a, b), own, strict=True)]
    lacking = sum(by_units[each.place].share for each in chosen)
    if chosen and (found is None or lacking > found.share):
        found = _Missing(by_units, lacking, None, min(each.p for each in chosen))
    else:
        chosen = []
    if found is None or not found.share:
        return None
    places = [each.place for each in chosen] or [0 if found.counts[0].share > found.counts[1].share else 1]
    systems = pair.a, pair.b
    return MissingValues(
        measure=measure.name,
        a=pair.a,
        b=pair.b,
        missing={system: each.missing for system, each in zip(systems, found.counts, strict=True)},
        units={system: each.units for system, each in zip(systems, found.counts, strict=True)},
        pairs_of=found.pairs_of,
        share=found.share,
        p=found.p,
        tipping=_nearer_end(pair) / found.share,
        reach=max(_reach(measure, (a, b)[place], is_leader=(pair.verdict == "a") == (place == 0)) for place in places),
        chosen=chosen[0].column if chosen else None,
    )


@dataclass(frozen=True)
class _Missing:
    """What two systems lack."""

    counts: list[Counts]
    share: float
    pairs_of: ClusterKind | None
    p: float


def _by_count(measure: Measure, rows: tuple[Rows, Rows], sides: tuple[SystemSample, SystemSample]) -> _Missing | None:
    """What one system lacks more often than the other; None: nothing is known of it."""
    valued = [Counter(cluster for cluster, _ in set(zip(own.clusters, own.dialogues, strict=True))) for own in rows]
    shared = valued[0].keys() & valued[1].keys()
    are_drawn = all(drawn_units(side, own) for side, own in zip(sides, rows, strict=True))
    if are_drawn or 2 * len(shared) < min(map(len, valued)):
        counts = [count_units(side, each) for side, each in zip(sides, rows, strict=True)]
        return _Missing(counts, abs(counts[0].share - counts[1].share), None, _fisher(counts))
    met, pairs_of = _met(sides, rows)
    every = met | valued[0].keys() | valued[1].keys()
    counts = [_lacking(own, every, pairs_of) for own in valued]
    p, share = _fisher(counts), abs(counts[0].share - counts[1].share)
    if p <= BY_DESIGN and share > 0:
        is_in_part = max(each.units for each in counts) > len(every)
        share = min(1.0, counts[0].share + counts[1].share) if is_in_part else 1 - len(shared) / len(every)
    return _Missing(counts, share, pairs_of, p)


def _lacking(valued: Counter[str], every: Set[str], kind: ClusterKind) -> Counts:
    """Values that a system lacks: of people, those it has none of; of tasks and needs, attempts as well."""
    sizes = sorted(valued[each] for each in every)
    due = max(1, sizes[int(len(sizes) * USUAL)]) if kind in DESIGNED else 1
    held = sum(min(size, due) for size in sizes)
    return Counts(due * len(every) - held, due * len(every))


def _fisher(counts: Sequence[Counts]) -> float:
    one, other = counts
    return fisher_p(one.missing, one.units, other.missing, other.units)


def _met(sides: Sequence[SystemSample], rows: Sequence[Rows]) -> tuple[Set[str], ClusterKind]:
    """Clusters of all units that either system met, with a value or not; and what they are."""
    tables = [(side, table) for side, each in zip(sides, rows, strict=True) for table in tables_of(side, each)]
    found = {side.clusters.get(cluster, cluster) for side, table in tables for cluster in table.clusters}
    kinds = {table.clustered_by for _, table in tables if len(set(table.clusters)) == len(table.ids)}
    kinds |= {table.clustered_by for _, table in tables} - {ClusterKind.SITUATION}
    return found, min(kinds, default=ClusterKind.DIALOGUE)  # of situations that share dialogues: dialogues


def _nearer_end(pair: Contrast) -> float:
    interval = pair.difference.interval
    assert interval is not None
    return 0.0 if interval.low <= 0 <= interval.high else min(abs(interval.low), abs(interval.high))


def _reach(measure: Measure, side: SystemSample, *, is_leader: bool) -> float:
    """How far missing values of a system can lie from those at hand, on the side that speaks against the leader.

    Up to the end of the scale, or two standard deviations; of a value that is no mean (as of a corpus), up to 0.
    """
    rows, measured = side.rows[measure.name], side.values.get(measure.name)
    value = float(rows.sums[:, 0].mean()) if rows.are_means else ((measured and measured.value) or 0.0)
    is_low = is_leader == (measure.better == "higher")
    bounds = measure.bounds
    end = None if bounds is None else bounds.low if is_low else bounds.high
    if end is None:
        return DEVIATIONS * float(np.std(rows.sums[:, 0])) if rows.are_means else abs(value)
    return abs(value - end)
