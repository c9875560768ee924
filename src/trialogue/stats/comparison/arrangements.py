"""Arrangements of clusters for permutation tests of two systems.

Clusters that both sides have keep their two values and may swap them; clusters of one side alone are dealt anew in groups of
the same sizes. All arrangements are enumerated if they are few, otherwise a random sample is drawn. The first one is always
the observed one, so that no p-value can be zero (Phipson & Smyth 2010).
"""

from functools import lru_cache
from itertools import combinations, product
from math import comb

import numpy as np
import numpy.typing as npt

from trialogue.stats.arrays import Floats, Ints

MAX_TABLE_CLUSTERS = 2_000  # up to which arrangements are a table of shape (arrangements, clusters)
CACHED_TABLES = 8  # tables kept: a run compares many measures on few sizes of groups
CACHED_PACKED_TABLES = 64  # of random ones, in 1/64 of the room: a run goes through the pairs of systems more than once

Flags = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint8]


def arrangement_sums(
    shared: Floats, alone: Floats, first: int, *, most: int = 10_000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Sums of the shared rows that each arrangement swaps, and of the others that it deals to the first side.

    Args:
        shared: one row for each cluster of both sides, shape (shared, k).
        alone: one for each cluster of one side, those of the first side first, shape (clusters, m).
        first: clusters of the first side alone.
        most: arrangements to draw where there are more, besides the observed one.
        seed: seed of the random sample.

    Returns:
        Shapes (arrangements, k) and (arrangements, m); the first rows, of the observed arrangement, are 0 and what the first
        side holds in the data.
    """
    if number_of_arrangements(len(shared), first, len(alone) - first) <= most:
        swaps, deals = _every_swap(len(shared)) @ shared, _every_deal(first, len(alone) - first) @ alone
        return np.repeat(swaps, len(deals), axis=0), np.tile(deals, (len(swaps), 1))
    swapped = _unpack(_random_swaps(len(shared), most, seed), len(shared)) @ shared
    if first in (0, len(alone)):  # there is nothing to deal
        return swapped, np.tile(alone[:first].sum(axis=0), (most + 1, 1))
    if len(alone) > MAX_TABLE_CLUSTERS:
        return swapped, _block_sums(alone, first, most, seed)
    return swapped, _unpack(_random_deals(first, len(alone) - first, most, seed), len(alone)) @ alone


def number_of_arrangements(shared: int, first: int, second: int) -> int:
    """Number of possible arrangements of shared clusters and of those of each side alone."""
    return int(2**shared * comb(first + second, first))


@lru_cache(maxsize=CACHED_TABLES)
def _every_swap(pairs: int) -> Flags:
    """Whether each pair is swapped, in each arrangement."""
    return np.array(list(product((0.0, 1.0), repeat=pairs))).reshape(2**pairs, pairs)


@lru_cache(maxsize=CACHED_TABLES)
def _every_deal(first: int, second: int) -> Flags:
    """Whether each cluster is with the first side, in each arrangement."""
    deals = np.zeros((comb(first + second, first), first + second))
    for row, members in enumerate(combinations(range(first + second), first)):  # the first is (0, 1, 2, ...)
        deals[row, list(members)] = 1.0
    return deals


@lru_cache(maxsize=CACHED_PACKED_TABLES)
def _random_swaps(pairs: int, most: int, seed: int) -> Bits:
    """Random swaps with eight flags in a byte."""
    swaps = np.random.default_rng([seed, pairs, 0, 0]).integers(0, 2, size=(most + 1, pairs), dtype=np.int8)
    swaps[:1] = 0
    return np.packbits(swaps, axis=1)


@lru_cache(maxsize=CACHED_PACKED_TABLES)
def _random_deals(first: int, second: int, most: int, seed: int) -> Bits:
    """Random deals with eight flags in a byte."""
    deals = np.zeros((most + 1, first + second))  # rows of eight bytes a flag are shuffled faster than of one
    deals[:, :first] = 1.0
    np.random.default_rng([seed, 0, first, second]).permuted(deals[1:], axis=1, out=deals[1:])
    return np.packbits(deals > 0, axis=1)


def _unpack(table: Bits, columns: int) -> Flags:
    flags: Flags = np.zeros((len(table), 0))
    return np.unpackbits(table, axis=1, count=columns).astype(np.float64) if columns else flags


def _block_sums(rows: Floats, first: int, most: int, seed: int) -> Floats:
    """Sums of the first group without a table: a shuffle of the clusters is cut into as many smaller groups as it has.

    Each group is a random one, so the estimate of p stays right; groups of one shuffle do not overlap, which makes it a
    little more exact than independent ones would.
    """
    second = len(rows) - first
    smaller = min(first, second)
    rng = np.random.default_rng([seed, first, second, 1])
    sums = np.empty((most + 1, rows.shape[1]))
    sums[0] = (rows[:first] if smaller == first else rows[first:]).sum(axis=0)
    done = 1
    while done < len(sums):
        groups = min(len(rows) // smaller, len(sums) - done)
        members: Ints = rng.permutation(len(rows))[: groups * smaller]
        sums[done : done + groups] = rows[members].reshape(groups, smaller, -1).sum(axis=1)
        done += groups
    return sums if smaller == first else rows.sum(axis=0) - sums
