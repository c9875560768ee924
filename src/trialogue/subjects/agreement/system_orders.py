"""Orders of systems by people and by a measure: rank correlations, rank intervals, and when no conclusion is drawn."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import midranks_of_rows
from trialogue.stats.resampling.clusters import codes_of
from trialogue.stats.resampling.replicates import weight_chunks
from trialogue.subjects.agreement.records import Statistic
from trialogue.subjects.agreement.score_pairs import Floats

MIN_SYSTEMS = 5
"""With four systems even a perfect order comes by chance with p = 2/24 = .083; with five, 2/120 = .017."""
MIN_CORRELATED = 3
MAX_PERMUTED = 7  # systems whose orders are all tried (5,040); beyond, random ones
DRAWN = 10_000


@dataclass(frozen=True)
class SystemMeans:
    """System values with their resampling replicates."""

    systems: tuple[str, ...]
    """By name."""
    values: Floats
    """Shape (S,)."""
    drawn: Floats
    """In resamples of whole clusters, shape (R, S); NaN where a resample holds nothing of a system."""


def mean_replicates(
    column: Floats,
    systems: Sequence[str],
    *,
    clusters: Sequence[Hashable],
    resampling: Resampling,
    names: Sequence[str],
) -> SystemMeans:
    """Mean of a column by system, with cluster-bootstrap replicates.

    The same names, clusters and seed give the same resamples, so that two columns can be compared resample by resample.
    """
    known, of_system = codes_of(systems)
    keys, of_cluster = codes_of(clusters)
    sums, counts = np.zeros((len(keys), len(known))), np.zeros((len(keys), len(known)))
    np.add.at(sums, (of_cluster, of_system), column)
    np.add.at(counts, (of_cluster, of_system), 1.0)
    drawn = []
    ones = np.ones(len(keys), dtype=np.int64)
    for weights in weight_chunks(ones, resampling.resamples, resampling.rng(*names), width=len(known)):
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append((weights @ sums) / (weights @ counts))
    return SystemMeans(tuple(map(str, known)), sums.sum(axis=0) / counts.sum(axis=0), np.concatenate(drawn))


def correlations_of(one: SystemMeans, other: SystemMeans, *, confidence: float) -> dict[Statistic, Estimate]:
    """Pearson, Spearman and Kendall correlations of two values of the same systems, with joint bootstrap intervals.

    The systems are these very ones: intervals say nothing of systems that are not among them.
    """
    return {name: _correlation(function, one, other, confidence) for name, function in _ROWS.items()}


def _correlation(
    function: Callable[[Floats, Floats], Floats], one: SystemMeans, other: SystemMeans, confidence: float
) -> Estimate:
    systems = len(one.systems)
    if (
        systems < MIN_CORRELATED
    ):  # two systems are in the same order or not: their correlation is 1 or -1 whatever their values
        return Estimate(value=None, n=systems, why=Reason.of(ReasonCode.TOO_FEW_SYSTEMS_TO_ORDER, systems=systems))
    value = float(function(one.values[None], other.values[None])[0])
    if np.isnan(value):
        return Estimate(value=None, n=systems, why=Reason.of(ReasonCode.SYSTEMS_ALL_EQUAL))
    drawn = function(one.drawn, other.drawn)
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < 0.95 * len(drawn) or np.ptp(defined) == 0:
        return Estimate(value=value, n=systems, why=Reason.of(ReasonCode.SYSTEM_MEANS_NOT_RESAMPLED))
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    method = f"cluster bootstrap of the systems' means, percentile, {len(drawn)} resamples, systems fixed"
    return Estimate(value=value, interval=Interval(low=low, high=high, confidence=confidence, method=method), n=systems)


def _pearson_rows(x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    spread = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(spread > 1e-12, (x * y).sum(axis=1) / spread, np.nan)
    return np.clip(found, -1, 1)


def _spearman_rows(x: Floats, y: Floats) -> Floats:
    complete = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1))
    found = np.full(len(x), np.nan)
    if complete.any():
        found[complete] = _pearson_rows(midranks_of_rows(x[complete]), midranks_of_rows(y[complete]))
    return found


def _kendall_rows(x: Floats, y: Floats) -> Floats:
    first, second = np.triu_indices(x.shape[1], 1)
    dx, dy = np.sign(x[:, first] - x[:, second]), np.sign(y[:, first] - y[:, second])
    spread = np.sqrt((dx * dx).sum(axis=1) * (dy * dy).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(spread > 0, (dx * dy).sum(axis=1) / spread, np.nan)
    return found


_ROWS: dict[Statistic, Callable[[Floats, Floats], Floats]] = {
    "pearson": _pearson_rows,
    "spearman": _spearman_rows,
    "kendall": _kendall_rows,
}


def order_p(one: Floats, other: Floats, rng: np.random.Generator) -> float | None:
    """Permutation p-value (two-sided) of Spearman's correlation of systems; None below three systems.

    All orders up to seven systems, 10,000 random ones beyond (then (1 + as extreme) / (1 + drawn)).

    >>> round(order_p(np.arange(5.0), np.arange(5.0), np.random.default_rng(0)), 4)     # 2 of 120 orders
    0.0167
    """
    size = len(one)
    if size < 3:
        return None
    seen = abs(float(_spearman_rows(one[None], other[None])[0]))
    if np.isnan(seen):
        return None
    every = size <= MAX_PERMUTED
    orders = (
        np.array(list(permutations(range(size))))
        if every
        else rng.permuted(np.tile(np.arange(size), (DRAWN, 1)), axis=1)
    )
    extreme = np.abs(_spearman_rows(np.broadcast_to(one, orders.shape), other[orders])) >= seen - 1e-12
    return float(extreme.mean()) if every else float((1 + extreme.sum()) / (1 + len(orders)))


def refusal(systems: int) -> Reason | None:
    """Reason why no conclusion is drawn from so few systems; None if one can be.

    >>> str(refusal(4))
    'with 4 systems even identical rankings occur by chance with p = .083; at least 5 are needed to conclude anything'
    >>> refusal(9)
    """
    if systems >= MIN_SYSTEMS:
        return None
    if systems < 3:
        return Reason.of(ReasonCode.TOO_FEW_SYSTEMS_TO_ORDER, systems=systems)
    chance = 2 / int(np.prod(np.arange(1, systems + 1)))
    p = f"{chance:.3f}".lstrip("0")
    return Reason.of(ReasonCode.TOO_FEW_SYSTEMS_TO_CONCLUDE, systems=systems, p=p, least=MIN_SYSTEMS)
