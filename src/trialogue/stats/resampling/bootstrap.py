"""Cluster bootstrap, for statistics without a better method: agreement, correlations, models' scores.

A statistic is defined by two things: sums of *sufficient statistics* in each cluster (``cluster_sums``), and
``combine``, which turns sums of shape (..., k) into values of shape (...), NaN where undefined. A mean is
``sums[..., 0] / sums[..., 1]`` over rows (x, 1); so are rates, ratios, kappa, a correlation. Resampling clusters is
then one matrix product, whatever the statistic costs.

Coverage, measured on 4,000 simulated data sets each: 95% percentile intervals of a mean of normal
clusters cover 94.3% with 100 clusters, 93.6% with 40, 92.4% with 20 and 90.5% with 10; of a ratio
of sums 94.4% with 100 and 91.8% with 20. With fewer than about 30 clusters they are too narrow.
Means, shares and differences of systems have intervals that are valid there, too: ``inference``.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, Floats, Ints, Values, as_floats
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums
from trialogue.stats.resampling.replicates import (
    UNDEFINED,
    Plan,
    bootstrap_weighted,
    evaluate,
    percentile,
)

__all__ = [
    "ClusterSums",
    "Combine",
    "bootstrap",
    "bootstrap_sums",
    "cluster_sums",
]

Combine: TypeAlias = Callable[[Floats], Floats]
"""Sums of shape (..., k) to values of shape (...); NaN where undefined."""


def mean_of(sums: Floats) -> Floats:
    """Mean, from columns of value sums and counts."""
    means: Floats = sums[..., 0] / sums[..., 1]
    return means


def bootstrap_sums(
    data: ClusterSums,
    combine: Combine,
    *,
    rng: np.random.Generator | None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    undefined: Reason = UNDEFINED,
    ends: tuple[float, float] | None = None,
) -> Estimate:
    """Estimate a statistic of sums, with an interval by resampling whole clusters.

    Args:
        data: the sums in each cluster.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        rng: source of randomness; None: the value without an interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.
        undefined: the reason given where the statistic itself is undefined.
        ends: ends of the statistic's scale: fewer than 50 clusters have a jackknife then, see ``Plan``. None: none.

    Returns:
        ``combine(data.total)``, with ``n`` units and their clusters. No interval, and why, with fewer than two
        clusters, with more than 5% undefined replicates, or if all replicates are the same number.

    >>> data = cluster_sums([[1, 1], [0, 1], [1, 1], [1, 1]], ["ann", "bob", "cy", "cy"])
    >>> rate = bootstrap_sums(data, lambda sums: sums[..., 0] / sums[..., 1], rng=np.random.default_rng(0))
    >>> rate.value, rate.n, rate.clusters
    (0.75, 4, 3)
    """
    return estimate_sums(data, combine, Plan(rng, resamples, confidence, ends), undefined=undefined)


def estimate_sums(data: ClusterSums, combine: Combine, plan: Plan, *, undefined: Reason = UNDEFINED) -> Estimate:
    """``bootstrap_sums`` with a plan."""
    rows, counts = distinct_rows(data.sums)
    return bootstrap_weighted(
        lambda weights: combine(weights @ rows),
        counts,
        plan,
        n=data.n,
        width=data.sums.shape[1],
        undefined=undefined,
        value=_value(data, combine) if data.keys else None,  # from the sums as they are: exact to the last bit
    )


def distinct_rows(rows: Floats) -> tuple[Floats, Ints]:
    """Distinct rows and their counts: clusters with equal sums are interchangeable."""
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return distinct, counts.astype(np.int64)


def _value(data: ClusterSums, combine: Combine) -> float:
    return float(evaluate(combine, data.total[None])[0])


def bootstrap(
    values: Values,
    statistic: Callable[[Floats], Floats],
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate any statistic of independent values, with its bootstrap interval.

    Args:
        values: shape (n,); missing ones (NaN, None) are left out.
        statistic: values of shape (..., n) to shape (...), such as ``lambda x: np.median(x, axis=-1)``.
        rng: source of randomness.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Where the statistic is a function of sums, ``bootstrap_sums`` is far quicker and takes clusters.

    >>> middle = bootstrap([1, 2, 3, 4, 100], lambda x: np.median(x, axis=-1), rng=np.random.default_rng(0))
    >>> middle.value, middle.interval.low, middle.interval.high
    (3.0, 1.0, 100.0)
    """
    plan = Plan(rng, resamples, confidence)
    data = as_floats(values, "values")
    data = np.sort(data[~np.isnan(data)])
    size = len(data)
    if size == 0:
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_DATA))
    value = float(evaluate(statistic, data[None])[0])
    if not np.isfinite(value):
        return Estimate(value=None, n=size, clusters=size, why=UNDEFINED)
    if size < 2:
        return Estimate(value=value, n=size, clusters=size, why=Reason.of(ReasonCode.ONE_VALUE))
    rows = max(1, CELLS // size)
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    replicates = np.concatenate(
        [evaluate(statistic, data[rng.integers(0, size, size=(count, size))]) for count in sizes]
    )
    bounds = percentile(replicates, confidence, plan.label.removeprefix("cluster "))
    return Estimate(value=value, interval=bounds.interval, n=size, clusters=size, why=bounds.why)
