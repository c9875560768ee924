"""Rarefaction: expected number of distinct types in a smaller sample, to compare samples of different size.

The number of distinct types grows with the sample, but not in proportion, so neither it nor its share of the tokens can be
compared between samples of different size. Rarefied to one size they can. If N units are reduced to m without
replacement, a type that occurs in n_i of them is missed with probability C(N - n_i, m) / C(N, m), so that

    E[D_m] = sum over types (1 - C(N - n_i, m) / C(N, m))

Hurlbert (1971), "The Nonconcept of Species Diversity", Ecology 52; Heck, van Belle & Simberloff (1975), Ecology 56.

**Units are clusters, not tokens.** The formula allows drawing single tokens as well, but a dialogue repeats its own words:
tokens drawn one by one from many dialogues are more diverse than as many tokens of a few whole dialogues, so that of two
samples from one source the larger would look more diverse (docs/design/statistics.md has the measurement). Whole clusters
are drawn, so many that they hold m tokens on average: sample-based rarefaction rescaled to individuals (Gotelli & Colwell
2001, Ecology Letters 4; Colwell, Mao & Chang 2004, Ecology 85).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.stats.arrays import CELLS, Floats, Ints

AnyInts: TypeAlias = npt.NDArray[np.integer[Any]]

BLOCK = 1 << 14  # clusters whose entries are worked on at a time
TABLE = 1 << 22  # numbers of the table of what each size loses; 32 MB
SORTED_AT_ONCE = 256  # codes, which numpy sorts by a network of comparisons
FEWEST_CLUSTERS = 1.0  # below one whole cluster the curve is a straight line, which no data support


def expected_distinct(occurrences: Ints, types: Ints | Floats, units: float, drawn: Floats) -> Floats:
    """Expected distinct types among ``drawn`` of ``units`` units without replacement, shape (sizes,).

    Args:
        occurrences: shape (f,), numbers of units that a type may occur in.
        types: shape (f,), how many types occur in so many units.
        units: how many units there are.
        drawn: shape (sizes,), how many are drawn, 0 to ``units``; between whole numbers the gamma function interpolates.

    >>> expected_distinct(np.array([1, 2]), np.array([1, 1]), 3, np.array([1.0, 2.0]))  # a b b: 1, then (ab, ab, bb) 5/3
    array([1.        , 1.66666667])
    """
    sizes = np.asarray(drawn, dtype=np.float64)
    found: Floats = (types * (1 - miss_probability(occurrences, units, sizes))).sum(axis=1)
    return found


def miss_probability(occurrences: Ints, units: float, drawn: Floats) -> Floats:
    """C(N - n, m) / C(N, m) for each size m and occurrence n, shape (sizes, f); 0 where fewer than m units lack the type."""
    from scipy.special import gammaln

    n, m = np.asarray(occurrences, dtype=np.float64)[None, :], drawn[:, None]
    lacking = units - n - m
    with np.errstate(invalid="ignore"):
        # By logarithms: factorials of thousands of clusters overflow, though their ratio is at most 1.
        log = gammaln(units - n + 1) - gammaln(units + 1) + gammaln(units - m + 1) - gammaln(lacking + 1)
        chance: Floats = np.where((lacking > -1) & (n <= units), np.exp(np.minimum(log, 0.0)), 0.0)
    return np.where((lacking < 0) & (m >= units), 0.0, chance)  # all are drawn: nothing is missed, to the last digit


@dataclass(frozen=True)
class Occurrences:
    """Number of clusters in which types occur, in total and by cluster: sufficient for rarefaction by clusters.

    Types of one cluster that occur in equally many clusters are alike, so they are counted and not listed.
    """

    clusters: int
    """Number of clusters."""
    occurrences: Ints
    """Shape (f,), ascending: numbers of clusters that some type occurs in."""
    types: Ints
    """Shape (f,): how many types occur in so many clusters."""
    cluster: AnyInts
    """Shape (k,), ascending: a cluster ..."""
    place: AnyInts
    """Shape (k,): ... has types that occur in ``occurrences[place]`` clusters ..."""
    held: AnyInts
    """Shape (k,): ... and so many of them."""

    @property
    def distinct(self) -> int:
        """Number of distinct types in all clusters."""
        return int(self.types.sum())

    def leave_outs(self) -> Iterator[tuple[Floats, Floats]]:
        """(numbers of clusters, numbers of types that occur in so many) without each cluster in turn."""
        whole = np.zeros(int(self.occurrences.max(initial=0)) + 1)
        whole[self.occurrences] = self.types
        for block in self.blocks():
            ends = np.searchsorted(block.cluster, np.arange(block.size + 1))
            for start, end in pairwise(ends.tolist()):
                without, at, held = whole.copy(), self.occurrences[block.place[start:end]], block.held[start:end]
                without[at] -= held
                without[at - 1] += held
                yield np.arange(1.0, len(whole)), without[1:]

    def unique_counts(self) -> Floats:
        """Number of types unique to each cluster, shape (clusters,)."""
        found = np.zeros(self.clusters)
        for block in self.blocks():
            single = self.occurrences[block.place] == 1
            own = np.bincount(block.cluster[single], weights=block.held[single], minlength=block.size)
            found[block.clusters] = own
        return found

    def blocks(self) -> "Iterator[Block]":
        """What the clusters hold, some clusters at a time: what is computed of it takes many times its room."""
        edges = [*range(0, self.clusters, BLOCK), self.clusters]
        ends = np.searchsorted(self.cluster, np.asarray(edges, dtype=self.cluster.dtype)).tolist()
        for (first, last), (start, end) in zip(pairwise(edges), pairwise(ends), strict=True):
            own = self.cluster[start:end] - first
            yield Block(slice(first, last), own, self.place[start:end], self.held[start:end])


@dataclass(frozen=True, eq=False)
class Block:
    """What some clusters hold, as in ``Occurrences``."""

    clusters: slice
    """Which ones."""
    cluster: AnyInts
    """Shape (k,), ascending: place of the cluster among these."""
    place: AnyInts
    """Shape (k,)."""
    held: AnyInts
    """Shape (k,)."""

    @property
    def size(self) -> int:
        """Number of clusters."""
        return int(self.clusters.stop - self.clusters.start)


@dataclass(frozen=True)
class Rarefied:
    """Accumulation curve of one sample, by an additive size such as tokens."""

    counts: Occurrences
    """Counts of its types."""
    sizes: Floats
    """Shape (clusters,): the size of each cluster."""

    @property
    def size(self) -> float:
        """Size of the whole sample."""
        return float(self.sizes.sum())

    def clusters_in(self, size: float) -> float:
        """Number of average clusters in a size."""
        return self.counts.clusters * (size / self.size)

    def expected_distinct(self, sizes: Floats) -> Floats:
        """Expected distinct types in subsamples of these sizes, shape (sizes,); each at most that of the sample."""
        found = np.empty(len(sizes))
        # Many sizes are equal (clusters of one length), and a size costs a row of gamma functions: each is computed once.
        drawn, back = np.unique(self.counts.clusters * (sizes / self.size), return_inverse=True)
        for rows in _chunks(len(drawn), len(self.counts.occurrences)):
            found[rows] = expected_distinct(
                self.counts.occurrences, self.counts.types, self.counts.clusters, drawn[rows]
            )
        return found[back] if len(drawn) else found[:0]

    def leave_one_out(self, sizes: Floats) -> Floats:
        """Leave-one-cluster-out expectations, at a size for each, shape (clusters,).

        Only types that occur in the cluster change: they occur in one cluster fewer, or in none. Undefined (NaN) where
        nothing is left.
        """
        counts, left = self.counts, self.size - self.sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = (counts.clusters - 1) * (sizes / left)
        drawn, row = np.unique(wanted, return_inverse=True)
        fewer = counts.occurrences - 1
        found = np.empty(counts.clusters)
        for rows in _chunks(len(drawn), len(fewer), TABLE):  # each is a pass over what clusters hold
            own_sizes = drawn[rows]
            whole, lost = np.empty(len(own_sizes)), np.empty((len(own_sizes), len(fewer)))
            for part in _chunks(len(own_sizes), 2 * len(fewer)):
                missed = miss_probability(counts.occurrences, counts.clusters - 1, own_sizes[part])
                lost[part] = miss_probability(fewer, counts.clusters - 1, own_sizes[part]) - missed
                whole[part] = (counts.types * (1 - missed)).sum(axis=1)
            for block in counts.blocks():
                of_cluster = row[block.clusters] - rows.start
                here = (of_cluster >= 0) & (of_cluster < rows.stop - rows.start)
                inside = np.flatnonzero(here[block.cluster])
                own, place = block.cluster[inside], block.place[inside]
                weights = block.held[inside] * lost[of_cluster[own], place]
                without = np.bincount(own, weights=weights, minlength=block.size)[here]
                found[block.clusters][here] = whole[of_cluster[here]] - without
        return np.where(left > 0, found, np.nan)


@dataclass(frozen=True)
class RarefiedSample:
    """One of two samples, rarefied to a common size, with its jackknife values."""

    at_common: float
    """Expected distinct types at the common size."""
    without: Floats
    """Shape (clusters,): the same without each cluster, at ``sizes``."""
    sizes: Floats
    """Shape (clusters,): the common size without each cluster; smaller where this is the smaller sample."""
    other_at: Floats
    """Shape (clusters,): the other sample's expected distinct types at ``sizes``."""


def rarefy_to_common_size(own: Rarefied, other: Rarefied) -> RarefiedSample:
    """Rarefy one sample to the smaller size of two.

    Without one of its clusters the smaller sample is smaller still: then both are rarefied to what is left of it.
    """
    common = min(own.size, other.size)
    sizes = np.minimum(own.size - own.sizes, other.size)
    return RarefiedSample(
        at_common=float(own.expected_distinct(np.array([common]))[0]),
        without=own.leave_one_out(sizes),
        sizes=sizes,
        other_at=other.expected_distinct(sizes),
    )


def comparable(own: Rarefied, other: Rarefied) -> bool:
    """Whether the smaller sample has at least the size of an average cluster of the larger one."""
    common = min(own.size, other.size)
    return common > 0 and min(own.clusters_in(common), other.clusters_in(common)) >= FEWEST_CLUSTERS


def occurrences_of(
    times: npt.NDArray[np.integer[Any]], clusters: npt.NDArray[np.integer[Any]], *, count: int
) -> Occurrences:
    """Occurrences from distinct pairs of a type and a cluster, in any order.

    Args:
        times: shape (pairs,), in how many clusters the type occurs.
        clusters: shape (pairs,), numbers from 0 to ``count`` - 1.
        count: how many clusters there are; some may hold no type.
    """
    pairs = np.zeros(int(times.max(initial=0)) + 1, dtype=np.int64)
    for rows in _chunks(len(times), 1):  # by counting, as numbers of clusters are small; to sort millions takes long
        pairs += np.bincount(times[rows], minlength=len(pairs))
    occurrences = np.flatnonzero(pairs)
    place = np.searchsorted(occurrences, np.arange(len(pairs)))
    fits: type[np.integer[Any]] = (
        np.uint32 if count * len(occurrences) < 1 << 32 else np.int64
    )  # half the bytes to sort
    code = clusters.astype(fits)
    code *= fits(len(occurrences))
    code += place.astype(fits)[times]
    _sort_codes(code, clusters)
    first = np.flatnonzero(np.concatenate([[len(code) > 0], code[1:] != code[:-1]]))
    held = np.diff(first, append=len(code)).astype(np.int32)
    cluster, entry = np.divmod(code[first], fits(max(len(occurrences), 1)))
    of_types = pairs[occurrences] // occurrences
    return Occurrences(count, occurrences, of_types, cluster.astype(np.int32), entry.astype(np.int32), held)


def _sort_codes(codes: AnyInts, clusters: AnyInts) -> None:
    """Sort codes that ascend with clusters, in place: a few clusters at a time where these ascend, five times as fast."""
    edges = [len(codes)]
    if (clusters[1:] >= clusters[:-1]).all():
        starts = np.flatnonzero(clusters[1:] != clusters[:-1]) + 1
        wanted = np.unique(np.searchsorted(starts, np.arange(SORTED_AT_ONCE, len(codes), SORTED_AT_ONCE)))
        edges = [*starts[wanted[wanted < len(starts)]].tolist(), len(codes)]
    for start, end in pairwise([0, *edges]):
        codes[start:end].sort()


def _chunks(rows: int, width: int, cells: int = CELLS) -> Iterator[slice]:
    step = max(1, cells // max(width, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
