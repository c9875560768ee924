"""Differences within strata, where two systems have other shares of them (Simpson's paradox): sources, times, orders."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from trialogue.findings.differences.sample_changes import Changed, Sides, of_means, rows_at, tables_of
from trialogue.findings.differences.system_sample import Rows, SystemSample
from trialogue.findings.standings import Measure
from trialogue.records import PopulationKind
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.contingency import equal_shares_p

MIXED = 0.1  # level of the test that two systems have the same shares of the strata: below, the mix differs
UNEVEN = 0.001  # of times and orders, which never are quite the same
FEWEST_OPPOSED = 10  # units of each system in a source, from which it may speak against all
OPPOSED = 2.6  # standard errors, p = .01
FEWEST_BOTH = 6  # people who met both systems at known times
PERIODS = 4  # of equal numbers of dialogues, by whose shares it is seen that times differ
IN_PERIOD = 16  # dialogues of a period within which two systems are compared: in quarters, a gradual roll-out shows
FEWEST_SHARED = 0.5  # of a system's units in strata of both, from which the others speak for themselves


@of_means
def within_sources(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Values less the effect of their source, where a pair's dialogues come from the same sources in other shares.

    Units from sources that only one system has are left out: nothing compares them. Where each system has one source, that
    may be another word for the system.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    sources = {system: sources_of_rows(sides[system], own) for system, own in rows.items()}
    if max(len(set(own)) for own in sources.values()) < 2:
        return {}
    return _opposed_source(sources, rows) or _within_strata(sources, rows, MIXED)


def _opposed_source(sources: dict[str, list[str]], rows: dict[str, Rows]) -> dict[str, Changed]:
    """Units of the source in which the difference is the other way round, beyond chance; {}: there is none."""
    (a, own), (b, other) = rows.items()
    overall = own.sums[:, 0].mean() - other.sums[:, 0].mean()
    for source in sorted(set(sources[a]) & set(sources[b]) - {""}):
        places = {system: [at for at, each in enumerate(sources[system]) if each == source] for system in (a, b)}
        one, two = (rows[system].sums[places[system], 0] for system in (a, b))
        if min(len(one), len(two)) >= FEWEST_OPPOSED:
            error = (one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)) ** 0.5
            if (one.mean() - two.mean()) * -np.sign(overall) > OPPOSED * error > 0:
                return {
                    system: (
                        rows_at(rows[system], places[system], rows[system].sums[places[system]]),
                        len(places[system]),
                    )
                    for system in (a, b)
                }
    return {}


@of_means
def within_periods(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Values less the effect of their period, where people's dialogues with a pair of systems are of other times.

    Periods are quarters of the dialogues of both. Where no period has both systems, nothing is left to compare.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    times = {system: _times_of_rows(sides[system], own) for system, own in rows.items()}
    every = np.sort([each for own in times.values() for each in own if each is not None])
    if len(every) < sum(map(len, times.values())) or len(np.unique(every)) < PERIODS:
        return {}
    quarters, periods = (_periods(times, every, parts) for parts in (PERIODS, max(PERIODS, len(every) // IN_PERIOD)))
    return _within_strata(periods, rows, UNEVEN, tested=quarters)


def _periods(times: Mapping[str, Sequence[float | None]], every: Floats, parts: int) -> dict[str, list[str]]:
    ends = every[[len(every) * part // parts for part in range(1, parts)]]
    return {
        system: [str(np.searchsorted(ends, each or 0.0, side="right")) for each in own] for system, own in times.items()
    }


@of_means
def within_order(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Values less the effect of which system somebody met first, where people who met both met them in uneven order."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    times = {system: _times_of_rows(sides[system], own) for system, own in rows.items()}
    firsts = {system: _earliest(rows[system], own) for system, own in times.items()}
    a, b = firsts.values()
    both = {cluster for cluster in a.keys() & b.keys() if a[cluster] != b[cluster]}
    if len(both) < FEWEST_BOTH:
        return {}
    strata = {
        system: [
            ""
            if cluster not in firsts[system]
            else "later"
            if cluster in both and firsts[system][cluster] > min(a[cluster], b[cluster])
            else "first"
            for cluster in own.clusters
        ]
        for system, own in rows.items()
    }
    return _within_strata(strata, rows, UNEVEN)


def _earliest(rows: Rows, times: Sequence[float | None]) -> dict[str, float]:
    """When each cluster's first dialogue began."""
    known = [(cluster, time) for cluster, time in zip(rows.clusters, times, strict=True) if time is not None]
    return dict(sorted(known, key=lambda each: -each[1]))  # of several, the earliest comes last


def _times_of_rows(side: SystemSample, rows: Rows) -> list[float | None]:
    """When each row's dialogue began; None: unknown, or not with a person."""
    known = {
        name: time
        for table in tables_of(side, rows)
        if table.kind_of is PopulationKind.PEOPLE
        for name, time in zip(table.ids, table.times, strict=bool(table.times))
    }
    return [known.get(each) for each in rows.dialogues]


def sources_of_rows(side: SystemSample, rows: Rows) -> list[str]:
    """The source of each row; "": unknown."""
    known = {
        name: source
        for table in tables_of(side, rows)
        for name, source in zip(table.ids, table.sources, strict=bool(table.sources))
    }
    return [known.get(each, "") for each in rows.dialogues]


def _within_strata(
    strata: dict[str, list[str]],
    rows: dict[str, Rows],
    level: float,
    *,
    tested: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Changed]:
    """Values less the effects of strata, if two systems have other shares of them (or of those that are tested).

    Where most units of a system are in strata that the other has none of, nothing is left: a part cannot speak for them.
    """
    one, other = (Counter(each for each in places if each) for places in (tested or strata).values())
    if len(one | other) < 2 or _have_equal_shares(one, other, level):
        return {}
    shared = sorted(set.intersection(*(set(each) - {""} for each in strata.values())))
    kept = {system: [at for at, each in enumerate(own) if each in shared] for system, own in strata.items()}
    if any(len(kept[system]) < FEWEST_SHARED * len(each.units) for system, each in rows.items()):
        return {system: (rows_at(own, [], own.sums[:0]), len(own.units)) for system, own in rows.items()}
    codes = {system: np.array([shared.index(strata[system][at]) for at in kept[system]]) for system in kept}
    values = {system: rows[system].sums[kept[system], 0] for system in kept}
    effects = stratum_effects(list(values.values()), list(codes.values()))
    return {
        system: (_with_values(rows[system], places, values[system] - effects[codes[system]]), len(places))
        for system, places in kept.items()
    }


def _have_equal_shares(one: Counter[str], other: Counter[str], level: float) -> bool:
    """Whether two systems may have the same shares of the strata (chi-square)."""
    table = [[each[name] for name in sorted(one | other)] for each in (one, other)]
    return not all(map(sum, table)) or equal_shares_p(table) > level


def stratum_effects(values: Sequence[Floats], strata: Sequence[Ints]) -> Floats:
    """Least-squares effects of strata beside that of two groups, so that means of values less them differ as within strata.

    Args:
        values: of both groups.
        strata: number of the stratum of each value; both groups have some in each.

    >>> effects = stratum_effects([np.array([0.0, 0.0, 5.0]), np.array([1.0, 6.0])], [np.array([0, 0, 1]), np.array([0, 1])])
    >>> effects.round(6).tolist()
    [0.0, 5.0]
    """
    y, codes = np.concatenate(values), np.concatenate(strata)
    x = np.concatenate([np.full(len(each), float(group)) for group, each in enumerate(values)])
    sizes = np.bincount(codes)
    means_x, means_y = (np.bincount(codes, each) / sizes for each in (x, y))
    own = x - means_x[codes]
    slope = float((own * y).sum() / (own**2).sum())
    return np.asarray(means_y - slope * means_x)


def _with_values(rows: Rows, places: Sequence[int], values: Floats) -> Rows:
    return rows_at(rows, places, np.column_stack([values, np.ones(len(places))]))
