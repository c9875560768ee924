"""Approximate power of a plan by a closed formula, to choose the sizes worth simulating.

The variance of a difference of two systems is the sum of each variance component's contribution, divided by the
number of its levels, and of the noise of single ratings by their Fisher information. Takes milliseconds. No reported power
rests on this alone; ``benchmarks/PLANNING.md`` compares it with simulations.
"""

from itertools import combinations

import numpy as np

from trialogue.findings.planning.study_plan import StudyPlan
from trialogue.stats.arrays import Floats

DRAWS = 4_000
NODES = 21  # of the quadrature over random effects


def variance_of_difference(plan: StudyPlan) -> tuple[float, float]:
    """Variance of the log-odds difference of two systems, with Satterthwaite's degrees of freedom.

    One level more or less of participants, situations and dialogues counts by itself; ratings share their noise.
    """
    sd, people, pool = plan.variances, max(2.0, plan.expected_participants), plan.pool
    dialogues = max(2.0, pool / plan.per_dialogue)
    ratings = people * plan.tasks
    parts = [(2 * sd.rater_system**2 / people, people - 1), (2 * noise(plan) / ratings, ratings)]
    if plan.situations is not None:
        judged = min(float(pool), ratings)
        parts += [
            (2 * sd.item_system**2 / judged, judged - 1),
            (2 * sd.dialogue_system**2 / min(dialogues, judged), min(dialogues, judged) - 1),
        ]
    total = sum(part for part, _ in parts)
    return total, total**2 / sum(part**2 / max(1.0, freedom) for part, freedom in parts)


def noise(plan: StudyPlan) -> float:
    """Noise variance of one rating in logits: the inverse of its Fisher information.

    Information of a rating under proportional odds is the sum over points of (difference of densities)^2 / chance; averaged
    over random effects by Gauss and Hermite's quadrature. McCullagh (1980), "Regression Models for Ordinal Data".
    """
    sd = plan.variances
    spread = np.sqrt(np.sum(np.square(list(vars(sd).values()))))
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    edges = np.concatenate([[-np.inf], plan.thresholds, [np.inf]])
    below = 1 / (1 + np.exp(-(edges - spread * nodes[:, None])))
    chance, density = np.diff(below, axis=1), np.diff(below * (1 - below), axis=1)
    information = np.sum(density**2 / np.maximum(chance, 1e-12), axis=1)
    return float(weights.sum() / (weights @ information))


def expected_power(plan: StudyPlan, *, level: float = 0.05, times: float = 1.0) -> float:
    """Probability that every truly different pair is detected after Holm; 0 if no pair differs.

    Args:
        plan: the study.
        level: significance level of the tests.
        times: a factor on the variance, by which simulations correct the formula.
    """
    from scipy.special import stdtr

    variance, freedom = variance_of_difference(plan)
    variance *= times
    rng = np.random.default_rng(0)  # the same draws for each plan, so that more of anything is never less
    means = np.array(plan.effects) + rng.normal(0, (variance / 2) ** 0.5, (DRAWS, len(plan.effects)))
    error = (variance * rng.chisquare(freedom, DRAWS) / freedom) ** 0.5
    pairs = list(combinations(range(len(plan.effects)), 2))
    gaps = np.column_stack([means[:, b] - means[:, a] for a, b in pairs])
    true = np.array([plan.effects[b] - plan.effects[a] for a, b in pairs])
    p: Floats = np.asarray(2 * stdtr(freedom, -np.abs(gaps) / error[:, None]))
    found = holm_rows(p) < level
    right = (found & (np.sign(gaps) == np.sign(true)))[:, true != 0]
    return float(right.all(axis=1).mean()) if right.shape[1] else 0.0


def holm_rows(p: Floats) -> Floats:
    """Holm's correction in every row."""
    order = np.argsort(p, axis=1)
    ascending = np.take_along_axis(p, order, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(1.0, np.maximum.accumulate(ascending, axis=1)), axis=1)
    return adjusted
