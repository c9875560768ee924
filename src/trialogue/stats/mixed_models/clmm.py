"""Cumulative-link mixed models for ordinal ratings, with random intercepts of raters, items and other factors.

P(rating <= j) = F(theta_j - x'beta - sum of the effects of the rating's worker, item, ...), the effects normal with one
standard deviation per factor. Coefficients are log-odds (``logit``) of a *higher* rating. Any number of factors, nested
or crossed, of any sizes.

Choice of effects: an intercept for each worker and each item is not enough where workers prefer systems, or replies
differ in quality: without ``worker x system`` and ``item x system`` such tastes appear as a difference between systems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise as pairwise_of
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, check_confidence
from trialogue.stats.mixed_models.crossed import CrossedDesign, validate_ratings
from trialogue.stats.mixed_models.fixed_effects import (
    Design,
    Fixed,
    Pairwise,
    confounding_reason,
    design_of,
    one_blas_thread,
    pairwise,
    wald,
)
from trialogue.stats.mixed_models.laplace import Likelihood, Link, check_link

FLAT = 1e-3  # a gradient below this, per square root of the ratings, is level
GONE = 1e-3  # a standard deviation below this is zero
STEP = 1e-4  # of the differences that make curvature of the gradient
POLISH = 6  # Newton steps after the quasi-Newton search


@dataclass(frozen=True, eq=False)
class Clmm:
    """Fitted cumulative-link mixed model."""

    coefficients: dict[str, Estimate]
    """Log-odds (or probits) by column of the design, with Wald interval and p."""
    thresholds: dict[str, Estimate]
    """Thresholds between points of the scale: ``"1|2"``."""
    spreads: dict[str, Estimate]
    """Standard deviation of each random factor."""
    log_likelihood: float | None
    """Laplace's; None: not converged."""
    n: int
    """Number of ratings in the fit."""
    points: tuple[float, ...]
    """Points of the scale that occur."""
    link: Link
    confidence: float
    why: Reason | None
    """Why there is no fit, or what limits it."""
    design: Design
    covariance: Floats = field(repr=False)
    """Covariance of the coefficients."""
    flat: Floats = field(repr=False)
    likelihood: Likelihood = field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether the fit converged."""
        return self.log_likelihood is not None

    def pairs(self, effect: str, *, freedom: Callable[[Floats], float | None] | None = None) -> list[Pairwise]:
        """Pairwise contrasts of a factor's levels: log-odds of a higher rating, with Bonferroni-adjusted p-values.

        Args:
            effect: the factor.
            freedom: degrees of freedom of a linear combination of the coefficients, such as those of a linear mixed
                model of the same ratings (``Lmm.freedom``); None: the normal distribution.
        """
        degrees = freedom or (lambda _: None)
        return pairwise(
            self.design, effect, lambda weights: (self.combination(weights, degrees(weights)), degrees(weights))
        )

    def combination(self, weights: Floats, freedom: float | None = None) -> Estimate:
        """Linear combination of the coefficients, by t with the given degrees of freedom, or normal."""
        if not self.converged:
            return Estimate(value=None, n=self.n, why=self.why)
        start = len(self.points) - 1
        value = float(weights @ self.flat[start : start + len(weights)])
        variance = float(weights @ self.covariance @ weights)
        return wald(value, variance, self.n, confidence=self.confidence, freedom=freedom)


def odds_ratio(log_odds: Estimate) -> Estimate:
    """Convert log-odds to an odds ratio; 1 means no difference."""
    if log_odds.value is None:
        return log_odds
    interval = log_odds.interval and Interval(
        low=float(np.exp(log_odds.interval.low)),
        high=float(np.exp(log_odds.interval.high)),
        confidence=log_odds.interval.confidence,
        method=log_odds.interval.method,
    )
    return log_odds.model_copy(update={"value": float(np.exp(log_odds.value)), "interval": interval})


@one_blas_thread()
def clmm(
    ratings: Sequence[float] | Floats,
    fixed: Fixed,
    random: Mapping[str, Sequence[Any]],
    *,
    link: Link = "logit",
    confidence: float = 0.95,
) -> Clmm:
    """Fit a cumulative-link mixed model by maximum likelihood with Laplace approximation.

    Args:
        ratings: points of an ordered scale, shape (n,). Only their order counts; points that never occur are ignored.
        fixed: effects of interest, such as ``{"system": [...], "position": [...]}``: labels make a factor, numbers a slope.
        random: factors of independent normal effects, such as ``{"worker": [...], "item": [...]}``; empty: none.
        link: ``logit`` or ``probit``.
        confidence: confidence level of the Wald intervals.

    Returns:
        The fit. Undefined throughout, with ``why``, if the search found no maximum (a system all of whose ratings are
        the lowest, say), or if effects are collinear.

    Raises:
        UsageError: columns of different lengths, missing ratings, fewer than two points, an effect with one value.

    Standard deviations that come out as zero are at the edge of what is possible and have no interval. On the wine ratings
    of Randall (1989) it gives what ``clmm`` of R's package ordinal gives: 3.063 and 1.835 with standard deviation 1.131,
    log-likelihood -81.565.

    >>> found = clmm([1, 1, 2, 3, 1, 2, 3, 3], {"system": list("aaaabbbb")}, {})
    >>> found.points, found.coefficients["system=b"].value > 0
    ((1.0, 2.0, 3.0), True)
    """
    check_link(link)
    check_confidence(confidence)
    values = validate_ratings(ratings, random)
    points = tuple(np.unique(values).tolist())
    if len(points) < 2:
        raise UsageError(
            f"ratings must have at least two different values, got {list(points)}: there is nothing to compare."
        )
    design = design_of(fixed, len(values))
    rating = np.searchsorted(points, values).astype(np.int64)
    likelihood = Likelihood(rating, design.matrix, CrossedDesign(random), link)
    why = confounding_reason(design)
    if why:
        return _undefined_result(likelihood, design, points, confidence, why)
    return _fit(likelihood, design, _start(likelihood), points, confidence)


def _start(likelihood: Likelihood) -> Floats:
    """Thresholds at the shares of the points, slopes 0, standard deviations 1/2."""
    shares = np.cumsum(np.bincount(likelihood.rating))[:-1] / len(likelihood.rating)
    return np.concatenate(
        [
            np.log(shares / (1 - shares)) * (1.0 if likelihood.link == "logit" else 0.6),
            np.zeros(likelihood.matrix.shape[1]),
            np.full(len(likelihood.crossing.names), 0.5),
        ]
    )


def _fit(
    likelihood: Likelihood,
    design: Design,
    start: Floats,
    points: tuple[float, ...],
    confidence: float,
) -> Clmm:
    flat, value, gradient = _search(likelihood, start)
    curvature = None
    level = FLAT * len(likelihood.rating) ** 0.5
    for _ in range(POLISH):
        if curvature is None or np.abs(gradient).max() > level:
            curvature = _curvature(likelihood, flat)
            step = _newton(curvature, gradient)
            tried = flat + step
            new, slope = likelihood(likelihood.unflat(tried))
            if new >= value - 1e-9 * abs(value):
                flat, value, gradient = tried, new, slope
            else:
                break
    why = _failure_reason(likelihood, flat, value, gradient, level)
    if why:
        return _undefined_result(likelihood, design, points, confidence, why)
    assert curvature is not None  # the first step has one
    return _make_result(likelihood, design, flat, value, curvature, points, confidence)


def _search(likelihood: Likelihood, start: Floats) -> tuple[Floats, float, Floats]:
    """A maximum by quasi-Newton steps over thresholds as first one and logarithms of gaps."""
    from scipy.optimize import minimize

    cuts = likelihood.cuts

    def natural(free: Floats) -> Floats:
        gaps = np.exp(np.clip(free[1:cuts], -30, 30))
        return np.concatenate([free[0] + np.concatenate([[0.0], np.cumsum(gaps)]), free[cuts:]])

    def negative(free: Floats) -> tuple[float, Floats]:
        flat = natural(free)
        value, gradient = likelihood(likelihood.unflat(flat))
        if not np.isfinite(value):
            return 1e12, np.zeros(len(free))
        tails = np.cumsum(gradient[:cuts][::-1])[::-1]
        bent = np.concatenate([[tails[0]], tails[1:] * np.diff(flat[:cuts]), gradient[cuts:]])
        return -value, -bent

    free = np.concatenate([start[:1], np.log(np.diff(start[:cuts])), start[cuts:]])
    scale = np.eye(len(free)) / max(1.0, len(likelihood.rating) / 10)
    found = minimize(
        negative, free, jac=True, method="BFGS", options={"gtol": FLAT, "maxiter": 200, "hess_inv0": scale}
    )
    flat = natural(found.x)
    value, gradient = likelihood(likelihood.unflat(flat))
    return flat, value, gradient


def _curvature(likelihood: Likelihood, flat: Floats) -> Floats:
    """Negative second derivatives of L, from central differences of the gradient."""
    rows = []
    for place in range(len(flat)):
        move = np.zeros(len(flat))
        move[place] = STEP
        _, up = likelihood(likelihood.unflat(flat + move))
        _, down = likelihood(likelihood.unflat(flat - move))
        rows.append((down - up) / (2 * STEP))
    found = np.array(rows)
    return (found + found.T) / 2


def _newton(curvature: Floats, gradient: Floats) -> Floats:
    """A step uphill: along directions that curve the wrong way, as far as if they curved the right one."""
    values, vectors = np.linalg.eigh(curvature)
    step: Floats = vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-6))
    longest = float(np.abs(step).max(initial=0.0))
    return step / max(1.0, longest)


def _failure_reason(
    likelihood: Likelihood, flat: Floats, value: float, gradient: Floats, level: float
) -> Reason | None:
    reach = np.ptp(likelihood.matrix, axis=0) * flat[likelihood.cuts :][: likelihood.matrix.shape[1]]
    scales = flat[likelihood.cuts + len(reach) :]
    if not np.isfinite(value):
        return Reason.of(ReasonCode.MODEL_LIKELIHOOD_UNDEFINED)
    if (
        np.abs(reach).max(initial=0.0) > 15
        or np.abs(scales).max(initial=0.0) > 15
        or np.abs(flat[: likelihood.cuts]).max(initial=0.0) > 30
    ):
        return Reason.of(ReasonCode.MODEL_EFFECT_UNBOUNDED)
    if np.abs(gradient).max() > 10 * level:
        return Reason.of(ReasonCode.MODEL_NOT_CONVERGED, slope=float(np.abs(gradient).max()))
    return None


def _make_result(
    likelihood: Likelihood,
    design: Design,
    flat: Floats,
    value: float,
    curvature: Floats,
    points: tuple[float, ...],
    confidence: float,
) -> Clmm:
    n, cuts, p = len(likelihood.rating), likelihood.cuts, len(design.names)
    gone = [cuts + p + place for place, scale in enumerate(flat[cuts + p :]) if abs(scale) < GONE]
    # A standard deviation at zero lies on the edge of its range, where the curvature is no variance: leave it out.
    kept = np.setdiff1d(np.arange(len(flat)), gone)
    covariance = np.zeros((len(flat), len(flat)))
    try:
        covariance[np.ix_(kept, kept)] = np.linalg.inv(curvature[np.ix_(kept, kept)])
    except np.linalg.LinAlgError:
        return _undefined_result(likelihood, design, points, confidence, Reason.of(ReasonCode.MODEL_LIKELIHOOD_FLAT))
    variances = np.diag(covariance)
    if np.any(variances[kept] <= 0):
        return _undefined_result(likelihood, design, points, confidence, Reason.of(ReasonCode.MODEL_NO_MAXIMUM))
    estimates = [wald(float(flat[i]), float(variances[i]), n, confidence=confidence) for i in range(cuts + p)]
    spreads = {
        name: _standard_deviation(abs(float(flat[cuts + p + place])), float(variances[cuts + p + place]), n, confidence)
        for place, name in enumerate(likelihood.crossing.names)
    }
    names = [f"{low:g}|{high:g}" for low, high in pairwise_of(points)]
    return Clmm(
        coefficients=dict(zip(design.names, estimates[cuts:], strict=True)),
        thresholds={
            name: one.model_copy(update={"p": None}) for name, one in zip(names, estimates[:cuts], strict=True)
        },
        spreads=spreads,
        log_likelihood=value,
        n=n,
        points=points,
        link=likelihood.link,
        confidence=confidence,
        why=None,
        design=design,
        covariance=covariance[cuts : cuts + p, cuts : cuts + p],
        flat=flat,
        likelihood=likelihood,
    )


def _standard_deviation(value: float, variance: float, n: int, confidence: float) -> Estimate:
    """A standard deviation, with an interval that is symmetric in its logarithm."""
    from scipy.special import ndtri

    if value < GONE or variance <= 0:
        return Estimate(value=0.0 if value < GONE else value, n=n, why=Reason.of(ReasonCode.SPREAD_AT_ZERO))
    times = float(np.exp(min(50.0, float(ndtri((1 + confidence) / 2)) * variance**0.5 / value)))
    interval = Interval(low=value / times, high=value * times, confidence=confidence, method="Wald, of the logarithm")
    return Estimate(value=value, interval=interval, n=n)


def _undefined_result(
    likelihood: Likelihood, design: Design, points: tuple[float, ...], confidence: float, why: Reason
) -> Clmm:
    n = len(likelihood.rating)
    nothing = Estimate(value=None, n=n, why=why)
    return Clmm(
        coefficients=dict.fromkeys(design.names, nothing),
        thresholds={f"{low:g}|{high:g}": nothing for low, high in pairwise_of(points)},
        spreads=dict.fromkeys(likelihood.crossing.names, nothing),
        log_likelihood=None,
        n=n,
        points=points,
        link=likelihood.link,
        confidence=confidence,
        why=why,
        design=design,
        covariance=np.full((len(design.names), len(design.names)), np.nan),
        flat=_start(likelihood),
        likelihood=likelihood,
    )
