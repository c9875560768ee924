"""How far a calibration would be off, had other dialogues been labelled."""

import numpy as np
import pytest

from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.calibration import fit_calibration, logit, matching_error, platt, shared_mass
from trialogue.strategies.learning.dyads import Pairs, draw_matching

CLASSES = ("credibility", "similarity", "encouragement")


def talks(rng: np.random.Generator, dialogues: int, each: int = 12) -> tuple[Floats, Ints, Ints]:
    """Beliefs, labels and dialogues of sentences; the model reads some dialogues better than others."""
    of_row = np.repeat(np.arange(dialogues), each)
    columns = rng.integers(0, len(CLASSES), len(of_row))
    clear = rng.gamma(4.0, 0.5, dialogues)[of_row]
    scores = rng.normal(size=(len(of_row), len(CLASSES))) + clear[:, None] * np.eye(len(CLASSES))[columns]
    rows = np.exp(scores)
    return rows / rows.sum(axis=1, keepdims=True), columns, of_row


def fitted(rows: Floats, columns: Ints, rng: np.random.Generator) -> tuple[Floats, Pairs, tuple[float, float]]:
    pairs = draw_matching(columns, 3_000, 12_000, rng=rng)
    scores = logit(shared_mass(rows[pairs.left], rows[pairs.right]))
    return scores, pairs, platt(scores, pairs.same)


def test_the_error_is_the_spread_of_calibrations_on_other_dialogues() -> None:
    rng = np.random.default_rng(0)
    others, said = [], []
    for _ in range(60):
        rows, columns, of_row = talks(rng, 60)
        scores, pairs, found = fitted(rows, columns, rng)
        others.append(found)
        error = matching_error(scores, pairs, found, columns, of_row.tolist())
        assert error is not None
        said.append(error)
    spread, mean = np.cov(np.array(others).T), np.mean(said, axis=0)
    # of 60 draws a standard deviation has an error of 9%
    assert mean[0] ** 0.5 == pytest.approx(spread[0, 0] ** 0.5, rel=0.25)
    assert mean[2] ** 0.5 == pytest.approx(spread[1, 1] ** 0.5, rel=0.25)
    correlation = mean[1] / (mean[0] * mean[2]) ** 0.5
    assert correlation == pytest.approx(spread[0, 1] / (spread[0, 0] * spread[1, 1]) ** 0.5, abs=0.25)


def test_more_dialogues_leave_less_error() -> None:
    rng = np.random.default_rng(1)
    found = []
    for dialogues in (40, 160):
        rows, columns, of_row = talks(rng, dialogues)
        scores, pairs, line = fitted(rows, columns, rng)
        found.append(matching_error(scores, pairs, line, columns, of_row.tolist()))
    few, many = found
    assert few is not None
    assert many is not None
    assert few[0] > 2 * many[0]  # four times as many: about a quarter
    assert few[2] > 2 * many[2]


def test_ten_dialogues_are_the_fewest() -> None:
    rng = np.random.default_rng(2)
    for dialogues, known in ((9, False), (10, True)):
        rows, columns, of_row = talks(rng, dialogues)
        scores, pairs, line = fitted(rows, columns, rng)
        assert (matching_error(scores, pairs, line, columns, of_row.tolist()) is not None) == known


def test_scores_that_say_nothing_leave_the_error_unknown() -> None:
    rng = np.random.default_rng(3)
    _, columns, of_row = talks(rng, 12)
    pairs = draw_matching(columns, 100, 400, rng=rng)
    assert matching_error(np.zeros(500), pairs, (0.0, -1.4), columns, of_row.tolist()) is None


def test_a_calibration_knows_its_error_only_if_it_knows_the_dialogues() -> None:
    rows, columns, of_row = talks(np.random.default_rng(4), 20)
    labels = [CLASSES[column] for column in columns]
    with_groups = fit_calibration(rows, labels, CLASSES, rng=np.random.default_rng(0), groups=of_row.tolist())
    without = fit_calibration(rows, labels, CLASSES, rng=np.random.default_rng(0))
    assert with_groups.matching_error is not None
    assert without.matching_error is None
    assert with_groups.model_copy(update={"matching_error": None}) == without
