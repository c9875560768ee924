"""Permutation of what clusters contribute, studentised, and the matching interval. Of pairs it is by sign flips.

The statistic is the difference over its standard error, which is recomputed in every arrangement (Janssen 1997: without
that, unequal variances give an error of .33 at a nominal .05). If clusters are assigned to the two sides at random the test
is exact, whatever the distribution and the number of clusters; otherwise it is asymptotically valid (Chung & Romano 2013).
Both tails count alike: p is twice the smaller one. With 15 clusters at the end of a scale against 100 others, the largest
absolute values all lie in one tail, and would hide what happens in the other (power .26 instead of .81).

The interval contains the differences that the same test would not reject: the values of side a are shifted by d, and d moves
outward until p falls to the level.

Arrangements of clusters for permutation tests of two systems.

Clusters that both sides have keep their two values and may swap them; clusters of one side alone are dealt anew in groups of
the same sizes. All arrangements are enumerated if they are few, otherwise a random sample is drawn. The first one is always
the observed one, so that no p-value can be zero (Phipson & Smyth 2010).
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
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


TIE_TOLERANCE = 1e-9  # relative: permuted statistics this close to the observed one count as equal
ZERO_VARIANCE = 1e-13  # share of the squared scale of the data; a variance below is rounding error
INFINITE_T = 1e9  # the statistic of a difference without variance: above every finite one, and equal to its like
TOLERANCE_EXACT = 1e-6  # accuracy of the interval's ends, in standard errors, if all arrangements are enumerated
TOLERANCE_SAMPLED = 1e-3  # the same if they are sampled, which alone leaves an end uncertain by some 0.03
MAX_SEARCH_SE = 1e6  # standard errors from the estimate within which an end is searched; beyond, it is infinite


class PermutationTest:
    """Permutation tests of all hypothetical differences on the same arrangements."""

    def __init__(
        self, a: Floats, b: Floats, shared: int, *, max_arrangements: int = 10_000, seed: int = 0, mid: bool = False
    ) -> None:
        """Sum what all arrangements need once.

        Args:
            a: contributions of the clusters of one side, shape (clusters,); the shared ones first, in the order of ``b``.
            b: those of the other side.
            shared: clusters of both sides.
            max_arrangements: number of arrangements to sample if there are more.
            seed: seed of that sample.
            mid: count arrangements as extreme as the observed one by half (mid-p, Lancaster 1961), for sparse shares.
        """
        self._mid, self._sizes, self._shared = mid, (len(a), len(b)), shared
        self.value = float(a.mean() - b.mean())
        centre = float((a.sum() + b.sum()) / (len(a) + len(b)))
        self._scale = float(max(np.abs(a - centre).max(), np.abs(b - centre).max())) or 1.0
        a, b = (a - centre) / self._scale, (b - centre) / self._scale
        own, other = a[:shared], b[:shared]
        alone = np.concatenate([a[shared:], b[shared:]])
        moved = np.arange(len(alone)) < len(a) - shared  # by a shift of side a
        swapped, dealt = arrangement_sums(
            np.column_stack([own, other, own**2, other**2, np.ones(shared)]),
            np.column_stack([alone, alone**2, moved, moved * alone]),
            len(a) - shared,
            most=max_arrangements,
            seed=seed,
        )
        self._swapped, self._dealt = np.ascontiguousarray(swapped.T), np.ascontiguousarray(dealt.T)
        self.arrangements = min(number_of_arrangements(shared, len(a) - shared, len(b) - shared), max_arrangements)
        self._is_enumerated = len(swapped) == self.arrangements
        self._own = own.sum(), other.sum(), own @ own, own @ other
        self._total = np.array([a.sum() + b.sum(), a @ a + b @ b, a.sum()])
        # Differences are linear in the shift, and variances quadratic: some dozens of shifts are tried.
        (gaps, variances), (gaps_up, up), (_, down) = map(self._sums, (0.0, 1.0, -1.0))
        self._gaps = gaps, gaps_up - gaps
        self._variances = variances, (up - down) / 2, (up + down) / 2 - variances
        variance = float(self._sums(self.value / self._scale, slice(1))[1][0])
        self.standard_error = variance**0.5 * self._scale if variance > ZERO_VARIANCE / max(self._sizes) else 0.0

    def _sums(self, moved: float, places: slice = slice(None)) -> tuple[Floats, Floats]:
        """Differences and their variances in some arrangements, where the values of side a are lowered by ``moved``."""
        (first, second), shared = self._sizes, self._shared
        own, other, squares, products = self._own
        held_shared = held_squares = np.zeros(1)
        if shared:
            w_own, w_other, w_squares, w_others, count = self._swapped[:, places]
            held_shared = own - moved * shared + w_other - w_own + moved * count
            held_squares = squares - 2 * moved * own + moved**2 * shared
            held_squares = held_squares + w_others - w_squares + 2 * moved * w_own - moved**2 * count
        y, yy, m, ym = self._dealt[:, places]
        held = held_shared + y - moved * m
        held_squares = held_squares + yy - 2 * moved * ym + moved**2 * m
        whole, whole_squares, of_a = self._total
        rest = whole - moved * first - held
        rest_squares = whole_squares - 2 * moved * of_a + moved**2 * first - held_squares
        mean, mean_rest = held / first, rest / second
        variances = (held_squares - held * mean) / first / (first - 1)
        variances += (rest_squares - rest * mean_rest) / second / (second - 1)
        if shared:
            rest_shared = own + other - moved * shared - held_shared
            common = products - moved * other - mean * rest_shared - mean_rest * held_shared + shared * mean * mean_rest
            variances -= 2 * common / (first * (first - 1) * second * (second - 1)) ** 0.5
        return mean - mean_rest, variances

    def _statistics(self, shift: float) -> Floats:
        """t in all arrangements, where the values of side a are lowered by ``shift``."""
        moved = shift / self._scale
        gaps = self._gaps[1] * moved
        gaps += self._gaps[0]
        variances = self._variances[2] * moved
        variances += self._variances[1]
        variances *= moved
        variances += self._variances[0]
        return _t_statistics(gaps, variances, ZERO_VARIANCE * max(1.0, moved**2) / max(self._sizes))

    def p_value(self, shift: float = 0.0) -> float:
        """Two-sided p-value for a true difference of ``shift``: twice the smaller tail."""
        t = self._statistics(shift)
        return min(1.0, 2 * min(self._tail(t, 1), self._tail(t, -1)))

    def _tail(self, t: Floats, side: int) -> float:
        """Share of arrangements that lie at least as far on one side as the data."""
        tie = TIE_TOLERANCE * max(1.0, abs(float(t[0])))
        low, high = t[0] - tie, t[0] + tie
        extreme = int(np.count_nonzero(t >= low if side > 0 else t <= high))
        beyond = int(np.count_nonzero(t > high if side > 0 else t < low)) if self._mid else extreme
        return (extreme + beyond) / 2 / len(t)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval by test inversion; infinite if no difference is rejected.

        Zero lies outside where the p-value is below 1 - confidence, and nowhere else: the search starts from zero.
        """
        return self._end((1 - confidence) / 2, -1), self._end((1 - confidence) / 2, 1)

    def _end(self, level: float, side: int) -> float:
        """Outward from the estimate, the last difference that is not rejected because it lies too far out."""

        def is_retained(shift: float) -> bool:
            return self._tail(self._statistics(shift), -side) >= level

        inside, outside = self._bracket(is_retained, side)
        if not np.isfinite(outside):
            return outside
        tolerance = (TOLERANCE_EXACT if self._is_enumerated else TOLERANCE_SAMPLED) * self._step
        while abs(outside - inside) > tolerance:
            middle = (inside + outside) / 2
            if is_retained(middle):
                inside = middle
            else:
                outside = middle
        return inside

    @cached_property
    def _step(self) -> float:
        return self.standard_error or abs(self.value) or 1.0

    def _bracket(self, is_retained: Callable[[float], bool], side: int) -> tuple[float, float]:
        """A difference that is not rejected and one that is; zero is asked first, so that test and interval agree."""
        inside, step = self.value, 2.0 * self._step
        if side * self.value < 0:  # zero lies on this side of the estimate
            if not is_retained(0.0):
                return inside, 0.0
            inside = 0.0
        while step <= MAX_SEARCH_SE * self._step:
            outside = inside + side * step
            if not is_retained(outside):
                return inside, outside
            inside, step = outside, 2 * step
        return inside, side * float("inf")


def _t_statistics(gaps: Floats, variances: Floats, least: float) -> Floats:
    """Differences over their standard errors; without variance infinite, or 0 for no difference."""
    if variances.min() > least:  # the usual case
        return np.asarray(gaps / np.sqrt(variances))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gaps / np.sqrt(np.maximum(variances, 0.0))
    flat = np.where(np.abs(gaps) <= TIE_TOLERANCE, 0.0, np.sign(gaps) * INFINITE_T)
    return np.asarray(np.where(variances <= least, flat, t))
