"""Fit the weights of the shipped satisfaction estimator, and evaluate them on held-out systems and people.

A ridge logistic regression on standardised features, each weight constrained to its declared sign. A few hundred
dialogues support little more: the signs prevent the model from learning a system's habits as signs of satisfaction.
"""

from collections.abc import Sequence

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.fingerprints import training_dialogues
from trialogue.metrics.base import Array
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import (
    MIN_DIALOGUES,
    PENALTY,
    SAME,
    SatisfactionModel,
    Weights,
    domain_of,
    matrix,
    unseen_mask,
)
from trialogue.records import Dialogue


def fit(rows: Array, satisfied: Array, *, penalty: float = PENALTY) -> Weights:
    """Fit weights to features of shape (n, k) and satisfaction (1 or 0) of shape (n,).

    Raises:
        DataError: fewer than ten dialogues are satisfied, or not.
    """
    from scipy.optimize import minimize

    _check(satisfied)
    means, spread = rows.mean(axis=0), rows.std(axis=0)
    scales = np.where(spread > SAME, spread, 1.0)
    standard, sides = (rows - means) / scales, 2 * satisfied - 1

    def loss(given: Array) -> tuple[float, Array]:
        margins = sides * (standard @ given[:-1] + given[-1])
        pull = -sides / (1 + np.exp(margins)) / len(sides)
        value = float(np.logaddexp(0, -margins).mean() + penalty * (given[:-1] @ given[:-1]) / 2)
        return value, np.append(standard.T @ pull + penalty * given[:-1], pull.sum())

    limits = [(0, None) if feature.sign > 0 else (None, 0) for feature in FEATURES.values()]
    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=[*limits, (None, None)])
    digits = [tuple(round(float(value), 6) for value in column) for column in (means, scales, found.x[:-1])]
    return Weights(
        means=digits[0],
        scales=digits[1],
        weights=digits[2],
        intercept=round(float(found.x[-1]), 6),
        dialogues=len(rows),
    )


def train(dialogues: Sequence[Dialogue], *, origin: str, penalty: float = PENALTY) -> SatisfactionModel:
    """Train the estimator on dialogues that their users rated ``satisfaction`` 0 or 1.

    Its fingerprints are kept, so that a training dialogue is recognised whatever its system is called later on.

    Raises:
        DataError: a dialogue has no such rating, or there are too few of either kind.
    """
    satisfied = np.array([_satisfaction_label(dialogue) for dialogue in dialogues])
    rows = matrix(dialogues)
    return SatisfactionModel(
        origin=origin,
        features=tuple(FEATURES),
        everything=fit(rows, satisfied, penalty=penalty),
        without={
            system: fit(rows[kept], satisfied[kept], penalty=penalty)
            for system in sorted({dialogue.system or "" for dialogue in dialogues})
            if _has_both_kinds(satisfied[kept := unseen_mask(dialogues, [system])])
        },
        fingerprints=training_dialogues((dialogue.system or "", dialogue) for dialogue in dialogues),
        domain=domain_of(dialogues),
    )


def left_out(dialogues: Sequence[Dialogue], groups: Sequence[Sequence[str]], *, penalty: float = PENALTY) -> Array:
    """Out-of-fold points of every dialogue, from weights fitted without its group of systems and its people, shape (n,).

    Args:
        dialogues: rated ones.
        groups: systems that are left out together; each system in one of them.
        penalty: penalty of the fit.
    """
    satisfied = np.array([_satisfaction_label(dialogue) for dialogue in dialogues])
    rows, points = matrix(dialogues), np.full(len(dialogues), np.nan)
    for systems in groups:
        inside = np.array([dialogue.system in systems for dialogue in dialogues])
        kept = unseen_mask(dialogues, systems)
        points[inside] = fit(rows[kept], satisfied[kept], penalty=penalty).points(rows[inside])
    return points


def _satisfaction_label(dialogue: Dialogue) -> float:
    for rating in dialogue.ratings:
        if rating.name == "satisfaction" and rating.value in (0, 1):
            return rating.value
    raise DataError(
        Problem(
            f"dialogue {dialogue.id!r} has no rating 'satisfaction' of 0 or 1.",
            hint="An estimator can be trained on rated dialogues only.",
        )
    )


def _has_both_kinds(satisfied: Array) -> bool:
    """Whether there are enough dialogues of each kind to learn from."""
    yes = int(satisfied.sum())
    return min(yes, len(satisfied) - yes) >= MIN_DIALOGUES


def _check(satisfied: Array) -> None:
    if not _has_both_kinds(satisfied):
        yes, no = int(satisfied.sum()), int(len(satisfied) - satisfied.sum())
        raise DataError(
            Problem(
                f"{yes} dialogues have a satisfied user and {no} do not; training needs at least {MIN_DIALOGUES} of each."
            )
        )
