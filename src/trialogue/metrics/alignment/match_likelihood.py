"""Likelihood of the share of matches, given the chances of pairs at a prior of one half, on a grid; and the model's error.

A pair of chance r is r : 1 - r as likely to be seen where it matches as where it does not, so the likelihood of a share pi
is the product of pi r + (1 - pi) (1 - r) over pairs (Saerens, Latinne & Decaestecker 2002). Histograms of r hold all of it.

A model's calibration error contributes by the delta method. The calibration's covariance is stored with the beliefs
(``StrategyDistribution.matching_error``). Systems judged with one calibration share most of its error: for their difference
its two gradients are subtracted before they are squared. The calibration of another model has an independent error.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trialogue.metrics.base import Array, Undefined
from trialogue.records import PairBelief, Reason, ReasonCode, StrategyDistribution
from trialogue.records.kinds.shifts import TransferError

GRID = np.linspace(0.0, 1.0, 65)  # halves of halves; the estimate moves by less than .001 against the exact likelihood
STEPS = 50  # halvings of [0, 1]: to 1e-15


def on_grid(probabilities: Array) -> Array:
    """Split each probability between its two grid neighbours, so that sums keep means: shape (n, 65) from (n,)."""
    rows = np.zeros((len(probabilities), len(GRID)))
    places = np.minimum((probabilities * (len(GRID) - 1)).astype(np.int64), len(GRID) - 2)
    shares = probabilities * (len(GRID) - 1) - places
    each = np.arange(len(probabilities))
    rows[each, places], rows[each, places + 1] = 1 - shares, shares
    return rows


def likeliest_share(sums: Array) -> Array:
    """Maximum-likelihood share pi of matches: maximises sum n_g log(pi r_g + (1 - pi)(1 - r_g)), by bisection.

    The likelihood is concave in pi, so there is one maximum, and at an end of [0, 1] where the slope keeps its sign. This is
    where the iterations of Saerens et al. converge. Shape (...) from (..., 65); NaN where all sums are 0.
    """
    gap = 2 * GRID - 1
    low, high = np.zeros(sums.shape[:-1]), np.ones(sums.shape[:-1])
    for _ in range(STEPS):
        middle = (low + high) / 2
        mixed = middle[..., None] * GRID + (1 - middle[..., None]) * (1 - GRID)
        rising = (sums * gap / np.maximum(mixed, 1e-12)).sum(axis=-1) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    share = np.where(low == 0, 0.0, np.where(high == 1, 1.0, (low + high) / 2))  # never turned: an end, exactly
    return np.where(sums.sum(axis=-1) > 0, share, np.nan)


def calibration_gradient(sums: Array, matching: tuple[float, float], *, part: Array | None = None) -> Array:
    """Gradient of ``likeliest_share`` by slope and intercept of the calibration, shape (2,) from (65,).

    Args:
        sums: sums of all pairs.
        matching: slope and intercept.
        part: sums of those pairs that this calibration judged; all of them by default.

    The share pi is where the slope of the likelihood, S = sum n_g (2 r_g - 1) / m_g with m_g = pi r_g + (1 - pi) (1 - r_g),
    is 0. As dS/dr_g = n_g / m_g^2, dr/d(intercept) = r (1 - r) and dr/d(slope) = r (1 - r) x with the raw log odds x, the
    implicit function theorem gives d pi = sum(n_g r_g (1 - r_g) (x_g, 1) / m_g^2) / sum(n_g (2 r_g - 1)^2 / m_g^2). At an
    end of [0, 1], where the share itself stays, this is how far one Newton step from there moves. 0 where nothing is known.
    """
    slope, intercept = matching
    share = float(likeliest_share(sums))
    if np.isnan(share) or slope == 0:
        return np.zeros(2)
    inner, counts = GRID[1:-1], (sums if part is None else part)[1:-1]  # probabilities of 0 and 1 stay what they are
    mixed = np.maximum(share * GRID + (1 - share) * (1 - GRID), 1e-12)
    curvature = float((sums * ((2 * GRID - 1) / mixed) ** 2).sum())
    if curvature <= 0:
        return np.zeros(2)
    pull = counts * inner * (1 - inner) / mixed[1:-1] ** 2
    with np.errstate(over="ignore", invalid="ignore"):
        raw = (np.log(inner / (1 - inner)) - intercept) / slope
        return np.array([float((pull * raw).sum()), float(pull.sum())]) / curvature


def share_without_each(clusters: Array, total: Array) -> Array:
    """Leave-one-cluster-out shares by the infinitesimal jackknife, shape (k,) from (k, 65).

    With u_c the slope of cluster c's log-likelihood at the share, U their sum over k clusters and I the curvature of all:
    pi - (u_c - U / k) / I * k / (k - 1). U is 0 unless the share is at an end of [0, 1]. There the likeliest share without a
    cluster is mostly the same end, as if there were no error; this is not bounded, and spreads as it would if shares could
    lie outside. NaN for one cluster, or where nothing is known. Efron (1982), sec. 6.2.
    """
    size, gap = len(clusters), 2 * GRID - 1
    share = float(likeliest_share(total))
    pull = gap / np.maximum(share * GRID + (1 - share) * (1 - GRID), 1e-12)
    slopes, curvature = clusters @ pull, float(total @ pull**2)
    if size < 2 or not curvature > 0:
        return np.full(size, np.nan)
    return np.asarray(share - (slopes - slopes.mean()) / curvature * size / (size - 1))


def likelihood_reach(total: Array, observations: float, drop: float) -> float:
    """How far from the likeliest share, at an end of [0, 1], the log-likelihood falls by ``drop``; at most 1.

    For pairs of which nothing but their chances is known: the log-likelihood of one pair, on average over all, counts for as
    many independent observations as are given. Of sure pairs that do not match, k observations give (1 - pi)^k:

    >>> round(likelihood_reach(on_grid(np.zeros(4)).sum(axis=0), 20, 2.0), 4), round(1 - float(np.exp(-2 / 20)), 4)
    (0.0952, 0.0952)

    Pairs of chance one half say nothing, and reach to the other end:

    >>> likelihood_reach(on_grid(np.full(4, 0.5)).sum(axis=0), 20, 2.0)
    1.0

    Args:
        total: histogram of all pairs, shape (65,), whose likeliest share is 0 or 1.
        observations: that they are worth.
        drop: drop of the log-likelihood, such as half the squared quantile.
    """
    end, weights = round(float(likeliest_share(total))), total / total.sum()

    def fallen(reach: float) -> float:
        share = abs(end - reach)
        mixed, best = (each * GRID + (1 - each) * (1 - GRID) for each in (share, end))
        shown = weights > 0
        ratio = np.log(np.maximum(best[shown], 1e-12)) - np.log(np.maximum(mixed[shown], 1e-12))
        return observations * float(weights[shown] @ ratio)

    low, high = 0.0, 1.0
    if fallen(high) <= drop:
        return 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fallen(middle) <= drop else (low, middle)
    return high


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
