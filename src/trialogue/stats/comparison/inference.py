"""Estimates of statistics of sums, of one system or of the difference of two, with interval and p-value.

Entry point to the methods of this package: shares have score intervals, everything else one that allows for skewness; a
difference has the interval that matches its test. Nothing is random except the sampled arrangements, if there are too many
to enumerate; they follow from the seed and the numbers of clusters, so that equal designs use the same ones.
"""

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import check_confidence, check_count
from trialogue.stats.comparison.one_side import interval_of
from trialogue.stats.comparison.two_sides import (
    FEWEST_IN_A_GROUP,
    FEWEST_PAIRS,
    UNITS_DISAGREE,
    ComparisonSettings,
    Difference,
    Limit,
    compare_samples,
)
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.resampling.contributions import Combine
from trialogue.stats.resampling.replicates import evaluate

UNDEFINED = Reason.of(ReasonCode.STATISTIC_UNDEFINED)
PAIRS_ALL_EQUAL = Reason.of(ReasonCode.DIFFERENCES_ALL_EQUAL)
SKEWED = Reason.of(ReasonCode.CLUSTERS_SKEWED)

_LIMITS = {
    Limit.ONE_CLUSTER: Reason.of(ReasonCode.ONE_CLUSTER),
    Limit.TOO_FEW_CLUSTERS: Reason.of(ReasonCode.TOO_FEW_CLUSTERS_TO_TEST, pairs=FEWEST_PAIRS, group=FEWEST_IN_A_GROUP),
    Limit.NO_VARIATION: Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL),
    Limit.UNDEFINED_WITHOUT_A_CLUSTER: Reason.of(ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER),
    Limit.UNBOUNDED: Reason.of(ReasonCode.INTERVAL_UNBOUNDED),
}


def estimate_of_sums(
    data: ClusterSums,
    combine: Combine,
    *,
    is_share: bool = False,
    scale: tuple[float | None, float | None] = (None, None),
    confidence: float = 0.95,
    undefined: Reason = UNDEFINED,
) -> Estimate:
    """Estimate a statistic of sums, with its interval.

    Args:
        data: the sums in each cluster.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        is_share: whether the value is a share of units, so that sums are (successes, units): a score interval for their
            effective number, which also works where all clusters are alike.
        scale: ends of the scale, where the interval is cut off; None: no end.
        confidence: confidence level of the interval.
        undefined: the reason given where the statistic itself is undefined.

    Returns:
        ``combine(data.total)``, with ``n`` units and their clusters. No interval, and why, with fewer than two clusters, if
        no cluster differs from another, or if the statistic is undefined without one of them. ``why`` also says where
        clusters are so skewed that the interval may be too narrow.

    >>> from trialogue.stats.resampling.clusters import cluster_sums
    >>> data = cluster_sums([[1, 1], [0, 1], [1, 1], [1, 1]], ["ann", "bob", "cy", "cy"])
    >>> rate = estimate_of_sums(data, lambda sums: sums[..., 0] / sums[..., 1], is_share=True)
    >>> rate.value, rate.n, rate.clusters
    (0.75, 4, 3)
    """
    check_confidence(confidence)
    counts = {"n": data.n, "clusters": len(data.keys)}
    if not data.keys:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA), **counts)
    value = _value(data, combine)
    if not np.isfinite(value):
        return Estimate(value=None, why=undefined, **counts)
    found = interval_of(data, combine, is_share=is_share, scale=scale, confidence=confidence)
    if found.low is None or found.high is None:
        return Estimate(value=value, why=None if found.limit is None else _LIMITS[found.limit], **counts)
    interval = Interval(low=found.low, high=found.high, confidence=confidence, method=found.method, facts=found.facts)
    return Estimate(value=value, interval=interval, why=SKEWED if found.is_unsafe else None, **counts)


def difference(
    a: ClusterSums,
    b: ClusterSums,
    combine: Combine,
    *,
    is_share: bool = False,
    scale: tuple[float | None, float | None] = (None, None),
    seed: int = 0,
    permutations: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Difference of a statistic of sums between ``a`` and ``b``, with interval and p-value.

    Clusters are matched by key: those on both sides are compared within (a paired design), others as independent groups.
    Interval and two-sided p-value come from one construction (see ``two_sides``), so that the interval leaves zero out
    exactly where p is below 1 - confidence.

    Args:
        a: sums of one side.
        b: sums of the other.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        is_share: whether values are shares of units, so that sums are (successes, units).
        scale: ends of the scale of both sides' values; None: no end.
        seed: random seed; used if there are more arrangements than ``permutations``, to draw a sample of them.
        permutations: maximum number of arrangements to evaluate.
        confidence: confidence level of the interval.

    Returns:
        ``n`` is the number of units on both sides together, ``clusters`` the number of distinct clusters. Neither interval
        nor p-value, and why, where no arrangement of so few clusters is rare enough: fewer than six pairs, groups of three
        and four. No interval where nothing varies.

    Raises:
        UsageError: if the sides have different sufficient statistics.
    """
    check_confidence(confidence)
    check_count(permutations, "permutations")
    if a.sums.shape[1] != b.sums.shape[1]:
        raise UsageError(
            f"The two sides have {a.sums.shape[1]} and {b.sums.shape[1]} sums, but must have the same number."
        )
    counts = {"n": a.n + b.n, "clusters": len({*a.keys, *b.keys})}
    for side, data in (("a", a), ("b", b)):
        if not data.keys or not np.isfinite(_value(data, combine)):
            code = ReasonCode.STATISTIC_UNDEFINED_FOR_SIDE if data.keys else ReasonCode.NO_DATA_OF_SIDE
            return Estimate(value=None, why=Reason.of(code, side=side), **counts)
    how = ComparisonSettings(is_share, scale, seed, permutations, confidence)
    found = compare_samples(a, b, combine, how)
    why = None if found.limit is None else _LIMITS[found.limit]
    if found.limit is Limit.NO_VARIATION and a.keys == b.keys:
        why = PAIRS_ALL_EQUAL
    value = found.value if UNITS_DISAGREE in found.facts else _value(a, combine) - _value(b, combine)
    return Estimate(value=value, interval=_interval(found, confidence), why=why, p=found.p, **counts)


def _interval(found: Difference, confidence: float) -> Interval | None:
    if found.low is None or found.high is None:
        return None
    return Interval(low=found.low, high=found.high, confidence=confidence, method=found.method, facts=found.facts)


def _value(data: ClusterSums, combine: Combine) -> float:
    return float(evaluate(combine, data.total[None])[0])
