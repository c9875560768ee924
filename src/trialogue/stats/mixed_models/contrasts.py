"""Omnibus tests and pairwise contrasts of a factor in a regression model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.mixed_models.fixed_effects import Design


@dataclass(frozen=True)
class Test:
    """Result of an omnibus test."""

    __test__ = False  # not one of pytest's

    name: str
    """Hypothesis and test: ``likelihood ratio, system``."""
    statistic: float | None
    """Its statistic."""
    freedom: tuple[float, ...] = ()
    """Degrees of freedom, one (chi square, t) or two (F)."""
    p: float | None = None
    """Two-sided p-value."""
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
