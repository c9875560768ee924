"""Temperature, the chance of a shared strategy, and when a model is unsure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.strategies.base import Floats
from trialogue.strategies.learning.calibration import (
    Calibration,
    codes,
    fit_calibration,
    fits,
    logit,
    platt,
    same_probability,
    shared_mass,
    sharpen,
    temperature_of,
)


def _drawn(rng: np.random.Generator, n: int, temperature: float) -> tuple[Floats, np.ndarray]:
    """True probabilities made too sharp or too flat, and labels drawn from the true ones."""
    scores = rng.normal(size=(n, 4)) * 2
    true = sharpen(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), 1)
    labels = np.array([rng.choice(4, p=row) for row in true])
    return sharpen(true, 1 / temperature), labels


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_was_put_in_is_found(temperature: float) -> None:
    shown, labels = _drawn(np.random.default_rng(0), 4_000, temperature)
    assert temperature_of(shown, labels) == pytest.approx(temperature, rel=0.1)


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=6), st.floats(0.1, 10))
def test_sharpening_keeps_the_order_and_the_sum(row: list[float], temperature: float) -> None:
    rows = np.array([row]) / sum(row)
    found = sharpen(rows, temperature)
    assert found.sum() == pytest.approx(1)
    order = np.argsort(rows[0], kind="stable")
    assert (np.diff(found[0][order]) >= -1e-12).all()


def test_certainty_survives_sharpening() -> None:
    assert sharpen(np.array([[1.0, 0.0]]), 0.5).tolist() == [[1.0, 0.0]]


def test_platt_is_the_logistic_regression_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    scores = rng.normal(size=2_000)
    truth = rng.random(2_000) < 1 / (1 + np.exp(-(1.5 * scores - 0.5)))
    theirs = LogisticRegression(C=1e9, tol=1e-8).fit(scores[:, None], truth)
    slope, intercept = platt(scores, truth)
    assert slope == pytest.approx(float(theirs.coef_[0, 0]), abs=1e-4)
    assert intercept == pytest.approx(float(theirs.intercept_[0]), abs=1e-4)


def test_scores_that_separate_perfectly_give_a_steep_finite_slope() -> None:
    slope, _ = platt(np.array([-1.0, -0.5, 0.5, 1.0]), np.array([False, False, True, True]))
    assert 5 < slope < 200


def test_a_truth_that_never_varies_is_refused() -> None:
    with pytest.raises(UsageError, match="both kinds of pairs"):
        platt(np.zeros(3), np.ones(3, dtype=bool))


def test_beliefs_multiply_to_the_chance_of_a_shared_strategy() -> None:
    left, right = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.2, 0.8], [0.9, 0.1]])
    assert shared_mass(left, right).tolist() == pytest.approx([0.5, 0.9])  # .5 .2 + .5 .8; 1 .9 + 0 .1
    # logit(.5) = 0 -> sigma(1) ; logit(.9) = ln 9 = 2.1972 -> sigma(2 ln 9 + 1)
    assert same_probability(left, right, (2.0, 1.0)).tolist() == pytest.approx([0.7311, 0.9955], abs=1e-4)


def test_the_chance_does_not_depend_on_which_sentence_comes_first() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.dirichlet(np.ones(5), 20), rng.dirichlet(np.ones(5), 20)
    assert (same_probability(left, right, (1.2, 2.0)) == same_probability(right, left, (1.2, 2.0))).all()


def test_log_odds_stay_finite() -> None:
    assert np.abs(logit(np.array([0.0, 1.0]))).tolist() == pytest.approx([13.8155, 13.8155], abs=1e-3)  # ln(1e6)


def test_a_sentence_fits_if_a_strategy_is_likeliest_and_likely_enough() -> None:
    classes = ["credibility", "similarity", "no_strategy"]
    rows = np.array([[0.7, 0.2, 0.1], [0.4, 0.3, 0.3], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    assert fits(rows, classes, 0.35).tolist() == [True, True, False, False]
    assert fits(rows, classes, 0.5).tolist() == [True, False, False, False]


def test_nineteen_of_twenty_sentences_of_people_are_sure_enough() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(3, 0.5), 400)
    columns = np.array([rng.choice(3, p=row) for row in rows])
    classes = ["credibility", "similarity", "no_strategy"]
    found = fit_calibration(rows, [classes[column] for column in columns], classes, rng=rng)
    human = columns != 2
    sure = sharpen(rows, found.temperature)[human][:, :2].max(axis=1) >= found.unsure_below
    assert sure.mean() == pytest.approx(0.95, abs=0.005)
    assert found.kept <= 0.95
    assert found.rejected is not None
    assert found.temperature == pytest.approx(1, abs=0.15)


def test_without_no_strategy_nothing_is_said_of_what_should_not_fit() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(2), 100)
    labels = ["credibility" if row[0] > 0.5 else "similarity" for row in rows]
    found = fit_calibration(rows, labels, ["credibility", "similarity"], rng=rng)
    assert found.rejected is None
    assert found.kept == pytest.approx(0.95, abs=0.01)


def test_labels_outside_the_classes_are_refused() -> None:
    with pytest.raises(UsageError, match="labels zeta are not among the classes"):
        codes(["zeta"], ["credibility"])


def test_a_calibration_survives_json() -> None:
    found = Calibration(temperature=0.8, same=(1.1, 2.0), unsure_below=0.3, kept=0.9, rejected=None, n=10)
    assert Calibration.model_validate(found.to_json()) == found


def test_the_calibration_for_replies_means_half_of_pairs_matching_too() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(3, 0.3), 1_500)
    columns = np.array([rng.choice(3, p=row) for row in rows])
    classes = ["credibility", "similarity", "encouragement"]
    found = fit_calibration(rows, [classes[column] for column in columns], classes, rng=rng)
    assert found.matching is not None
    # labels about equally frequent: both ways of drawing matches are the same, and so are the calibrations
    assert found.matching == pytest.approx(found.same, abs=0.1)
