"""Likelihood of the share of matches, given the chances of pairs at a prior of one half, on a grid.

A pair of chance r is r : 1 - r as likely to be seen where it matches as where it does not, so the likelihood of a share pi
is the product of pi r + (1 - pi) (1 - r) over pairs (Saerens, Latinne & Decaestecker 2002). Histograms of r hold all of it.
"""

import numpy as np

from trialogue.metrics.base import Array

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
