"""Tests of contingency tables, without importing ``scipy.stats``, which takes seconds; the values are the same."""

from collections.abc import Sequence

import numpy as np

SLACK = 1 + 1e-7  # tables as probable as the observed one count, whatever the last digits


def fisher_p(hits: int, n: int, others: int, m: int) -> float:
    """Two-sided p-value of the shares ``hits`` of ``n`` and ``others`` of ``m``: tables that are at most as probable.

    Args:
        hits: units with a property in the first group.
        n: units of the first group.
        others: units with it in the second group.
        m: units of the second group.

    >>> round(fisher_p(1, 10, 8, 10), 6), fisher_p(0, 5, 0, 9)
    (0.005477, 1.0)
    """
    from scipy.special import gammaln

    total = hits + others
    found = np.arange(max(0, total - m), min(n, total) + 1)
    # log of C(n, k) C(m, total - k); the denominator is the same for all tables
    logs = -gammaln(found + 1) - gammaln(n - found + 1) - gammaln(total - found + 1) - gammaln(m - total + found + 1)
    weights = np.exp(logs - logs.max())
    own = weights[hits - found[0]]
    return min(1.0, float(weights[weights <= own * SLACK].sum() / weights.sum()))


def equal_shares_p(table: Sequence[Sequence[float]]) -> float:
    """Pearson's chi-square test that the rows of a table of counts have the same shares of its columns: its p-value.

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
