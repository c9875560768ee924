"""A quick test of simulated studies of choices, calibrated on the report's own analysis of a few of them.

The report flips the signs of clusters, which takes too long for hundreds of studies. The quick test divides wins minus
losses by their spread over situations or participants, whichever is larger. ``Calibration`` measures by how much its
deviate is off, on studies that both analyse. Studies of ratings need none: what decides them is quick itself.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trialogue.records import Preference, Record
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats
from trialogue.subjects.people.choices import pairs_of
from trialogue.subjects.planning.study_plan import StudyPlan, draw_choices

SIZE = 3_000  # ratings of a study on which the quick test is calibrated, at most about
RATINGS = 15_000  # ratings that are analysed for a calibration in all, at most about
LEAST_P = 0.002  # of a permutation test by 10,000 patterns, below which its deviate is uncertain by more than 5 %
FEWEST, MOST = 4, 20  # studies of a calibration


class Calibration(Record):
    """The report's t in units of the quick test's, from studies that both analyse."""

    ratio: float
    """t of the report over t of the quick test."""
    error: float
    """Standard error of the ratio: jackknife over studies."""
    studies: int


def study_rng(plan: StudyPlan, seed: int, number: int) -> np.random.Generator:
    """The generator of one simulated study of a plan."""
    return rng_for(seed, "study power", str(plan.participants), str(plan.pool), str(number))


def quick_statistics(plan: StudyPlan, rng: np.random.Generator) -> Floats:
    """Wins minus losses of each pair in units of their spread over situations or over participants, whichever is larger;
    a calibration against the report's two-way test corrects what that leaves out."""
    seen, pair, choice = draw_choices(plan, rng)
    people = np.broadcast_to(np.arange(len(seen))[:, None], seen.shape)
    found = np.full(len(plan.pairs), np.nan)
    for place in range(len(found)):
        one = pair == place
        squares = [np.square(np.bincount(of[one], weights=choice[one])).sum() for of in (seen, people) if one.any()]
        if squares and max(squares) > 0:
            found[place] = choice[one].sum() / max(squares) ** 0.5
    return found


@dataclass(frozen=True)
class Both:
    """One study by both analyses."""

    report: Floats
    """t of each pair; NaN where the report has none."""
    quick: Floats


def analyse_both(plan: StudyPlan, seed: int, number: int, level: float) -> Both:
    """One study by both analyses."""
    quick = quick_statistics(plan, study_rng(plan, seed, number))
    return Both(_choice_tests(plan, seed, number, level), quick)


def choices_of(plan: StudyPlan, seed: int, number: int) -> list[Preference]:
    """One simulated study of choices, as records."""
    seen, pair, choice = draw_choices(plan, study_rng(plan, seed, number))
    names, words = plan.systems, {1: "b", -1: "a", 0: "tie"}
    found = []
    for (person, task), one in np.ndenumerate(choice):
        a, b = plan.pairs[pair[person, task]]
        given = {"a": names[a], "b": names[b], "choice": words[int(one)], "situation_id": f"i{seen[person, task]}"}
        found.append(Preference.model_validate({"id": f"p{person}:{task}", "rater": f"p{person}", **given}))
    return found


def _choice_tests(plan: StudyPlan, seed: int, number: int, level: float) -> Floats:
    """The report's tests of one study as normal deviates, by pair; NaN where p is too small to be known exactly."""
    from scipy.special import ndtri

    rows = {(row.a, row.b): row for row in pairs_of("choice", choices_of(plan, seed, number), seed=seed, alpha=level)}
    found = np.full(len(plan.pairs), np.nan)
    for place, (a, b) in enumerate(plan.pairs):
        for sign, sides in ((-1, (a, b)), (1, (b, a))):  # the side with more wins comes first there
            row = rows.get((plan.systems[sides[0]], plan.systems[sides[1]]))
            if row is not None and row.p is not None and row.p > LEAST_P:
                found[place] = sign * -ndtri(row.p / 2) if row.wins != row.losses else 0.0
    return found


def calibration_plan(plan: StudyPlan) -> StudyPlan:
    """The plan, or one as dense with fewer participants and situations, if it is too large for a quick calibration."""
    people = max(8, round(plan.participants * min(1.0, SIZE / max(1, plan.ratings))))
    if people >= plan.participants:
        return plan
    pool = plan.situations and max(plan.tasks, round(plan.situations * people / plan.participants))
    return replace(plan, participants=people, situations=pool)


def calibrate(plan: StudyPlan, *, seed: int = 0, level: float = 0.05, jobs: int = 1) -> Calibration | None:
    """Calibrate the quick test for studies like a plan; None if no study could be analysed by both.

    The ratio is a regression through the origin of the report's t on the quick one's, over all pairs of all studies.
    """
    from joblib import Parallel, delayed

    part = calibration_plan(plan)
    count = int(np.clip(RATINGS // max(1, part.ratings), FEWEST, MOST))
    tasks = (delayed(analyse_both)(part, seed, number, level) for number in range(count))
    found: list[Both] = list(Parallel(n_jobs=min(jobs, count))(tasks))
    report, quick = (np.array([getattr(one, name) for one in found]) for name in ("report", "quick"))
    known = ~np.isnan(report * quick)
    above, below = (np.where(known, report * quick, 0).sum(axis=1), np.where(known, quick**2, 0).sum(axis=1))
    if not (below > 0).sum() > 1:
        return None
    without = (above.sum() - above) / (below.sum() - below)
    error = ((count - 1) / count * ((without - without.mean()) ** 2).sum()) ** 0.5
    return Calibration(
        ratio=float(above.sum() / below.sum()),
        error=float(error),
        studies=count,
    )


def quick_verdicts(
    plan: StudyPlan, calibration: Calibration, *, seed: int, simulations: int, level: float
) -> npt.NDArray[np.int_]:
    """Verdicts after Bonferroni's correction: 1 where the second system of a pair is better, -1 the first, 0 neither.

    Returns:
        Shape (3, simulations, pairs): with the ratio at the lower end of its 95 % interval, as estimated, at the upper end.
    """
    from scipy.special import ndtr, stdtrit

    t = np.array([quick_statistics(plan, study_rng(plan, seed, number)) for number in range(simulations)])
    reach = float(stdtrit(calibration.studies - 1, 0.975)) * calibration.error
    ratios = np.maximum(0.0, calibration.ratio + np.array([-reach, 0.0, reach]))
    p = np.array([2 * ndtr(-np.abs(np.nan_to_num(t)) * ratio) for ratio in ratios])
    return np.where(p * p.shape[-1] < level, np.sign(np.nan_to_num(t)), 0).astype(np.int_)
