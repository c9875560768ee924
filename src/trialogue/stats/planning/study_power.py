"""What a planned study of ratings would find: studies drawn from the planned model, analysed, and counted.

Each worker rates every system's reply in some situations. A rating's latent value is the sum of system, worker, situation,
worker-by-system (taste), situation-by-system (a reply that happens to be good) and logistic noise, in logits, cut into the
points of a scale. Analysis is on workers' means: Friedman's test, and Wilcoxon's for pairs, after Holm. A mixed model on the
single ratings finds about as much; what it cannot do is create workers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import ceil

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, Floats, Ints, check_count
from trialogue.stats.comparison.proportions import wilson

MOST_WORKERS = 5_000  # no plan goes beyond


@dataclass(frozen=True)
class StudyPlan:
    """A study to come."""

    effects: tuple[float, ...]
    """Of each system, in logits: ``(0.0, 0.5, 1.0)`` are three systems with steps of half a logit."""
    workers: int
    """People who pass all checks."""
    situations: int = 9
    """That each worker sees."""
    pool: int = 180
    """Different situations in all."""
    points: int = 5
    """Of the scale."""
    thresholds: tuple[float, ...] | None = None
    """Between points, in logits; None: each point is equally likely for the average system."""
    worker: float = 0.8
    """Standard deviation of workers' levels (severity)."""
    item: float = 0.6
    """Of situations' levels."""
    taste: float = 0.4
    """Of worker by system."""
    reply: float = 0.0
    """Of situation by system."""

    def __post_init__(self) -> None:
        """Raise UsageError for plans that cannot be."""
        if len(self.effects) < 2:
            raise UsageError(f"A comparison needs two systems at least, got effects {list(self.effects)}.")
        for what in ("workers", "situations", "pool", "points"):
            check_count(getattr(self, what), what, least=2 if what in ("workers", "points") else 1)
        if self.situations > self.pool:
            raise UsageError(f"{self.situations} situations cannot be drawn from a pool of {self.pool}.")
        if min(self.worker, self.item, self.taste, self.reply) < 0:
            raise UsageError("standard deviations must not be negative.")
        if self.thresholds is not None and (
            len(self.thresholds) != self.points - 1 or list(self.thresholds) != sorted(set(self.thresholds))
        ):
            raise UsageError(
                f"{self.points} points need {self.points - 1} ascending thresholds, got {self.thresholds}."
            )

    @property
    def cuts(self) -> Floats:
        """Thresholds around the average system."""
        if self.thresholds is not None:
            return np.array(self.thresholds, dtype=np.float64)
        shares = np.arange(1, self.points) / self.points
        return np.asarray(np.log(shares / (1 - shares)) + np.mean(self.effects), dtype=np.float64)


@dataclass(frozen=True)
class StudyPower:
    """Chances of finding what is there. Intervals say how far simulation leaves them open."""

    plan: StudyPlan
    omnibus: Estimate
    """That Friedman's test finds some difference."""
    pairs: dict[tuple[int, int], Estimate]
    """That a pair of systems differs, after Holm."""
    every_pair: Estimate
    """That every pair whose effects differ does."""
    ratings_apart: dict[tuple[int, int], float]
    """Mean difference of a pair, in points of the scale."""
    simulations: int
    level: float

    @property
    def adjacent(self) -> Estimate:
        """Mean over neighbours in the order of effects that differ."""
        order = np.argsort(self.plan.effects, kind="stable").tolist()
        found = [
            self.pairs[min(a, b), max(a, b)] for a, b in pairwise(order) if self.plan.effects[a] != self.plan.effects[b]
        ]
        if not found:
            return Estimate(value=None, why=Reason.of(ReasonCode.PLAN_WITHOUT_DIFFERENCE))
        hits = sum((one.value or 0.0) * self.simulations for one in found)
        return wilson(hits / len(found), self.simulations)


def study_power(
    plan: StudyPlan, *, rng: np.random.Generator, simulations: int = 1_000, level: float = 0.05
) -> StudyPower:
    """Chances of a plan to find its differences.

    Args:
        plan: the study.
        rng: source of randomness.
        simulations: studies drawn; 1,000 leave a power of .80 open by .025 to either side.
        level: of the tests.

    Where effects are equal, the "chance to find" a difference is that of a false positive.
    """
    check_count(simulations, "simulations")
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1, got {level}.")
    pairs = list(combinations(range(len(plan.effects)), 2))
    omnibus, everything = 0, 0
    hits, gaps = np.zeros(len(pairs)), np.zeros(len(pairs))
    real = np.array([plan.effects[a] != plan.effects[b] for a, b in pairs])
    for means in _studies(plan, rng, simulations):
        omnibus += int((_friedman_p(means) < level).sum())
        p = np.column_stack([_wilcoxon_p(means[..., a] - means[..., b]) for a, b in pairs])
        found = _holm(p) < level
        hits += found.sum(axis=0)
        everything += int(found[:, real].all(axis=1).sum()) if real.any() else 0
        gaps += np.array([(means[..., b] - means[..., a]).mean(axis=1).sum() for a, b in pairs])
    none = Estimate(value=None, why=Reason.of(ReasonCode.PLAN_WITHOUT_DIFFERENCE))
    return StudyPower(
        plan=plan,
        omnibus=wilson(omnibus, simulations),
        pairs={pair: wilson(float(hit), simulations) for pair, hit in zip(pairs, hits, strict=True)},
        every_pair=wilson(everything, simulations) if real.any() else none,
        ratings_apart={pair: float(gap / simulations) for pair, gap in zip(pairs, gaps, strict=True)},
        simulations=simulations,
        level=level,
    )


def workers_needed(
    plan: StudyPlan, *, rng: np.random.Generator, power: float = 0.8, simulations: int = 1_000, level: float = 0.05
) -> int | None:
    """The fewest workers with whom every pair that differs is found with this chance; None: more than 5,000.

    Bisection with the same random numbers at every size, so the answer does not jump; good to a few workers.
    """
    if not 0 < power < 1:
        raise UsageError(f"power must lie between 0 and 1, got {power}.")
    seed = int(rng.integers(2**62))

    def reached(workers: int) -> bool:
        at = study_power(
            replace(plan, workers=workers), rng=np.random.default_rng(seed), simulations=simulations, level=level
        )
        return (at.every_pair.value or 0.0) >= power

    if len(set(plan.effects)) < 2:
        raise UsageError("no two systems differ in this plan, so no number of workers finds a difference.")
    high = 10
    while not reached(high):
        high *= 2
        if high > MOST_WORKERS:
            return None
    low = high // 2 if high > 10 else 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def judgements_needed(share: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """Independent decisive judgements (no ties) that tell a share of wins from one half.

    Judgements of one pair of dialogues, or by one person, are not independent: multiply by 1 + (m - 1) * icc.

    >>> judgements_needed(0.40), judgements_needed(0.45)
    (194, 783)
    """
    from statistics import NormalDist

    if not 0 < share < 1 or share == 0.5 or not (0 < power < 1 and 0 < level < 1):
        raise UsageError(
            f"It takes a share between 0 and 1 other than one half, power and level in (0, 1); got {share}."
        )
    normal = NormalDist()
    reach = normal.inv_cdf(1 - level / 2) * 0.5 + normal.inv_cdf(power) * (share * (1 - share)) ** 0.5
    return ceil(float((reach / abs(share - 0.5)) ** 2))


def _studies(plan: StudyPlan, rng: np.random.Generator, simulations: int) -> Iterator[Floats]:
    """Workers' means, shape (studies, workers, systems), in chunks of bounded memory."""
    size = plan.workers * plan.situations * len(plan.effects)
    most = max(1, CELLS // size)
    for start in range(0, simulations, most):
        yield _means(plan, rng, min(most, simulations - start))


def _means(plan: StudyPlan, rng: np.random.Generator, studies: int) -> Floats:
    systems = len(plan.effects)
    worker = rng.normal(0, plan.worker, (studies, plan.workers, 1, 1))
    taste = rng.normal(0, plan.taste, (studies, plan.workers, 1, systems))
    item = rng.normal(0, plan.item, (studies, plan.pool, 1))
    reply = rng.normal(0, plan.reply, (studies, plan.pool, systems)) if plan.reply else np.zeros((1, 1, 1))
    seen = _situations(plan, rng, studies)
    at = np.arange(studies)[:, None, None]
    height = (item + reply)[at, seen]
    noise = rng.logistic(size=(studies, plan.workers, plan.situations, systems))
    latent = np.array(plan.effects) + worker + taste + height + noise
    return np.asarray(np.searchsorted(plan.cuts, latent).mean(axis=2) + 1.0, dtype=np.float64)


def _situations(plan: StudyPlan, rng: np.random.Generator, studies: int) -> Ints:
    """For each worker consecutive places on a shuffled pool: each situation is seen about equally often."""
    places = (np.arange(plan.workers * plan.situations) % plan.pool).reshape(plan.workers, plan.situations)
    order = np.argsort(rng.random((studies, plan.pool)), axis=1)
    return np.asarray(order[:, places])


def _friedman_p(means: Floats) -> Floats:
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    ranks = rankdata(np.round(means, 9), axis=-1)
    workers, systems = means.shape[-2:]
    between = ((ranks.sum(axis=-2) - workers * (systems + 1) / 2) ** 2).sum(axis=-1)
    within = ((ranks - (systems + 1) / 2) ** 2).sum(axis=(-1, -2))
    statistic = between * (systems - 1) / np.maximum(within, 1e-12)
    return np.asarray(chdtrc(systems - 1, statistic))


def _wilcoxon_p(gaps: Floats) -> Floats:
    """Two-sided, by the normal approximation with ties, for rows of differences."""
    from scipy.special import ndtr
    from scipy.stats import rankdata

    gaps = np.round(gaps, 9)
    zeros = gaps == 0
    ranks = (rankdata(np.abs(gaps), axis=-1) - zeros.sum(axis=-1, keepdims=True)) * ~zeros
    lead = np.abs((np.sign(gaps) * ranks).sum(axis=-1)) / 2
    spread = np.sqrt((ranks**2).sum(axis=-1)) / 2
    return np.asarray(np.minimum(1.0, 2 * ndtr(-np.maximum(0, lead - 0.5) / np.maximum(spread, 1e-12))))


def _holm(p: Floats) -> Floats:
    """Holm's correction in every row."""
    order = np.argsort(p, axis=1)
    ascending = np.take_along_axis(p, order, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(1.0, np.maximum.accumulate(ascending, axis=1)), axis=1)
    return adjusted


def power_curve(
    plan: StudyPlan, workers: Sequence[int], *, rng: np.random.Generator, simulations: int = 1_000, level: float = 0.05
) -> list[StudyPower]:
    """The same plan with different numbers of workers."""
    return [
        study_power(replace(plan, workers=count), rng=rng, simulations=simulations, level=level) for count in workers
    ]
