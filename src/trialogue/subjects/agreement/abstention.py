"""Worst-case imputation of missing metric values.

Agreement computed on the units that a measure has a value for can be raised by leaving out the others, and official
evaluators leave them out silently. Here a missing value is replaced by the guess that lowers the rank correlation with
people most. This is the lower end of the worst-case bounds for missing data (Manski, 2003, "Partial Identification of
Probability Distributions", ch. 1): whatever the measure would have given, its agreement on all units is at least this. So
leaving out units, by whatever rule, cannot raise the number.
"""

from collections.abc import Sequence

import numpy as np

from trialogue.stats.arrays import midranks
from trialogue.subjects.agreement.score_pairs import Floats


def worst_guesses(column: Floats, people: Floats) -> Floats:
    """Fill NaN in a measure's values of shape (n,), higher meaning better, with the worst guess.

    Spearman's covariance is a sum over pairs of units: each adds people's rank (less the mean rank) of the unit that the
    measure puts higher. So the best place for one missing value among the known ones is found alone, and of two missing ones
    the unit that people like less goes higher; both rules agree, since a unit that people like less never has a lower best
    place. For a yes-or-no question the same guesses give the lowest AUC. A guess lies between known values or just beyond
    their ends; without any known value, units are put in the reverse of people's order.

    >>> worst_guesses(np.array([1.0, 2.0, np.nan]), np.array([1.0, 2.0, 3.0])).argmin()
    np.int64(2)
    """
    missing = np.isnan(column)
    if not missing.any():
        return column
    liked = midranks(people) - (len(people) + 1) / 2
    values, below = np.unique(column[~missing], return_inverse=True)
    # Known units above each gap between different known values, and how much people like those units.
    counts = np.concatenate([[0], np.cumsum(np.bincount(below, minlength=len(values)))])
    sums = np.concatenate([[0.0], np.cumsum(np.bincount(below, weights=liked[~missing], minlength=len(values)))])
    costs = counts[None, :] * liked[missing][:, None] + (sums[-1] - sums)[None, :]
    gaps = np.argmin(costs, axis=1)
    guessed = column.copy()
    guessed[missing] = _in_gaps(gaps, liked[missing], values)
    return guessed


def _in_gaps(gaps: "np.ndarray[tuple[int], np.dtype[np.intp]]", liked: Floats, values: Floats) -> Floats:
    """A value in each gap, 0 being below all known values; within a gap, units that people like less lie higher."""
    spread = float(np.ptp(values)) if len(values) > 1 else 1.0
    margin = 1e-6 * spread if spread > 0 else 1e-6
    ends = (
        np.concatenate([[values[0] - margin], values, [values[-1] + margin]]) if len(values) else np.array([0.0, 1.0])
    )
    guesses = np.empty(len(gaps))
    for gap in np.unique(gaps):
        inside = gaps == gap
        levels, order = np.unique(-liked[inside], return_inverse=True)
        places = (order + 1) / (len(levels) + 1)
        guesses[inside] = ends[gap] + places * (ends[gap + 1] - ends[gap])
    return guesses


def worst_guesses_inside(column: Floats, people: Floats, groups: Sequence[str]) -> Floats:
    """Worst guesses within each group, such as each system."""
    guessed, names = column.copy(), np.array(groups)
    for name in np.unique(names):
        inside = names == name
        guessed[inside] = worst_guesses(column[inside], people[inside])
    return guessed
