"""Pearson's chi-square test, without importing ``scipy.stats``, which takes a second; the values are the same."""

from collections.abc import Sequence

import numpy as np


def equal_shares_p(table: Sequence[Sequence[float]]) -> float:
    """p-value of the hypothesis that the rows of a table of counts have the same shares of its columns.

    With one degree of freedom, by Yates's correction. Every row and column must hold something; with one row or one column
    alone the shares are equal, and p is 1.

    >>> round(equal_shares_p([[10, 10, 20], [20, 20, 20]]), 4)
    0.2494
    """
    from scipy.special import chdtrc

    observed = np.array(table, dtype=float)
    rows, columns = observed.sum(axis=1, keepdims=True), observed.sum(axis=0, keepdims=True)
    expected = rows * columns / observed.sum()
    freedom = (len(observed) - 1) * (observed.shape[1] - 1)
    if freedom == 0:
        return 1.0
    away = np.abs(observed - expected)
    if freedom == 1:
        away -= np.minimum(0.5, away)
    return float(chdtrc(freedom, (away**2 / expected).sum()))
