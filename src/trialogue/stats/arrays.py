"""Checked arrays of numbers, and ranks with ties averaged without ``scipy.stats``, whose import takes a second."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.ArrayLike | Sequence[float | None]
"""Numbers of units in a row; None or NaN where missing."""
Ratings: TypeAlias = npt.ArrayLike | Sequence[Any]
"""A table of shape (n_items, n_raters); None or NaN where a rater skipped."""

CELLS = 1 << 20
"""Numbers in the largest temporary array: 8 MiB, so that a statistic with ten of them stays below 100 MB."""

MAX_UNDEFINED = 0.05
"""Share of replicates that may be undefined before an interval or a p-value is withheld."""


def as_floats(values: Values | Ratings, what: str, *, ndim: int = 1, or_ndim: int = 0) -> Floats:
    """Convert values to a float array with ``ndim`` (or ``or_ndim``) axes; None becomes NaN (missing).

    Raises:
        UsageError: if they are no numbers, have another number of axes, or one of them is infinite.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} must be numbers (None or NaN where missing): {error}.") from error
    if array.size == 0 and array.ndim < ndim:
        array = array.reshape((0,) * ndim)
    if array.ndim not in (ndim, or_ndim):
        raise UsageError(f"{what} must have {ndim} axes, got an array of shape {array.shape}.")
    if np.isinf(array).any():
        raise UsageError(f"{what} contain an infinite value; remove it or mark it as missing (None or NaN).")
    return array


def check_same_length(**columns: Sequence[Any] | npt.NDArray[Any] | None) -> None:
    """Raise UsageError unless all given columns have the same length."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        given = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise UsageError(f"These must have equal lengths (one value per row), got {given}.")


def check_confidence(confidence: float) -> None:
    """Raise UsageError unless the confidence lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must lie between 0 and 1, got {confidence}. The default is 0.95.")


def check_count(count: int, what: str, *, least: int = 1) -> None:
    """Raise UsageError if a count is too small."""
    if count < least:
        raise UsageError(f"{what} must be at least {least}, got {count}.")


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
