"""Intervals of implicit alignment hold the error of the calibration, too."""

from pathlib import Path

import numpy as np
import pytest

from trialogue.evaluation.align import align
from trialogue.evaluation.align_calibration import calibration_variance, widened, with_calibration_error
from trialogue.evaluation.alignment_run import AlignmentRun
from trialogue.metrics import get_metrics
from trialogue.records import Estimate, Interval
from trialogue.strategies.default import default_model
from trialogue.strategies.models import Model, save_model

MEASURE = "implicit_alignment"


def estimate(value: float, low: float, high: float, clusters: int | None = 41) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method="m"), n=99, clusters=clusters)


def ends(of: Estimate) -> tuple[float, float]:
    assert of.interval is not None
    return of.interval.low, of.interval.high


def without_error(model: Model) -> Model:
    calibration = model.card.calibration.model_copy(update={"matching_error": None})
    return Model(model.raw, model.card.model_copy(update={"calibration": calibration}))


@pytest.fixture(scope="module")
def run() -> AlignmentRun:
    return align(["demo"], [], metrics=[MEASURE], resamples=100)


def test_errors_of_dialogues_and_of_the_calibration_add_in_squares() -> None:
    found = widened(estimate(0.4, 0.35, 0.48), 0.02**2)
    # t(.975, 40) / 1.95996 = 2.02108 / 1.95996 = 1.03118, times sqrt(41 / 40) = 1.01242: 1.04399;
    # below sqrt((1.04399 .05)^2 + (1.95996 .02)^2) = sqrt(.0027248 + .0015366) = .06528; above sqrt(.0069754 + .0015366)
    assert ends(found) == pytest.approx((0.33472, 0.49226), abs=1e-4)
    assert found.interval is not None
    assert found.interval.method == "m, Student's t, with the calibration's own error"
    assert (found.value, found.n, found.clusters) == (0.4, 99, 41)


def test_intervals_stay_on_the_scale() -> None:
    low, high = ends(widened(estimate(0.02, 0.0, 0.05, clusters=2), 0.1))
    # above sqrt((12.706 / 1.96 sqrt(2) .03)^2 + (1.96 sqrt(.1))^2) = sqrt(.07568 + .38415) = .6781
    assert (low, high) == pytest.approx((0.0, 0.6981), abs=0.001)
    assert ends(widened(estimate(0.98, 0.95, 1.0), 1.0)) == (0.0, 1.0)


@pytest.mark.parametrize(
    "given",
    [Estimate(value=None, why="nothing"), Estimate(value=0.3, clusters=1, why="one"), estimate(0.3, 0.2, 0.4, None)],
)
def test_what_has_no_interval_gets_none(given: Estimate) -> None:
    assert widened(given, 0.1) == given


def test_many_dialogues_and_a_perfect_calibration_leave_an_interval_as_it_is() -> None:
    given = estimate(0.3, 0.2, 0.45, clusters=100_000)
    assert ends(widened(given, 0.0)) == pytest.approx(ends(given), abs=1e-4)


def test_the_variance_is_that_of_the_linear_function() -> None:
    rng = np.random.default_rng(0)
    covariance = np.array([[0.04, 0.03], [0.03, 0.09]])
    moved = np.array([0.5, -0.2])
    drawn = rng.multivariate_normal([1, 2], covariance, size=50_000) @ moved
    assert calibration_variance(moved, (0.04, 0.03, 0.09)) == pytest.approx(float(drawn.var()), rel=0.03)


def test_align_widens_systems_and_floors_but_no_difference(run: AlignmentRun) -> None:
    league = run.league(MEASURE)
    told = [each for each in league.standings if each.estimate.interval is not None]
    assert {"floor:random-human", "bolt"} <= {each.system for each in told}
    for standing in told:
        assert standing.estimate.interval is not None
        assert standing.estimate.interval.method.endswith("with the calibration's own error")
    for contrast in league.contrasts:
        if contrast.difference.interval is not None:
            assert "calibration" not in contrast.difference.interval.method


def test_scores_standings_and_signature_say_the_same(run: AlignmentRun) -> None:
    league = run.league(MEASURE)
    scores = {one.system: one for one in run.scores if one.measure == league.measure.name and one.level == "system"}
    assert {each.system: each.estimate.interval for each in league.standings} == {
        system: score.interval for system, score in scores.items()
    }
    assert league.measure.signature is not None
    assert league.measure.signature.endswith("|interval:calibration")
    assert {score.signature for score in scores.values()} == {league.measure.signature}
    differences = [one for one in run.scores if one.level == "difference"]
    assert not any("interval:" in (one.signature or "") for one in differences)


def test_a_model_that_does_not_know_its_error_gives_the_old_interval_and_says_so(
    run: AlignmentRun, tmp_path: Path
) -> None:
    save_model(without_error(default_model()), tmp_path / "old")
    old = align(["demo"], [], metrics=[MEASURE], resamples=100, model=str(tmp_path / "old"))
    assert any("does not know the error of its calibration" in line for line in old.findings.warnings)
    assert not any("error of its calibration" in line for line in run.findings.warnings)
    before = {each.system: each.estimate for each in old.league(MEASURE).standings}
    wider = 0
    for standing in run.league(MEASURE).standings:
        then, now = before[standing.system], standing.estimate
        assert now.value == then.value
        if then.interval is not None and now.interval is not None:
            assert now.interval.low <= then.interval.low
            assert now.interval.high >= then.interval.high
            wider += now.interval != then.interval
    assert wider >= 3
    assert run.league(MEASURE).contrasts == old.league(MEASURE).contrasts


def test_estimates_that_do_not_rest_on_the_calibration_are_left_alone(run: AlignmentRun) -> None:
    others = get_metrics(["implicit_alignment@ppi", "implicit_alignment@thresholded", "behavior_alignment"])
    same = with_calibration_error(run, [], others, without_error(default_model()))
    assert same == run
