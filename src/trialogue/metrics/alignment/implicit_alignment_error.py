"""Contribution of a model's calibration error to implicit alignment, by the delta method.

The calibration's covariance is stored with the beliefs (``StrategyDistribution.same_error``). Systems judged with one
calibration share most of its error: for their difference its two gradients are subtracted before they are squared. The
calibration of another model has an independent error.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trialogue.metrics.base import Array, Undefined
from trialogue.records import PairBelief, Reason, ReasonCode, StrategyDistribution

Covariance = tuple[float, float, float]
"""(variance of the slope, covariance, variance of the intercept)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of a reply's distribution."""

    origin: str
    """The model that believes."""
    same: tuple[float, float] | None
    """Slope and intercept; None: nothing was fitted, probabilities are taken as they are."""
    error: Covariance | None
    """Their covariance; None: unknown."""


def calibration_of(belief: StrategyDistribution) -> Calibration:
    """Calibration stored with a distribution, which must have one."""
    assert belief.same is not None
    return Calibration(belief.origin, belief.same, belief.same_error)


def unknown_calibration(belief: PairBelief) -> Calibration:
    """Calibration of a pair classifier: probabilities are used as they are, with unknown error."""
    return Calibration(belief.origin, None, None)


def calibration_variance(moved: Array, error: Covariance) -> float:
    """Variance due to a calibration's error, by the delta method from the derivatives by slope and intercept.

    >>> calibration_variance(np.array([1.0, 2.0]), (0.25, 0.5, 1.0))     # .25 + 2 (1) (2) .5 + 4 (1)
    6.25
    """
    slope, both, intercept = error
    return max(0.0, float(moved[0] ** 2 * slope + 2 * moved[0] * moved[1] * both + moved[1] ** 2 * intercept))


def variance_of_difference(a: Mapping[Calibration, Array], b: Mapping[Calibration, Array]) -> float | Undefined:
    """Variance of the estimate of a minus that of b due to calibrations, from the derivatives by each.

    Args:
        a: the gradient of a's estimate, shape (2,), by each calibration that it rests on.
        b: the same for b; empty: the variance of a's estimate.

    Two systems with gradients (1, 2) and (1, 1) of one calibration: their difference moves by (0, 1) alone.

    >>> one = Calibration("m", (1.0, 0.0), (0.25, 0.5, 1.0))
    >>> variance_of_difference({one: np.array([1.0, 2.0])}, {one: np.array([1.0, 1.0])})
    1.0
    """
    total = 0.0
    for each in {**a, **b}:
        if each.same is None:
            return Undefined(Reason.of(ReasonCode.JUDGE_UNCALIBRATED, model=each.origin))
        if each.error is None:
            return Undefined(Reason.of(ReasonCode.CALIBRATION_ERROR_UNKNOWN, model=each.origin))
        with np.errstate(over="ignore", invalid="ignore"):
            total += calibration_variance(a.get(each, np.zeros(2)) - b.get(each, np.zeros(2)), each.error)
    if not np.isfinite(total):
        return Undefined(Reason.of(ReasonCode.CALIBRATION_ERROR_UNBOUNDED, model=each.origin))
    return total
