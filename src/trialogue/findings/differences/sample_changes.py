"""What becomes of the units of a pair of systems if a doubt about them is right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from trialogue.findings.differences.system_sample import Rows, SystemSample
from trialogue.findings.sample.copies import count_copies, joined_groups
from trialogue.findings.standings import Measure
from trialogue.records import MeasuredUnits
from trialogue.stats.arrays import Floats

FEWEST_TWINS = 6  # equal dialogues of each system
BY_NAME = 2.6  # standard errors, p = .01
Sides = Mapping[str, SystemSample]
Changed = tuple[Rows, int]
"""Rows of one system under a doubt, and the number of units that changed."""
Change = Callable[[Sides, Measure], dict[str, Changed]]
"""Changed rows of a pair of systems; systems without a change are left out."""


def of_means(change: Change) -> Change:
    """A change of measures that are means of units, and of no others."""

    def change_means(sides: Sides, measure: Measure) -> dict[str, Changed]:
        are_means = all(side.rows[measure.name].values for side in sides.values())
        return change(sides, measure) if are_means else {}

    return change_means


def tables_of(side: SystemSample, rows: Rows) -> list[MeasuredUnits]:
    """What a measure's rows are units of."""
    return [each for each in side.tables if (each is side.answered) == rows.of_situations]


def without_echoes(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Replies to the situations in which neither system repeats the reference, on measures that use references."""
    if measure.card is None or "reference" not in measure.card.needs:
        return {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    if not all(own.of_situations and all(own.units) and not own.are_without for own in rows.values()):
        return {}
    contents = {system: _contents_of(tables_of(sides[system], own)) for system, own in rows.items()}
    echoes = {
        contents[system][name]
        for system, own in rows.items()
        for table in tables_of(sides[system], own)
        for name in table.echoes
    }
    changed = {}
    for system, own in rows.items() if echoes else ():
        kept = [at for at, unit in enumerate(own.dialogues) if contents[system].get(unit) not in echoes]
        changed[system] = rows_at(own, kept, own.sums[kept]), len(own.units) - len(kept)
    return changed


def _contents_of(tables: Sequence[MeasuredUnits]) -> dict[str, str]:
    """What each situation is, by its id: the same under any id."""
    return {
        name: content for table in tables for name, content in zip(table.ids, table.contents or table.ids, strict=True)
    }


def rows_at(rows: Rows, places: Sequence[int], sums: Floats) -> Rows:
    """Some rows, with their sums."""
    return replace(
        rows,
        units=tuple(rows.units[at] for at in places),
        owners=tuple(rows.dialogues[at] for at in places),
        clusters=tuple(rows.clusters[at] for at in places),
        sums=sums,
        n=len(places),
        raters=tuple(rows.raters[at] for at in places) if rows.raters else (),
        givers=(),
    )


@of_means
def without_twins(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Units without those whose text is also a dialogue of the other system; or less what these are rated higher there.

    Equal dialogues that are rated higher under one name, beyond chance, say what the name is worth.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    twins = {
        system: {name for each in tables_of(side, rows[system]) for name in each.twins}
        for system, side in sides.items()
    }
    are_twins = {system: np.array([each in twins[system] for each in own.dialogues]) for system, own in rows.items()}
    if min(each.sum() for each in are_twins.values()) >= FEWEST_TWINS:
        (system, own), (other, others) = rows.items()
        one, two = own.sums[are_twins[system], 0], others.sums[are_twins[other], 0]
        gap = float(one.mean() - two.mean())
        if abs(gap) > BY_NAME * (one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)) ** 0.5:
            sums = np.column_stack([own.sums[:, 0] - gap, own.sums[:, 1]])
            return {system: (replace(own, sums=sums), len(one))}
    changed = {}
    for system, own in rows.items():
        kept = np.flatnonzero(~are_twins[system]).tolist()
        if len(kept) < len(own.units):
            changed[system] = rows_at(own, kept, own.sums[kept]), len(own.units) - len(kept)
    return changed


@of_means
def worst_failures(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Units that look like failures, rated or not, at the worst value: of the scale, or else of what occurs."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    worst = _worst_of(measure, list(rows.values()))
    changed = {}
    for system, own in rows.items():
        tables = tables_of(sides[system], own)
        suspects = frozenset(name for each in tables for names in each.suspects.values() for name in names)
        if suspects:
            changed[system] = _with_worst(sides[system], own, tables, suspects, worst), len(suspects)
    return changed


def _worst_of(measure: Measure, rows: Sequence[Rows]) -> float:
    is_low = measure.better == "higher"
    bounds = measure.bounds
    end = None if bounds is None else bounds.low if is_low else bounds.high
    values = np.concatenate([each.sums[:, 0] for each in rows])
    return float(values.min() if is_low else values.max()) if end is None else end


def _with_worst(
    side: SystemSample, rows: Rows, tables: Sequence[MeasuredUnits], suspects: frozenset[str], worst: float
) -> Rows:
    is_suspect = np.array([each in suspects for each in rows.dialogues], dtype=bool)
    values: Floats = np.where(is_suspect, worst, rows.sums[:, 0])
    without = suspects.difference(rows.dialogues)
    clusters = {
        name: side.clusters.get(cluster, cluster)
        for each in tables
        for name, cluster in zip(each.ids, each.clusters, strict=True)
        if name in without
    }
    added = sorted(clusters)
    sums = np.column_stack([np.concatenate([values, np.full(len(added), worst)]), np.ones(len(values) + len(added))])
    return replace(
        rows,
        units=(*rows.units, *added),
        owners=(*rows.dialogues, *added),
        clusters=(*rows.clusters, *(clusters[name] for name in added)),
        sums=sums,
        n=len(sums),
        raters=(*rows.raters, *[None] * len(added)) if rows.raters else (),
    )


@of_means
def joined_copies(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Equal units as one, with the mean of their values; nearly equal ones as one cluster."""
    changed = {}
    for system, side in sides.items():
        rows = side.rows[measure.name]
        tables = tables_of(side, rows)
        first = {name: group[0] for each in tables for group in each.copies for name in group}
        near = [group for each in tables for group in (*each.near_copies, *each.one_sided)]
        own = set(rows.dialogues)
        copies = sum(first.get(name, name) != name for name in own)
        extra = count_copies([name for name in group if name in own] for group in near)
        if copies or extra:
            changed[system] = _in_one_cluster(_one_unit(rows, first), near), max(copies, extra)
    return changed


def _one_unit(rows: Rows, first: Mapping[str, str]) -> Rows:
    """Rows of equal units as one row each: that of the first, with the mean value."""
    if not first:
        return rows
    keys = [first.get(owner, unit) for owner, unit in zip(rows.dialogues, rows.units, strict=True)]
    places = {key: place for place, key in reversed(list(enumerate(keys)))}
    order = sorted(places.values())
    index = {keys[place]: at for at, place in enumerate(order)}
    at = np.array([index[key] for key in keys])
    means = np.bincount(at, rows.sums[:, 0]) / np.bincount(at)
    return replace(
        rows,
        units=tuple(keys[place] for place in order),
        owners=tuple(rows.dialogues[place] for place in order),
        clusters=tuple(rows.clusters[place] for place in order),
        sums=np.column_stack([means, np.ones(len(means))]),
        n=len(order),
        raters=tuple(rows.raters[place] for place in order) if rows.raters else (),
    )


def _in_one_cluster(rows: Rows, groups: Sequence[Sequence[str]]) -> Rows:
    """Rows whose clusters share a group of copies, as one cluster under the first name of them."""
    cluster_of = dict(zip(rows.dialogues, rows.clusters, strict=True))
    held = [[cluster_of[name] for name in group if name in cluster_of] for group in groups]
    joined = joined_groups((own[0], each) for own in held for each in own)
    first = {name: group[0] for group in joined for name in group}
    return replace(rows, clusters=tuple(first.get(each, each) for each in rows.clusters))
