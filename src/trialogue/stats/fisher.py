"""Fisher's exact test, without importing ``scipy.stats``, which takes two seconds; the values are the same."""

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
