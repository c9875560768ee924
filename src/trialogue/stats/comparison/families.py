"""Corrected p-values of a family of comparisons: single-step max-T if the data allow it, otherwise Bonferroni.

Differences of the same systems are dependent, and Bonferroni's method assumes the worst dependence. The single-step method
of Westfall and Young (1993) estimates it from the data. Here each test keeps its own p-value, and only the dependence is
resampled: contributions of clusters, multiplied by independent normal numbers (the multiplier bootstrap of Chernozhukov,
Chetverikov & Kato 2013), give replicates of all differences together, each divided by its standard error. The largest of
them is compared with the normal quantile of each p-value. Both methods are single-step, so that p-values, letters and
intervals are those of one family: a pair is found different exactly where its simultaneous interval leaves zero out.

The multiplied sums are normal with the covariances of the differences, which follow from the standard errors of all pairs,
cov(i - j, i - k) = (V_ij + V_ik - V_jk) / 2. So only p-values and standard errors are needed, however many
clusters there are.

It requires 20 clusters on each side, since with fewer the dependence is poorly estimated (the within-group bootstrap of
max-T has a family error of .17 where 15 and 4 x 100 shares of .1 are equal), and sides that vary. No adjusted p-value
exceeds Bonferroni's.

Looks at a growing sample: the level that a look may use, so that all looks together keep theirs.

Somebody who tests after each of nine batches finds a difference that is not there in .13 to .19 of the studies. With the
spending function of O'Brien and Fleming's kind (Lan and DeMets 1983, "Discrete Sequential Boundaries for Clinical Trials"),
early looks spend little, and the last keeps nearly the whole level. The information at a look is its share of the planned
clusters; boundaries follow by the recursive integration of Armitage, McPherson and Rowe (1969).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats

MIN_CLUSTERS = 20  # on each side of each comparison; with fewer the dependence is estimated too poorly
MAX_SYSTEMS = 16  # 120 pairs; for more, drawing takes longer than the tests and gains little
DRAWS = 20_000  # Monte Carlo error of an adjusted p of .05: .0015


class FamilyMethod(StrEnum):
    """Correction method of a family."""

    BONFERRONI = "Bonferroni"
    MAX_T = "max-T"


@dataclass(frozen=True)
class PairTest:
    """Test of one pair of systems."""

    a: Hashable
    b: Hashable
    p: float | None
    """Two-sided p-value; None: it is not tested, and not counted."""
    error: float | None = None
    """Standard error of the difference; None: it is not known, or a side does not vary."""
    clusters: float | None = None
    """Clusters of the side that has fewer; None: not known."""


@dataclass(frozen=True)
class CorrectedFamily:
    """Corrected results of a family of tests."""

    adjusted: tuple[float | None, ...]
    """Adjusted p-values in the order of the pairs; any is below a level with at most that probability if all are null."""
    method: FamilyMethod
    """Correction method that was used."""
    level: float
    """1 - confidence that each pair's interval needs, for all to hold together with probability 1 - alpha (single-step)."""


def single_step(pairs: Sequence[PairTest], *, alpha: float = 0.05) -> CorrectedFamily:
    """Adjusted p-values of all pairs of systems, and the level of their simultaneous intervals.

    Args:
        pairs: the family.
        alpha: probability that any of the simultaneous intervals misses its difference.

    >>> one = single_step([PairTest("x", "y", 0.01), PairTest("x", "z", 0.04), PairTest("y", "z", None)])
    >>> one.adjusted, one.method, one.level     # twice each
    ((0.02, 0.08, None), <FamilyMethod.BONFERRONI: 'Bonferroni'>, 0.025)
    """
    tested = [pair for pair in pairs if pair.p is not None]
    variances = _variances(tested)
    if variances is None:
        adjusted = tuple(bonferroni([pair.p for pair in pairs]))
        return CorrectedFamily(adjusted, FamilyMethod.BONFERRONI, alpha / max(len(tested), 1))
    corrected, level = _max_t(tested, variances, alpha)
    remaining = iter(corrected.tolist())
    adjusted = tuple(None if pair.p is None else next(remaining) for pair in pairs)
    return CorrectedFamily(adjusted, FamilyMethod.MAX_T, level)


def _max_t(tested: Sequence[PairTest], variances: Floats, alpha: float) -> tuple[Floats, float]:
    """(adjusted p-values, shape (pairs,); level of the simultaneous intervals) by single-step max-T."""
    from scipy.special import ndtr, ndtri

    p = np.array([pair.p for pair in tested])
    largest = np.sort(_statistics(tested, variances).max(axis=1))
    n_extreme = 1 + DRAWS - np.searchsorted(largest, -ndtri(p / 2))  # 1: the observed one, so that no p-value is zero
    adjusted = np.minimum(np.maximum(n_extreme / (1 + DRAWS), p), np.minimum(len(p) * p, 1.0))
    level = 2 * float(ndtr(-np.quantile(largest, 1 - alpha)))
    return adjusted, min(max(level, alpha / len(p)), alpha)  # between those of Bonferroni and of no correction


def _variances(tested: Sequence[PairTest]) -> Floats | None:
    """Variance of the difference of each two systems, shape (systems, systems); None where max-T is not to be used."""
    systems = _systems(tested)
    size = len(systems)
    if not 3 <= size <= MAX_SYSTEMS or len(tested) != size * (size - 1) // 2:
        return None
    place = {system: index for index, system in enumerate(systems)}
    variances = np.full((size, size), np.nan)
    np.fill_diagonal(variances, 0.0)
    for pair in tested:
        if not pair.error or pair.clusters is None or pair.clusters < MIN_CLUSTERS:
            return None
        i, j = place[pair.a], place[pair.b]
        variances[i, j] = variances[j, i] = pair.error**2
    return None if np.isnan(variances).any() else variances


def _systems(tested: Sequence[PairTest]) -> list[Hashable]:
    return list(dict.fromkeys(system for pair in tested for system in (pair.a, pair.b)))


def _statistics(tested: Sequence[PairTest], variances: Floats) -> Floats:
    """|replicates| of each studentised difference, shape (DRAWS, pairs)."""
    size = len(variances)
    place = {system: index for index, system in enumerate(_systems(tested))}
    centre = np.eye(size) - 1 / size
    eigenvalues, vectors = np.linalg.eigh(-centre @ variances @ centre / 2)  # covariances of systems, around their mean
    factor = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    values = _normal(size) @ factor.T
    first, second = (
        [place[system] for system in side] for side in zip(*((one.a, one.b) for one in tested), strict=True)
    )
    errors = np.sqrt(variances[first, second])
    return np.asarray(np.abs(values[:, first] - values[:, second]) / errors)


@lru_cache(maxsize=8)
def _normal(size: int) -> Floats:
    return np.random.default_rng([20_261_122, size]).standard_normal((DRAWS, size))


def bonferroni(p: Sequence[float | None]) -> list[float | None]:
    """p-values times the number of tests, at most 1; None (no test was possible) stays None and is not counted.

    It is single-step: a test is below a level exactly where the interval at that level over the number of tests leaves the
    tested value out.

    >>> bonferroni([0.01, 0.4, None, 0.03])
    [0.03, 1.0, None, 0.09]
    """
    tested = [each for each in p if each is not None]
    if not all(0 <= each <= 1 for each in tested):
        raise UsageError(f"p-values lie between 0 and 1, got {tested}.")
    return [None if each is None else min(1.0, len(tested) * each) for each in p]


GRID = 801  # points over the values that go on; boundaries of five looks are exact to four digits
FARTHEST = 8.0  # standard errors beyond which nothing lies


def look_level(information: Sequence[float], *, alpha: float = 0.05) -> float:
    """Two-sided level of the last of several looks.

    Args:
        information: shares of the planned information at all looks up to this one, ascending; at most 1.
        alpha: level of all looks together.

    Raises:
        UsageError: shares that do not ascend from above 0 to at most 1.

    >>> [round(look_level([0.2, 0.4, 0.6, 0.8, 1.0][: look + 1]), 4) for look in range(5)]
    [0.0, 0.0008, 0.0074, 0.022, 0.0423]
    """
    from scipy.special import ndtr

    times = [0.0, *information]
    if len(times) < 2 or times[-1] > 1 or any(later <= earlier for earlier, later in pairwise(times)):
        raise UsageError(f"information must ascend from above 0 to at most 1, got {list(information)}.")
    points, weights = np.zeros(1), np.ones(1)  # sums of what has come, and the chance that none of the looks ended it
    spent = bound = 0.0
    for earlier, time in pairwise(times):
        step = (time - earlier) ** 0.5
        bound = _boundary(points, weights, step, time, spending(time, alpha) - spent)
        spent = spending(time, alpha)
        points, weights = _go_on(points, weights, step, bound * time**0.5)
    return 2 * float(ndtr(-bound))


def spending(time: float, alpha: float) -> float:
    """What each side has spent of its half of ``alpha`` at a share of the information."""
    from scipy.special import ndtr, ndtri

    return 2 * float(ndtr(ndtri(alpha / 4) / time**0.5))


def _boundary(points: Floats, weights: Floats, step: float, time: float, left: float) -> float:
    """Standardised value that is passed on one side, by those who have gone on, with a chance of ``left``."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    def excess(bound: float) -> float:
        return float(weights @ ndtr((points - bound * time**0.5) / step)) - left

    return FARTHEST if excess(FARTHEST) > 0 else float(brentq(excess, 0.0, FARTHEST))


def _go_on(points: Floats, weights: Floats, step: float, end: float) -> tuple[Floats, Floats]:
    """Sums after a further step that lie inside of the boundary, and their chances."""
    inside = np.linspace(-end, end, GRID)
    density = np.exp(-(((inside[:, None] - points) / step) ** 2) / 2) @ weights / (step * (2 * np.pi) ** 0.5)
    width = inside[1] - inside[0]
    return inside, density * np.where(np.arange(GRID) % (GRID - 1) == 0, width / 2, width)
