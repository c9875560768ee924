"""Confidence intervals of ranks.

The ranks come from replicates (usually a bootstrap's) of all contestants together, so that a change common to all
moves no rank.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.stats.arrays import MAX_UNDEFINED, Values, as_floats, check_confidence


@dataclass(frozen=True)
class RankInterval:
    """Rank of one contestant, with its interval."""

    rank: int | None
    """1 for the best; equal ones share the better rank. None: it has no value."""
    low: int | None = None
    """Best plausible rank (lower end of the interval); None: unknown."""
    high: int | None = None
    """Worst plausible rank."""


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
