"""Ranks with ties averaged, without importing ``scipy.stats``, which takes a second; the values are the same."""

import numpy as np

from trialogue.stats.arrays import Floats


def midranks(values: Floats) -> Floats:
    """Ranks from 1, shape (n,).

    >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def midranks_of_rows(values: Floats) -> Floats:
    """Ranks from 1 within each row, shape (..., n); for many short rows, since each takes n² comparisons."""
    values = np.asarray(values, dtype=np.float64)
    ranks = np.full(values.shape, 0.5)
    for place in range(values.shape[-1]):
        other = values[..., place, None]
        ranks += (other < values) + 0.5 * (other == values)
    return ranks
