"""Fixed effects of a regression model: coding, omnibus tests and pairwise contrasts of a factor.

Limit BLAS to one thread while fitting.

The matrices of the mixed models have a few hundred rows: several threads spend their time waiting for one another. With the
two threads that OpenBLAS takes by default on two cores, the report on INSPIRED2's study took 71 CPU seconds instead of 12.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.resampling.clusters import codes_of

Fixed = Mapping[str, Sequence[Any]]
"""Name of each effect, and its value in every row: labels make a factor, numbers (int or float) a slope."""


@dataclass(frozen=True, eq=False)
class Design:
    """Design matrix, with the columns of each effect."""

    matrix: Floats
    """Shape (n, columns); factors in treatment coding against their first level, without a constant."""
    names: tuple[str, ...]
    """Names of the columns: ``system=b``; a slope has the name of its effect."""
    columns: dict[str, tuple[int, ...]]
    """Columns of each effect."""
    levels: dict[str, tuple[str, ...]]
    """Levels of each factor, the first of which is the reference."""

    def contrast(self, effect: str, level: str, other: str) -> Floats:
        """Column weights of level minus other, shape (columns,)."""
        weights = np.zeros(len(self.names))
        for name, sign in ((level, 1.0), (other, -1.0)):
            place = self.levels[effect].index(name)
            if place:
                weights[self.columns[effect][place - 1]] += sign
        return weights


def design_of(fixed: Fixed, n: int) -> Design:
    """The columns of all effects.

    Raises:
        UsageError: an effect of another length than n, or one that takes a single value.
    """
    blocks: list[Floats] = []
    names: list[str] = []
    columns: dict[str, tuple[int, ...]] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for effect, values in fixed.items():
        if len(values) != n:
            raise UsageError(f"{effect} has {len(values)} values for {n} ratings; there must be one per rating.")
        if len(set(values)) < 2:
            raise UsageError(f"{effect} takes a single value, so its effect cannot be estimated; leave it out.")
        if all(isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in values):
            block, found = np.asarray(values, dtype=np.float64)[:, None], [effect]
        else:
            known, codes = codes_of(list(values))
            levels[effect] = tuple(str(level) for level in known)
            block = (codes[:, None] == np.arange(1, len(known))).astype(np.float64)
            found = [f"{effect}={level}" for level in levels[effect][1:]]
        columns[effect] = tuple(range(len(names), len(names) + len(found)))
        blocks.append(block)
        names += found
    matrix = np.column_stack(blocks) if blocks else np.zeros((n, 0))
    return Design(matrix, tuple(names), columns, levels)


def confounding_reason(design: Design) -> Reason | None:
    """Why the columns are not identifiable, naming the first effect that the earlier ones already determine."""
    done = np.ones((len(design.matrix), 1))
    for effect, places in design.columns.items():
        longer = np.column_stack([done, design.matrix[:, list(places)]])
        if np.linalg.matrix_rank(longer) < longer.shape[1]:
            return Reason.of(ReasonCode.MODEL_CONFOUNDED, effect=effect)
        done = longer
    return None


@dataclass(frozen=True)
class Test:
    """Result of an omnibus test."""

    __test__ = False  # not one of pytest's

    name: str
    """Hypothesis and test: ``likelihood ratio, system``."""
    statistic: float | None
    """Value of the test statistic; None: see ``why``."""
    freedom: tuple[float, ...] = ()
    """Degrees of freedom, one (chi square, t) or two (F)."""
    p: float | None = None
    """p-value of the hypothesis; None: see ``why``."""
    why: Reason | None = None
    """Why there is none, or what limits it."""


@dataclass(frozen=True)
class Pairwise:
    """Contrast of two levels of a factor."""

    a: str
    b: str
    difference: Estimate
    """a minus b, in the model's unit, with interval and uncorrected p."""
    p_adjusted: float | None = None
    """p after Bonferroni, over all pairs of the factor."""
    freedom: float | None = None
    """Degrees of freedom; None: the normal distribution."""


def pairwise(
    design: Design, effect: str, difference: Callable[[Floats], tuple[Estimate, float | None]]
) -> list[Pairwise]:
    """All pairwise contrasts of a factor, corrected across all of them.

    Args:
        design: the model's columns.
        effect: a factor of it.
        difference: estimate and degrees of freedom of a linear combination of the coefficients.
    """
    found = []
    for a, b in combinations(design.levels[effect], 2):
        estimate, freedom = difference(design.contrast(effect, a, b))
        found.append(Pairwise(a, b, estimate, freedom=freedom))
    return correct_pairs(found)


def correct_pairs(pairs: Sequence[Pairwise]) -> list[Pairwise]:
    """Copy of the pairs with Bonferroni-adjusted p-values."""
    adjusted = bonferroni([pair.difference.p for pair in pairs])
    return [replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]


def wald(value: float, variance: float, n: int, *, confidence: float, freedom: float | None = None) -> Estimate:
    """Estimate with a normal (or t) interval and p-value."""
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    if not variance > 0:
        return Estimate(value=value, n=n, why=Reason.of(ReasonCode.NO_STANDARD_ERROR))
    error = variance**0.5
    tail = (1 + confidence) / 2
    reach = float(ndtri(tail) if freedom is None else stdtrit(freedom, tail)) * error
    p = 2 * float(ndtr(-abs(value) / error) if freedom is None else stdtr(freedom, -abs(value) / error))
    method = "Wald, normal" if freedom is None else f"Wald, t with {freedom:.1f} degrees of freedom"
    interval = Interval(low=value - reach, high=value + reach, confidence=confidence, method=method)
    return Estimate(value=value, interval=interval, n=n, p=min(1.0, p))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Context manager and decorator that limits BLAS to one thread."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """The BLAS libraries of this process, found once: looking for them takes a millisecond."""
    import scipy.linalg  # loads the library that scipy brings, beside numpy's own
    from threadpoolctl import ThreadpoolController

    del scipy
    return ThreadpoolController()
