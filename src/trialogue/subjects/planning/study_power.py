"""Power of a planned study, by drawing studies from the plan and analysing each as ``trialogue study report`` does."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from trialogue.errors import UsageError
from trialogue.findings.standings import Verdict
from trialogue.long_work import Progress
from trialogue.records import Estimate, Reason, ReasonCode, Record
from trialogue.stats import cluster_sums, difference, wilson
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.comparison.crossed_raters import Ratings, rater_difference
from trialogue.stats.comparison.families import PairTest, single_step
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.people.choices import pairs_of
from trialogue.subjects.planning.quick_test import Calibration, choices_of, quick_verdicts, study_rng
from trialogue.subjects.planning.study_formula import expected_power
from trialogue.subjects.planning.study_plan import Answers, StudyPlan, draw_ratings

Way = Literal["participants", "situations", "both"]
"""More participants on the same situations (more ratings of each reply); the same participants on more situations; more of
both, with as many ratings of each reply."""
WAYS: tuple[Way, ...] = ("participants", "situations", "both")
LARGEST = 100_000  # participants that no plan goes beyond
FEWEST = 200  # studies of a large plan
ALL_RATINGS = 2_000_000  # ratings that are analysed for one plan, at most about
ARRANGEMENTS = 1_000  # of a permutation test in a simulated study
SIGNS: dict[Verdict, int] = {"a": -1, "b": 1}  # of b against a
ROUNDS = 3  # simulations of one answer, each nearer to the power that is wanted


class PairPower(Record):
    """Power for one pair of systems."""

    a: str
    b: str
    effect: float
    """b minus a, in logits; 0 for a true null."""
    found: Estimate
    """Share of studies that find it the right way round; of a true null, share with a false positive."""
    reversed: Estimate | None
    """Share of studies that find it the wrong way round; None for a true null."""


class StudyPower(Record):
    """Power of a plan. Intervals are the Monte Carlo error of the simulation."""

    participants: int
    situations: int
    tasks: int
    """Situations that each participant judges."""
    ratings_per_reply: float
    ratings: int
    """That count in all, on average."""
    simulations: int
    pairs: tuple[PairPower, ...]
    every_pair: Estimate
    """Share of studies that find every difference the right way round; undefined where nothing differs."""
    false_positive: Estimate
    """Share of studies that find a difference between systems that do not differ; undefined where all differ."""
    expected: float | None = None
    """The formula's power for every difference."""
    answers: Answers = "ratings"
    met: int | None = None
    """Systems that each participant meets; None: all."""
    calibration: Calibration | None = None
    """Of the quick test that analysed the studies; None: the report's analysis did. The intervals include its error."""


class DesignAlternative(Record):
    """One way to reach the target power."""

    way: Way
    at: StudyPower | None
    """A plan that reaches it, simulated; None: no plan on this way does."""
    limit: float | None
    """If no alternative reaches the target: the formula's limit of power, with unlimited participants or one rating per
    reply."""


class PowerFindings(Record):
    """Power of a plan, and of alternatives with more power."""

    kind: ClassVar[str] = "study_power"

    source: str
    """Source of the variances."""
    effects: tuple[float, ...]
    variances: dict[str, float]
    thresholds: tuple[float, ...]
    dropout: float
    excluded: float
    level: float
    power: float
    """Power that the study must reach."""
    seed: int
    plan: StudyPower
    ways: tuple[DesignAlternative, ...] = ()
    curves: dict[Way, tuple[tuple[int, int, float], ...]] = Field(default_factory=dict)
    """For each way: participants, situations, and the formula's power there."""
    notes: tuple[str, ...] = ()


def simulated_study(plan: StudyPlan, seed: int, number: int, level: float) -> tuple[int, ...]:
    """Draw and analyse one study of the plan, independent of the process that runs it.

    Returns:
        For each pair 1 where the second system is found to be better, -1 where the first is, 0 for neither.
    """
    if plan.answers == "choices":
        return tuple(SIGNS.get(verdict, 0) for verdict in _choice_verdicts(plan, seed, number, level))
    seen, ratings = draw_ratings(plan, study_rng(plan, seed, number))
    people = np.repeat(np.arange(len(seen)), plan.tasks)
    # People who talk to the systems are the clusters of their own ratings, as ``evaluate`` has it.
    things = people if plan.situations is None else (seen // plan.per_dialogue).ravel()
    sides = [_side(people, things, ratings[..., place].ravel()) for place in range(len(plan.effects))]
    found = [_difference(sides[a], sides[b], float(plan.points - 1), seed) for a, b in plan.pairs]
    tests = [_test(pair, gap) for pair, gap in zip(plan.pairs, found, strict=True)]
    return tuple(
        0 if p is None or p >= level else int(np.sign(-(gap.value or 0.0)))
        for p, gap in zip(single_step(tests).adjusted, found, strict=True)
    )


def _side(people: Ints, things: Ints, values: Floats) -> Ratings:
    known = ~np.isnan(values)  # of those who met the system
    return Ratings(
        tuple(f"d{at}" for at in things[known].tolist()),
        tuple(f"p{at}" for at in people[known].tolist()),
        values[known],
    )


def _difference(a: Ratings, b: Ratings, most: float, seed: int) -> Estimate:
    """The difference on which a study's report decides."""
    if not len(a.values) or not len(b.values):
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_RATINGS_LEFT))
    crossed = rater_difference(a, b, most=most)
    if crossed is not None:
        return crossed
    rows = [(np.column_stack([each.values, np.ones(len(each.values))]), each.clusters) for each in (a, b)]
    sums = [cluster_sums(values, clusters) for values, clusters in rows]
    return difference(sums[0], sums[1], mean_of, scale=(1.0, 1.0 + most), seed=seed, permutations=ARRANGEMENTS)


def _test(pair: tuple[int, int], gap: Estimate) -> PairTest:
    facts = gap.interval.facts if gap.interval is not None else {}
    return PairTest(*pair, gap.p, facts.get(STANDARD_ERROR), facts.get(SMALLER_SIDE))


def _choice_verdicts(plan: StudyPlan, seed: int, number: int, level: float) -> tuple[Verdict, ...]:
    """Verdicts of the report about a simulated study of choices, by pair."""
    rows = pairs_of("choice", choices_of(plan, seed, number), seed=seed, alpha=level)
    turned: dict[Verdict, Verdict] = {"a": "b", "b": "a"}
    found = {(row.a, row.b): row.verdict for row in rows}
    found |= {(row.b, row.a): turned.get(row.verdict, row.verdict) for row in rows}
    return tuple(found.get((plan.systems[a], plan.systems[b]), "undefined") for a, b in plan.pairs)


def study_power(
    plan: StudyPlan,
    *,
    seed: int = 0,
    simulations: int = 100,
    level: float = 0.05,
    jobs: int = 1,
    progress: Progress | None = None,
    calibration: Calibration | None = None,
) -> StudyPower:
    """Estimate the power of a plan by simulation.

    Args:
        plan: the study.
        seed: random seed for the simulated studies; the same seed gives the same ones, whatever the number of processes.
        simulations: studies drawn; 100 leave a power of .80 open by .08 to either side, 400 by .04.
        level: significance level of the tests, after Bonferroni's correction across all pairs.
        jobs: number of processes.
        progress: called with progress lines that estimate the time left.
        calibration: of the quick test of choices (``quick_test.calibrate``), which then analyses the studies; None: each is
            analysed as the report does it.
    """
    if simulations < 1 or not 0 < level < 1:
        raise UsageError(
            f"a plan needs at least one simulation and a level between 0 and 1, got {simulations} and {level}."
        )
    simulations = min(simulations, max(FEWEST, ALL_RATINGS // max(1, plan.ratings)))
    if calibration is None:
        signs = np.array([list(_outcomes(plan, seed, simulations, level, jobs, progress))])
    else:
        signs = quick_verdicts(plan, calibration, seed=seed, simulations=simulations, level=level)
    pairs = plan.pairs
    gaps = [plan.effects[b] - plan.effects[a] for a, b in pairs]
    right, called = (signs == np.sign(gaps)) & (np.array(gaps) != 0), signs != 0
    # Columns are pairs: power is estimated over pairs with a true difference, the family error over the others.
    real = np.array([gap != 0 for gap in gaps])
    found = tuple(
        PairPower(
            a=plan.systems[a],
            b=plan.systems[b],
            effect=gap,
            found=_share(right[..., place] if gap else called[..., place]),
            reversed=_share(called[..., place] & ~right[..., place]) if gap else None,
        )
        for place, ((a, b), gap) in enumerate(zip(pairs, gaps, strict=True))
    )
    none = Estimate(value=None, why=Reason.of(ReasonCode.PLAN_WITHOUT_DIFFERENCE))
    all_differ = Estimate(value=None, why=Reason.of(ReasonCode.PLAN_WITHOUT_NULL))
    return StudyPower(
        participants=plan.participants,
        situations=plan.pool,
        tasks=plan.tasks,
        ratings_per_reply=plan.per_reply,
        ratings=plan.ratings,
        simulations=simulations,
        pairs=found,
        every_pair=_share(right[..., real].all(axis=-1)) if real.any() else none,
        false_positive=all_differ if real.all() else _share(called[..., ~real].any(axis=-1)),
        expected=expected_power(plan, level=level) if real.any() else None,
        answers=plan.answers,
        met=plan.met,
        calibration=calibration,
    )


def _share(hits: npt.NDArray[np.bool_]) -> Estimate:
    """Share of studies, shape (versions, studies), in the middle version; its interval spans those of all versions."""
    every = [wilson(int(found.sum()), len(found)) for found in hits]
    middle = every[len(every) // 2]
    known = [one.interval for one in every if one.interval is not None]
    if len(every) == 1 or not known or middle.interval is None:
        return middle
    between = {"low": min(one.low for one in known), "high": max(one.high for one in known)}
    method = f"{middle.interval.method}, with the error of the calibration"
    return middle.model_copy(update={"interval": middle.interval.model_copy(update={**between, "method": method})})


def _outcomes(
    plan: StudyPlan, seed: int, simulations: int, level: float, jobs: int, progress: Progress | None
) -> Iterator[tuple[int, ...]]:
    """The studies in order, from as many processes."""
    from joblib import Parallel, delayed

    started, said = time.perf_counter(), 0.0
    jobs = max(1, min(jobs, simulations, os.cpu_count() or 1))
    tasks = (delayed(simulated_study)(plan, seed, number, level) for number in range(simulations))
    for done, outcome in enumerate(Parallel(n_jobs=jobs, return_as="generator")(tasks), start=1):
        yield outcome
        passed = time.perf_counter() - started
        if progress is not None and (passed - said > 5 or done in (1, simulations)):
            said = passed
            left = passed / done * (simulations - done)
            progress(
                f"{plan.participants:,} participants, {plan.pool:,} situations: {done} of {simulations} studies, about "
                f"{left:.0f} s left"
            )


def find_alternative(
    plan: StudyPlan,
    way: Way,
    *,
    power: float,
    seed: int = 0,
    simulations: int = 100,
    level: float = 0.05,
    jobs: int = 1,
    progress: Progress | None = None,
    calibration: Calibration | None = None,
) -> DesignAlternative:
    """Smallest plan along one way that detects every difference with the target power.

    The formula says where to look; what is simulated there corrects the formula, until the power that is wanted lies in the
    interval of the simulation or three plans were simulated. What is stated is simulated.
    """
    times, at = 1.0, None
    for _ in range(ROUNDS):
        size = _smallest(plan, way, power, level, times)
        if size is None:
            end = resize_plan(plan, way, last_size(plan, way))
            return DesignAlternative(way=way, at=None, limit=expected_power(end, level=level, times=times))
        there = resize_plan(plan, way, size)
        if at is not None and (at.participants, at.situations) == (there.participants, there.pool):
            break
        at = study_power(
            there,
            seed=seed,
            simulations=simulations,
            level=level,
            jobs=jobs,
            progress=progress,
            calibration=calibration,
        )
        interval = at.every_pair.interval
        if interval is None or interval.contains(power):
            break
        times = _correction(there, at.every_pair.value or 0.0, level)
    return DesignAlternative(way=way, at=at, limit=None)


def resize_plan(plan: StudyPlan, way: Way, size: int) -> StudyPlan:
    """Copy of the plan with another number of participants, or (for ``situations``) of situations."""
    if way == "situations":
        return replace(plan, situations=size)
    if way == "participants" or plan.situations is None:
        return replace(plan, participants=size)
    return replace(
        plan, participants=size, situations=max(plan.tasks, round(plan.situations * size / plan.participants))
    )


def enlargements_of(plan: StudyPlan) -> tuple[Way, ...]:
    """Distinct ways to enlarge a plan; only one if each participant has their own situations."""
    return WAYS if plan.situations is not None else ("both",)


def first_size(plan: StudyPlan, way: Way) -> int:
    """Smallest size of a way."""
    return plan.tasks if way == "situations" else max(2, -(-plan.participants // 50))


def last_size(plan: StudyPlan, way: Way) -> int:
    """Largest size of a way: one rating per reply, or more participants than can be recruited."""
    return max(plan.tasks, int(plan.expected_participants * plan.tasks)) if way == "situations" else LARGEST


def _smallest(plan: StudyPlan, way: Way, power: float, level: float, times: float) -> int | None:
    def reaches_power(size: int) -> bool:
        return expected_power(resize_plan(plan, way, size), level=level, times=times) >= power

    low, high = first_size(plan, way), last_size(plan, way)
    if not reaches_power(high):
        return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches_power(middle) else (middle, high)
    return high


def _correction(plan: StudyPlan, simulated: float, level: float) -> float:
    """Factor on the formula's variance that reproduces the simulated power."""
    low, high = 0.25, 4.0
    for _ in range(20):
        middle = float((low * high) ** 0.5)
        low, high = (middle, high) if expected_power(plan, level=level, times=middle) > simulated else (low, middle)
    return float((low * high) ** 0.5)


def curves_of(
    plan: StudyPlan, *, level: float = 0.05, sizes: int = 15
) -> dict[Way, tuple[tuple[int, int, float], ...]]:
    """For each way, participants, situations and the formula's power, from a fifth to five times the plan."""
    found: dict[Way, tuple[tuple[int, int, float], ...]] = {}
    for way in enlargements_of(plan):
        base = plan.pool if way == "situations" else plan.participants
        low, high = max(first_size(plan, way), base // 5), min(last_size(plan, way), base * 5)
        steps = sorted({round(size) for size in np.geomspace(max(low, 2), max(high, low + 1, 3), sizes)})
        plans = [resize_plan(plan, way, size) for size in steps]
        found[way] = tuple((one.participants, one.pool, expected_power(one, level=level)) for one in plans)
    return found
