"""Difference of two systems whose ratings repeat in two ways: over dialogues (or situations), and over raters.

A rater who rates several dialogues may like one system better than other raters do. That taste is no error of single
dialogues, and more dialogues do not remove it. The difference is estimated with an effect for each rater, so that
severity cancels; its variance is the two-way one of Cameron, Gelbach and Miller (2011), ``V1 + V2 - V12``, and never less
than each of the two: the sum may be too small, and even negative, by chance.

Of Student's t and Hall's, which allows for skewness, the wider ends count: few ratings that differ from nearly all others
are rare events. With 12 or more levels of the smaller factor, t has Satterthwaite's degrees of freedom, with fewer as many
as levels less one. Three to five raters are compared only where each of them rated everything, and stand for themselves
rather than for people; fewer, or raters nested in systems, are refused.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.comparison.means import transform, untransform
from trialogue.stats.comparison.shares import move_past_zero
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR

FEWEST_CROSSED = 3  # raters of everything; fewer say nothing of other raters
FEWEST_PARTLY_CROSSED = 6  # raters, and dialogues: of fewer, a part is no sample
MANY = 12  # levels from which degrees of freedom are estimated (Satterthwaite)
RATERS = "raters"  # fact of a difference: the raters of both systems, where they are a source of error of their own


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of one system."""

    clusters: tuple[str, ...]
    """The cluster of each rating: what was rated, or who took part in it."""
    raters: tuple[str | None, ...]
    """Who rated; None: nobody known, or the person who took part."""
    values: Floats
    """Shape (ratings,)."""


def rater_difference(a: Ratings, b: Ratings, *, most: float | None = None, confidence: float = 0.95) -> Estimate | None:
    """Difference of mean ratings, ``a`` - ``b``, where raters are a source of error of their own; None where they are none.

    They are none where most ratings are by people who rated once, or who are not known: then clusters are all that repeats.

    Args:
        a: ratings of one system.
        b: ratings of the other.
        most: the largest difference that the scale allows; None: no bound.
        confidence: confidence level of the interval.
    """
    data = _Both.of(a, b)
    if not data.personsrepeat:
        return None
    counts = {"n": len(data.values), "clusters": len(np.unique(data.clusters))}
    plain = float(a.values.mean() - b.values.mean())
    code = data.refusal()
    if code is not None:
        raters = len(np.unique(data.raters[data.crosses]))
        return Estimate(value=plain, why=Reason.of(code, raters=raters), **counts)
    return _estimate(data, most, confidence, counts)


@dataclass(frozen=True, eq=False)
class _Both:
    """Ratings of two systems, one row each."""

    first: Floats
    """1 for ratings of the first system, 0 for the other's."""
    clusters: Ints
    raters: Ints
    values: Floats
    crosses: np.ndarray
    """Whether the rater of a row rated both systems."""
    personsrepeat: bool
    """Whether most ratings are by known people who rated several clusters."""

    @classmethod
    def of(cls, a: Ratings, b: Ratings) -> "_Both":
        """Join both sides; an unknown rater is a rater of each cluster's own."""
        clusters = _codes([*a.clusters, *b.clusters])
        names = [*a.raters, *b.raters]
        raters = _codes([f"?{at}" if name is None else f"={name}" for at, name in zip(clusters, names, strict=True)])
        first = np.concatenate([np.ones(len(a.values)), np.zeros(len(b.values))])
        met = np.bincount(np.unique(np.column_stack([raters, clusters]), axis=0)[:, 0])
        crossing = (np.bincount(raters, first) > 0) & (np.bincount(raters, 1 - first) > 0)
        values = np.concatenate([a.values, b.values])
        return cls(first, clusters, raters, values, crossing[raters], bool((met[raters] > 1).mean() > 0.5))

    def refusal(self) -> ReasonCode | None:
        """Why these raters allow no comparison."""
        raters = len(np.unique(self.raters[self.crosses]))
        if not raters:
            return ReasonCode.RATERS_NESTED_IN_SYSTEMS
        if raters < FEWEST_CROSSED:
            return ReasonCode.FEW_RATERS_OF_BOTH
        few = min(raters, self.levels) < FEWEST_PARTLY_CROSSED
        return ReasonCode.FEW_RATERS_PARTLY_CROSSED if few and not self.is_fully_crossed else None

    @property
    def levels(self) -> int:
        """Clusters of the side that has fewer, among the ratings of those who rated both."""
        return min(len(np.unique(self.clusters[self.crosses & (self.first == side)])) for side in (0, 1))

    @property
    def is_fully_crossed(self) -> bool:
        """Whether everybody rated everything."""
        things = np.unique(np.column_stack([self.clusters, self.first]), axis=0)
        cells = np.unique(np.column_stack([self.clusters, self.first, self.raters]), axis=0)
        return len(cells) == len(things) * len(np.unique(self.raters))


def _codes(names: Sequence[str]) -> Ints:
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)


def _estimate(data: _Both, most: float | None, confidence: float, counts: dict[str, int]) -> Estimate:
    from scipy.special import stdtr, stdtrit

    value, parts = _contributions(data)
    raters, levels = len(np.unique(data.raters[data.crosses])), data.levels
    variance, freedom = two_way(parts, data.clusters, data.raters, levels=levels, persons=raters)
    if variance <= 1e-24 * max(abs(value), 1e-300) ** 2:
        why = Reason.of(ReasonCode.DIFFERENCES_ALL_EQUAL)
        return Estimate(value=value, p=1.0 if value == 0 else None, why=why, **counts)
    error = variance**0.5
    skewness = _cubes(parts, data.clusters, data.raters) / error**3
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    bound = np.inf if most is None else max(most, abs(value))
    p = min(1.0, max(2 * float(stdtr(freedom, -abs(t))) for t in (value / error, transform(value / error, skewness))))
    low = value - max(quantile, untransform(quantile, skewness)) * error
    high = value - min(-quantile, untransform(-quantile, skewness)) * error
    low, high = move_past_zero(low, high, value, p < 1 - confidence)
    interval = Interval(
        low=max(low, -bound),
        high=min(high, bound),
        confidence=confidence,
        method="two-way clusters (dialogues and raters), the wider of Student's t and Hall's",
        facts={
            "freedom": freedom,
            "skewness": abs(skewness),
            RATERS: float(raters),
            STANDARD_ERROR: error,
            SMALLER_SIDE: float(min(raters, levels)),
        },
    )
    return Estimate(value=value, interval=interval, p=p, **counts)


def two_way(parts: Floats, clusters: Ints, raters: Ints, *, levels: int, persons: int) -> tuple[float, float]:
    """Variance of a sum of contributions that repeat in two ways, and the degrees of freedom of its t.

    Args:
        parts: contributions, zero on average, shape (n,).
        clusters: the cluster of each.
        raters: the rater of each.
        levels: clusters that count.
        persons: raters that count.
    """
    by_cluster, by_rater, cells = (
        _squares(parts, keys, size)
        for keys, size in (
            (clusters, levels),
            (raters, persons),
            (clusters * (raters.max() + 1) + raters, len(parts)),
        )
    )
    variance = max(by_cluster + by_rater - cells, by_cluster, by_rater)
    freedom = max(min(persons, levels) - 1.0, 1.0)
    if min(persons, levels) >= MANY and variance > 0:
        parts_of = by_cluster**2 / (levels - 1) + by_rater**2 / (persons - 1)
        freedom = max(freedom, variance**2 / parts_of)
    return variance, freedom


def _cubes(parts: Floats, clusters: Ints, raters: Ints) -> float:
    """Third cumulant of a sum of contributions that repeat in two ways."""
    keys = clusters, raters, clusters * (raters.max() + 1) + raters
    by_cluster, by_rater, cells = (
        float((np.sort(np.bincount(np.unique(each, return_inverse=True)[1], parts)) ** 3).sum()) for each in keys
    )
    return by_cluster + by_rater - cells


def two_way_p(values: Floats, clusters: Sequence[Hashable], raters: Sequence[Hashable]) -> float | None:
    """p of a mean of zero, where values repeat both over clusters and over raters; None where one of them does not.

    >>> two_way_p(np.array([1.0, 1.0, -1.0, 1.0]), ["x", "x", "y", "y"], ["r", "s", "r", "t"]) is None
    False
    """
    from scipy.special import stdtr

    first, second = (_codes([repr(key) for key in keys]) for keys in (clusters, raters))
    sizes = [len(np.unique(codes)) for codes in (first, second)]
    if min(sizes) < 2 or max(sizes) == len(values):
        return None
    value = float(values.mean())
    variance, freedom = two_way((values - value) / len(values), first, second, levels=sizes[0], persons=sizes[1])
    return min(1.0, 2 * float(stdtr(freedom, -abs(value) / variance**0.5))) if variance > 0 else None


def _contributions(data: _Both) -> tuple[float, Floats]:
    """The difference within raters, and what each rating adds to it (zero on average)."""
    first, values = (_deviations_within(each, data.raters) for each in (data.first, data.values))
    scale = float((first**2).sum())
    value = float((first * values).sum()) / scale
    return value, first * (values - value * first) / scale


def _deviations_within(values: Floats, groups: Ints) -> Floats:
    """Deviations from the mean of each group."""
    return np.asarray(values - (np.bincount(groups, values) / np.maximum(np.bincount(groups), 1))[groups])


def _squares(parts: Floats, keys: Ints, size: int) -> float:
    """Squares of the sums of contributions by key, corrected for the number of levels."""
    sums = np.bincount(np.unique(keys, return_inverse=True)[1], parts)
    return float((np.sort(sums) ** 2).sum()) * size / max(size - 1, 1)
