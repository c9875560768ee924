"""Sample sizes in independent clusters (people, dialogues).

Closed forms for planning, two-sided. Count clusters, not ratings: with m ratings per cluster that correlate by icc,
its mean has the variance sd^2 * (1 + (m - 1) * icc) / m; pass the sd of cluster means.
"""

from math import ceil
from statistics import NormalDist

from trialogue.errors import UsageError


def clusters_for_means(difference: float, sd: float, *, paired: bool, power: float = 0.8, level: float = 0.05) -> int:
    """Clusters needed to detect a difference of means: in total if paired, per side if not.

    Args:
        difference: the smallest one worth finding, not 0.
        sd: sd of the paired differences, or of the values on either side, in the same unit.
        paired: whether every cluster sees both sides.
        power: probability of detecting it.
        level: significance level (probability of detecting one that does not exist).

    (z_{1-level/2} + z_power)^2 * sd^2 / difference^2, twice that if not paired, plus Guenther's (1981) z^2/2 or z^2/4
    for the unknown sd; within 1 of the exact t test.

    >>> clusters_for_means(0.5, 1.0, paired=True), clusters_for_means(0.5, 1.0, paired=False)
    (34, 64)
    """
    z_level, z_power = _quantiles(power, level)
    if difference == 0 or sd <= 0:
        raise UsageError(f"Expected a difference other than 0 and a positive sd, got {difference} and {sd}.")
    sides = 1 if paired else 2
    n: float = sides * ((z_level + z_power) * sd / difference) ** 2 + z_level**2 / (2 * sides)
    return max(2, ceil(n))


def judgements_needed(share: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """Independent decisive judgements (no ties) needed to distinguish a share of wins from one half.

    Judgements of one pair of dialogues, or by one person, are not independent: multiply by 1 + (m - 1) * icc.

    >>> judgements_needed(0.40), judgements_needed(0.45)
    (194, 783)
    """
    if not 0 < share < 1 or share == 0.5 or not (0 < power < 1 and 0 < level < 1):
        raise UsageError(
            f"Expected a share between 0 and 1 other than one half, and power and level in (0, 1); got {share}."
        )
    normal = NormalDist()
    reach = normal.inv_cdf(1 - level / 2) * 0.5 + normal.inv_cdf(power) * (share * (1 - share)) ** 0.5
    return ceil(float((reach / abs(share - 0.5)) ** 2))


def _quantiles(power: float, level: float) -> tuple[float, float]:
    if not (0 < level < 1 and 0 < power < 1):
        raise UsageError(f"power and level must lie between 0 and 1, got {power} and {level}.")
    return NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
