"""Confidence interval of a mean of few, possibly skewed, independent clusters.

Student's t assumes that the mean and its standard error are independent; for skewed values they are not, and intervals miss
on the side of the long tail. Hall's cubic transformation of the studentised mean removes that (Hall 1992), here with
Student's quantiles. It is the studentised bootstrap without resampling: in 4,000 simulated data sets each of 5 to 50
lognormal, exponential, count or ordinal clusters both covered alike, within 1.5 points (lognormal with sigma 1: .90 with 10
clusters, .92 with 20, .93 with 50, where Student's t has .84, .87, .89). With few clusters of a discrete outcome, the
bootstrap's intervals are sometimes infinite; these are not.

Values that are all the same have no spread to go by, and say nothing of what they have not shown: ``unseen_part``.
"""

from dataclasses import dataclass

import numpy as np

from trialogue.stats.arrays import Floats

ZERO_SPREAD = 1e-12  # spread, relative to the values, below which they are the same number
NO_SKEWNESS = 1e-6  # skewness over sqrt(n) below which the transformation is the identity
UNSAFE_SKEWNESS = (
    0.5  # |skewness| / sqrt(clusters): half of lognormal samples with sigma 1.5 exceed it (covered: .81 to .92)
)


@dataclass(frozen=True)
class SkewedMean:
    """Interval of a mean, and how far it can be trusted."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""
    freedom: float
    """Degrees of freedom of the t quantile."""
    skewness: float
    """Skewness of the values."""
    is_unsafe: bool
    """Whether the values are so skewed that the interval may be too narrow even so."""


def skewed_mean(values: Floats, *, alike: float | None = None, confidence: float = 0.95) -> SkewedMean | None:
    """Interval of the mean of independent values; None without variation or with fewer than two.

    With g = skewness / sqrt(n) and t the studentised mean, t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 is taken for Student's t
    with one degree of freedom less than ``alike``. Hall (1992), "On the Removal of Skewness by Transformation", equation
    2.7.

    Args:
        values: one for each cluster, shape (n,).
        alike: effective number of clusters of equal size, for the degrees of freedom; None: n.
        confidence: confidence level.

    >>> found = skewed_mean(np.array([1.0, 2.0, 3.0]))     # no skewness: 2 -+ 4.3027 / sqrt(3)
    >>> round(found.low, 3), round(found.high, 3)
    (-0.484, 4.484)
    """
    from scipy.special import stdtrit

    size = len(values)
    if size < 2 or np.ptp(values) <= ZERO_SPREAD * float(np.abs(values).max()):
        return None
    ordered = np.sort(values)  # so that the order of clusters does not change the last bit
    mean = float(ordered.mean())
    gaps = ordered - mean
    spread = float(np.mean(gaps**2)) ** 0.5
    skewness = float(np.mean((gaps / spread) ** 3))
    standard_error = spread / (size - 1) ** 0.5
    freedom = max((size if alike is None else min(alike, size)) - 1, 1.0)
    t_quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    scaled_skewness = skewness / size**0.5
    low = mean - untransform(t_quantile, scaled_skewness) * standard_error
    high = mean - untransform(-t_quantile, scaled_skewness) * standard_error
    return SkewedMean(low, high, freedom, skewness, abs(scaled_skewness) >= UNSAFE_SKEWNESS)


def transform(t: float, skewness: float) -> float:
    """Hall's transformation of a studentised value whose numerator has that skewness; monotone."""
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


def untransform(quantile: float, skewness: float) -> float:
    """The studentised value whose transformation is a quantile; the cubic is monotone, so there is one."""
    if abs(skewness) < NO_SKEWNESS:
        return quantile
    return 3 / skewness * (float(np.cbrt(1 + skewness * (quantile - skewness / 6))) - 1)


def unseen_part(distance: float, clusters: float, quantile: float) -> float:
    """How far the mean of equal values may lie from them, towards an end of the scale that none of them has reached.

    That is the distance to the end, times the upper end of Wilson's interval for a share that none of the clusters shows.

    >>> round(unseen_part(4.0, 30, 1.96), 3)     # 4 * 1.96^2 / (30 + 1.96^2)
    0.454
    """
    return distance * quantile**2 / (clusters + quantile**2)
