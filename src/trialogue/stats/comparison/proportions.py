"""Intervals for shares of independent units, valid at shares of 0 and 1."""

from statistics import NormalDist

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import check_confidence
from trialogue.stats.comparison.one_side import share_facts, share_method
from trialogue.stats.comparison.shares import share_interval, share_of, wilson_bounds
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.resampling.replicates import ONE_CLUSTER


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
