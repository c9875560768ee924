"""Sample pairs of sentences that share a strategy, and pairs that do not."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.strategies.base import Ints


class Pairs(NamedTuple):
    """Pairs of rows."""

    left: Ints
    """Row of the one, shape (n,)."""
    right: Ints
    """Row of the other, shape (n,)."""
    same: npt.NDArray[np.bool_]
    """Whether both have one label, shape (n,)."""


def count_pairs(columns: Ints) -> tuple[int, int]:
    """Number of unordered pairs of distinct rows with one label, and with two.

    >>> count_pairs(np.array([0, 0, 0, 1]))
    (3, 3)
    """
    sizes = np.bincount(columns)
    same = int((sizes * (sizes - 1) // 2).sum())
    return same, len(columns) * (len(columns) - 1) // 2 - same


def draw_pairs(columns: Ints, count: int | None, *, rng: np.random.Generator) -> Pairs:
    """Sample ``count`` pairs with one label and as many with two, the former first.

    Pairs with one label are drawn from all there are, so that a label weighs by its number of pairs, as in the paper's
    test set; the others from all pairs with two labels. No pair is drawn twice, no row is paired with itself, and either
    end may come first.

    Args:
        columns: label of each row, as a number from 0, shape (n,).
        count: pairs of either kind, at most; None: as many as the scarcer kind has.
        rng: source of randomness.

    Raises:
        UsageError: there are no pairs of one kind.
    """
    scarcer = min(count_pairs(columns))
    if scarcer == 0:
        raise UsageError("pairs require a strategy with at least two sentences, and two different strategies.")
    size = scarcer if count is None else min(count, scarcer)
    return _draw(columns, size, size, rng)


def draw_exact_pairs(columns: Ints, n_same: int, n_different: int, *, rng: np.random.Generator) -> Pairs:
    """Sample as ``draw_pairs`` does, but exactly ``n_same`` pairs with one label and ``n_different`` with two.

    Raises:
        UsageError: there are fewer pairs of either kind.
    """
    most_same, most_different = count_pairs(columns)
    if n_same > most_same or n_different > most_different:
        raise UsageError(
            f"{n_same} pairs with one strategy and {n_different} with two were requested; {len(columns)} sentences have "
            f"{most_same} and {most_different}."
        )
    return _draw(columns, n_same, n_different, rng)


def _draw(columns: Ints, n_same: int, n_different: int, rng: np.random.Generator) -> Pairs:
    ends = np.concatenate([_draw_same_pairs(columns, n_same, rng), _draw_different_pairs(columns, n_different, rng)])
    ends = np.where(rng.random(len(ends))[:, None] < 0.5, ends, ends[:, ::-1])  # neither end is always the earlier row
    return Pairs(ends[:, 0], ends[:, 1], np.repeat([True, False], [n_same, n_different]))


def draw_matching(columns: Ints, count: int, others: int, *, rng: np.random.Generator) -> Pairs:
    """Sample ``count`` pairs with one label and ``others`` with two, as for replies and references.

    The left row is any row that has a partner; the right one any other row with its label, or any row with another. So a
    label weighs by its rows, not by its pairs as in ``draw_pairs``, where three of thirteen strategies make more than half
    of the matches: a share of matches among replies that is estimated by those is up to .035 too low on INSPIRED.

    Pairs may occur twice.

    Raises:
        UsageError: there are no pairs of one kind.
    """
    if min(count_pairs(columns)) == 0:
        raise UsageError("pairs require a strategy with at least two sentences, and two different strategies.")
    members = np.argsort(columns, kind="stable")
    sizes = np.bincount(columns)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(columns), dtype=np.int64)
    place[members] = np.arange(len(columns)) - np.repeat(starts, sizes)  # of each row among those with its label
    left = rng.choice(np.flatnonzero(sizes[columns] > 1), size=count)
    label = columns[left]
    partner = rng.integers(0, sizes[label] - 1)
    right = members[starts[label] + partner + (partner >= place[left])]
    ends = rng.integers(0, len(columns), size=(2, others))
    while (alike := columns[ends[0]] == columns[ends[1]]).any():
        ends[:, alike] = rng.integers(0, len(columns), size=(2, int(alike.sum())))
    both = np.concatenate([left, ends[0]]), np.concatenate([right, ends[1]])
    return Pairs(*both, np.repeat([True, False], [count, others]))


def _draw_same_pairs(columns: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Distinct pairs with one label, shape (size, 2): numbers of pairs are drawn, and turned into pairs."""
    members = np.argsort(columns, kind="stable")
    sizes = np.bincount(columns)
    later = (np.repeat(np.cumsum(sizes), sizes) - np.arange(len(columns)) - 1).astype(np.int64)  # partners behind it
    ends = np.cumsum(later)
    drawn = rng.choice(int(ends[-1]), size=size, replace=False)
    first = np.searchsorted(ends, drawn, side="right")
    second = first + 1 + drawn - (ends[first] - later[first])
    return np.column_stack([members[first], members[second]])


def _draw_different_pairs(columns: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Distinct pairs with two labels, shape (size, 2)."""
    n = len(columns)
    if size * 3 > count_pairs(columns)[1]:  # so many that drawing again and again would take long: list them all
        low, high = np.triu_indices(n, 1)
        fit = np.flatnonzero(columns[low] != columns[high])
        chosen = rng.choice(fit, size=size, replace=False)
        return np.column_stack([low[chosen], high[chosen]])
    found = np.empty(0, dtype=np.int64)
    while len(found) < size:
        ends = np.sort(rng.integers(0, n, size=(2, size + 100)), axis=0)
        ends = ends[:, columns[ends[0]] != columns[ends[1]]]
        both = np.concatenate([found, ends[0] * n + ends[1]])
        _, earliest = np.unique(both, return_index=True)
        found = both[np.sort(earliest)]
    return np.column_stack(np.divmod(found[:size], n))
