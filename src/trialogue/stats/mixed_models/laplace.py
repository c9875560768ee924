"""Laplace-approximated likelihood of ordinal ratings with crossed random intercepts, with its gradient.

With v the standardised effects, h(v) = sum of the ratings' log-likelihoods - v'v/2 and H its negative curvature at the mode,

    L = h(mode) - log|H| / 2.

The gradient is exact, including the dependence of the mode and H on the parameters (hence third derivatives); checked
against finite differences and, on tiny data, against quadrature. Tierney & Kadane (1986), "Accurate Approximations for
Posterior Moments"; Christensen (2019), "Cumulative Link Models for Ordinal Regression with the R Package ordinal".

Likelihood of one rating on an ordered scale, with derivatives up to the third.

P(rating <= j) = F(theta_j - eta), so l = log(F(u) - F(v)) with u = theta_j - eta and v = theta_{j-1} - eta. A mixed model
needs the derivatives of l by eta and by the two thresholds. McCullagh (1980), "Regression Models for Ordinal Data".
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.mixed_models.crossed import CrossedDesign, Factorisation

Link: TypeAlias = Literal["logit", "probit"]
SMALLEST = 1e-290  # a chance that is zero in floating point


@dataclass(frozen=True, eq=False)
class Terms:
    """Log-likelihood l and its derivatives for each observation, shape (n,)."""

    value: Floats
    """l."""
    slope: Floats
    """dl / d eta."""
    weight: Floats
    """- d2l / d eta2, positive."""
    third: Floats
    """d weight / d eta."""
    above: Floats
    """dl / d theta of the threshold above the rating (0 for the highest rating)."""
    below: Floats
    """dl / d theta of the threshold below it (0 for the lowest)."""
    slope_above: Floats
    """d slope / d theta above."""
    slope_below: Floats
    """d slope / d theta below."""
    weight_above: Floats
    """d weight / d theta above."""
    weight_below: Floats
    """d weight / d theta below."""


def check_link(link: str) -> None:
    """Raise UsageError for an unknown link."""
    if link not in get_args(Link):
        raise UsageError(f"There is no link {link!r}. Known: {', '.join(get_args(Link))}.")


def terms(rating: Ints, eta: Floats, thresholds: Floats, link: Link = "logit") -> Terms:
    """Compute all terms at once.

    Args:
        rating: 0 to k - 1, shape (n,).
        eta: linear predictor, shape (n,).
        thresholds: ascending, shape (k - 1,).
        link: ``logit`` or ``probit``.
    """
    edges = np.concatenate([[-np.inf], thresholds, [np.inf]])
    high, low = edges[rating + 1] - eta, edges[rating] - eta
    chance = np.maximum(_interval_probability(low, high, link), SMALLEST)
    density_high, bend_high, twist_high = (part / chance for part in _density(high, link))
    density_low, bend_low, twist_low = (-part / chance for part in _density(low, link))
    a, b = density_high + density_low, bend_high + bend_low
    d_above = bend_high - density_high * a
    d_below = bend_low - density_low * a
    c_above = twist_high - b * density_high - 2 * a * d_above
    c_below = twist_low - b * density_low - 2 * a * d_below
    return Terms(
        value=np.log(chance),
        slope=-a,
        weight=a**2 - b,
        third=c_above + c_below,
        above=density_high,
        below=density_low,
        slope_above=-d_above,
        slope_below=-d_below,
        weight_above=-c_above,
        weight_below=-c_below,
    )


def value_and_slope(rating: Ints, eta: Floats, thresholds: Floats, link: Link) -> tuple[Floats, Floats, Floats]:
    """l, its slope and its weight, as needed by an inner step."""
    edges = np.concatenate([[-np.inf], thresholds, [np.inf]])
    high, low = edges[rating + 1] - eta, edges[rating] - eta
    chance = np.maximum(_interval_probability(low, high, link), SMALLEST)
    density_high, bend_high, _ = _density(high, link)
    density_low, bend_low, _ = _density(low, link)
    slope = (density_low - density_high) / chance
    return np.log(chance), slope, slope**2 - (bend_high - bend_low) / chance


def _interval_probability(low: Floats, high: Floats, link: Link) -> Floats:
    """F(high) - F(low), from the tail where it loses no digits."""
    from scipy.special import expit, ndtr

    cumulative = expit if link == "logit" else ndtr
    turned = np.where(np.isfinite(low), low, -1e3) + np.where(np.isfinite(high), high, 1e3) > 0
    left, right = np.where(turned, -high, low), np.where(turned, -low, high)
    found: Floats = cumulative(right) - cumulative(left)
    return found


def _density(at: Floats, link: Link) -> tuple[Floats, Floats, Floats]:
    """f, f' and f''; zero at infinity."""
    if link == "probit":
        place = np.clip(at, -38, 38)
        density = np.where(np.isfinite(at), np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi), 0.0)
        return density, -place * density, (place**2 - 1) * density
    from scipy.special import expit

    share = expit(at)
    density = share * (1 - share)
    lean = 1 - 2 * share
    return density, density * lean, density * (lean**2 - 2 * density)


NEAR = 1e-9  # an inner step this small ends the search for the mode
MAX_INNER = 60  # steps; about five are usual, one or two after a small move of the parameters
HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Parameters:
    """Parameters of the likelihood."""

    thresholds: Floats
    slopes: Floats
    scales: Floats
    """Standard deviations of the factors in the order of ``CrossedDesign.names``; their sign does not matter."""

    @property
    def flat(self) -> Floats:
        """All of them in one row."""
        return np.concatenate([self.thresholds, self.slopes, self.scales])


class Likelihood:
    """L and its gradient for one set of ratings.

    Args:
        rating: 0 to k - 1, every one of which occurs; shape (n,).
        matrix: fixed effects without a constant, shape (n, p).
        crossing: the random effects.
        link: ``logit`` or ``probit``.
    """

    def __init__(self, rating: Ints, matrix: Floats, crossing: CrossedDesign, link: Link) -> None:
        self.rating, self.matrix, self.crossing, self.link = rating, matrix, crossing, link
        self.cuts = int(rating.max())
        self.mode = np.zeros(crossing.n_levels)
        self.evaluations = 0

    def unflat(self, flat: Floats) -> Parameters:
        """Parameters from one row."""
        slopes = self.cuts + self.matrix.shape[1]
        return Parameters(flat[: self.cuts], flat[self.cuts : slopes], flat[slopes:])

    def __call__(self, parameters: Parameters) -> tuple[float, Floats]:
        """L and its gradient by thresholds, slopes and scales, shape (parameters,); (-inf, zeros) where impossible."""
        self.evaluations += 1
        size = len(parameters.flat)
        if np.any(np.diff(parameters.thresholds) <= 0) or not np.isfinite(parameters.flat).all():
            return -np.inf, np.zeros(size)
        scales = dict(zip(self.crossing.names, parameters.scales.tolist(), strict=True))
        base = self.matrix @ parameters.slopes
        mode = self._mode(parameters, scales, base)
        if mode is None:
            return -np.inf, np.zeros(size)
        self.mode = mode
        return self._value_at_mode(parameters, scales, base + self.crossing.spread(scales, mode), mode)

    def _mode(self, parameters: Parameters, scales: dict[str, float], base: Floats) -> Floats | None:
        """The effects that fit best; Newton from the last ones found. None if they run away."""
        # From the last mode: the optimiser takes small steps, and so does the mode.
        mode = self.mode
        if not self.crossing.n_levels:
            return mode
        across = self.crossing.level_scales(scales)
        value, slope, weight = self._inner(parameters, base + self.crossing.spread(scales, mode))
        height = value - float(mode @ mode) / 2
        for _ in range(MAX_INNER):
            rise = across * self.crossing.gather(slope) - mode
            step = Factorisation(self.crossing, weight, scales).solve(rise)
            longest = float(np.abs(step).max())
            if not np.isfinite(longest):
                return None
            for _ in range(HALVINGS):
                tried = mode + step
                value, slope, weight = self._inner(parameters, base + self.crossing.spread(scales, tried))
                new = value - float(tried @ tried) / 2
                # A tolerance: near the mode the gain is below what doubles can tell, and halving would go on for nothing.
                if new >= height - 1e-9 * max(1.0, abs(height)):
                    break
                step = step / 2
            mode, height = tried, new
            if longest < NEAR**0.5:  # the error of Newton's step is of the order of its square
                return mode
        return None

    def _inner(self, parameters: Parameters, eta: Floats) -> tuple[float, Floats, Floats]:
        value, slope, weight = value_and_slope(self.rating, eta, parameters.thresholds, self.link)
        return float(value.sum()), slope, np.maximum(weight, 0.0)

    def _value_at_mode(
        self, parameters: Parameters, scales: dict[str, float], eta: Floats, mode: Floats
    ) -> tuple[float, Floats]:
        crossing = self.crossing
        t = terms(self.rating, eta, parameters.thresholds, self.link)
        weight = np.maximum(t.weight, 0.0)
        factorisation = Factorisation(crossing, weight, scales)
        value = float(t.value.sum() - mode @ mode / 2) - factorisation.log_determinant / 2
        posterior_covariances = factorisation.posterior_covariances()
        spread = sum((scales[name] * posterior_covariances[name] for name in crossing.names), start=np.zeros(len(eta)))
        pull = spread * t.third
        # The mode moves with the parameters, and the determinant with the mode: the implicit part of the gradient, by one
        # solve for all parameters instead of one for each.
        turned = (
            factorisation.solve(crossing.level_scales(scales) * crossing.gather(pull)) if crossing.n_levels else mode
        )
        echo = crossing.spread(scales, turned) + np.zeros(len(eta))
        by_scale = [
            self._scale_derivative(name, t.slope, weight, mode, posterior_covariances[name], pull, turned, echo)
            for name in crossing.names
        ]
        # Of the value itself only the direct part is left: at the mode its slope by the effects is zero.
        by_slope = self.matrix.T @ (t.slope - (pull - weight * echo) / 2)
        above = t.above - (spread * t.weight_above + t.slope_above * echo) / 2
        below = t.below - (spread * t.weight_below + t.slope_below * echo) / 2
        by_threshold = (
            np.bincount(self.rating, above, minlength=self.cuts + 1)[:-1]
            + np.bincount(self.rating, below, minlength=self.cuts + 1)[1:]
        )
        return value, np.concatenate([by_threshold, by_slope, by_scale])

    def _scale_derivative(
        self,
        name: str,
        slope: Floats,
        weight: Floats,
        mode: Floats,
        leverage: Floats,
        pull: Floats,
        turned: Floats,
        echo: Floats,
    ) -> float:
        span, codes = self.crossing.span(name), self.crossing.codes[name]
        own, turn = mode[span][codes], turned[span][codes]
        moved = 2 * weight * leverage + pull * own + turn * slope - weight * own * echo
        return float(slope @ own - moved.sum() / 2)
