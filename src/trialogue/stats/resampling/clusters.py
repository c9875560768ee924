"""Group rows into clusters, the independent units that resampling draws as a whole.

Replies of one dialogue are correlated, and so are votes of one person. Resampling single rows would treat
them as independent and give intervals that are too narrow.

Results do not depend on the order of the rows: clusters are sorted by their key, rows inside a cluster by their values,
so that even the last bit of a sum stays the same.

Cluster contributions to a statistic of sums, so that one method serves means, ratios and corpus scores alike.

A cluster's contribution is its jackknife pseudo-value, k theta - (k - 1) theta_(i), shifted so that the contributions of all
clusters average to the statistic itself. For a mean over clusters of one unit they are the values. Their spread is that of
the delete-one-cluster jackknife, which is wide enough where clusters have very unequal sizes; linearised ones are not: with
lognormal sizes and 20 clusters, 95% intervals of a mean built on those cover .90, and .94 on these.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, as_floats, check_same_length
from trialogue.stats.resampling.replicates import evaluate


class NumberedKeys(Sequence[int]):
    """Clusters by number, in the order of their names: names of tens of millions would not fit into memory."""

    def __init__(self, numbers: npt.NDArray[np.integer[Any]]) -> None:
        """``numbers``: shape (clusters,), each once; in ascending order where they are the keys of ``ClusterSums``."""
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers.tolist())

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> "NumberedKeys": ...

    def __getitem__(self, place: int | slice) -> "int | NumberedKeys":
        found = self.numbers[place]
        return NumberedKeys(found) if isinstance(place, slice) else int(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberedKeys) and np.array_equal(self.numbers, other.numbers)

    __hash__ = None  # type: ignore[assignment]  # as of a list


Keys: TypeAlias = tuple[Hashable, ...] | NumberedKeys


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums of sufficient statistics per cluster."""

    keys: Keys
    """The clusters, sorted by ``str(key)``, or numbered in the order of their names."""
    sums: Floats
    """Shape (n_clusters, k): for each cluster the sum over its units."""
    n: int
    """Units that were summed."""

    @property
    def total(self) -> Floats:
        """Sums over all clusters, shape (k,), added in order of size, so that keys do not change the last bit."""
        total: Floats = np.sort(self.sums, axis=0).sum(axis=0)
        return total


@dataclass(frozen=True, eq=False)
class Units:
    """Rows with their resampling units.

    Without clusters, equal rows are pooled into one unit that occurs several times; this makes resampling of ratings
    with a few distinct values much cheaper and changes nothing else.
    """

    rows: Floats
    """Shape (n_rows, columns), in an order that depends on the values only."""
    of_row: Ints
    """Shape (n_rows,): index of the unit of each row; ascending."""
    counts: Ints
    """Shape (n_units,): how often each unit occurs in the data."""
    n: int
    """Rows before pooling."""

    @property
    def row_counts(self) -> Ints:
        """Multiplicity of each row, shape (n_rows,)."""
        return self.counts[self.of_row]


def codes_of(keys: Sequence[Hashable]) -> tuple[tuple[Hashable, ...], Ints]:
    """Distinct keys sorted by ``str``, and the index of each given key among them, shape (n,).

    Raises:
        UsageError: if a key is None, because units of unknown cluster are not one cluster.
    """
    if None in set(keys):
        raise UsageError(
            f"row {list(keys).index(None)} has no cluster (None). "
            "Give each independent unit its own key, such as its index."
        )
    distinct = tuple(sorted(set(keys), key=lambda key: (str(key), type(key).__name__)))
    index = {key: position for position, key in enumerate(distinct)}
    return distinct, np.fromiter((index[key] for key in keys), dtype=np.int64, count=len(keys))


def cluster_sums(values: npt.ArrayLike, clusters: Sequence[Hashable]) -> ClusterSums:
    """Sum the rows of each cluster.

    Args:
        values: shape (n, k), one row per unit, one column per sufficient statistic; shape (n,) is treated as (n, 1).
        clusters: the cluster of each row.

    Returns:
        The sums; a permutation of the rows gives exactly the same ones. No rows give no clusters.

    Raises:
        UsageError: if the lengths differ, or a value is missing (leave such units out and say how many).

    >>> data = cluster_sums([[1, 1], [0, 1], [1, 1]], ["b", "a", "b"])
    >>> data.keys, data.sums.tolist(), data.n
    (('a', 'b'), [[0.0, 1.0], [2.0, 2.0]], 3)
    """
    array = as_floats(values, "values", ndim=2, or_ndim=1)
    array = array[:, None] if array.ndim == 1 else array
    check_same_length(values=array, clusters=clusters)
    if np.isnan(array).any():
        raise UsageError("the values contain NaN (missing), which would make all sums missing. Remove such units.")
    keys, codes = codes_of(clusters)
    if not keys:
        return ClusterSums((), np.zeros((0, array.shape[1])), 0)
    return ClusterSums(keys, sums_by_code(array, codes)[1], len(array))


def sums_by_code(rows: Floats, codes: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.integer[Any]], Floats]:
    """The codes that occur, ascending, and the sums of their rows, shapes (codes,) and (codes, k).

    A permutation of the rows, of shape (n, k), gives exactly the same sums.
    """
    order = _summing_order(rows, codes)
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[len(ordered) > 0], ordered[1:] != ordered[:-1]]))
    return ordered[starts], np.add.reduceat(rows[order], starts, axis=0) if len(starts) else rows


def select_clusters(keys: Keys, places: npt.NDArray[np.intp]) -> Keys:
    """The clusters at some places, in their order."""
    if isinstance(keys, NumberedKeys):
        return NumberedKeys(keys.numbers[places])
    return tuple(keys[place] for place in places.tolist())


def count_clusters(a: Keys, b: Keys) -> int:
    """Number of different clusters of two sides."""
    if isinstance(a, NumberedKeys) and isinstance(b, NumberedKeys):
        return len(a) + len(b) - int(np.isin(a.numbers, b.numbers, assume_unique=True).sum())
    return len({*a, *b})


def select_keys(keys: Sequence[Hashable] | None, keep: npt.NDArray[np.intp]) -> list[Hashable] | None:
    """Keys of the selected rows; None if rows have none."""
    return None if keys is None else [keys[index] for index in keep.tolist()]


def units_of(rows: Floats, clusters: Sequence[Hashable] | None) -> Units:
    """Rows of shape (n, columns) with their resampling units: the clusters, or else the pooled rows."""
    if clusters is None:
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        return Units(distinct, np.arange(len(distinct)), counts.astype(np.int64), len(rows))
    check_same_length(rows=rows, clusters=clusters)
    keys, codes = codes_of(clusters)
    order = sorted_rows(rows, codes)
    return Units(rows[order], codes[order], np.ones(len(keys), dtype=np.int64), len(rows))


def sorted_rows(rows: Floats, codes: npt.NDArray[np.integer[Any]]) -> Ints:
    """Order that sorts rows by cluster, then by value, independent of input order."""
    return np.lexsort((*rows.T[::-1], codes)).astype(np.int64)


def _summing_order(rows: Floats, codes: npt.NDArray[np.integer[Any]]) -> Ints:
    """By cluster, and by value unless all are whole numbers, whose sums are exact in any order (below 2^53)."""
    if np.array_equal(rows, np.rint(rows)):
        return np.argsort(codes, kind="stable").astype(np.int64)
    return sorted_rows(rows, codes)


Combine: TypeAlias = Callable[[Floats], Floats]
"""Sums of shape (..., k) to values of shape (...); NaN where undefined."""

RATIO_TOLERANCE = 1e-9  # relative: values this close to the ratio of two sums are that ratio


@dataclass(frozen=True, eq=False)
class Contributions:
    """A statistic with its cluster contributions."""

    value: float
    """The statistic; NaN: undefined."""
    each: Floats
    """Shape (clusters,); their mean is the value. NaN where the statistic is undefined without the cluster."""
    alike: float
    """Effective number of clusters of equal size: (sum m)^2 / sum m^2 for a ratio with denominators m; the number of
    clusters for statistics with unknown weights."""

    @property
    def are_defined(self) -> bool:
        """Whether all leave-one-cluster-out values are defined."""
        return bool(np.isfinite(self.each).all())


def contributions(data: ClusterSums, combine: Combine) -> Contributions:
    """Compute the contributions to a statistic of sums; at least one cluster."""
    total = data.total
    value = float(evaluate(combine, total[None])[0])
    size = len(data.keys)
    without = evaluate(combine, total - data.sums)
    pseudo = size * value - (size - 1) * without
    each = pseudo - pseudo.mean() + value
    alike = effective_clusters(data.sums[:, 1]) if is_ratio(data, combine) else float(size)
    return Contributions(value, each, alike)


def is_ratio(data: ClusterSums, combine: Combine) -> bool:
    """Whether the statistic equals the first sum over the second on these data: a mean, share or pooled ratio."""
    if data.sums.shape[1] != 2 or (data.sums[:, 1] < 0).any():
        return False
    rows = np.concatenate([data.sums, data.total[None]])
    rows = rows[rows[:, 1] > 0]
    values = evaluate(combine, rows)
    expected = rows[:, 0] / rows[:, 1]
    return bool(np.all(np.abs(values - expected) <= RATIO_TOLERANCE * np.maximum(1.0, np.abs(expected))))


def effective_clusters(sizes: Floats) -> float:
    """Effective number of clusters, (sum m)^2 / sum m^2: equals their number if all have the same size.

    Kish (1965), "Survey Sampling"; for degrees of freedom Carter, Schnepel & Steigerwald (2017).

    >>> effective_clusters(np.array([4.0, 4.0, 0.0])), effective_clusters(np.array([6.0, 2.0]))     # 8^2/32, 8^2/40
    (2.0, 1.6)
    """
    squares = float(np.sum(sizes**2))
    return float(np.sum(sizes)) ** 2 / squares if squares else 0.0
