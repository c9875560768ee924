"""Approximate power of a plan by a closed formula, to choose the sizes worth simulating.

The variance of a difference of two systems is the sum of each variance component's contribution, divided by the
number of its levels, and of the noise of single ratings by their Fisher information. Takes milliseconds. No reported power
rests on this alone; ``benchmarks/PLANNING.md`` compares it with simulations.
"""

from statistics import NormalDist

import numpy as np

from trialogue.stats.arrays import Floats
from trialogue.subjects.planning.study_plan import StudyPlan, choice_sd

DRAWS = 4_000
NODES = 21  # of the quadrature over random effects


def variance_of_difference(plan: StudyPlan) -> tuple[float, float]:
    """Variance of the log-odds difference of two systems, with Satterthwaite's degrees of freedom.

    One level more or less of participants, situations and dialogues counts by itself; ratings share their noise.
    """
    if plan.answers == "choices":
        return _variance_of_choices(plan)
    if plan.systems_met < len(plan.effects):
        return _variance_of_met(plan)
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


def _variance_of_met(plan: StudyPlan) -> tuple[float, float]:
    """The same where participants meet only some of the systems: differences within participants, and between them.

    The share of information within is the efficiency of a balanced incomplete block design (Yates 1940, "The recovery of
    inter-block information in balanced incomplete block designs").
    """
    sd, people = plan.variances, max(2.0, plan.expected_participants)
    each, systems = plan.systems_met, len(plan.effects)
    cell = cell_variance(plan)
    within = (1 - 1 / each) / (1 - 1 / systems)
    information = within / cell + (1 - within) / (cell + each * sd.rater**2)
    return 2 * systems / (people * each * information), max(1.0, people - systems)


def cell_variance(plan: StudyPlan) -> float:
    """Variance of the mean rating that one participant gives one system, without the participant's own level, in logits."""
    return plan.variances.rater_system**2 + noise(plan) / plan.tasks


def _variance_of_choices(plan: StudyPlan) -> tuple[float, float]:
    """Variance of the latent difference of two systems, from choices between them: that of (wins - losses) / judgements over
    the square of its slope, where choices by one participant and in one situation go together."""
    sd, people = plan.variances, max(2.0, plan.expected_participants)
    normal, width = NormalDist(), choice_sd(plan.variances)
    cut = plan.thresholds[-1] / width
    density, decisive = 2 * normal.pdf(cut), 2 * (1 - normal.cdf(cut))
    judgements = people * plan.tasks / len(plan.pairs)
    situations = min(plan.pool / len(plan.pairs), judgements)
    by_rater = 2 * sd.rater_system**2 / width**2 * max(0.0, judgements / people - 1)
    by_item = 2 * (sd.item_system**2 + sd.dialogue_system**2) / width**2 * max(0.0, judgements / situations - 1)
    mean = (decisive + density**2 * (by_rater + by_item)) / judgements
    return float(mean * width**2 / density**2), max(1.0, min(people, situations) - 1)


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
    """Probability that every truly different pair is detected after Bonferroni; 0 if no pair differs.

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
    gaps = np.column_stack([means[:, b] - means[:, a] for a, b in plan.pairs])
    true = np.array([plan.effects[b] - plan.effects[a] for a, b in plan.pairs])
    p: Floats = np.asarray(2 * stdtr(freedom, -np.abs(gaps) / error[:, None]))
    found = p * p.shape[1] < level
    right = (found & (np.sign(gaps) == np.sign(true)))[:, true != 0]
    return float(right.all(axis=1).mean()) if right.shape[1] else 0.0
