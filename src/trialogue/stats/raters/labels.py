"""Encode labels as integers, for agreement coefficients."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.stats.arrays import Ints, Ratings

MISSING = -1  # the code of a label that is not there


def encode(labels: Ratings, *, levels: Sequence[Hashable] | None = None) -> tuple[tuple[Hashable, ...], Ints]:
    """Levels, and the code of each label in the same shape; ``MISSING`` where a label is None or NaN.

    Args:
        labels: one label each (shape (n,)) or one a rater (shape (n_items, n_raters)).
        levels: all possible labels in their order; by default those that occur, numbers ascending, others by ``str``.

    Raises:
        UsageError: if a label is not among the levels, labels are of several types (1 and "1"), or a row has another length
            than the first.
    """
    array = _as_objects(labels)
    flat = [None if _is_missing(label) else label for label in array.ravel().tolist()]
    present = {label for label in flat if label is not None}
    if levels is None:
        _check_one_type(present)
        found = tuple(sorted(present)) if are_numbers(present) else tuple(sorted(present, key=str))
    else:
        found = tuple(levels)
        unknown = sorted(present - set(found), key=str)
        if unknown:
            raise UsageError(f"These labels are not among the levels {list(found)}: {unknown}.")
    index = {level: code for code, level in enumerate(found)}
    codes = np.array([MISSING if label is None else index[label] for label in flat], dtype=np.int64)
    return found, codes.reshape(array.shape)


def _check_one_type(labels: set[Any]) -> None:
    """Refuse numbers beside texts: 1 and "1" would be two labels, on which nobody agrees."""
    examples: dict[str, Any] = {}
    for label in sorted(labels, key=str):
        examples.setdefault(
            "numbers" if are_numbers({label}) else "texts" if isinstance(label, str) else "others", label
        )
    if len(examples) > 1:
        named = " and ".join(f"{kind} ({label!r})" for kind, label in sorted(examples.items()))
        raise UsageError(f"labels must be of one type, got {named}. Convert them first, for example with str.")


def encode_table(ratings: Ratings, *, levels: Sequence[Hashable] | None = None) -> tuple[tuple[Hashable, ...], Ints]:
    """``encode`` for labels of shape (n_items, n_raters); UsageError if they have another shape."""
    names, codes = encode(ratings, levels=levels)
    if codes.size == 0:
        return names, codes.reshape(len(codes), 0)
    if codes.ndim != 2:
        raise UsageError(f"ratings need the shape (n_items, n_raters), got {codes.shape}.")
    return names, codes


def label_counts(codes: Ints, labels: int) -> Ints:
    """Label counts per item, shape (n_items, labels), from codes (n_items, n_raters).

    >>> label_counts(np.array([[0, 0, 1], [1, MISSING, MISSING]]), 2).tolist()
    [[2, 1], [0, 1]]
    """
    counts = np.zeros((len(codes), labels), dtype=np.int64)
    item, rater = np.nonzero(codes != MISSING)
    np.add.at(counts, (item, codes[item, rater]), 1)
    return counts


def are_numbers(levels: set[Any] | tuple[Any, ...]) -> bool:
    """Whether all levels are numbers (booleans count)."""
    return all(isinstance(level, int | float | np.number) for level in levels)


def _as_objects(labels: Ratings) -> npt.NDArray[np.object_]:
    if isinstance(labels, np.ndarray):
        return labels.astype(object)
    rows: list[Any] = list(labels)  # type: ignore[arg-type]
    if not any(isinstance(row, list | tuple | np.ndarray) for row in rows):
        array = np.empty(len(rows), dtype=object)
        array[:] = rows
        return array
    lengths = {len(row) if isinstance(row, list | tuple | np.ndarray) else None for row in rows}
    if len(lengths) > 1:
        raise UsageError("every item needs the same number of columns, one per rater; mark missing ratings as None.")
    return np.array([list(row) for row in rows], dtype=object)


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and label != label)
