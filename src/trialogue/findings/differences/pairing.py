"""Which units of two runs are the same: by what they are, and never by ids alone.

Two situations are one where context and references are equal. Dialogues need nothing here: their clusters are already named
after the content of the need, the person or the task.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trialogue.findings.differences.system_sample import Rows, SystemSample, Unit
from trialogue.metrics.base import Array, SumMetric
from trialogue.records import MeasuredUnits
from trialogue.stats import ClusterSums, Combine, cluster_sums
from trialogue.stats.comparison.crossed_raters import Ratings
from trialogue.stats.resampling.bootstrap import mean_of


@dataclass(frozen=True)
class Pairing:
    """The situations that two systems both answered, under common names."""

    situations: tuple[Mapping[str, str], Mapping[str, str]] = field(default_factory=lambda: ({}, {}))
    """For each system, from its id of a situation to the common name."""
    clusters: tuple[Mapping[str, str], Mapping[str, str]] = field(default_factory=lambda: ({}, {}))
    """For each system, from its cluster of situations to the common name."""
    is_partial: bool = False
    """Whether a system answered situations that the other did not."""

    @classmethod
    def of(cls, one: SystemSample, other: SystemSample) -> "Pairing":
        """Pair the situations of two systems."""
        a, b = one.answered, other.answered
        if a is None or b is None:
            return cls()
        pairs = _equal_units(a, b)
        names = _common_clusters(a, b, pairs)
        ids = tuple({table.ids[pair[side]]: a.ids[pair[0]] for pair in pairs} for side, table in enumerate((a, b)))
        clusters = tuple(
            {table.clusters[pair[side]]: names[side, table.clusters[pair[side]]] for pair in pairs}
            for side, table in enumerate((a, b))
        )
        return cls((ids[0], ids[1]), (clusters[0], clusters[1]), not len(pairs) == len(a.ids) == len(b.ids))

    @property
    def shared(self) -> int:
        """Number of situations that both answered."""
        return len(self.situations[0])

    def turn(self) -> "Pairing":
        """The same with the systems exchanged."""
        return Pairing(self.situations[::-1], self.clusters[::-1], self.is_partial)

    def common_units(self, rows: Rows | None, side: int) -> Iterator[tuple[str, Unit]]:
        """Units by what the other system may have met, too: a shared situation, or the cluster of a dialogue."""
        for unit in rows.values if rows is not None else ():
            name = self.situations[side].get(unit[0]) if rows is not None and rows.of_situations else unit[1]
            if name is not None:
                yield name, unit

    def pilot_units(self, rows: Rows | None, side: int) -> list[Unit]:
        """Units with their clusters under the common names; situations that the other did not answer are left out."""
        if rows is None or not rows.of_situations:
            return [] if rows is None else list(rows.values)
        own, clusters = self.situations[side], self.clusters[side]
        return [(unit, clusters[cluster], value) for unit, cluster, value in rows.values if unit in own]

    def ratings(self, rows: Rows, side: int) -> Ratings | None:
        """Single ratings of what both systems may have met; None for other measures, or without any."""
        if not rows.raters:
            return None
        own, clusters = self.situations[side], rows.clusters
        kept = [at for at, unit in enumerate(rows.units) if not rows.of_situations or unit in own]
        if rows.of_situations:
            clusters = tuple(self.clusters[side].get(each, each) for each in clusters)
        raters = tuple(rows.raters[at] for at in kept)
        return Ratings(tuple(clusters[at] for at in kept), raters, rows.sums[kept, 0]) if kept else None

    def sums(self, rows: Rows, side: int, metric: SumMetric[Any] | None) -> tuple[ClusterSums, Combine] | None:
        """Sums by cluster, and the function of them; None: they cannot be cut down to the shared situations."""
        units, clusters, sums, n = rows.units, rows.clusters, rows.sums, rows.n
        if rows.of_situations:
            if self.is_partial and "" in units:
                return None
            own = self.situations[side]
            kept = [place for place, unit in enumerate(units) if not unit or unit in own]
            sums, clusters = sums[kept], tuple(self.clusters[side][clusters[place]] for place in kept)
            n = len(kept) if len(kept) < len(units) else n
        if not len(sums):
            return None
        if rows.are_means or metric is None:
            return cluster_sums(sums, clusters), mean_of
        if metric.per_dialogue and rows.of_situations:
            whole = cluster_sums(sums, clusters)
            return ClusterSums(whole.keys, _value_and_one(metric.combine(whole.sums)), n), mean_of
        found = cluster_sums(sums, clusters)
        return ClusterSums(found.keys, found.sums, n), mean_of if metric.per_dialogue else metric.combine


def _value_and_one(values: Array) -> Array:
    known = np.isfinite(values)
    return np.column_stack([np.where(known, values, 0.0), known])


def _equal_units(a: MeasuredUnits, b: MeasuredUnits) -> list[tuple[int, int]]:
    """Places of equal situations: first those that also have equal ids, then others in order."""
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, key in enumerate(zip(b.ids, b.contents, strict=True)):
        places[key].append(place)
    found = {at: places[key].pop(0) for at, key in enumerate(zip(a.ids, a.contents, strict=True)) if places[key]}
    taken = set(found.values())
    left: defaultdict[str, list[int]] = defaultdict(list)
    for place, content in enumerate(b.contents):
        if place not in taken:
            left[content].append(place)
    for at, content in enumerate(a.contents):
        if at not in found and left[content]:
            found[at] = left[content].pop(0)
    return sorted(found.items())


def _common_clusters(a: MeasuredUnits, b: MeasuredUnits, pairs: list[tuple[int, int]]) -> dict[tuple[int, str], str]:
    """A name for each cluster of both: clusters with an equal situation are one, and so are those that this connects."""
    parent: dict[tuple[int, str], tuple[int, str]] = {}

    def root(key: tuple[int, str]) -> tuple[int, str]:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for at, place in pairs:
        ends = sorted([root((0, a.clusters[at])), root((1, b.clusters[place]))])
        parent[ends[1]] = ends[0]
    return {key: root(key)[1] for key in list(parent)}
