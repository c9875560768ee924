"""Estimates of statistics of sums, of one system or of the difference of two, with interval and p-value.

Entry point to the methods of this package: shares have score intervals, everything else one that allows for skewness; a
difference has the interval that matches its test. Nothing is random except the sampled arrangements, if there are too many
to enumerate; they follow from the seed and the numbers of clusters, so that equal designs use the same ones.
"""

from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import check_confidence, check_count
from trialogue.stats.comparison.means import skewed_mean
from trialogue.stats.comparison.shares import Share, are_counts, share_interval, share_of, wilson_bounds
from trialogue.stats.comparison.two_sides import (
    FEWEST_IN_A_GROUP,
    FEWEST_PAIRS,
    UNITS_DISAGREE,
    ComparisonSettings,
    Difference,
    Limit,
    compare_samples,
)
from trialogue.stats.resampling.clusters import ClusterSums, Combine, contributions, count_clusters
from trialogue.stats.resampling.replicates import ONE_CLUSTER, evaluate


@dataclass(frozen=True)
class OneSample:
    """A statistic with its error."""

    value: float
    low: float | None = None
    """Lower end; None: there is no interval."""
    high: float | None = None
    method: str = ""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers behind it."""
    limit: Limit | None = None
    """Why there is none."""
    is_unsafe: bool = False
    """Whether clusters are so skewed that the interval may be too narrow."""


def interval_of(
    data: ClusterSums,
    combine: Combine,
    *,
    is_share: bool = False,
    scale: tuple[float | None, float | None] = (None, None),
    confidence: float = 0.95,
) -> OneSample:
    """Interval of a defined statistic.

    Args:
        data: sums of its clusters.
        combine: sums of shape (..., k) to values of shape (...).
        is_share: whether the value is a share of units, so that sums are (successes, units).
        scale: ends of the scale, where the interval is cut off; None: no end.
        confidence: confidence level of the interval.
    """
    if is_share and are_counts(data):
        share = share_of(data)
        if share.clusters < 2:
            return OneSample(share.value, limit=Limit.ONE_CLUSTER)
        found = share_interval(share, confidence=confidence)
        return OneSample(share.value, found.low, found.high, share_method(share), share_facts(share))
    parts = contributions(data, combine)
    if len(parts.each) < 2:
        return OneSample(parts.value, limit=Limit.ONE_CLUSTER)
    if not parts.are_defined:
        return OneSample(parts.value, limit=Limit.UNDEFINED_WITHOUT_A_CLUSTER)
    mean = skewed_mean(parts.each, alike=parts.alike, confidence=confidence)
    if mean is None:
        return OneSample(parts.value, limit=Limit.NO_VARIATION)
    lowest = -np.inf if scale[0] is None else scale[0]
    highest = np.inf if scale[1] is None else scale[1]
    return OneSample(
        value=parts.value,
        low=min(max(mean.low, lowest), parts.value),
        high=max(min(mean.high, highest), parts.value),
        method="Student's t, corrected for skewness",
        facts={"freedom": mean.freedom, "skewness": mean.skewness},
        is_unsafe=mean.is_unsafe,
    )


def share_method(share: Share) -> str:
    """Description of the interval method for a share."""
    return "Wilson score of effective units, t" if share.is_clustered else "Wilson score"


def share_facts(share: Share) -> dict[str, float]:
    """For clustered units: effective size, cluster sizes, and intraclass correlation."""
    if not share.is_clustered:
        return {}
    facts = {
        "effective_units": share.effective,
        "freedom": share.freedom,
        "smallest_cluster": share.smallest,
        "largest_cluster": share.largest,
    }
    return facts if share.correlation is None else {**facts, "correlation": share.correlation}


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
    counts = {"n": a.n + b.n, "clusters": count_clusters(a.keys, b.keys)}
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


def wilson(successes: float, n: int, *, confidence: float = 0.95) -> Estimate:
    """Share of successes with Wilson's score interval; undefined for n = 0.

    Args:
        successes: from 0 to n; halves (ties) are allowed and make the interval a little too wide, because a unit that
            is always a half varies less than one that is 0 or 1.
        n: independent units.
        confidence: confidence level of the interval.

    Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".

    >>> found = wilson(0, 10)     # z^2 / (n + z^2) = 3.8415 / 13.8415
    >>> found.value, found.interval.low, round(found.interval.high, 4)
    (0.0, 0.0, 0.2775)
    """
    check_confidence(confidence)
    if not 0 <= successes <= n:
        raise UsageError(f"successes must lie between 0 and n, got {successes} of {n}.")
    if n == 0:
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_DATA))
    share, z = successes / n, NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = wilson_bounds(share, n, z)
    interval = Interval(low=low, high=high, confidence=confidence, method="Wilson score")
    return Estimate(value=share, interval=interval, n=n, clusters=n)


def clustered_share(data: ClusterSums, *, confidence: float = 0.95) -> Estimate:
    """Share of successes among clustered units, with Wilson's interval at the effective sample size.

    Args:
        data: sums (successes, units) of each cluster; those without units say nothing and are not counted.
        confidence: confidence level of the interval.

    Returns:
        The share; undefined without units. No interval, and why, for one cluster. See ``shares``.

    >>> from trialogue.stats.resampling.clusters import cluster_sums
    >>> data = cluster_sums([[1, 1], [0, 1], [1, 1], [0, 1]], ["ann", "ann", "bob", "bob"])     # one of two in each
    >>> found = clustered_share(data)     # d = 1 at least: four units; t(.975, 1) = 12.706
    >>> found.value, round(found.interval.low, 4), round(found.interval.high, 4)
    (0.5, 0.0061, 0.9939)
    """
    check_confidence(confidence)
    held = data.sums[data.sums[:, 1] > 0] if len(data.keys) else data.sums
    if not len(held):
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_DATA))
    share = share_of(data)
    found = Estimate(value=share.value, n=round(share.units), clusters=share.clusters)
    if share.clusters < 2:
        return found.model_copy(update={"why": ONE_CLUSTER})
    ends = share_interval(share, confidence=confidence)
    interval = Interval(
        low=ends.low, high=ends.high, confidence=confidence, method=share_method(share), facts=share_facts(share)
    )
    return found.model_copy(update={"interval": interval})


def bounded_share(estimate: Estimate, *, confidence: float = 0.95) -> Estimate:
    """Replace the degenerate bootstrap interval of a share that is 0 or 1 in every cluster; others are unchanged.

    Resamples of identical clusters are identical. But if the share were s, each cluster would show at least one
    exception with a probability of s or more; none in m clusters bounds s by Wilson's interval for 0 of m.

    Args:
        estimate: a share of units, without an interval because nothing varied.
        confidence: confidence level of the interval.

    >>> round(bounded_share(Estimate(value=1.0, n=60, clusters=20)).interval.low, 4)     # 20 / (20 + 1.96^2)
    0.8389
    """
    clusters = estimate.clusters or 0
    if estimate.interval is not None or estimate.value not in (0.0, 1.0) or clusters < 2:
        return estimate
    found = wilson(clusters if estimate.value == 1 else 0, clusters, confidence=confidence)
    assert found.interval is not None
    method = f"Wilson score of {clusters} identical clusters"
    interval = found.interval.model_copy(update={"method": method})
    return estimate.model_copy(update={"interval": interval, "why": None})
