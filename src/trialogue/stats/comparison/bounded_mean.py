"""Confidence interval of a mean of very few values that lie between known ends, such as preferences from -1 to 1.

Few discrete values are often all alike, or lie on one side, and then say nothing of what they have not shown: Student's t
and sign flips around a shifted centre take what is seen for all that there is. The score interval holds the means that the
values do not contradict, by the variance that is most likely under each of them; a value at the end of the scale, unseen so
far, may have a part in it. Of values -1 and 1 it is Wilson's interval, of -1, 0 and 1 Tango's for pairs.

Enumerated for values -1, -1/2, 0, 1/2, 1 in 800 random proportions, 95%: coverage .98, .97 and .97 on average for 5, 8 and
12 values; it is below .93 in 1% of the proportions or fewer, and .89 at least. Sign flips of the shifted values have .94
on average and less than .93 in a quarter (8 values), with intervals that are a quarter wider.

Values that are alike within groups are worth fewer: with an intraclass correlation of .3 in groups of four, coverage is .84
to .89 (8 to 50 values).
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, check_confidence

DIGITS = 12  # of places on the scale: means between a value and an end next to it would run out of floats
HALVINGS = 50  # of a search for an end; 2^-50 of the scale is below what a mean of floats is exact to


def bounded_mean_interval(
    values: Sequence[float], *, low: float, high: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Score interval of the mean of independent values from ``low`` to ``high``; their mean lies inside.

    A mean m is kept where n (mean - m)^2 is at most z^2 times the variance around m under the most likely distribution with
    mean m, on the observed values and the end of the scale beyond m. That is the score test of Tango (1998), "Equivalence
    Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design", for any bounded values;
    likelihoods of distributions on the observed values with a given mean: Owen (1988), "Empirical Likelihood Ratio
    Confidence Intervals for a Single Functional".

    Args:
        values: at least one value.
        low: least possible value.
        high: largest possible value.
        confidence: confidence level of the interval.

    Raises:
        UsageError: no values, or one outside the ends.

    >>> found = bounded_mean_interval([1, 1, 1, 1, 1, -1, -1, -1], low=-1, high=1)     # Wilson's 5 of 8 is .306 to .863
    >>> [round(end, 3) for end in found]
    [-0.389, 0.726]
    """
    check_confidence(confidence)
    given = np.sort(np.asarray(values, dtype=np.float64))
    if not len(given) or given[0] < low or given[-1] > high:
        raise UsageError(f"A bounded mean needs values from {low:g} to {high:g}, got {list(values)}.")
    if high <= low:
        raise UsageError(f"The ends of the scale must differ, got {low:g} and {high:g}.")
    places = np.round((given - low) / (high - low), DIGITS)
    limit = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    below, above = 1 - _upper_end(np.sort(1 - places), limit), _upper_end(places, limit)
    mean = float(given.mean())
    return min(low + (high - low) * below, mean), max(low + (high - low) * above, mean)


def _upper_end(places: Floats, limit: float) -> float:
    """Upper end for values from 0 to 1; exactly 1 if all of them are."""
    mean = float(places.mean())
    if mean >= 1.0:
        return 1.0
    inside, outside = mean, 1.0
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if len(places) * (mean - middle) ** 2 <= limit * _variance_around(middle, places):
            inside = middle
        else:
            outside = middle
    return inside


def _variance_around(mean: float, places: Floats) -> float:
    """Variance of the most likely distribution with a mean above that of the places, on the places and 1.

    Each place x has a share of 1 / (1 + s (x - mean)) / n. The tilt s is negative and at least -1 / (1 - mean), where an
    unseen value at 1 has the rest; else it is the one that leaves no rest.
    """
    from scipy.optimize import brentq

    gaps, rest = places - mean, 1.0 - mean

    def pull(tilt: float) -> float:
        return float(np.sum(gaps / (1 + tilt * gaps)))

    least = -1.0 / rest
    if places[-1] < 1.0:
        shares = 1 / (1 + least * gaps) / len(gaps)
        unseen = 1.0 - float(shares.sum())
        if unseen >= 0 or pull(least * (1 - 1e-12)) <= 0:  # the two differ by rounding
            return float(shares @ gaps**2) + max(unseen, 0.0) * rest**2
    tilt = brentq(pull, least * (1 - 1e-12), 0.0)
    shares = 1 / (1 + tilt * gaps) / len(gaps)
    return float(shares @ gaps**2 / shares.sum())
