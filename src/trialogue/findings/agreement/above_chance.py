"""Test which of several measures agree with people better than chance, corrected for multiple comparisons.

The best of twenty pure-noise measures has an uncorrected interval above chance more often than not, so single intervals must
not be used to name a best measure.
"""

from collections.abc import Sequence
from statistics import NormalDist

from trialogue.records import Estimate, ReasonCode
from trialogue.stats import bonferroni

LEVEL = 0.05
MIN_CLUSTERS = 10  # below, the bootstrap's intervals are too narrow to trust


def above_chance(estimates: Sequence[Estimate], chance: float, *, level: float = LEVEL) -> list[bool]:
    """Whether each estimate is significantly above chance, Bonferroni-corrected across all of them.

    Args:
        estimates: agreement of measures on one question.
        chance: agreement expected by chance, such as .5 for an AUC.
        level: significance level of the test.
    """
    adjusted = bonferroni([p_of_interval(each, chance) for each in estimates])
    return [
        p is not None and p <= level and (each.value or 0.0) > chance
        for each, p in zip(estimates, adjusted, strict=True)
    ]


def p_of_interval(estimate: Estimate, chance: float) -> float | None:
    """Two-sided p-value against chance, derived from the interval; None without a value, an interval or enough clusters.

    The standard error is taken from the half of the interval that faces chance, as intervals of coefficients are skewed.
    Altman & Bland (2011), "How to obtain the P value from a confidence interval", BMJ 343:d2304.

    >>> from trialogue.records import Interval
    >>> interval = Interval(low=0.5, high=0.7, method="made")
    >>> round(p_of_interval(Estimate(value=0.6, interval=interval, n=40, clusters=40), 0.5), 3)
    0.05
    """
    value, interval = estimate.value, estimate.interval
    if value is None or has_few_clusters(estimate):
        return None
    if interval is None:  # where every resample is as perfect as the sample, the bootstrap has no interval
        is_perfect = estimate.why is not None and estimate.why.code is ReasonCode.RESAMPLES_ALL_EQUAL
        return 0.0 if is_perfect and value != chance else None
    half_width = value - interval.low if value > chance else interval.high - value
    if half_width <= 0:
        return None if value == chance else 0.0
    z = abs(value - chance) / half_width * NormalDist().inv_cdf((1 + interval.confidence) / 2)
    return float(2 * (1 - NormalDist().cdf(z)))


def has_few_clusters(estimate: Estimate) -> bool:
    """Whether an estimate has too few independent clusters for a meaningful interval."""
    return estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS
