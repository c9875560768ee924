"""Intervals and p-values of shares and of differences of shares, valid where nothing varies.

A share of n independent units has Wilson's score interval. Clustered units are worth fewer independent ones (the effective
size), which is itself estimated imprecisely, so Student's t replaces z. Where all clusters are alike the variance
between them is 0, and a method that relied on it would be certain: there every cluster counts as one unit.

The difference of two shares combines both sides' intervals by squares (Newcombe 1998, method 10; Zou &
Donner 2008), and p is the level at which it would end at zero. Enumerated for 5 to 200 independent units a side and shares
from .02 to .5, the error of the test at .05 is .02 to .05 on average and at most .062; 0/15 against 10/100 has p = .21
(Fisher: .36).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, as_floats, check_confidence
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums, effective_clusters

WIDEST = 1e4  # quantile up to which the level of a p-value is looked for
HALVINGS = 60  # of a bisection


@dataclass(frozen=True)
class Share:
    """A share with its effective sample size."""

    value: float
    """Successes over units."""
    units: float
    effective: float
    """Independent units that they are worth."""
    clusters: int
    """Clusters that hold units."""
    alike: float
    """As how many clusters of equal size these count."""
    smallest: float
    """Units of the smallest cluster."""
    largest: float
    """Units of the largest cluster."""
    correlation: float | None
    """Intraclass correlation, may be negative; None: each cluster is one unit, or nothing varies."""

    @property
    def is_clustered(self) -> bool:
        """Whether any cluster holds several units."""
        return self.largest > 1

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the effective size; infinite if every cluster is one unit."""
        return max(self.alike - 1, 1.0) if self.is_clustered else float("inf")


@dataclass(frozen=True)
class ShareInterval:
    """Interval of a share or of a difference of shares."""

    low: float
    high: float
    freedom: float = float("inf")
    """Degrees of freedom of the t quantile; infinite: normal."""
    p: float | None = None
    """For differences: two-sided p-value of zero, below 1 - confidence exactly if the interval excludes zero."""


def are_counts(data: ClusterSums) -> bool:
    """Whether the two sums of each cluster are integer successes and units."""
    if data.sums.shape[1] != 2 or not len(data.sums):
        return False
    hits, units = data.sums.T
    whole = np.array_equal(data.sums, np.rint(data.sums))
    return bool(whole and (hits >= 0).all() and (hits <= units).all() and units.sum() > 0)


def share_of(data: ClusterSums) -> Share:
    """Compute a share with its effective size.

    The design effect is the jackknife variance of the share between clusters over p (1 - p) / n, and at least 1: from few
    clusters it is hardly known, and units of a cluster do not resemble each other less than others by nature. Where every
    unit is a success, or none is, the effective size is the number of clusters (for unequal sizes (sum m)^2 / sum m^2).

    Args:
        data: whole sums (successes, units) of each cluster; clusters without units say nothing.
    """
    held = data.sums[data.sums[:, 1] > 0]
    hits, sizes = held.T
    units, value = float(sizes.sum()), float(hits.sum() / sizes.sum())
    alike = effective_clusters(sizes)
    effective = alike if value in (0.0, 1.0) or len(held) < 2 else _effective_size(hits, sizes, value)
    return Share(
        value=value,
        units=units,
        effective=effective,
        clusters=len(held),
        alike=alike,
        smallest=float(sizes.min()),
        largest=float(sizes.max()),
        correlation=intraclass_correlation(hits, sizes),
    )


def _effective_size(hits: Floats, sizes: Floats, value: float) -> float:
    """n over the design effect, at least one unit."""
    units, clusters = float(sizes.sum()), len(sizes)
    if sizes.max() == 1:
        return units
    without = (hits.sum() - hits) / (units - sizes)
    variance = (clusters - 1) / clusters * float(np.sum((np.sort(without) - without.mean()) ** 2))
    return max(units / max(variance / (value * (1 - value) / units), 1.0), 1.0)


def intraclass_correlation(hits: Floats, sizes: Floats) -> float | None:
    """ANOVA estimate for units of one cluster, from 0 and 1; None without repetition or variation.

    Ridout, Demetrio & Firth (1999), "Estimating Intraclass Correlation for Binary Data".

    >>> intraclass_correlation(np.array([2.0, 0.0]), np.array([2.0, 2.0]))     # between 1 / 1, within 0
    1.0
    """
    units, clusters = float(sizes.sum()), len(sizes)
    value = float(hits.sum()) / units
    if clusters < 2 or sizes.max() == 1 or value in (0.0, 1.0):
        return None
    between = float(np.sum(sizes * (hits / sizes - value) ** 2)) / (clusters - 1)
    within = float(np.sum(hits * (1 - hits / sizes))) / (units - clusters)
    size = (units - float(np.sum(sizes**2)) / units) / (clusters - 1)
    scale = between + (size - 1) * within
    return (between - within) / scale if scale else None


def wilson_bounds(value: float, units: float, quantile: float) -> tuple[float, float]:
    """Wilson bounds at a normal quantile for an effective number of units; exactly 0 and 1 at those ends.

    Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".
    """
    shrink = 1 + quantile**2 / units
    middle = (value + quantile**2 / (2 * units)) / shrink
    reach = quantile / shrink * (value * (1 - value) / units + quantile**2 / (4 * units**2)) ** 0.5
    low = 0.0 if value == 0 else max(0.0, middle - reach)
    high = 1.0 if value == 1 else min(1.0, middle + reach)
    return low, high


def share_interval(share: Share, *, confidence: float = 0.95) -> ShareInterval:
    """Wilson's interval at the effective size, with t if units are clustered.

    Korn & Graubard (1998), "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated
    from Survey Data", for the effective size and t.
    """
    low, high = wilson_bounds(share.value, share.effective, _quantile(share.freedom, confidence))
    return ShareInterval(low, high, share.freedom)


def share_difference(a: Share, b: Share, *, confidence: float = 0.95) -> ShareInterval:
    """Difference a - b of shares of independent groups, with interval and p-value.

    With l, u the Wilson bounds of each side, d - sqrt((a - l_a)^2 + (u_b - b)^2) to d + sqrt((u_a - a)^2 + (b - l_b)^2). The
    degrees of freedom are Satterthwaite's over both sides; a side whose clusters are single units has infinitely many.

    Newcombe (1998), "Interval Estimation for the Difference between Independent Proportions: Comparison of Eleven Methods".
    """
    freedom = _degrees_of_freedom(a, b)
    gap = a.value - b.value

    def bounds(quantile: float) -> tuple[float, float]:
        (low_a, high_a), (low_b, high_b) = (wilson_bounds(one.value, one.effective, quantile) for one in (a, b))
        return gap - float(np.hypot(a.value - low_a, high_b - b.value)), gap + float(
            np.hypot(high_a - a.value, b.value - low_b)
        )

    return _invert(gap, bounds, freedom, confidence)


def _degrees_of_freedom(a: Share, b: Share) -> float:
    """Satterthwaite's, with variances of shares drawn towards 1/2 so that a group without variation has one."""
    parts = [(_variance(one), one.freedom) for one in (a, b)]
    squares = sum(variance**2 / freedom for variance, freedom in parts)
    return sum(variance for variance, _ in parts) ** 2 / squares if squares else float("inf")


def _variance(share: Share) -> float:
    """After two successes and two failures more (Agresti & Coull 1998)."""
    drawn = (share.value * share.effective + 2) / (share.effective + 4)
    return drawn * (1 - drawn) / (share.effective + 4)


def paired_share_difference(only_a: int, only_b: int, pairs: int, *, confidence: float = 0.95) -> ShareInterval:
    """Difference of shares of the same units, with Tango's score interval and McNemar's test.

    Args:
        only_a: units with a success of a alone.
        only_b: units with a success of b alone.
        pairs: units in all.
        confidence: confidence level of the interval.

    The score test of zero is McNemar's without correction, so both agree. Enumerated for 6 to 40 pairs, shares from .02 to
    .5 and correlations 0 and .5, its error at .05 is at most .053. Tango (1998), "Equivalence Test and Confidence Interval
    for the Difference in Proportions for the Paired-Sample Design".
    """
    gap = (only_a - only_b) / pairs

    def bounds(quantile: float) -> tuple[float, float]:
        return (
            _edge(lambda gap_: _tango(only_a, only_b, pairs, gap_) <= quantile, gap, -1.0),
            _edge(lambda gap_: -_tango(only_a, only_b, pairs, gap_) <= quantile, gap, 1.0),
        )

    from scipy.special import ndtr

    p = 1.0 if only_a == only_b else 2 * float(ndtr(-abs(only_a - only_b) / (only_a + only_b) ** 0.5))
    low, high = bounds(_quantile(float("inf"), confidence))
    return ShareInterval(*move_past_zero(low, high, gap, p < 1 - confidence), p=min(1.0, p))


def _tango(only_a: int, only_b: int, pairs: int, gap: float) -> float:
    """The score statistic that the difference is ``gap``, with the most likely share of b alone under it."""
    if abs(gap) >= 1:
        return float("inf") if gap < 0 else -float("inf")
    linear = -only_a - only_b + (2 * pairs - only_a + only_b) * gap
    root = max(linear**2 + 8 * pairs * only_b * gap * (1 - gap), 0.0) ** 0.5
    rest = max((root - linear) / (4 * pairs), 0.0)
    variance = pairs * (2 * rest + gap * (1 - gap))
    distance = only_a - only_b - pairs * gap
    if variance <= 0:
        return 0.0 if distance == 0 else float(np.sign(distance)) * float("inf")
    return float(distance / variance**0.5)


def _edge(is_kept: Callable[[float], bool], inside: float, outside: float) -> float:
    """Boundary of a monotone condition that holds inside and not outside."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if is_kept(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _invert(
    gap: float, bounds: Callable[[float], tuple[float, float]], freedom: float, confidence: float
) -> ShareInterval:
    """The interval at a level, and as p the level at which it ends at zero."""
    if gap == 0:
        p = 1.0
    else:
        side = 0 if gap > 0 else 1
        p = min(1.0, 2 * _tail(_edge(lambda one: bounds(one)[side] * gap > 0, 0.0, WIDEST), freedom))
    low, high = bounds(_quantile(freedom, confidence))
    return ShareInterval(*move_past_zero(low, high, gap, p < 1 - confidence), freedom=freedom, p=p)


def move_past_zero(low: float, high: float, gap: float, leaves_out: bool) -> tuple[float, float]:
    """The ends, with zero just outside where p says so, and just inside where not: rounding may part the two."""
    if gap > 0:
        return (max(low, np.finfo(float).tiny) if leaves_out else min(low, 0.0)), high
    if gap < 0:
        return low, (min(high, -np.finfo(float).tiny) if leaves_out else max(high, 0.0))
    return low, high


def _quantile(freedom: float, confidence: float) -> float:
    from scipy.special import ndtri, stdtrit

    tail = (1 + confidence) / 2
    return float(ndtri(tail)) if np.isinf(freedom) else float(stdtrit(freedom, tail))


def _tail(quantile: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(-quantile)) if np.isinf(freedom) else float(stdtr(freedom, -quantile))


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
