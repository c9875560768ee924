"""Studentised permutation test of a difference of two ratios of sums, and the matching confidence interval.

Each cluster of a side contributes two sums (y, m), the side's value is sum y / sum m: a mean where m counts units. The
statistic is the difference over its linearised standard error, which is recomputed in every arrangement (Janssen 1997:
without that, unequal variances give an error of .33 at a nominal .05). If clusters are assigned to the two sides at random
the test is exact, whatever the distribution, the sizes of the clusters and their number; otherwise it is asymptotically
valid (Chung & Romano 2013).

The interval contains the differences that the same test would not reject: the values of side a are shifted by d per unit,
and d moves outward from the estimate until p falls to the level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trialogue.stats.arrays import MAX_UNDEFINED, Floats
from trialogue.stats.comparison.arrangements import Design, reassignment_sums, swap_deltas

TIE_TOLERANCE = 1e-9  # relative: permuted statistics this close to the observed one count as equal
ZERO_VARIANCE = 1e-13  # share of the squared scale of the data; a variance below is rounding error
INFINITE_T = 1e9  # the statistic of a difference without variance: above every finite one, and equal to its like
TOLERANCE_EXACT = 1e-6  # accuracy of the interval's ends, in standard errors, if all arrangements are enumerated
TOLERANCE_SAMPLED = 1e-3  # the same if they are sampled, which alone leaves an end uncertain by some 0.03
MAX_SEARCH_SE = 1e6  # standard errors from the estimate within which an end is searched; beyond, it is infinite


@dataclass(frozen=True, eq=False)
class MatchedSums:
    """Cluster sums (y, m) of two sides; shared clusters come first, in the same order on both."""

    a: Floats
    """Shape (clusters of a, 2)."""
    b: Floats
    """Shape (clusters of b, 2)."""
    shared: int
    """Number of leading rows that belong to shared clusters."""


class PermutationTest:
    """Permutation tests of all hypothetical differences on the same arrangements."""

    def __init__(self, rows: MatchedSums, *, max_arrangements: int = 10_000, seed: int = 0, mid: bool = False) -> None:
        """Compute the statistic of all arrangements once.

        Args:
            rows: the data.
            max_arrangements: number of arrangements to sample if there are more.
            seed: seed of that sample.
            mid: count arrangements as extreme as the observed one by half (mid-p, Lancaster 1961), for sparse shares.
        """
        self._mid = mid
        self.centre = (rows.a[:, 0].sum() + rows.b[:, 0].sum()) / (rows.a[:, 1].sum() + rows.b[:, 1].sum())
        a, b = _centre_rows(rows.a, self.centre), _centre_rows(rows.b, self.centre)
        self._scale = float(max(np.abs(a[:, 0]).max(), np.abs(b[:, 0]).max())) or 1.0
        a[:, 0] /= self._scale
        b[:, 0] /= self._scale
        self._sizes = len(a), len(b)
        self.design = Design(rows.shared, len(a) - rows.shared, len(b) - rows.shared, max_arrangements, seed)
        self._arrange(a, b, rows.shared)

    def _arrange(self, a: Floats, b: Floats, shared: int) -> None:
        wide_a, wide_b = _columns(a, shifted=True), _columns(b, shifted=False)
        held = reassignment_sums(self.design, np.concatenate([wide_a[shared:], wide_b[shared:]]))
        total = wide_a[shared:].sum(axis=0) + wide_b[shared:].sum(axis=0)
        swapped = swap_deltas(self.design, wide_b[:shared] - wide_a[:shared])
        self._a = np.ascontiguousarray((held + wide_a[:shared].sum(axis=0) + swapped).T)
        self._b = np.ascontiguousarray((total - held + wide_b[:shared].sum(axis=0) - swapped).T)
        (ya, ma), (yb, mb) = a[:shared].T, b[:shared].T
        changes = swap_deltas(self.design, np.column_stack([mb * ya - ma * yb, ma * mb]))
        self._swapped_products = np.ascontiguousarray(changes.T) if shared else None
        """Sums over the swapped clusters of m_b y_a - m_a y_b and of m_a m_b, shape (2, arrangements)."""
        self._products = [float(np.sum(one)) for one in (ya * yb, ma * yb, ya * mb, ma * mb)]
        """Sums over shared clusters of y_a y_b, m_a y_b, y_a m_b and m_a m_b, as observed."""

    @cached_property
    def _shift_coefficients(self) -> tuple[Floats, Floats]:
        """Differences and their variances in all arrangements, as polynomials in a shift s of the values of side a.

        A shift replaces y by y - s m in the rows that side a holds in the data, wherever an arrangement puts them. So the
        difference of the sides is linear in s, and its variance quadratic. With the coefficients at hand, the statistics
        for another s cost a few sums over the arrangements.

        Returns:
            Coefficients of 1 and s of the differences, shape (2, arrangements); of 1, s and s² of the variances, (3, ...).
        """
        grow_a, grow_b = (k / (k - 1) for k in self._sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            (mean_a, square_a), (mean_b, square_b) = (_moments_by_shift(sums) for sums in (self._a, self._b))
            variances = grow_a * square_a + grow_b * square_b
            if self._swapped_products is not None:
                covariances = self._covariances(mean_a, mean_b) / (self._a[1] * self._b[1])
                variances = variances - 2 * (grow_a * grow_b) ** 0.5 * covariances
        return mean_a - mean_b, variances

    def _covariances(self, one: Floats, other: Floats) -> Floats:
        """Sum over shared clusters of (y_a - theta_a m_a)(y_b - theta_b m_b), by powers of the shift, shape (3, ...).

        That is sum y_a y_b - theta_a sum m_a y_b - theta_b sum y_a m_b + theta_a theta_b sum m_a m_b. The first and the last
        sum are the same whichever clusters are swapped; a swap turns m_a y_b into m_b y_a and the reverse.

        Args:
            one: theta_a by powers of the shift, shape (2, arrangements).
            other: theta_b likewise.
        """
        assert self._swapped_products is not None
        swap_change, swapped_mm = self._swapped_products
        yy, my, ym, mm = self._products
        zeros = np.zeros_like(swap_change)
        y_y = np.stack([zeros + yy, zeros - my])
        m_y, y_m = np.stack([my + swap_change, -swapped_mm]), np.stack([ym - swap_change, swapped_mm - mm])
        covariances = mm * _product(one, other) - _product(one, m_y) - _product(other, y_m)
        covariances[:2] += y_y
        return covariances

    def _statistics(self, shift: float) -> tuple[Floats, Floats]:
        """Differences and their variances in all arrangements, where the values of side a are lowered by ``shift``."""
        gap, variance = self._shift_coefficients
        with np.errstate(invalid="ignore"):
            shifted, spread = shift * gap[1], shift * variance[2]
            shifted += gap[0]
            spread += variance[1]
            spread *= shift
            spread += variance[0]
        return shifted, spread

    def _absolute_t(self, shift: float) -> Floats:
        """|t| in all arrangements, where the values of side a are lowered by ``shift``."""
        gap, variance = self._statistics(shift / self._scale)
        least = ZERO_VARIANCE * max(1.0, (shift / self._scale) ** 2) / max(self._sizes)
        gap = np.abs(gap, out=gap)
        if variance.min() > least:  # the usual case; not where one is undefined
            return np.divide(gap, np.sqrt(variance, out=variance), out=gap)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = gap / np.sqrt(np.maximum(variance, 0.0))
        return np.where(variance <= least, np.where(gap <= TIE_TOLERANCE, 0.0, INFINITE_T), t)

    @cached_property
    def value(self) -> float:
        """The observed difference."""
        return float(self._statistics(0.0)[0][0]) * self._scale

    @cached_property
    def standard_error(self) -> float:
        """Standard error of the difference; 0 where nothing varies."""
        variance = float(self._statistics(self.value / self._scale)[1][0])
        return max(variance, 0.0) ** 0.5 * self._scale if variance > ZERO_VARIANCE / max(self._sizes) else 0.0

    @cached_property
    def is_defined(self) -> bool:
        """Whether the statistic is defined in nearly all arrangements."""
        gaps = self._statistics(0.0)[0]
        return bool(np.isfinite(gaps[0]) and np.mean(~np.isfinite(gaps)) <= MAX_UNDEFINED)

    def p_value(self, shift: float = 0.0) -> float:
        """Two-sided p-value for a true difference of ``shift``."""
        t = self._absolute_t(shift)
        tie = TIE_TOLERANCE * max(1.0, float(t[0]))
        extreme = len(t) - np.count_nonzero(t < t[0] - tie)  # where it is undefined it counts as extreme, and as a tie
        if not self._mid:
            return extreme / len(t)
        return (np.count_nonzero(t > t[0] + tie) + extreme) / 2 / len(t)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval by test inversion; infinite if no difference is rejected.

        Zero lies outside where the p-value is below 1 - confidence, and nowhere else: the search starts from zero.
        """
        return self._end(1 - confidence, -1), self._end(1 - confidence, 1)

    def _end(self, level: float, side: int) -> float:
        """Outward from the estimate, the last difference that is not rejected."""

        def is_retained(shift: float) -> bool:
            return self.p_value(shift) >= level

        value = self.value
        inside, outside = self._bracket(is_retained, value, side)
        if not np.isfinite(outside):
            return outside
        relative = TOLERANCE_EXACT if self.design.is_enumerated else TOLERANCE_SAMPLED
        tolerance = relative * (self.standard_error or abs(value) or 1.0)
        while abs(outside - inside) > tolerance:
            middle = (inside + outside) / 2
            if is_retained(middle):
                inside = middle
            else:
                outside = middle
        return inside

    def _bracket(self, is_retained: Callable[[float], bool], value: float, side: int) -> tuple[float, float]:
        """A difference that is not rejected and one that is; zero is asked first, so that test and interval agree."""
        inside, step = value, 2.0 * (self.standard_error or abs(value) or 1.0)
        if side * value < 0:  # zero lies on this side of the estimate
            if not is_retained(0.0):
                return inside, 0.0
            inside = 0.0
        while step <= MAX_SEARCH_SE * (self.standard_error or abs(value) or 1.0):
            outside = inside + side * step
            if not is_retained(outside):
                return inside, outside
            inside, step = outside, 2 * step
        return inside, side * float("inf")


def _centre_rows(rows: Floats, centre: float) -> Floats:
    return np.column_stack([rows[:, 0] - centre * rows[:, 1], rows[:, 1]])


def _columns(rows: Floats, *, shifted: bool) -> Floats:
    """y, m, yy, ym, mm, and m, ym, mm of the rows that a shift moves."""
    y, m = rows.T
    moved = 1.0 if shifted else 0.0
    return np.column_stack([y, m, y * y, y * m, m * m, moved * m, moved * y * m, moved * m * m])


def _moments_by_shift(sums: Floats) -> tuple[Floats, Floats]:
    """The mean of a side by powers of the shift, shape (2, arrangements), and its variance over n / (n - 1), (3, ...)."""
    y, m, yy, ym, mm, m_moved, ym_moved, mm_moved = sums
    mean = np.stack([y, -m_moved]) / m
    squares = np.stack([yy, -2 * ym_moved, mm_moved]) - 2 * _product(mean, np.stack([ym, -mm_moved]))
    return mean, (squares + mm * _product(mean, mean)) / m**2


def _product(one: Floats, other: Floats) -> Floats:
    """The product of two linear functions of the shift, by its powers: shapes (2, n) and (2, n) to (3, n)."""
    return np.stack([one[0] * other[0], one[0] * other[1] + one[1] * other[0], one[1] * other[1]])
