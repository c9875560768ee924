"""Linear mixed models of numeric ratings with crossed random intercepts, by REML, with Satterthwaite's degrees of freedom.

y = x'beta + sum of the effects of the rating's worker, item, ... + noise. Ratings are treated as interval-scaled: the
simpler alternative to ``clmm``, and the way to variance components of unbalanced data. Bates, Maechler, Bolker & Walker
(2015), "Fitting Linear Mixed-Effects Models Using lme4"; Fai & Cornelius (1996) and Kuznetsova, Brockhoff & Christensen
(2017), "lmerTest" for the degrees of freedom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, check_confidence
from trialogue.stats.mixed_models.crossed import CrossedDesign, Factorisation, validate_ratings
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

GONE = 1e-3  # a standard deviation below this share of the noise is zero
STEP = 1e-3  # of the differences that make curvature
LARGEST = 1e100  # squares and their sums stay finite
TINY = 1e-9  # a ratio whose slope is zero


@dataclass(frozen=True, eq=False)
class Lmm:
    """Fitted linear mixed model."""

    coefficients: dict[str, Estimate]
    """By column of the design, in rating points, with t interval and p (Satterthwaite)."""
    mean: Estimate
    """Mean of the reference levels (the intercept)."""
    spreads: dict[str, float]
    """Standard deviation of each random factor; empty if there is no fit."""
    noise: float | None
    """Standard deviation of the residuals, in rating points; None: no fit."""
    criterion: float | None
    """-2 log of the restricted likelihood; None: no fit."""
    n: int
    confidence: float
    why: Reason | None
    """Why there is no fit."""
    design: Design
    form: "Form | None" = field(default=None, repr=False)
    """Everything that further questions need; None: no fit."""

    def pairs(self, effect: str) -> list[Pairwise]:
        """Pairwise contrasts of a factor's levels, in rating points, with Bonferroni-adjusted p-values."""
        return pairwise(self.design, effect, self.combination)

    @one_blas_thread()
    def combination(self, weights: Floats) -> tuple[Estimate, float | None]:
        """Linear combination of the coefficients, with its degrees of freedom."""
        if self.form is None:
            return Estimate(value=None, n=self.n, why=self.why), None
        padded = np.concatenate([[0.0], weights])
        value, variance = float(padded @ self.form.beta), float(padded @ self.form.covariance @ padded)
        freedom = self.form.freedom(padded)
        return wald(value, variance, self.n, confidence=self.confidence, freedom=freedom), freedom

    def freedom(self, weights: Floats) -> float | None:
        """Satterthwaite's degrees of freedom of a linear combination of the coefficients; None without a fit."""
        return None if self.form is None else self.form.freedom(np.concatenate([[0.0], weights]))


@one_blas_thread()
def lmm(
    ratings: Sequence[float] | Floats,
    fixed: Fixed,
    random: Mapping[str, Sequence[Any]],
    *,
    confidence: float = 0.95,
) -> Lmm:
    """Fit a linear mixed model by REML.

    Args:
        ratings: numbers, shape (n,).
        fixed: effects of interest: labels make a factor, numbers a slope; may be empty.
        random: factors of independent normal effects.
        confidence: confidence level of the intervals.

    Returns:
        The fit; undefined, with ``why``, if ratings do not vary or effects are collinear.

    Raises:
        UsageError: columns of different lengths, or missing ratings.

    >>> found = lmm([1, 2, 3, 2, 3, 5], {"system": list("aaabbb")}, {"worker": [1, 2, 3, 1, 2, 3]})
    >>> round(found.coefficients["system=b"].value, 3), round(found.pairs("system")[0].freedom, 1)     # a paired t test
    (1.333, 2.0)
    """
    check_confidence(confidence)
    values = validate_ratings(ratings, random)
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise UsageError(f"ratings go up to {np.abs(values).max():g}, whose squares overflow; rescale the ratings.")
    design = design_of(fixed, len(values))
    matrix = np.column_stack([np.ones(len(values)), design.matrix])
    why = confounding_reason(design)
    if len(values) <= matrix.shape[1]:
        why = Reason.of(ReasonCode.MODEL_TOO_FEW_RATINGS, ratings=len(values), coefficients=matrix.shape[1])
    elif why is None and _residual(values, matrix) < 1e-12 * max(1.0, float(np.sum(values**2))):
        why = Reason.of(ReasonCode.MODEL_NO_RESIDUALS)
    if why:
        nothing = Estimate(value=None, n=len(values), why=why)
        return Lmm(dict.fromkeys(design.names, nothing), nothing, {}, None, None, len(values), confidence, why, design)
    form = Form(values, matrix, CrossedDesign(random))
    bare = Lmm({}, Estimate(value=0.0), {}, None, None, len(values), confidence, None, design, form)
    rows = np.eye(len(design.names))
    return Lmm(
        coefficients={name: bare.combination(row)[0] for name, row in zip(design.names, rows, strict=True)},
        mean=_mean(form, len(values), confidence),
        spreads=form.spreads,
        noise=form.noise,
        criterion=form.criterion(form.ratios),
        n=len(values),
        confidence=confidence,
        why=None,
        design=design,
        form=form,
    )


def _residual(values: Floats, matrix: Floats) -> float:
    fit = matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
    return float(np.sum((values - fit) ** 2))


def _mean(form: "Form", n: int, confidence: float) -> Estimate:
    first = np.zeros(len(form.beta))
    first[0] = 1.0
    return wald(
        float(form.beta[0]), float(form.covariance[0, 0]), n, confidence=confidence, freedom=form.freedom(first)
    )


class Form:
    """The restricted likelihood, its maximum, and what follows from it."""

    def __init__(self, values: Floats, matrix: Floats, crossing: CrossedDesign) -> None:
        self.values, self.matrix, self.crossing = values, matrix, crossing
        self.left = len(values) - matrix.shape[1]
        both = np.column_stack([matrix, values])
        self.plain = both.T @ both
        self.sums = np.column_stack([crossing.gather(column) for column in both.T])
        self.ratios = self._search()
        inner = self._inner(self.ratios)
        self.beta, _, self.unit, squares = inner
        self.noise = float((squares / self.left) ** 0.5)
        self.covariance: Floats = self.noise**2 * self.unit
        self.spreads = {
            name: float(self.noise * abs(ratio)) if abs(ratio) >= GONE else 0.0
            for name, ratio in zip(crossing.names, self.ratios, strict=True)
        }
        self.variances = self._variance_of_parameters()

    def _inner(self, ratios: Floats) -> tuple[Floats, float, Floats, float]:
        """Coefficients, log determinants, their unscaled covariance, and the residual sum of squares."""
        scales = dict(zip(self.crossing.names, ratios.tolist(), strict=True))
        factorisation = Factorisation(self.crossing, np.ones(len(self.values)), scales)
        across = self.crossing.level_scales(scales)[:, None] * self.sums
        products = self.plain - across.T @ factorisation.solve(across) if self.crossing.n_levels else self.plain
        inner, right = products[:-1, :-1], products[:-1, -1]
        unit: Floats = np.asarray(np.linalg.inv(inner), dtype=np.float64)
        beta = unit @ right
        determinants = factorisation.log_determinant + float(np.linalg.slogdet(inner)[1])
        return beta, determinants, unit, float(products[-1, -1] - right @ beta)

    def criterion(self, ratios: Floats) -> float:
        """-2 log restricted likelihood, the noise at its best."""
        _, determinants, _, squares = self._inner(ratios)
        return float(determinants + self.left * (1 + np.log(2 * np.pi * squares / self.left)))

    def _search(self) -> Floats:
        from scipy.optimize import minimize

        size = len(self.crossing.names)
        if not size:
            return np.zeros(0)
        start = np.full(size, 0.5)
        found = minimize(self._with_slope, start, jac=True, method="BFGS", options={"gtol": 1e-4, "maxiter": 200})
        return np.asarray(np.abs(found.x))

    def _with_slope(self, ratios: Floats) -> tuple[float, Floats]:
        """The criterion and its gradient.

        With V = I + Z S S Z', S Z' V^-1 = H^-1 S Z'; so everything follows from H^-1 S Z' (X, y).
        """
        scales = dict(zip(self.crossing.names, ratios.tolist(), strict=True))
        beta, determinants, unit, squares = self._inner(ratios)
        factorisation = Factorisation(self.crossing, np.ones(len(self.values)), scales)
        turned = factorisation.solve(self.crossing.level_scales(scales)[:, None] * self.sums)
        residual = turned[:, -1] - turned[:, :-1] @ beta
        posterior_covariances = factorisation.posterior_covariances()
        slope = np.zeros(len(ratios))
        for place, name in enumerate(self.crossing.names):
            span, ratio = self.crossing.span(name), ratios[place]
            slope[place] = 2 * posterior_covariances[name].sum()
            if abs(ratio) > TINY:
                fixed = np.sum(turned[span, :-1] @ unit * turned[span, :-1])
                slope[place] -= 2 * (fixed + self.left * np.sum(residual[span] ** 2) / squares) / ratio
        return determinants + self.left * float(1 + np.log(2 * np.pi * squares / self.left)), slope

    def _full(self, parameters: Floats) -> float:
        """-2 log restricted likelihood at ratios and noise."""
        _, determinants, _, squares = self._inner(parameters[:-1])
        variance = parameters[-1] ** 2
        return float(determinants + self.left * np.log(2 * np.pi * variance) + squares / variance)

    def _variance_of_parameters(self) -> tuple[Floats, list[int]]:
        """Covariance of the ratios that are not zero, and of the noise; and which ratios these are."""
        at = np.concatenate([self.ratios, [self.noise]])
        kept = [place for place, ratio in enumerate(self.ratios) if ratio >= GONE]
        free = [*kept, len(self.ratios)]
        curvature = np.zeros((len(free), len(free)))
        steps = np.eye(len(at)) * STEP * np.maximum(1e-2, np.abs(at))
        for i, a in enumerate(free):
            for j, b in enumerate(free[: i + 1]):
                up, down = steps[a], steps[b]
                mixed = (
                    self._full(at + up + down)
                    - self._full(at + up - down)
                    - self._full(at - up + down)
                    + self._full(at - up - down)
                )
                curvature[i, j] = curvature[j, i] = mixed / (4 * steps[a, a] * steps[b, b])
        return np.asarray(2 * np.linalg.pinv(curvature, hermitian=True), dtype=np.float64), free

    def freedom(self, weights: Floats) -> float:
        """Satterthwaite's degrees of freedom of a linear combination of the coefficients: 2 v^2 / var(v)."""
        covariance, _ = self.variances
        slope = np.array([weights @ rise @ weights for rise in self._rises])
        spread = float(slope @ covariance @ slope)
        value = float(weights @ self.covariance @ weights)
        return float(2 * value**2 / spread) if spread > 0 else float(self.left)

    @cached_property
    def _rises(self) -> list[Floats]:
        """Derivatives of the coefficients' covariance by each non-zero ratio, and by the residual SD."""
        at = np.concatenate([self.ratios, [self.noise]])
        found = []
        for place in self.variances[1]:
            step = np.zeros(len(at))
            step[place] = STEP * max(1e-2, abs(at[place]))
            found.append((self._covariance_at(at + step) - self._covariance_at(at - step)) / (2 * step[place]))
        return found

    def _covariance_at(self, parameters: Floats) -> Floats:
        _, _, unit, _ = self._inner(parameters[:-1])
        found: Floats = parameters[-1] ** 2 * unit
        return found
