"""Covariance of the calibration of matches, over resampled labelled dialogues.

By the infinitesimal jackknife over dialogues: the derivatives of slope and intercept by each dialogue's weight, squared and
summed. A pair belongs to the dialogues of both its ends, so those that share one are not independent. It takes
the time of one fit, and is tested against calibrations of bootstrapped dialogues.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.folds import places_of
from trialogue.strategies.learning.pair_sampling import Pairs

MIN_GROUPS = 10
"""Dialogues below which their spread says next to nothing of what others would have given."""


def matching_error(
    scores: Floats, pairs: Pairs, fitted: tuple[float, float], columns: Ints, groups: Sequence[Hashable]
) -> tuple[float, float, float] | None:
    """Variance of the slope, covariance, and variance of the intercept of a logistic regression on ``draw_matching``.

    Efron (1982), "The Jackknife, the Bootstrap and Other Resampling Plans", sec. 6.2 (infinitesimal jackknife), with the
    estimating equations of the regression; times g / (g - 1) for g groups.

    How pairs are drawn moves along: the left end of a match stands for a share of all rows, the right one for a share of
    those with its label, and the ratio of the two kinds of pairs is fixed. So a dialogue that counts more takes from others.

    Args:
        scores: log odds of each pair, shape (n,).
        pairs: drawn by ``draw_matching``, their ends being rows.
        fitted: (slope, intercept) of ``platt`` on them.
        columns: label of each row as a number from 0, shape (rows,).
        groups: dialogue of each row.

    Returns:
        None with fewer than 10 groups, or where the regression is not determined.
    """
    of_row = places_of(groups)
    size = int(of_row.max()) + 1
    if size < MIN_GROUPS:
        return None
    design = np.column_stack([scores, np.ones(len(scores))])
    chances = 1 / (1 + np.exp(-np.clip(design @ np.array(fitted), -30, 30)))
    curvature = (design * (chances * (1 - chances))[:, None]).T @ design
    if np.linalg.cond(curvature) > 1e10:
        return None
    moved = _influence_of(design * (pairs.same - chances)[:, None], pairs, columns, of_row, size)
    influence = np.linalg.solve(curvature, moved.T)
    covariance = influence @ influence.T * size / (size - 1)
    return float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])


def _influence_of(pull: Floats, pairs: Pairs, columns: Ints, of_row: Ints, size: int) -> Floats:
    """Derivatives of the estimating equations by the weight of each group, shape (size, 2), from each pair's (n, 2)."""
    left, right, same = of_row[pairs.left], of_row[pairs.right], pairs.same
    moved = np.zeros((size, 2))
    np.add.at(moved, left, pull)
    np.add.at(moved, right, pull)
    by_label = np.zeros((int(columns.max()) + 1, 2))
    np.add.at(by_label, columns[pairs.left[same]], pull[same])
    rows = np.zeros((size, len(by_label)))
    np.add.at(rows, (of_row, columns), 1)
    moved -= rows / np.maximum(rows.sum(axis=0), 1) @ by_label
    moved -= _shares(left[same], size)[:, None] * pull[same].sum(axis=0)
    ends = _shares(left[~same], size) + _shares(right[~same], size)
    return np.asarray(moved - ends[:, None] * pull[~same].sum(axis=0))


def _shares(places: Ints, size: int) -> Floats:
    return np.asarray(np.bincount(places, minlength=size) / len(places))
