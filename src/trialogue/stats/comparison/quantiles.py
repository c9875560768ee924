"""Quantiles of values in clusters, with intervals that respect the clusters."""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import as_floats, check_confidence
from trialogue.stats.comparison.shares import share_of
from trialogue.stats.resampling.clusters import cluster_sums

METHOD = "Woodruff: inverted Clopper-Pearson interval of the share below, for effective units, t"


def quantile_of(
    values: npt.ArrayLike, clusters: Sequence[Hashable], share: float, *, confidence: float = 0.95
) -> Estimate:
    """The quantile of values of shape (n,), between order statistics as numpy has it, with an interval.

    The interval holds every value that may have ``share`` of all below it: those for which the share's own interval covers
    it (Woodruff 1952). That one is exact for the number of independent values that the clustered ones are worth (Korn &
    Graubard 1998), so that it also holds near 0 and 1. No interval, and why, where one end lies beyond all values, with
    one cluster, or if all values are equal.

    >>> found = quantile_of(range(1, 101), range(100), 0.5)
    >>> found.value, found.interval.low, found.interval.high
    (50.5, 40.0, 61.0)
    """
    from scipy.special import ndtri, stdtrit

    check_confidence(confidence)
    array = np.sort(as_floats(values, "values", ndim=1))
    count = {"n": len(array), "clusters": len(set(clusters))}
    if not len(array):
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA), **count)
    value = float(np.quantile(array, share))
    if count["clusters"] < 2 or array[0] == array[-1]:
        code = ReasonCode.ONE_CLUSTER if count["clusters"] < 2 else ReasonCode.CLUSTERS_ALL_EQUAL
        return Estimate(value=value, why=Reason.of(code), **count)
    below = np.asarray(values, dtype=np.float64) <= value
    known = share_of(cluster_sums(np.column_stack([below, np.ones(len(below))]), clusters))
    tail = (1 + confidence) / 2
    widening = 1.0 if np.isinf(known.freedom) else float(ndtri(tail) / stdtrit(known.freedom, tail)) ** 2
    effective = max(known.effective * widening, 1.0)
    ends = _ranks(share, effective, len(array), 1 - tail)
    if ends is None:
        return Estimate(value=value, why=Reason.of(ReasonCode.INTERVAL_UNBOUNDED), **count)
    low, high = (float(array[rank]) for rank in ends)
    facts = {"effective_units": effective, "freedom": known.freedom} if known.is_clustered else {}
    interval = Interval(low=min(low, value), high=max(high, value), confidence=confidence, method=METHOD, facts=facts)
    return Estimate(value=value, interval=interval, **count)


def _ranks(share: float, effective: float, n: int, tail: float) -> tuple[int, int] | None:
    """First and last place (from 0) of sorted values that may be the quantile; None where an end lies beyond them.

    A value with h of n up to it is too low if ``share`` lies above the upper bound of h / n, and too high if it lies below
    the lower bound of (h - 1) / n, those below it.
    """
    from scipy.special import betainc

    hits = np.arange(n + 1) / n * effective
    with np.errstate(invalid="ignore"):
        # P(at most h successes) and P(at least h), of a binomial with a real number of trials.
        at_most = np.where(hits < effective, betainc(np.maximum(effective - hits, 1e-12), hits + 1, 1 - share), 1.0)
        at_least = np.where(hits > 0, betainc(np.maximum(hits, 1e-12), effective - hits + 1, share), 1.0)
    low = int(np.searchsorted(at_most > tail, True))  # the first number of values below that is not too small
    high = int(np.searchsorted(at_least <= tail, True)) - 1  # the last that is not too large
    return None if low < 1 or high >= n else (low - 1, high)
