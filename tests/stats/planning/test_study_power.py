"""Power of planned studies."""

from dataclasses import replace

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.stats.planning.study_power import StudyPlan, judgements_needed, power_curve, study_power, workers_needed

# Design of nine situations, three systems, five points, standard deviations .8, .6 and .4: chances found earlier by another
# implementation, 400 studies each: (step, workers) -> omnibus, adjacent, every pair.
EARLIER = {(0.25, 50): (0.78, 0.33, 0.07), (0.50, 20): (0.91, 0.43, 0.15), (0.50, 50): (1.00, 0.91, 0.82)}


@pytest.mark.parametrize(("step", "workers"), EARLIER)
def test_chances_are_those_of_an_earlier_simulation(step: float, workers: int) -> None:
    plan = StudyPlan((0.0, step, 2 * step), workers)
    found = study_power(plan, rng=np.random.default_rng(0), simulations=400)
    for got, expected in zip((found.omnibus, found.adjacent, found.every_pair), EARLIER[step, workers], strict=True):
        assert got.value == pytest.approx(expected, abs=0.08)  # 2.3 standard errors of two simulations of 400, at .5


def test_without_a_difference_the_level_is_kept() -> None:
    found = study_power(StudyPlan((0.0, 0.0, 0.0), 30, taste=0.6), rng=np.random.default_rng(1), simulations=1000)
    assert found.omnibus.value == pytest.approx(0.05, abs=0.021)  # three standard errors
    assert found.every_pair.value is None
    assert found.adjacent.value is None
    with pytest.raises(UsageError, match="no two systems differ"):
        workers_needed(StudyPlan((0.0, 0.0), 30), rng=np.random.default_rng(0))


def test_more_workers_find_more() -> None:
    curve = power_curve(StudyPlan((0.0, 0.4), 10), [10, 40, 160], rng=np.random.default_rng(0), simulations=300)
    values = [one.every_pair.value or 0.0 for one in curve]
    assert values == sorted(values)
    assert values[-1] > values[0] + 0.3


def test_the_number_of_workers_reaches_the_power() -> None:
    plan = StudyPlan((0.0, 0.8), 10)
    workers = workers_needed(plan, rng=np.random.default_rng(0), simulations=300)
    assert workers is not None
    at = study_power(replace(plan, workers=workers), rng=np.random.default_rng(5), simulations=600)
    assert at.every_pair.value == pytest.approx(0.8, abs=0.08)


def test_a_difference_too_small_for_any_plan_is_none() -> None:
    assert workers_needed(StudyPlan((0.0, 0.001), 10), rng=np.random.default_rng(0), simulations=20) is None


def test_the_same_seed_gives_the_same_chances() -> None:
    plan = StudyPlan((0.0, 0.5), 20)
    one, other = (study_power(plan, rng=np.random.default_rng(7), simulations=50) for _ in range(2))
    assert one == other


def test_judgements_of_realism() -> None:
    assert judgements_needed(0.6) == judgements_needed(0.4) == 194
    with pytest.raises(UsageError):
        judgements_needed(0.5)


@pytest.mark.parametrize(
    "change",
    [
        {"effects": (0.0,)},
        {"workers": 1},
        {"situations": 500},
        {"taste": -1.0},
        {"thresholds": (1.0, 0.0, 2.0, 3.0)},
        {"thresholds": (1.0,)},
    ],
)
def test_impossible_plans_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        StudyPlan(**{"effects": (0.0, 1.0), "workers": 10, **change})  # type: ignore[arg-type]
