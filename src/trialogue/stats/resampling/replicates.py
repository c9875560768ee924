"""Bootstrap replicates, and percentile intervals from them.

A statistic is a function of *weights*: how often each unit was drawn, for many resamples at once. So a resample is a
row of counts and no data are copied; statistics that are functions of sums become one matrix product.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, MAX_UNDEFINED, Floats, Ints, check_confidence, check_count

Weighted: TypeAlias = Callable[[Floats], Floats]
"""Weights of shape (r, n_units) to values of shape (r,); NaN where undefined."""


POOLED_SHARE = 6  # drawing a unit costs about a sixth of drawing a count, so count only where units repeat that often
ONE_CLUSTER = Reason.of(ReasonCode.ONE_CLUSTER)
UNDEFINED = Reason.of(ReasonCode.STATISTIC_UNDEFINED)
FEWEST = 10  # clusters that a jackknife of a bounded statistic needs
MANY = 50  # clusters from which percentile intervals of bounded statistics cover .93 and more
SAME = 1e-12  # relative spread below which replicates are the same number


@dataclass(frozen=True)
class Bounds:
    """An interval, or the reason why there is none."""

    interval: Interval | None
    """The interval."""
    why: Reason | None = None
    """Why it is missing."""


def weight_chunks(counts: Ints, resamples: int, rng: np.random.Generator, *, width: int = 1) -> Iterator[Floats]:
    """Bootstrap weights of shape (r, n_units), in chunks that together have ``resamples`` rows.

    Args:
        counts: how often each unit occurs in the data, shape (n_units,); each row of weights sums to their sum.
        resamples: rows in all.
        rng: source of randomness.
        width: numbers that the statistic needs for each resample, to keep memory bounded.
    """
    size = int(counts.sum())
    rows = max(1, CELLS // max(size, len(counts), width))
    for start in range(0, resamples, rows):
        yield _weights(counts, size, min(rows, resamples - start), rng)


def _weights(counts: Ints, size: int, rows: int, rng: np.random.Generator) -> Floats:
    if len(counts) * POOLED_SHARE <= size:
        return rng.multinomial(size, counts / size, size=rows).astype(np.float64)
    drawn = rng.integers(0, size, size=(rows, size))
    if len(counts) < size:
        drawn = np.repeat(np.arange(len(counts)), counts)[drawn]
    # One bincount for all rows: each row gets a range of numbers of its own. A bincount a row takes a Python loop.
    drawn += np.arange(rows)[:, None] * len(counts)
    return np.bincount(drawn.ravel(), minlength=rows * len(counts)).reshape(rows, -1).astype(np.float64)


def evaluate(statistic: Weighted, weights: Floats) -> Floats:
    """Evaluate a statistic at each row of weights; divisions by zero give NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(weights), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def check_method(method: str, known: Sequence[str]) -> None:
    """Raise UsageError for a method of an interval that is none of those known."""
    if method not in known:
        raise UsageError(f"There is no method {method!r}. Known: {', '.join(known)}.")


@dataclass(frozen=True)
class Plan:
    """Settings of a resampling interval."""

    rng: np.random.Generator | None
    """Source of randomness; None: no interval."""
    resamples: int = 10_000
    """Bootstrap replicates."""
    confidence: float = 0.95
    """Confidence level of the interval."""
    ends: tuple[float, float] | None = None
    """Ends of the statistic's scale: fewer than 50 clusters then have a jackknife in place of ``percentile``. None: none."""

    def __post_init__(self) -> None:
        """Raise UsageError for invalid options."""
        check_confidence(self.confidence)
        check_count(self.resamples, "resamples")

    @property
    def label(self) -> str:
        """Name of the method."""
        return f"cluster bootstrap, percentile, {self.resamples} resamples"


def bootstrap_weighted(
    statistic: Weighted,
    counts: Ints,
    plan: Plan,
    *,
    n: int,
    width: int = 1,
    undefined: Reason = UNDEFINED,
    value: float | None = None,
) -> Estimate:
    """Estimate a function of weights, with its bootstrap interval.

    Args:
        statistic: values of shape (r,) at weights of shape (r, n_units); NaN where undefined.
        counts: how often each unit occurs in the data, shape (n_units,); units are clusters, or pooled rows.
        plan: how to resample.
        n: the units that the estimate reports.
        width: numbers that the statistic needs for each resample.
        undefined: the reason given where the statistic itself is undefined.
        value: the estimate, where it is known better than by the statistic at ``counts``.
    """
    clusters = int(counts.sum())
    if value is None:
        value = float(evaluate(statistic, counts[None].astype(np.float64))[0]) if clusters else float("nan")
    if not np.isfinite(value):
        return Estimate(
            value=None, n=n, clusters=clusters, why=undefined if clusters else Reason.of(ReasonCode.NO_DATA)
        )
    bounds = _bounds(statistic, counts, plan, value, width)
    return Estimate(value=value, interval=bounds.interval, n=n, clusters=clusters, why=bounds.why)


def _bounds(statistic: Weighted, counts: Ints, plan: Plan, value: float, width: int) -> Bounds:
    if plan.rng is None:
        return Bounds(None, Reason.of(ReasonCode.NO_RNG))
    if counts.sum() < 2:
        return Bounds(None, ONE_CLUSTER)
    if plan.ends is not None and counts.sum() < MANY:
        return _jackknife(leave_one_out(statistic, counts, width=width), counts, value, plan.ends, plan.confidence)
    chunks = weight_chunks(counts, plan.resamples, plan.rng, width=width)
    replicates = np.concatenate([evaluate(statistic, weights) for weights in chunks])
    return percentile(replicates, plan.confidence, plan.label)


def leave_one_out(statistic: Weighted, counts: Ints, *, width: int = 1) -> Floats:
    """Leave-one-unit-out values of the statistic, shape (n_units,)."""
    rows = max(1, CELLS // max(len(counts), width))
    found = []
    for start in range(0, len(counts), rows):
        index = np.arange(start, min(start + rows, len(counts)))
        weights = np.repeat(counts[None].astype(np.float64), len(index), axis=0)
        weights[np.arange(len(index)), index] -= 1
        found.append(evaluate(statistic, weights))
    return np.concatenate(found)


def _jackknife(deleted: Floats, counts: Ints, value: float, ends: tuple[float, float], confidence: float) -> Bounds:
    """Interval of few clusters: the jackknife's error on the logit of the scale, with Student's t.

    Percentile intervals of agreement cover .75 to .93 with 10 items or clusters, and .83 with 5; these .94 to .97 (nominal
    alpha .90 to .91), and none is given below 10 (``benchmarks/FEW_CLUSTERS.md``). The logit of a scale from -1 to 1 is
    twice Fisher's z.
    """
    clusters = int(counts.sum())
    if clusters < FEWEST:
        return Bounds(None, Reason.of(ReasonCode.TOO_FEW_FOR_JACKKNIFE, clusters=clusters, needed=FEWEST))
    if not np.isfinite(deleted).all():
        return Bounds(None, Reason.of(ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER))
    squares = (clusters - 1) / clusters * float(counts @ (deleted - counts @ deleted / clusters) ** 2)
    if squares <= SAME**2 or not ends[0] < value < ends[1]:
        return Bounds(None, Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL))
    return Bounds(
        logit_interval(
            value, squares**0.5, clusters - 1, ends, confidence, f"jackknife over {clusters} clusters, logit, t"
        )
    )


def logit_interval(
    value: float, error: float, freedom: float, ends: tuple[float, float], confidence: float, method: str
) -> Interval:
    """Interval of a value between the ends of its scale, symmetric on the logit, with Student's t.

    >>> found = logit_interval(0.8, 0.1, 9, (0, 1), 0.95, "t")     # 1.3863 -+ 2.2622 * .1 / (.8 * .2)
    >>> round(found.low, 3), round(found.high, 3)
    (0.493, 0.943)
    """
    from scipy.special import expit, logit, stdtrit

    low, width = ends[0], ends[1] - ends[0]
    place = (value - low) / width
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error / width / (place * (1 - place))
    found = low + width * expit(float(logit(place)) + np.array([-reach, reach]))
    return Interval(low=float(found[0]), high=float(found[1]), confidence=confidence, method=method)


def percentile(replicates: Floats, confidence: float, label: str) -> Bounds:
    """Percentile interval from replicates of shape (R,).

    Undefined replicates are left out; there is no interval if they are more than 5%, and none if all replicates are
    the same number: [v, v] would claim certainty where the data merely show no variation.
    Efron & Tibshirani (1993), "An Introduction to the Bootstrap", ch. 13.
    """
    defined = replicates[np.isfinite(replicates)]
    missing = 1 - len(defined) / len(replicates)
    if missing > MAX_UNDEFINED:
        return Bounds(None, Reason.of(ReasonCode.RESAMPLES_UNDEFINED, share=missing))
    if np.ptp(defined) <= SAME * max(1.0, float(np.abs(defined).max())):
        return Bounds(None, Reason.of(ReasonCode.RESAMPLES_ALL_EQUAL))
    ends = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Bounds(Interval(low=ends[0], high=ends[1], confidence=confidence, method=label))
