"""Orders of systems: how sure a ranking is, ranks with intervals, and how much the best of many looks too good.

The values of all systems are resampled together, so that a person who talked to several of them is drawn for all at once.

Confidence intervals of ranks.

The ranks come from replicates (usually a bootstrap's) of all contestants together, so that a change common to all
moves no rank.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats.arrays import MAX_UNDEFINED, Floats, Values, as_floats, check_confidence, check_count
from trialogue.stats.resampling.bootstrap import Combine, mean_of
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.resampling.replicates import ONE_CLUSTER, evaluate, weight_chunks


@dataclass(frozen=True)
class OrderShare:
    """An order of systems, and the share of resamples that reproduce it."""

    order: tuple[int, ...]
    """Indices of the systems, the best first; those with equal values in the order in which they were given."""
    share: float | None
    """Share of the resamples in which every system is strictly better than the next one of ``order``; None: unknown."""
    with_ties: float | None = None
    """The same with "at least as good" in place of "strictly better"."""
    orders: tuple[tuple[tuple[int, ...], float], ...] = ()
    """Every order that occurred, with its share, the commonest first; resamples with a tie have none, so that the shares
    may sum to less than 1."""
    resamples: int = 0
    """Resamples that count: those in which all values are defined."""
    why: Reason | None = None
    """Why there is no share."""

    def share_of(self, order: Sequence[int]) -> float | None:
        """Share of the resamples with a given order, 0 if it did not occur; None where shares are unknown."""
        return None if self.share is None else dict(self.orders).get(tuple(order), 0.0)


def order_share(
    systems: Sequence[ClusterSums],
    combine: Combine = mean_of,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    higher_is_better: bool = True,
) -> OrderShare:
    """Share of cluster resamples in which the order of several systems holds.

    Clusters that several systems share (the same person) are drawn together, and then all clusters of all systems are; if no
    two share any, each system's own are drawn, as many as it has.

    Args:
        systems: sums of sufficient statistics in each cluster, for each system.
        combine: sums of shape (..., k) to values of shape (...); NaN where undefined.
        rng: source of randomness.
        resamples: bootstrap replicates.
        higher_is_better: direction.

    No share, and why, with fewer than two systems, a system without a value or with one cluster, or if more than 5% of the
    resamples leave one without a value.

    >>> sums = [ClusterSums(("a", "b"), np.array([[float(x), 1.0], [x + 1.0, 1.0]]), 2) for x in (5, 1)]
    >>> found = order_share(sums, rng=np.random.default_rng(0))
    >>> found.order, found.share
    ((0, 1), 1.0)

    Raises:
        UsageError: the systems have different sufficient statistics.
    """
    check_count(resamples, "resamples")
    if len({system.sums.shape[1] for system in systems if system.keys}) > 1:
        raise UsageError("The systems must have the same number of sums.")
    sign = -1.0 if higher_is_better else 1.0
    values = np.array([_value(system, combine) for system in systems])
    order = tuple(int(place) for place in np.argsort(sign * values, kind="stable"))
    why = _missing_reason(systems, values)
    if why is not None:
        return OrderShare(order, None, why=why)
    drawn = sign * _replicates(systems, combine, resamples, rng)
    complete = drawn[~np.isnan(drawn).any(axis=1)]
    if len(complete) < (1 - MAX_UNDEFINED) * resamples:
        lost = 1 - len(complete) / resamples
        return OrderShare(order, None, why=Reason.of(ReasonCode.RESAMPLES_LOSE_A_SYSTEM, share=lost))
    shares = _shares(complete)
    with_ties = float((np.diff(complete[:, order], axis=1) >= 0).all(axis=1).mean())
    return OrderShare(order, dict(shares).get(order, 0.0), with_ties, shares, len(complete))


def _value(system: ClusterSums, combine: Combine) -> float:
    return float(evaluate(combine, system.total[None])[0]) if system.keys else float("nan")


def _missing_reason(systems: Sequence[ClusterSums], values: Floats) -> Reason | None:
    if len(systems) < 2:
        return Reason.of(ReasonCode.NO_ORDER)
    lacking = np.flatnonzero(np.isnan(values)).tolist()
    if lacking:
        return Reason.of(ReasonCode.SYSTEMS_WITHOUT_VALUE, places=lacking)
    if any(len(system.keys) < 2 for system in systems):
        return ONE_CLUSTER
    return None


def _replicates(systems: Sequence[ClusterSums], combine: Combine, resamples: int, rng: np.random.Generator) -> Floats:
    """Values of shape (resamples, systems)."""
    keys = dict.fromkeys(key for system in systems for key in system.keys)
    if len(keys) == sum(len(system.keys) for system in systems):
        return np.stack([_resample(system.sums, combine, resamples, rng) for system in systems], axis=1)
    # Systems share clusters: one draw of clusters for all of them keeps their correlation, without which an order looks less
    # certain than it is.
    width = systems[0].sums.shape[1]
    rows = np.zeros((len(keys), len(systems), width))
    places = {key: place for place, key in enumerate(keys)}
    for number, system in enumerate(systems):
        rows[[places[key] for key in system.keys], number] = system.sums
    flat = rows.reshape(len(keys), -1)
    chunks = weight_chunks(np.ones(len(keys), dtype=np.int64), resamples, rng, width=flat.shape[1])
    sums = np.concatenate([weights @ flat for weights in chunks]).reshape(-1, len(systems), width)
    return np.stack([evaluate(combine, sums[:, number]) for number in range(len(systems))], axis=1)


def _resample(rows: Floats, combine: Combine, resamples: int, rng: np.random.Generator) -> Floats:
    chunks = weight_chunks(np.ones(len(rows), dtype=np.int64), resamples, rng, width=rows.shape[1])
    return np.concatenate([evaluate(combine, weights @ rows) for weights in chunks])


def _shares(values: Floats) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Every strict order among rows of shape (R, K), the least value first, with its share, the commonest first."""
    ranks = np.argsort(values, axis=1, kind="stable")
    sorted_values = np.take_along_axis(values, ranks, axis=1)
    strict = (np.diff(sorted_values, axis=1) > 0).all(axis=1)
    counts = Counter(map(tuple, ranks[strict].tolist()))
    return tuple((tuple(order), count / len(values)) for order, count in counts.most_common())


@dataclass(frozen=True)
class RankInterval:
    """Rank of one contestant, with its interval."""

    rank: int | None
    """1 for the best; equal ones share the better rank. None: it has no value."""
    low: int | None = None
    """Best plausible rank (lower end of the interval); None: unknown."""
    high: int | None = None
    """Worst plausible rank (upper end of the interval); None: unknown."""


def rank_intervals(
    values: Values, replicates: npt.ArrayLike, *, confidence: float = 0.95, higher_is_better: bool = True
) -> tuple[RankInterval, ...]:
    """Rank and percentile interval of the rank for each contestant.

    Args:
        values: the estimates, shape (K,); NaN or None: no value, no rank.
        replicates: estimates from resamples, shape (R, K). Rows with an undefined value are left out; no intervals if
            those are more than 5%, or if there are no rows.
        confidence: confidence level of the intervals.
        higher_is_better: direction.

    In a replicate, tied contestants take their best possible rank for the low end and their worst possible for the high
    end, so ties widen the interval. These intervals are marginal: each covers its own rank, not all ranks at once.

    >>> rank_intervals([3.0, 2.0], [[3.0, 2.0], [2.5, 2.5]])
    (RankInterval(rank=1, low=1, high=2), RankInterval(rank=2, low=1, high=2))
    """
    check_confidence(confidence)
    sign = -1.0 if higher_is_better else 1.0
    estimates, drawn = sign * as_floats(values, "values"), sign * as_floats(replicates, "replicates", ndim=2)
    if drawn.size and drawn.shape[1] != len(estimates):
        raise UsageError(f"There are {len(estimates)} values, but the replicates have {drawn.shape[1]}.")
    ranked = np.flatnonzero(~np.isnan(estimates))
    drawn = drawn.reshape(len(drawn), -1)[:, ranked] if drawn.size else np.zeros((0, len(ranked)))
    complete = drawn[~np.isnan(drawn).any(axis=1)]
    known = len(complete) > 0 and len(complete) >= (1 - MAX_UNDEFINED) * len(drawn)
    tail = (1 - confidence) / 2
    found = [RankInterval(None)] * len(estimates)
    for place, index in enumerate(ranked):
        rank = 1 + int(np.sum(estimates[ranked] < estimates[index]))
        low = high = None
        if known:
            others, own = complete, complete[:, place, None]
            low = int(np.quantile(1 + (others < own).sum(axis=1), tail, method="inverted_cdf"))
            high = int(np.quantile((others <= own).sum(axis=1), 1 - tail, method="inverted_cdf"))
        found[index] = RankInterval(rank, low, high)
    return tuple(found)


POINTS = 20_000  # of the integral, exact to three digits


def best_of_equals(count: int) -> float:
    """Expected largest of so many independent standard normal errors: of equal versions, the best looks that much too good.

    Versions that answered the same situations share a part of their luck, and look less too good.

    >>> [round(best_of_equals(count), 2) for count in (1, 2, 5, 10)]
    [0.0, 0.56, 1.16, 1.54]
    """
    from scipy.special import ndtri

    chances = (np.arange(POINTS) + 0.5) / POINTS
    return abs(float(np.mean(ndtri(chances ** (1 / count)))))
