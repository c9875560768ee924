"""A quick test of simulated studies, calibrated on the report's own analysis of a few of them.

The report's analysis takes seconds for a thousand ratings, and a power needs hundreds of studies. The quick test looks at
the differences of two systems' ratings by one participant in one situation, in which participants and situations cancel.
Their mean has the variance of two crossed clusterings (Cameron, Gelbach & Miller 2011, "Robust Inference With Multiway
Clustering"): by participants, and by the dialogues of situations; it is pooled over pairs, as in the model. Its t is a
little off that of the ordinal model: ``Calibration`` measures by how much, on studies that both analyse.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trialogue.findings.people.choices import pairs_of
from trialogue.findings.people.rating_comparison import RatingComparison
from trialogue.findings.people.ratings import reason_without_tests
from trialogue.findings.planning.study_formula import cell_variance, holm_rows, variance_of_difference
from trialogue.findings.planning.study_plan import StudyPlan, draw_choices, draw_ratings, draw_study
from trialogue.records import Preference, Record
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats, Ints

SIZE = 3_000  # ratings of a study on which the quick test is calibrated, at most about
RATINGS = 15_000  # ratings that are analysed for a calibration in all, at most about
NORMAL = 1e6  # degrees of freedom of a test by the normal distribution
LEAST_P = 0.002  # of a permutation test by 10,000 patterns, below which its deviate is uncertain by more than 5 %
FEWEST, MOST = 4, 20  # studies of a calibration


class Calibration(Record):
    """The report's t in units of the quick test's, from studies that both analyse."""

    ratio: float
    """t of the report over t of the quick test."""
    error: float
    """Standard error of the ratio: jackknife over studies."""
    freedom: float
    """Degrees of freedom of the report's tests, on average, over those of the formula."""
    studies: int
    without_fit: int
    """Studies whose ordinal model has no fit; the linear one stands for it, as in the report."""


def study_rng(plan: StudyPlan, seed: int, number: int) -> np.random.Generator:
    """The generator of one simulated study of a plan."""
    return rng_for(seed, "study power", str(plan.participants), str(plan.pool), str(number))


def quick_statistics(plan: StudyPlan, rng: np.random.Generator) -> Floats:
    """t of each pair (second minus first) in one simulated study, shape (pairs,); NaN if hardly anybody is left."""
    if plan.answers == "choices":
        return _choice_statistics(plan, rng)
    seen, ratings = draw_ratings(plan, rng)
    if plan.systems_met < len(plan.effects):
        return _met_statistics(plan, ratings)
    gaps = np.stack([ratings[..., b] - ratings[..., a] for a, b in plan.pairs], axis=-1)
    if len(seen) < 2:
        return np.full(gaps.shape[-1], np.nan)
    means = gaps.mean(axis=(0, 1))
    rest = gaps - means
    alone = (rest**2).sum(axis=(0, 1))
    squares = _cluster_squares(rest.sum(axis=1))
    if plan.situations is not None:
        squares += _cluster_squares(_sums(rest, seen // plan.per_dialogue)) - alone
    # Two clusterings may cancel by chance, and leave less than single ratings have.
    variance = np.maximum(squares, alone).mean() / seen.size**2
    return np.asarray(means / variance**0.5) if variance > 0 else np.full(len(means), np.nan)


def _met_statistics(plan: StudyPlan, ratings: Floats) -> Floats:
    """The same where participants meet only some of the systems: generalised least squares of each participant's mean
    ratings, with the plan's variances and errors clustered by participants."""
    met, each = ~np.isnan(ratings[:, 0]), plan.systems_met
    if met.sum(axis=0).min(initial=len(met)) < 2:
        return np.full(len(plan.pairs), np.nan)
    cell = cell_variance(plan)
    shrink = 1 - (cell / (cell + each * plan.variances.rater**2)) ** 0.5
    means = np.where(met[:, None], ratings, 0.0).mean(axis=1)
    eye = np.eye(met.shape[1])
    design = met[:, :, None] * (eye - shrink / each * met[:, None, :])  # (people, systems, systems)
    values = met * (means - shrink * means.sum(axis=1, keepdims=True) / each)
    bread = np.linalg.inv(np.einsum("pij,pik->jk", design, design))
    levels = bread @ np.einsum("pij,pi->j", design, values)
    scores = np.einsum("pij,pi->pj", design, values - design @ levels)
    spread = bread @ (scores.T @ scores) @ bread * len(met) / (len(met) - 1)
    first, second = np.array(plan.pairs).T
    variance = (spread[first, first] + spread[second, second] - 2 * spread[first, second]).mean()
    return np.asarray((levels[second] - levels[first]) / variance**0.5) if variance > 0 else np.full(len(first), np.nan)


def _choice_statistics(plan: StudyPlan, rng: np.random.Generator) -> Floats:
    """Wins minus losses of each pair in units of their spread over situations or over participants, whichever is larger, as
    the report takes the larger p of both tests."""
    seen, pair, choice = draw_choices(plan, rng)
    people = np.broadcast_to(np.arange(len(seen))[:, None], seen.shape)
    found = np.full(len(plan.pairs), np.nan)
    for place in range(len(found)):
        one = pair == place
        squares = [np.square(np.bincount(of[one], weights=choice[one])).sum() for of in (seen, people) if one.any()]
        if squares and max(squares) > 0:
            found[place] = choice[one].sum() / max(squares) ** 0.5
    return found


def _cluster_squares(sums: Floats) -> Floats:
    """Sum of squares of clusters' sums, corrected for their number, by pair."""
    clusters = int((np.abs(sums).sum(axis=1) > 0).sum())
    return np.asarray((sums**2).sum(axis=0) * clusters / max(1, clusters - 1))


def _sums(values: Floats, clusters: Ints) -> Floats:
    """Sums of values, shape (people, tasks, pairs), within clusters, shape (people, tasks)."""
    flat = clusters.ravel()
    columns = values.reshape(flat.size, -1).T
    return np.stack([np.bincount(flat, weights=column) for column in columns], axis=-1)


@dataclass(frozen=True)
class Both:
    """One study by both analyses."""

    report: Floats
    """t of each pair; NaN where the report has none."""
    quick: Floats
    freedom: float
    """Degrees of freedom of the report's tests, on average."""
    fitted: bool


def analyse_both(plan: StudyPlan, seed: int, number: int, level: float) -> Both:
    """One study by both analyses."""
    from scipy.special import stdtrit

    quick = quick_statistics(plan, study_rng(plan, seed, number))
    if plan.answers == "choices":
        return Both(_choice_tests(plan, seed, number, level), quick, NORMAL, True)
    table = draw_study(plan, study_rng(plan, seed, number))
    if reason_without_tests(table) or set(table.systems) != set(plan.systems):
        return Both(np.full(len(quick), np.nan), quick, np.nan, False)
    comparison = RatingComparison(table, plan.systems, True, level, seed)
    found, degrees = np.full(len(quick), np.nan), []
    for place, pair in enumerate(comparison.deciding_pairs):
        if pair.difference.value is None or pair.difference.interval is None or pair.freedom is None:
            continue
        interval = pair.difference.interval
        error = (interval.high - interval.low) / (2 * stdtrit(pair.freedom, (1 + interval.confidence) / 2))
        found[place] = -pair.difference.value / error  # the report has a minus b
        degrees.append(pair.freedom)
    return Both(found, quick, float(np.mean(degrees)) if degrees else np.nan, comparison.model.converged)


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
        freedom=float(np.nanmean([one.freedom for one in found]) / variance_of_difference(part)[1]),
        studies=count,
        without_fit=sum(not one.fitted for one in found),
    )


def quick_verdicts(
    plan: StudyPlan, calibration: Calibration, *, seed: int, simulations: int, level: float
) -> npt.NDArray[np.int_]:
    """Verdicts after Holm's correction: 1 where the second system of a pair is found to be better, -1 the first, 0 neither.

    Returns:
        Shape (3, simulations, pairs): with the ratio at the lower end of its 95 % interval, as estimated, at the upper end.
    """
    from scipy.special import stdtr, stdtrit

    t = np.array([quick_statistics(plan, study_rng(plan, seed, number)) for number in range(simulations)])
    reach = float(stdtrit(calibration.studies - 1, 0.975)) * calibration.error
    ratios = np.maximum(0.0, calibration.ratio + np.array([-reach, 0.0, reach]))
    freedom = max(1.0, calibration.freedom * variance_of_difference(plan)[1])
    p = np.array([2 * stdtr(freedom, -np.abs(np.nan_to_num(t)) * ratio) for ratio in ratios])
    adjusted = np.array([holm_rows(each) for each in p])
    return np.where(adjusted < level, np.sign(np.nan_to_num(t)), 0).astype(np.int_)
