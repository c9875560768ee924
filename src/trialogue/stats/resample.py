"""The cluster bootstrap that every interval rests on, and the tests of differences that go with it.

A statistic is described by two things: sums of *sufficient statistics* in each cluster (``cluster_sums``), and
``combine``, which turns sums of shape (..., k) into values of shape (...), NaN where undefined. A mean is
``sums[..., 0] / sums[..., 1]`` over rows (x, 1); so are rates, ratios, kappa, a correlation. Resampling clusters is
then one matrix product, whatever the statistic costs.

What it honestly covers, measured on 4,000 simulated data sets each: 95 % percentile intervals of a mean of normal
clusters cover 94.3 % with 100 clusters, 93.6 % with 40, 92.4 % with 20 and 90.5 % with 10 (BCa: 94.0, 93.3, 92.2,
90.0); of a ratio of sums 94.4 % with 100 and 91.8 % with 20. With fewer than about 30 clusters read them as too narrow;
``jackknife``, with its t quantiles, covers 95 % of a mean there.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, Floats, Ints, Values, as_floats, check_same_length
from trialogue.stats.clusters import ClusterSums, cluster_sums, picked
from trialogue.stats.jackknife import jackknife, jackknife_difference
from trialogue.stats.permutation import permutation_p
from trialogue.stats.replicates import (
    ONE_CLUSTER,
    UNDEFINED,
    Bounds,
    Method,
    Plan,
    bca,
    bootstrap_weighted,
    evaluate,
    percentile,
    weight_chunks,
)

__all__ = [
    "ClusterSums",
    "Combine",
    "bootstrap",
    "bootstrap_sums",
    "cluster_sums",
    "difference",
    "jackknife",
    "jackknife_difference",
    "paired_bootstrap",
    "paired_permutation",
]

Combine: TypeAlias = Callable[[Floats], Floats]
"""Sums of shape (..., k) to values of shape (...); NaN where undefined."""


def mean_of(sums: Floats) -> Floats:
    """Mean, where the columns are the sum of the values and their number."""
    means: Floats = sums[..., 0] / sums[..., 1]
    return means


def bootstrap_sums(
    data: ClusterSums,
    combine: Combine,
    *,
    rng: np.random.Generator | None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: Method = "percentile",
    undefined: Reason = UNDEFINED,
) -> Estimate:
    """A statistic of sums with an interval by resampling whole clusters.

    Args:
        data: the sums in each cluster.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        rng: source of randomness; None: the value without an interval.
        resamples: bootstrap replicates.
        confidence: of the interval.
        method: ``percentile``, or ``bca`` with the delete-one-cluster jackknife.
        undefined: the reason given where the statistic itself is undefined.

    Returns:
        ``combine(data.total)``, with ``n`` units and their clusters. No interval, and why, with fewer than two
        clusters, with more than 5 % undefined replicates, or if all replicates are the same number.

    >>> data = cluster_sums([[1, 1], [0, 1], [1, 1], [1, 1]], ["ann", "bob", "cy", "cy"])
    >>> rate = bootstrap_sums(data, lambda sums: sums[..., 0] / sums[..., 1], rng=np.random.default_rng(0))
    >>> rate.value, rate.n, rate.clusters
    (0.75, 4, 3)
    """
    return estimate_sums(data, combine, Plan(rng, resamples, confidence, method), undefined=undefined)


def estimate_sums(data: ClusterSums, combine: Combine, plan: Plan, *, undefined: Reason = UNDEFINED) -> Estimate:
    """``bootstrap_sums`` by a plan."""
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
    """The distinct rows, and how often each occurs: clusters with equal sums are interchangeable."""
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return distinct, counts.astype(np.int64)


def _value(data: ClusterSums, combine: Combine) -> float:
    return float(evaluate(combine, data.total[None])[0])


def difference(
    a: ClusterSums,
    b: ClusterSums,
    combine: Combine,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    confidence: float = 0.95,
    permutations: int = 10_000,
) -> Estimate:
    """How much larger a statistic of sums is for ``a`` than for ``b``, with interval and p-value.

    Clusters are matched by key. Clusters on both sides are drawn together (a paired comparison); if the sides share
    none, each is drawn with its own size (two independent samples); if they share some, the union is drawn.

    The p-value is two-sided and from the delete-one-cluster jackknife of both values (``jackknife_difference``): a paired t
    test on what clusters contribute where both sides have them, Welch's where not. A permutation of whole clusters would
    not do: where the sides' clusters hold unequal numbers of units it finds differences that are not there (11 to 26 % of
    the time at a level of 5 %, in simulations with 12 against 3 and 10 against 1 units). Only where every cluster shows
    the very same difference, so that there is no spread to compare it with, the sides of shared clusters are swapped, and
    clusters of one side dealt out anew: p = (1 + permuted differences as large) / (1 + permutations).

    Args:
        a: sums of one side.
        b: sums of the other.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        rng: source of randomness.
        resamples: bootstrap replicates.
        confidence: of the interval.
        permutations: of the test, where it is by permutation.

    Returns:
        ``n`` is the number of units on both sides together, ``clusters`` the number of distinct clusters. With fewer
        than two clusters (on either side, if independent) there is neither interval nor p-value.

    Raises:
        UsageError: if the sides have different sufficient statistics.
    """
    plan = Plan(rng, resamples, confidence)
    if a.sums.shape[1] != b.sums.shape[1]:
        raise UsageError(f"The two sides have {a.sums.shape[1]} and {b.sums.shape[1]} sums; they must be of one kind.")
    keys = set(a.keys) | set(b.keys)
    counts = {"n": a.n + b.n, "clusters": len(keys)}
    for side, data in (("a", a), ("b", b)):
        if not data.keys or not np.isfinite(_value(data, combine)):
            why = (
                Reason.of(ReasonCode.STATISTIC_UNDEFINED_FOR_SIDE, side=side)
                if data.keys
                else Reason.of(ReasonCode.NO_DATA_OF_SIDE, side=side)
            )
            return Estimate(value=None, why=why, **counts)
    value = _value(a, combine) - _value(b, combine)
    independent = len(keys) == len(a.keys) + len(b.keys)
    if (min(len(a.keys), len(b.keys)) if independent else len(keys)) < 2:
        return Estimate(value=value, why=ONE_CLUSTER, **counts)
    draw = _independent_replicates if independent else _matched_replicates
    bounds = percentile(draw(a, b, combine, resamples, rng), confidence, plan.label)
    sides = _without_each(a, combine), _without_each(b, combine)
    p = jackknife_difference(*sides, _value(a, combine), _value(b, combine), a.n + b.n).p
    if p is None:
        p = permutation_p(a, b, combine, value, permutations=permutations, rng=rng)
    return Estimate(value=value, interval=bounds.interval, why=bounds.why, p=p, **counts)


def _without_each(data: ClusterSums, combine: Combine) -> dict[Hashable, float]:
    """The statistic without each cluster in turn."""
    values = evaluate(combine, data.total - data.sums)
    return dict(zip(data.keys, values.tolist(), strict=True))


def _independent_replicates(
    a: ClusterSums, b: ClusterSums, combine: Combine, resamples: int, rng: np.random.Generator
) -> Floats:
    return _replicates(a.sums, combine, resamples, rng) - _replicates(b.sums, combine, resamples, rng)


def _matched_replicates(
    a: ClusterSums, b: ClusterSums, combine: Combine, resamples: int, rng: np.random.Generator
) -> Floats:
    k = a.sums.shape[1]
    sums_a, sums_b = dict(zip(a.keys, a.sums, strict=True)), dict(zip(b.keys, b.sums, strict=True))
    absent = np.zeros(k)
    both = [np.concatenate([sums_a.get(key, absent), sums_b.get(key, absent)]) for key in {**sums_a, **sums_b}]
    return _replicates(np.array(both), lambda sums: combine(sums[..., :k]) - combine(sums[..., k:]), resamples, rng)


def _replicates(rows: Floats, combine: Combine, resamples: int, rng: np.random.Generator) -> Floats:
    rows, counts = distinct_rows(rows)
    chunks = weight_chunks(counts, resamples, rng, width=rows.shape[1])
    return np.concatenate([evaluate(combine, weights @ rows) for weights in chunks])


def bootstrap(
    values: Values,
    statistic: Callable[[Floats], Floats],
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: Method = "percentile",
) -> Estimate:
    """Any statistic of independent values, with its bootstrap interval.

    Args:
        values: shape (n,); missing ones (NaN, None) are left out.
        statistic: values of shape (..., n) to shape (...), such as ``lambda x: np.median(x, axis=-1)``.
        rng: source of randomness.
        resamples: bootstrap replicates.
        confidence: of the interval.
        method: ``percentile`` or ``bca``.

    Where the statistic is a function of sums, ``bootstrap_sums`` is far quicker and takes clusters.

    >>> middle = bootstrap([1, 2, 3, 4, 100], lambda x: np.median(x, axis=-1), rng=np.random.default_rng(0))
    >>> middle.value, middle.interval.low, middle.interval.high
    (3.0, 1.0, 100.0)
    """
    plan = Plan(rng, resamples, confidence, method)
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
    bounds = _bounds(data, statistic, value, replicates, plan)
    return Estimate(value=value, interval=bounds.interval, n=size, clusters=size, why=bounds.why)


def _bounds(
    data: Floats, statistic: Callable[[Floats], Floats], value: float, replicates: Floats, plan: Plan
) -> Bounds:
    label = plan.label.removeprefix("cluster ")
    if plan.method == "percentile":
        return percentile(replicates, plan.confidence, label)
    deleted = np.array([float(evaluate(statistic, np.delete(data, i)[None])[0]) for i in range(len(data))])
    return bca(replicates, value, deleted, np.ones(len(data), dtype=np.int64), plan.confidence, label)


def paired_bootstrap(
    a: Values,
    b: Values,
    *,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: Method = "percentile",
) -> Estimate:
    """Mean of ``a - b`` over aligned pairs, with an interval by resampling pairs, or clusters of pairs.

    Pairs with a missing side are left out; ``n`` counts those that remain.

    >>> paired_bootstrap([3, 4, 5], [1, 3, None], rng=np.random.default_rng(0)).value     # (2 + 1) / 2
    1.5
    """
    gaps, keys = _gaps(a, b, clusters)
    data = cluster_sums(np.column_stack([gaps, np.ones(len(gaps))]), keys)
    return bootstrap_sums(data, mean_of, rng=rng, resamples=resamples, confidence=confidence, method=method)


def paired_permutation(
    a: Values,
    b: Values,
    *,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    permutations: int = 10_000,
) -> Estimate:
    """Mean of ``a - b`` over aligned pairs, with the two-sided p-value of the sign-flip test and no interval.

    The signs of all pairs of a cluster are flipped together. Pairs with a missing side are left out.
    Fisher (1935), "The Design of Experiments".
    """
    gaps, keys = _gaps(a, b, clusters)
    ones = np.ones(len(gaps))
    # Half of each gap above zero and half below: the mean gap is their difference, and a swap flips its sign.
    here = cluster_sums(np.column_stack([gaps / 2, ones]), keys)
    there = cluster_sums(np.column_stack([-gaps / 2, ones]), keys)
    found = {"n": here.n, "clusters": len(here.keys)}
    if not here.n:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA), **found)
    value = _value(here, mean_of) - _value(there, mean_of)
    if len(here.keys) < 2:
        return Estimate(value=value, why=ONE_CLUSTER, **found)
    p = permutation_p(here, there, mean_of, value, permutations=permutations, rng=rng)
    return Estimate(value=value, why=Reason.of(ReasonCode.PERMUTATION_HAS_NO_INTERVAL), p=p, **found)


def _gaps(a: Values, b: Values, clusters: Sequence[Hashable] | None) -> tuple[Floats, Sequence[Hashable]]:
    left, right = as_floats(a, "a"), as_floats(b, "b")
    check_same_length(a=left, b=right, clusters=clusters)
    gaps = left - right
    keep = np.flatnonzero(~np.isnan(gaps))
    return gaps[keep], picked(clusters, keep) or range(len(keep))
