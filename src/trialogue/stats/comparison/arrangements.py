"""Arrangements of clusters for permutation tests of two systems.

Clusters that both sides have keep their two rows and may swap them (a paired design); clusters of one side are reassigned
in groups of the same sizes. All arrangements are enumerated if they are few, otherwise a random sample is drawn.
The first one is always the observed one, so that no p-value can be zero (Phipson & Smyth 2010).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb

import numpy as np
import numpy.typing as npt

from trialogue.stats.arrays import Floats, Ints

MAX_TABLE_CLUSTERS = 2_000  # of one side, up to which arrangements are a table of shape (arrangements, clusters)
CACHED_TABLES = 8  # tables kept: a run compares many measures on few sizes of groups
CACHED_PACKED_TABLES = 64  # of random ones, in 1/64 of the room: a run goes through the pairs of systems more than once

Flags = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Design:
    """Number of clusters of each kind, and number of arrangements."""

    shared: int
    """Clusters that both sides have."""
    only_a: int
    """Clusters of the first side alone."""
    only_b: int
    """Clusters of the second side alone."""
    max_arrangements: int = 10_000
    """Arrangements to draw at random where there are more, besides the observed one."""
    seed: int = 0
    """Seed of the random sample."""

    @property
    def number(self) -> int:
        """Number of possible arrangements."""
        return int(2**self.shared * comb(self.only_a + self.only_b, self.only_a))

    @property
    def is_enumerated(self) -> bool:
        """Whether all arrangements are enumerated."""
        return self.number <= self.max_arrangements


def swap_deltas(design: Design, changes: Floats) -> Floats:
    """Sum of the swaps in each arrangement.

    Args:
        design: design of the clusters.
        changes: shape (shared, k): what the swap of each shared cluster adds.

    Returns:
        Shape (arrangements, k); the first row, of the observed arrangement, is 0.
    """
    sums: Floats = _tables(design)[0] @ changes
    return sums


def reassignment_sums(design: Design, rows: Floats) -> Floats:
    """Sums of the first side's one-sided clusters in each arrangement.

    Args:
        design: design of the clusters.
        rows: shape (only_a + only_b, k): first those of side a.

    Returns:
        Shape (arrangements, k); the first row is what side a holds in the data.
    """
    if len(rows) <= MAX_TABLE_CLUSTERS or design.is_enumerated:
        sums: Floats = _tables(design)[1] @ rows
        return sums
    return _block_sums(design, rows)


@lru_cache(maxsize=CACHED_TABLES)
def _tables(design: Design) -> tuple[Flags, Flags]:
    """Whether each shared cluster is swapped, and whether each one-sided one is with side a, in each arrangement."""
    size = design.only_a + design.only_b
    if design.is_enumerated:
        swaps = np.array(list(product((0.0, 1.0), repeat=design.shared))).reshape(2**design.shared, design.shared)
        deals = np.zeros((comb(size, design.only_a), size))
        for row, members in enumerate(combinations(range(size), design.only_a)):  # the first is (0, 1, 2, ...)
            deals[row, list(members)] = 1.0
        return np.repeat(swaps, len(deals), axis=0), np.tile(deals, (len(swaps), 1))
    packed_swaps, packed_deals = _random_tables(design)
    return _unpack(packed_swaps, design.shared), _unpack(packed_deals, size if size <= MAX_TABLE_CLUSTERS else 0)


@lru_cache(maxsize=CACHED_PACKED_TABLES)
def _random_tables(design: Design) -> tuple[Bits, Bits]:
    """Both tables with eight flags in a byte."""
    size = design.only_a + design.only_b
    rng = np.random.default_rng([design.seed, design.shared, design.only_a, design.only_b])
    swaps = rng.integers(0, 2, size=(design.max_arrangements + 1, design.shared), dtype=np.int8)
    swaps[:1] = 0
    if size > MAX_TABLE_CLUSTERS:
        return np.packbits(swaps, axis=1), np.zeros((0, 0), dtype=np.uint8)
    deals = np.zeros((design.max_arrangements + 1, size))  # rows of eight bytes a flag are shuffled faster than of one
    deals[:, : design.only_a] = 1.0
    rng.permuted(deals[1:], axis=1, out=deals[1:])
    return np.packbits(swaps, axis=1), np.packbits(deals > 0, axis=1)


def _unpack(table: Bits, columns: int) -> Flags:
    flags: Flags = np.zeros((len(table), 0))
    return np.unpackbits(table, axis=1, count=columns).astype(np.float64) if columns else flags


def _block_sums(design: Design, rows: Floats) -> Floats:
    """Sums of side a without a table: a shuffle of the clusters is cut into as many groups of the smaller size as it has.

    Each group is a random one, so the estimate of p stays right; groups of one shuffle do not overlap, which makes it a
    little more exact than independent ones would.
    """
    smaller = min(design.only_a, design.only_b)
    rng = np.random.default_rng([design.seed, design.only_a, design.only_b, 1])
    sums = np.empty((design.max_arrangements + 1, rows.shape[1]))
    sums[0] = (rows[: design.only_a] if smaller == design.only_a else rows[design.only_a :]).sum(axis=0)
    done = 1
    while done < len(sums):
        groups = min(len(rows) // smaller, len(sums) - done)
        members: Ints = rng.permutation(len(rows))[: groups * smaller]
        sums[done : done + groups] = rows[members].reshape(groups, smaller, -1).sum(axis=1)
        done += groups
    return sums if smaller == design.only_a else rows.sum(axis=0) - sums
