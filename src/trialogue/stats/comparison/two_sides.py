"""Compare a statistic of sums between two sides, with interval and p-value.

Clusters are matched by key: those of both sides are compared within, those of one side alone as independent groups. The
interval and the p-value come from one construction, so the interval excludes zero exactly where p is below its level.

* Shares of independent groups: Newcombe's hybrid of score intervals, with effective sizes where units are clustered.
* Shares of the same single units: Tango's score interval and McNemar's test.
* Everything else: what clusters contribute, by the larger p-value and the wider ends of a permutation (studentised, or sign
  flips of pairs) and of Hall's transformed t. With more clusters than a permutation needs, or if only a part of the clusters
  is shared, Hall's alone.

Where a side does not vary (or no difference of pairs does), the rare values that it may not have shown could make up for the
whole difference: their part, up to the end of the scale, is added to the error (Wilson's interval for none of so many, with
the other side's error as in Newcombe's hybrid). Without that, up to .95 of equal systems are called different, of which one
has nearly always the same value (``benchmarks/LEVELS.md``).

Where a test has no power, because no arrangement of so few clusters is rare enough, both are missing.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.means import transform, unseen_part, untransform
from trialogue.stats.comparison.permutation import PermutationTest
from trialogue.stats.comparison.shares import (
    ShareInterval,
    are_counts,
    move_past_zero,
    paired_share_difference,
    share_difference,
    share_of,
)
from trialogue.stats.resampling.clusters import (
    ClusterSums,
    Combine,
    Contributions,
    NumberedKeys,
    contributions,
    effective_clusters,
    is_ratio,
    select_clusters,
)

AnyInts: TypeAlias = npt.NDArray[np.integer[Any]]

MANY = 200  # clusters to permute (of the smaller group) from which Student's t is as good: skewness fades as 1 / n
ROUNDING = 1e-12  # of a value: 3,000 equal values do not have exactly the mean of 100 of them
FEWEST_PAIRS = 6  # 2 of 2^6 sign flips are p = .03, 2 of 2^5 can never be below .05
FEWEST_IN_A_GROUP = 4  # clusters of one side alone: a variance of three values is hardly one
HALL = "Hall's transformed t, Satterthwaite's degrees of freedom"
EQUAL_SIZES = 2 / 3  # of the clusters: their effective number from which units count, and below which clusters do
ENOUGH = 50  # effective clusters of which the units' mean can be tested, however unequal their sizes
UNITS_DISAGREE = (
    "units_disagree"  # fact of a difference of clusters that count equally: 1 if that of the units' means is not in it
)
UNSEEN = "unseen"  # fact of a difference: 1 if a side does not vary, and no end of the scale bounds what it may hide
LEAST_P, ROUNDING_OF_P = 1e-12, 1e-9  # of what equal values may hide
STANDARD_ERROR = "standard_error"  # fact of a difference: its jackknife error, where both sides vary
SMALLER_SIDE = "smaller_side"  # fact of a difference: clusters of the side that has fewer, where both sides vary


class Limit(StrEnum):
    """Reason why there is no interval, or neither interval nor p-value."""

    ONE_CLUSTER = "one cluster"
    TOO_FEW_CLUSTERS = "too few clusters"
    NO_VARIATION = "no variation"
    UNDEFINED_WITHOUT_A_CLUSTER = "undefined without a cluster"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True)
class Difference:
    """A difference with its error."""

    value: float
    """First side less second."""
    low: float | None = None
    """Lower end; None: there is no interval."""
    high: float | None = None
    p: float | None = None
    """Two-sided p-value; None: it is not tested."""
    method: str = ""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers behind both."""
    limit: Limit | None = None
    """Why there is none."""


@dataclass(frozen=True, eq=False)
class MatchedSamples:
    """Two sides with their shared clusters first, in the same order."""

    a: ClusterSums
    b: ClusterSums
    shared: int

    @property
    def groups(self) -> tuple[int, int]:
        """Number of one-sided clusters of each side."""
        return len(self.a.keys) - self.shared, len(self.b.keys) - self.shared


@dataclass(frozen=True)
class ComparisonSettings:
    """Settings of the comparison of two sides."""

    is_share: bool = False
    """Whether values are shares of units, so that sums are (successes, units)."""
    scale: tuple[float | None, float | None] = (None, None)
    """Ends of the scale of both sides' values; None: no end."""
    seed: int = 0
    """Seed of the sample of arrangements, if there are more than ``permutations``."""
    permutations: int = 10_000
    """Arrangements to go through."""
    confidence: float = 0.95
    """Confidence level of the interval."""


def compare_samples(
    a: ClusterSums, b: ClusterSums, combine: Combine, settings: ComparisonSettings = ComparisonSettings()
) -> Difference:
    """Difference ``a`` - ``b`` of two defined statistics.

    ``combine`` turns sums of shape (..., k) into values of shape (...).
    """
    equally = _count_equally(a, b, combine)
    sides = match(*(_with_units(side) if equally else side for side in (a, b)))
    own, other = (_means(side) if equally else contributions(side, combine) for side in (sides.a, sides.b))
    is_share = settings.is_share and are_counts(a) and are_counts(b)
    found = _of_shares(sides, settings) if is_share and not equally else None
    if found is None:
        found = _of_clusters(own, other, sides.shared, settings, mid=is_share)
        scale = (0.0, 1.0) if is_share else settings.scale
        found = _allow_for_unseen(found, (own, other), sides.shared, scale, settings.confidence)
    found = _cut_off(found, settings.scale)
    facts = {UNITS_DISAGREE: float(_disagrees(found, _gap(sides)))} if equally else {}
    return replace(found, facts={**found.facts, **_spread(sides, (own, other)), **facts})


def _disagrees(found: Difference, units: float) -> bool:
    """Whether the difference of the units' means has the other sign, or lies outside of an interval."""
    inside = found.low is None or found.high is None or found.low <= units <= found.high
    return not inside or units * found.value < 0


def _count_equally(a: ClusterSums, b: ClusterSums, combine: Combine) -> bool:
    """Whether a few clusters of a side hold so many of the units that the mean of units is theirs.

    That follows from the sizes alone, never from the values. With one person who holds most units, tests of the mean of
    units call up to .25 of equal systems different, tests of the mean of persons .05 (``benchmarks/LEVELS.md``).
    """
    return any(map(_is_dominated, (a, b))) and all(is_ratio(side, combine) for side in (a, b))


def _is_dominated(side: ClusterSums) -> bool:
    sizes = side.sums[:, 1] if side.sums.shape[1] == 2 else np.ones(len(side.keys))
    are_units = bool((sizes >= 0).all()) and np.array_equal(sizes, np.rint(sizes))
    return are_units and effective_clusters(sizes) < min(EQUAL_SIZES * np.count_nonzero(sizes), ENOUGH)


def _means(side: ClusterSums) -> Contributions:
    """Means of clusters, each with equal weight."""
    each = side.sums[:, 0] / side.sums[:, 1]
    return Contributions(float(each.mean()), each, float(len(each)))


def _with_units(side: ClusterSums) -> ClusterSums:
    """Clusters that hold units."""
    keep = side.sums[:, 1] > 0
    return ClusterSums(select_clusters(side.keys, np.flatnonzero(keep)), side.sums[keep], side.n)


def _spread(sides: MatchedSamples, parts: tuple[Contributions, Contributions]) -> dict[str, float]:
    """Error terms that a family of comparisons needs for the dependence of its members: ``families``.

    Nothing where a side does not vary, or is undefined without a cluster: its variance is not known then.
    """
    if not all(one.are_defined and len(one.each) > 1 and _varies(one.each) for one in parts):
        return {}
    error = sum(_variances(*parts, sides.shared)[0]) ** 0.5
    smaller = min(len(sides.a.keys), len(sides.b.keys))
    return {STANDARD_ERROR: error, SMALLER_SIDE: float(smaller)} if error > 0 else {}


def _varies(values: Floats) -> bool:
    return bool(np.ptp(values) > 1e-12 * max(float(np.abs(values).max()), 1e-300))


def match(a: ClusterSums, b: ClusterSums) -> MatchedSamples:
    """Order the clusters so that shared ones come first, on both sides in the order of ``a``."""
    if isinstance(a.keys, NumberedKeys) and isinstance(b.keys, NumberedKeys):
        return _match_numbers(a, b, a.keys.numbers, b.keys.numbers)
    place_a, place_b = ({key: place for place, key in enumerate(side.keys)} for side in (a, b))
    shared = [key for key in a.keys if key in place_b]
    orders = (
        [*shared, *(key for key in a.keys if key not in place_b)],
        [*shared, *(key for key in b.keys if key not in place_a)],
    )
    return MatchedSamples(_order_side(a, orders[0], place_a), _order_side(b, orders[1], place_b), len(shared))


def _match_numbers(a: ClusterSums, b: ClusterSums, own: AnyInts, other: AnyInts) -> MatchedSamples:
    """The same of ascending numbers."""
    in_b, in_a = np.isin(own, other, assume_unique=True), np.isin(other, own, assume_unique=True)
    if not in_b.any():
        return MatchedSamples(a, b, 0)
    sides = [
        ClusterSums(select_clusters(side.keys, order), side.sums[order], side.n)
        for side, is_shared in ((a, in_b), (b, in_a))
        for order in [np.concatenate([np.flatnonzero(is_shared), np.flatnonzero(~is_shared)])]
    ]
    return MatchedSamples(sides[0], sides[1], int(in_b.sum()))


def _order_side(side: ClusterSums, keys: list[Hashable], places: dict[Hashable, int]) -> ClusterSums:
    return ClusterSums(tuple(keys), side.sums[[places[key] for key in keys]], side.n)


def _of_shares(sides: MatchedSamples, settings: ComparisonSettings) -> Difference | None:
    """Difference of shares of single units that are all shared, or none; None for others."""
    if not sides.shared:
        return _of_independent_shares(sides, settings.confidence)
    a, b = sides.a.sums, sides.b.sums
    if sides.groups != (0, 0) or not ((a[:, 1] == 1).all() and (b[:, 1] == 1).all()):
        return None
    if sides.shared < FEWEST_PAIRS:
        return Difference(_gap(sides), limit=Limit.TOO_FEW_CLUSTERS)
    only_a, only_b = int(np.sum(a[:, 0] > b[:, 0])), int(np.sum(a[:, 0] < b[:, 0]))
    found = paired_share_difference(only_a, only_b, sides.shared, confidence=settings.confidence)
    return _share_result(_gap(sides), found, "Tango's score of pairs", {})


def _of_independent_shares(sides: MatchedSamples, confidence: float) -> Difference:
    shares = share_of(sides.a), share_of(sides.b)
    if min(one.clusters for one in shares) < 2:
        return Difference(_gap(sides), limit=Limit.ONE_CLUSTER)
    found = share_difference(*shares, confidence=confidence)
    if np.isinf(found.freedom):
        return _share_result(_gap(sides), found, "Newcombe's hybrid score", {})
    facts = {f"effective_units_{side}": one.effective for side, one in zip("ab", shares, strict=True)}
    method = "Newcombe's hybrid score of effective units, t"
    return _share_result(_gap(sides), found, method, {**facts, "freedom": found.freedom})


def _gap(sides: MatchedSamples) -> float:
    (hits_a, units_a), (hits_b, units_b) = sides.a.total.tolist(), sides.b.total.tolist()
    return float(hits_a / units_a - hits_b / units_b)


def _share_result(value: float, found: ShareInterval, method: str, facts: dict[str, float]) -> Difference:
    return Difference(value, found.low, found.high, found.p, method, facts)


def _of_clusters(
    a: Contributions, b: Contributions, shared: int, settings: ComparisonSettings, *, mid: bool
) -> Difference:
    """Difference of what clusters contribute, by the larger of two p-values and the wider of two intervals.

    The permutation is exact where clusters are exchangeable, and Hall's transformation of the studentised difference holds
    where only the means are equal. Of very many clusters both agree, and Hall's decides alone.

    """
    value = _less(a.value, b.value)
    if len(a.each) == len(b.each) == shared and np.array_equal(a.each, b.each):
        return Difference(value, p=1.0, limit=Limit.NO_VARIATION)
    alone = min(len(a.each), len(b.each)) - shared
    if min(len(a.each), len(b.each)) < 2:
        return Difference(value, limit=Limit.ONE_CLUSTER)
    if shared + alone < FEWEST_PAIRS and alone < FEWEST_IN_A_GROUP:
        return Difference(value, limit=Limit.TOO_FEW_CLUSTERS)
    if not (a.are_defined and b.are_defined):
        return Difference(value, limit=Limit.UNDEFINED_WITHOUT_A_CLUSTER)
    by_moments = hall_difference(a, b, shared, confidence=settings.confidence)
    if shared + alone > MANY:
        return by_moments
    test = PermutationTest(a.each, b.each, shared, max_arrangements=settings.permutations, seed=settings.seed, mid=mid)
    kinds = [*(["sign flips"] if shared else []), *(["permutation"] if alone else [])]
    return _larger_of(test, by_moments, " and ".join(kinds), settings.confidence)


def _less(a: float, b: float) -> float:
    """First less second; 0 where they differ by what sums in another order may differ by."""
    return 0.0 if abs(a - b) <= ROUNDING * max(abs(a), abs(b)) else a - b


def _larger_of(test: PermutationTest, by_moments: Difference, kind: str, confidence: float) -> Difference:
    """The larger p-value and the wider ends of a permutation and of Hall's interval."""
    value, p = by_moments.value, test.p_value()
    if by_moments.p is None or by_moments.low is None or by_moments.high is None:
        return replace(by_moments, p=1.0 if value == 0 else p)
    low, high = test.interval(confidence)
    p = max(p, by_moments.p)
    ends = move_past_zero(min(low, by_moments.low), max(high, by_moments.high), value, p < 1 - confidence)
    facts = {"arrangements": float(test.arrangements), **by_moments.facts}
    return _drop_unbounded(Difference(value, *ends, p, f"larger of studentised {kind} and {HALL}", facts))


def _drop_unbounded(found: Difference) -> Difference:
    """Without an interval that has no end: it would be no number in a file."""
    assert found.low is not None
    assert found.high is not None
    if np.isfinite(found.low) and np.isfinite(found.high):
        return found
    return replace(found, low=None, high=None, limit=Limit.UNBOUNDED)


def _allow_for_unseen(
    found: Difference,
    sides: tuple[Contributions, Contributions],
    shared: int,
    scale: tuple[float | None, float | None],
    confidence: float,
) -> Difference:
    """With what a side that does not vary may hide; the same of pairs that all differ by the same.

    Where the scale has no end in the direction that could turn the difference, ``facts`` says so; if nothing varies at all,
    there is no p-value then.
    """
    value, level = found.value, 1 - confidence
    below, above = _unseen_distances(sides, shared, scale, value)
    if not any([*below, *above]) or value == 0 or found.limit not in (None, Limit.NO_VARIATION):
        return found
    back = below if value > 0 else above
    if not np.isfinite(back).all():
        return replace(found, p=None if found.limit else found.p, facts={**found.facts, UNSEEN: 1.0})
    least, most = LEAST_P, 1.0
    while most / least > 1 + ROUNDING_OF_P:
        p = (least * most) ** 0.5
        is_below = _reach(sides, shared, back, p, is_low=value > 0) > abs(value)
        least, most = (p, most) if is_below else (least, p)
    low = value - _reach(sides, shared, below, level, is_low=True)
    high = value + _reach(sides, shared, above, level, is_low=False)
    if found.low is not None and found.high is not None:
        low, high = min(low, found.low), max(high, found.high)
    p = max(most, found.p or 0.0)
    ends = move_past_zero(low, high, value, p < level)
    method = f"{found.method or HALL}, with an allowance for values not observed"
    return replace(found, low=ends[0], high=ends[1], p=p, method=method, limit=None)


def _reach(
    sides: tuple[Contributions, Contributions], shared: int, distances: Sequence[float], p: float, *, is_low: bool
) -> float:
    """How far from the difference its interval at level 1 - p ends: what varies and what may be unseen, in quadrature."""
    from scipy.special import ndtri

    own = hall_difference(*sides, shared, confidence=1 - p)
    end = own.low if is_low else own.high
    parts = [
        unseen_part(distance, side.alike, float(ndtri(p / 2)))
        for distance, side in zip(distances, sides, strict=False)
        if np.isfinite(distance)
    ]
    return float(np.hypot.reduce([0.0 if end is None else end - own.value, *parts]))


def _unseen_distances(
    sides: tuple[Contributions, Contributions], shared: int, scale: tuple[float | None, float | None], value: float
) -> tuple[list[float], list[float]]:
    """By how much rare values could lower the difference, and raise it: one number for each side, 0 if it varies.

    If both vary, but all pairs differ by the same, it is one number each, for the difference itself.
    """
    a, b = sides
    low, high = (-np.inf if scale[0] is None else scale[0]), (np.inf if scale[1] is None else scale[1])
    if len(a.each) == len(b.each) == shared and _varies(a.each) and _varies(b.each) and not _varies(a.each - b.each):
        return [value + high - low], [high - low - value]
    ends = [(a.value - low, high - b.value), (high - a.value, b.value - low)]
    below, above = (
        [0.0 if _varies(side.each) else max(end, 0.0) for side, end in zip(sides, each, strict=True)] for each in ends
    )
    return below, above


def _cut_off(found: Difference, scale: tuple[float | None, float | None]) -> Difference:
    """With the interval cut off where the scale ends; the estimate stays inside."""
    if found.low is None or found.high is None or scale[0] is None or scale[1] is None:
        return found
    most = scale[1] - scale[0]
    return replace(found, low=min(max(found.low, -most), found.value), high=max(min(found.high, most), found.value))


def hall_difference(a: Contributions, b: Contributions, shared: int, *, confidence: float = 0.95) -> Difference:
    """Studentised difference corrected for skewness, with Satterthwaite's degrees of freedom over three kinds of clusters.

    Args:
        a: contributions of one side, shared clusters first.
        b: the same of the other.
        shared: clusters of both.
        confidence: confidence level of the interval.

    Without skewness this is the paired t test on contributions where all clusters are shared, and Welch's where none is.
    Hall (1992), "On the Removal of Skewness by Transformation", for the difference of two means.
    """
    from scipy.special import stdtr, stdtrit

    value = _less(a.value, b.value)
    variances, freedoms = _variances(a, b, shared)
    variance = sum(variances)
    if variance <= 1e-24 * max(abs(a.value), abs(b.value), 1e-300) ** 2:
        return Difference(value, p=1.0 if value == 0 else None, limit=Limit.NO_VARIATION)
    squares = sum(one**2 / freedom for one, freedom in zip(variances, freedoms, strict=True))
    freedom, error = variance**2 / squares, variance**0.5
    skewness = _skewness(a, b, shared, error)
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    low, high = (value - untransform(one, skewness) * error for one in (quantile, -quantile))
    p = min(1.0, 2 * float(stdtr(freedom, -abs(transform(value / error, skewness)))))
    ends = move_past_zero(low, high, value, p < 1 - confidence)
    return Difference(value, *ends, p, HALL, {"freedom": freedom, "skewness": abs(skewness)})


def _skewness(a: Contributions, b: Contributions, shared: int, error: float) -> float:
    """Skewness of the difference: third cumulants of the parts over the cubed error."""
    own_a, own_b = ((side.each - side.value) / len(side.each) for side in (a, b))
    cubes = [np.sum(np.sort((own_a[:shared] - own_b[:shared]) ** 3)), np.sum(np.sort(own_a[shared:] ** 3))]
    return float(sum(cubes) - np.sum(np.sort(own_b[shared:] ** 3))) / error**3


def _variances(a: Contributions, b: Contributions, shared: int) -> tuple[list[float], list[int]]:
    """Variance contributions of shared clusters and of each side's own, with degrees of freedom."""
    own_a, own_b = (_scaled_deviations(side) for side in (a, b))
    parts = [one for one in (own_a[:shared] - own_b[:shared], own_a[shared:], own_b[shared:]) if len(one)]
    return [float(np.sum(np.sort(part) ** 2)) for part in parts], [max(len(part) - 1, 1) for part in parts]


def _scaled_deviations(side: Contributions) -> Floats:
    """Deviations whose squares sum to the variance of the value."""
    size = len(side.each)
    return np.asarray((side.each - side.value) / (size * (size - 1)) ** 0.5)
