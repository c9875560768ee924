"""Shares of yes among independent units, with an interval that works at 0 and 1 too."""

from statistics import NormalDist

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval
from trialogue.stats.arrays import check_confidence


def wilson(successes: float, n: int, *, confidence: float = 0.95) -> Estimate:
    """Share of successes with Wilson's score interval; undefined for n = 0.

    Args:
        successes: from 0 to n; halves (ties) are allowed and make the interval a little too wide, because a unit that
            is always a half varies less than one that is 0 or 1.
        n: independent units.
        confidence: of the interval.

    Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".

    >>> found = wilson(0, 10)     # z^2 / (n + z^2) = 3.8415 / 13.8415
    >>> found.value, found.interval.low, round(found.interval.high, 4)
    (0.0, 0.0, 0.2775)
    """
    check_confidence(confidence)
    if not 0 <= successes <= n:
        raise UsageError(f"successes must lie between 0 and n, got {successes} of {n}.")
    if n == 0:
        return Estimate(value=None, n=0, clusters=0, why="there are no data")
    share, z = successes / n, NormalDist().inv_cdf((1 + confidence) / 2)
    shrink = 1 + z**2 / n
    middle = (share + z**2 / (2 * n)) / shrink
    reach = z / shrink * (share * (1 - share) / n + z**2 / (4 * n**2)) ** 0.5
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    high = 1.0 if successes == n else min(1.0, middle + reach)
    interval = Interval(low=low, high=high, confidence=confidence, method="Wilson score")
    return Estimate(value=share, interval=interval, n=n, clusters=n)


def bounded_share(estimate: Estimate, *, confidence: float = 0.95) -> Estimate:
    """A share that is 0 or 1 in every cluster, with the interval that resampling cannot give it; others as they are.

    Resamples of clusters that are all alike are all alike. But if the share were s, each cluster would show at least one
    exception with a probability of s or more; none in m clusters bounds s by Wilson's interval for 0 of m.

    Args:
        estimate: a share of units, without an interval because nothing varied.
        confidence: of the interval.

    >>> round(bounded_share(Estimate(value=1.0, n=60, clusters=20)).interval.low, 4)     # 20 / (20 + 1.96^2)
    0.8389
    """
    clusters = estimate.clusters or 0
    if estimate.interval is not None or estimate.value not in (0.0, 1.0) or clusters < 2:
        return estimate
    found = wilson(clusters if estimate.value == 1 else 0, clusters, confidence=confidence)
    assert found.interval is not None
    method = f"Wilson score of {clusters} clusters that are all alike"
    interval = found.interval.model_copy(update={"method": method})
    return estimate.model_copy(update={"interval": interval, "why": None})
