"""Likelihood of one rating on an ordered scale, with derivatives up to the third.

P(rating <= j) = F(theta_j - eta), so l = log(F(u) - F(v)) with u = theta_j - eta and v = theta_{j-1} - eta. A mixed model
needs the derivatives of l by eta and by the two thresholds. McCullagh (1980), "Regression Models for Ordinal Data".
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints

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
