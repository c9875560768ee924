"""Multiple-comparison corrections: Holm and Benjamini-Hochberg.

Adjusted p-values: compare them with the level you want. None (no test was possible) stays None and is not counted.
"""

from collections.abc import Sequence

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm-adjusted p-values: control the family-wise error rate under any dependence.

    Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure".

    >>> holm([0.01, 0.04, None, 0.03])     # 3 * .01; then 2 * .03; .04 may not be below the one before
    [0.03, 0.06, None, 0.06]
    """
    order, ascending = _sort_p_values(p)
    adjusted = np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))
    return _restore_order(adjusted, order, len(p))


def _sort_p_values(p: Sequence[float | None]) -> tuple[list[int], Floats]:
    tested = [index for index, value in enumerate(p) if value is not None]
    values = np.array([p[index] for index in tested], dtype=np.float64)
    if not np.all((values >= 0) & (values <= 1)):
        raise UsageError(f"p-values lie between 0 and 1, got {[value for value in p if value is not None]}.")
    order = np.argsort(values, kind="stable")
    return [tested[index] for index in order], values[order]


def _restore_order(adjusted: Floats, order: list[int], size: int) -> list[float | None]:
    found: list[float | None] = [None] * size
    for index, value in zip(order, adjusted.tolist(), strict=True):
        found[index] = min(1.0, value)
    return found
