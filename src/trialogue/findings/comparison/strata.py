"""Differences within strata: sources that two systems' dialogues come from in other shares (Simpson's paradox)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from trialogue.findings.comparison.sample_changes import Changed, Sides, of_means, rows_at, tables_of
from trialogue.findings.comparison.system_sample import Rows, SystemSample
from trialogue.findings.standings import Measure
from trialogue.stats.arrays import Floats, Ints

EQUAL = 0.01  # difference of the shares of a source that is none


@of_means
def within_sources(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Values less the effect of their source, where a pair's dialogues come from the same sources in other shares.

    Units from sources that only one system has are left out: nothing compares them.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    return _within_strata({system: sources_of_rows(sides[system], own) for system, own in rows.items()}, rows)


def sources_of_rows(side: SystemSample, rows: Rows) -> list[str]:
    """The source of each row; "": unknown."""
    known = {
        name: source
        for table in tables_of(side, rows)
        for name, source in zip(table.ids, table.sources, strict=bool(table.sources))
    }
    return [known.get(each, "") for each in rows.dialogues]


def _within_strata(strata: dict[str, list[str]], rows: dict[str, Rows]) -> dict[str, Changed]:
    counts = [Counter(each) for each in strata.values()]
    shared = sorted((counts[0].keys() & counts[-1].keys()) - {""})
    if not shared or len(counts) < 2 or _have_equal_shares(*counts):
        return {}
    kept = {system: [at for at, each in enumerate(own) if each in shared] for system, own in strata.items()}
    codes = {system: np.array([shared.index(strata[system][at]) for at in kept[system]]) for system in kept}
    values = {system: rows[system].sums[kept[system], 0] for system in kept}
    effects = stratum_effects(list(values.values()), list(codes.values()))
    return {
        system: (_with_values(rows[system], places, values[system] - effects[codes[system]]), len(places))
        for system, places in kept.items()
    }


def _have_equal_shares(one: Counter[str], other: Counter[str]) -> bool:
    sizes = one.total(), other.total()
    return all(abs(one[each] / sizes[0] - other[each] / sizes[1]) <= EQUAL for each in one | other)


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
