"""Test of the proportional-odds assumption of cumulative-link models.

One logistic regression per cut of the scale ("above 1", "above 2", ...), with the same effects; under proportional
odds an effect has the same coefficient in each. Brant (1990), "Assessing Proportionality in the Proportional Odds Model for
Ordinal Logistic Regression", with the covariance of the cuts robust to clusters (Liang & Zeger 1986), since one person's
ratings are not independent.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.records import Reason, ReasonCode
from trialogue.stats.arrays import Floats, as_floats, check_same_length
from trialogue.stats.mixed_models.contrasts import Test
from trialogue.stats.mixed_models.fixed_effects import Design, confounding_reason, design_of
from trialogue.stats.resampling.clusters import codes_of

MAX_STEPS = 50
FAR = 15.0  # log-odds without bound


@dataclass(frozen=True)
class ProportionalOdds:
    """Effects at each cut of the scale, and a test of their equality."""

    test: Test
    """Wald test, as F with clusters - restrictions degrees of freedom in the denominator."""
    cuts: tuple[str, ...]
    """``"above 2"``, ..."""
    coefficients: dict[str, tuple[float | None, ...]]
    """Log-odds by column of the design, one a cut."""


def proportional_odds(
    ratings: Sequence[float] | Floats,
    fixed: Mapping[str, Sequence[Any]],
    *,
    effect: str,
    clusters: Sequence[Hashable],
) -> ProportionalOdds:
    """Test that an effect is the same at every cut of the scale.

    Args:
        ratings: points of an ordered scale.
        fixed: effects, as in ``clmm``.
        effect: the one to test.
        clusters: who gave each rating.

    Returns:
        The test; undefined, with ``why``, on a scale of two points (nothing to compare), with too few clusters for the
        number of restrictions. Cuts that fewer than five ratings lie beyond, or that leave a level ratings on one side
        only (its log-odds are None), are left out of the test.
    """
    values = as_floats(ratings, "ratings")
    check_same_length(ratings=values, clusters=clusters)
    design = design_of(fixed, len(values))
    points = np.unique(values)
    # Each cut is a logistic regression of its own; with fewer than five ratings on a side its coefficients diverge.
    cuts = [point for point in points[:-1] if min((values > point).sum(), (values <= point).sum()) >= 5]
    names = tuple(f"above {point:g}" for point in cuts)
    fits = [_logistic((values > point).astype(np.float64), design) for point in cuts]
    coefficients = {
        name: tuple(None if fit is None else float(fit[0][1 + place]) for fit in fits)
        for place, name in enumerate(design.names)
    }
    why = confounding_reason(design)
    usable = [fit for fit in fits if fit is not None]
    if why is None and len(usable) < 2:
        why = Reason.of(ReasonCode.CUTS_TOO_FEW)
    test = Test("proportional odds", None, why=why) if why else _test(usable, design, effect, clusters)
    return ProportionalOdds(test, names, coefficients)


def _logistic(above: Floats, design: Design) -> tuple[Floats, Floats, Floats] | None:
    """Coefficients, inverse curvature and each row's score; None where there is no bound."""
    from scipy.special import expit

    matrix = np.column_stack([np.ones(len(above)), design.matrix])
    beta = np.zeros(matrix.shape[1])
    for _ in range(MAX_STEPS):
        chance = expit(matrix @ beta)
        curvature = matrix.T @ (matrix * (chance * (1 - chance))[:, None])
        if np.linalg.cond(curvature) > 1e12 or np.abs(beta).max() > FAR:
            return None
        step = np.linalg.solve(curvature, matrix.T @ (above - chance))
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            break
    chance = expit(matrix @ beta)
    return beta, np.asarray(np.linalg.inv(curvature), dtype=np.float64), matrix * (above - chance)[:, None]


def _test(
    fits: Sequence[tuple[Floats, Floats, Floats]], design: Design, effect: str, clusters: Sequence[Hashable]
) -> Test:
    from scipy.special import fdtrc

    name = "proportional odds (Brant's Wald test, clustered)"
    known, codes = codes_of(list(clusters))
    influences, values = [], []
    for beta, inverse, scores in fits:
        summed = np.column_stack([np.bincount(codes, column, minlength=len(known)) for column in scores.T])
        places = [1 + place for place in design.columns[effect]]
        influences.append((summed @ inverse)[:, places])
        values.append(beta[places])
    size, restrictions = len(values[0]), (len(values) - 1) * len(values[0])
    below = len(known) - restrictions
    if below < 1:
        why = Reason.of(ReasonCode.CUTS_TOO_FEW_CLUSTERS, clusters=len(known), restrictions=restrictions)
        return Test(name, None, why=why)
    stacked = np.column_stack(influences)
    covariance = stacked.T @ stacked * len(known) / (len(known) - 1)
    gaps = np.column_stack([np.tile(-np.eye(size), (len(values) - 1, 1)), np.eye(restrictions)])
    apart = gaps @ np.concatenate(values)
    spread = gaps @ covariance @ gaps.T
    if np.linalg.matrix_rank(spread) < restrictions:
        return Test(name, None, why=Reason.of(ReasonCode.CUTS_INSEPARABLE))
    wald = float(apart @ np.linalg.solve(spread, apart))
    statistic = wald * below / (restrictions * (len(known) - 1))
    freedom = (float(restrictions), float(below))
    return Test(name, statistic, freedom, float(fdtrc(restrictions, below, max(0.0, statistic))))
