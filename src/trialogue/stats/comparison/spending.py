"""Looks at a growing sample: the level that a look may use, so that all looks together keep theirs.

Somebody who tests after each of nine batches finds a difference that is not there in .13 to .19 of the studies. With the
spending function of O'Brien and Fleming's kind (Lan and DeMets 1983, "Discrete Sequential Boundaries for Clinical Trials"),
early looks spend little, and the last keeps nearly the whole level. The information at a look is its share of the planned
clusters; boundaries follow by the recursive integration of Armitage, McPherson and Rowe (1969).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats

GRID = 801  # points over the values that go on; boundaries of five looks are exact to four digits
FARTHEST = 8.0  # standard errors beyond which nothing lies


def look_level(information: Sequence[float], *, alpha: float = 0.05) -> float:
    """Two-sided level of the last of several looks.

    Args:
        information: shares of the planned information at all looks up to this one, ascending; at most 1.
        alpha: level of all looks together.

    Raises:
        UsageError: shares that do not ascend from above 0 to at most 1.

    >>> [round(look_level([0.2, 0.4, 0.6, 0.8, 1.0][: look + 1]), 4) for look in range(5)]
    [0.0, 0.0008, 0.0074, 0.022, 0.0423]
    """
    from scipy.special import ndtr

    times = [0.0, *information]
    if len(times) < 2 or times[-1] > 1 or any(later <= earlier for earlier, later in pairwise(times)):
        raise UsageError(f"information must ascend from above 0 to at most 1, got {list(information)}.")
    points, weights = np.zeros(1), np.ones(1)  # sums of what has come, and the chance that none of the looks ended it
    spent = bound = 0.0
    for earlier, time in pairwise(times):
        step = (time - earlier) ** 0.5
        bound = _boundary(points, weights, step, time, spending(time, alpha) - spent)
        spent = spending(time, alpha)
        points, weights = _go_on(points, weights, step, bound * time**0.5)
    return 2 * float(ndtr(-bound))


def spending(time: float, alpha: float) -> float:
    """What each side has spent of its half of ``alpha`` at a share of the information."""
    from scipy.special import ndtr, ndtri

    return 2 * float(ndtr(ndtri(alpha / 4) / time**0.5))


def _boundary(points: Floats, weights: Floats, step: float, time: float, left: float) -> float:
    """Standardised value that is passed on one side, by those who have gone on, with a chance of ``left``."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    def excess(bound: float) -> float:
        return float(weights @ ndtr((points - bound * time**0.5) / step)) - left

    return FARTHEST if excess(FARTHEST) > 0 else float(brentq(excess, 0.0, FARTHEST))


def _go_on(points: Floats, weights: Floats, step: float, end: float) -> tuple[Floats, Floats]:
    """Sums after a further step that lie inside of the boundary, and their chances."""
    inside = np.linspace(-end, end, GRID)
    density = np.exp(-(((inside[:, None] - points) / step) ** 2) / 2) @ weights / (step * (2 * np.pi) ** 0.5)
    width = inside[1] - inside[0]
    return inside, density * np.where(np.arange(GRID) % (GRID - 1) == 0, width / 2, width)
