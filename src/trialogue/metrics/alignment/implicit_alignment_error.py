"""Contribution of a model's calibration error to implicit alignment, by the delta method.

The calibration's covariance is stored with the beliefs (``StrategyDistribution.matching_error``). Systems judged with one
calibration share most of its error: for their difference its two gradients are subtracted before they are squared. The
calibration of another model has an independent error.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trialogue.metrics.base import Array, Undefined
from trialogue.records import PairBelief, Reason, ReasonCode, StrategyDistribution
from trialogue.records.kinds.shifts import TransferError

Covariance = tuple[float, float, float]
"""(variance of the slope, covariance, variance of the intercept)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of a reply's distribution."""

    origin: str
    """The model that believes."""
    matching: tuple[float, float] | None
    """Slope and intercept; None: nothing was fitted, probabilities are taken as they are."""
    error: Covariance | None
    """Their covariance; None: unknown."""
    transfer: TransferError | None = None
    """Error in another corpus than that of the calibration data; None: these texts are from that corpus."""


def calibration_of(belief: StrategyDistribution, other: StrategyDistribution | None = None) -> Calibration:
    """Calibration stored with a distribution, which must have one.

    Args:
        belief: belief of one side.
        other: belief of the other side; one side from another corpus is enough for an error of transfer.
    """
    assert belief.matching is not None
    shifts = [each.shift for each in (belief, other) if each is not None and each.shift is not None]
    return Calibration(belief.origin, belief.matching, belief.matching_error, shifts[0].error if shifts else None)


@dataclass(frozen=True)
class TransferLoad:
    """Weight of a transfer error in an estimate."""

    none_match: float
    """Derivative of the estimate by the error where nothing matches."""
    all_match: float
    """Derivative by the error where everything matches."""

    @classmethod
    def of(cls, value: float, share: float) -> "TransferLoad":
        """Weight in an estimate, of which a share of the pairs is from another corpus."""
        return cls(share * (1 - value), share * value)


def transfer_variance(a: Mapping[TransferError, TransferLoad], b: Mapping[TransferError, TransferLoad]) -> float:
    """Variance of the estimate of a minus that of b due to transfer to another corpus.

    What two systems have in common cancels; the part of their own mixes of strategies adds up.

    >>> error = TransferError(none_match=0.01, both=0.0, all_match=0.04, of_system=0.001)
    >>> round(transfer_variance({error: TransferLoad.of(0.5, 1.0)}, {}), 6)      # .25 (.01) + .25 (.04) + .001
    0.0135
    >>> transfer_variance({error: TransferLoad.of(0.5, 1.0)}, {error: TransferLoad.of(0.5, 1.0)})
    0.002
    """
    none, total = TransferLoad(0.0, 0.0), 0.0
    for error in dict.fromkeys((*a, *b)):
        left, right = a.get(error, none), b.get(error, none)
        total += error.variance_along(left.none_match - right.none_match, left.all_match - right.all_match)
        total += error.of_system * sum((each.none_match + each.all_match) ** 2 for each in (left, right))
    return total


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
        if each.matching is None:
            return Undefined(Reason.of(ReasonCode.JUDGE_UNCALIBRATED, model=each.origin))
        if each.error is None:
            return Undefined(Reason.of(ReasonCode.CALIBRATION_ERROR_UNKNOWN, model=each.origin))
        with np.errstate(over="ignore", invalid="ignore"):
            total += calibration_variance(a.get(each, np.zeros(2)) - b.get(each, np.zeros(2)), each.error)
    if not np.isfinite(total):
        return Undefined(Reason.of(ReasonCode.CALIBRATION_ERROR_UNBOUNDED, model=each.origin))
    return total
