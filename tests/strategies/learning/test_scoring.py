"""Label scores against scikit-learn."""

import numpy as np
import pytest

from trialogue.strategies.learning.scoring import calibration_error, label_scores

CLASSES = ("credibility", "encouragement", "similarity")


def _made(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(3, 0.6), n)
    return rows, np.array([rng.choice(3, p=row) for row in rows])


def test_scores_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, log_loss, top_k_accuracy_score

    rows, truth = _made()
    found = label_scores(
        rows, truth, CLASSES, list(range(300)), unit="sentence", rng=np.random.default_rng(0), resamples=100
    )
    answer = rows.argmax(axis=1)
    assert found.accuracy.value == pytest.approx(accuracy_score(truth, answer))
    assert found.macro_f1.value == pytest.approx(f1_score(truth, answer, average="macro"))
    assert found.kappa.value == pytest.approx(cohen_kappa_score(truth, answer))
    assert found.log_loss.value == pytest.approx(log_loss(truth, rows))
    assert found.top2.value == pytest.approx(top_k_accuracy_score(truth, rows, k=2))
    assert found.accuracy.interval is not None
    assert found.accuracy.interval.contains(found.accuracy.value or 0)


def test_each_class_says_what_it_is_taken_for() -> None:
    rows = np.eye(3)[[0, 0, 1, 1, 2, 0]]
    truth = np.array([0, 0, 0, 0, 0, 1])  # credibility: two right, two encouragement, one similarity
    found = label_scores(
        rows, truth, CLASSES, list("abcdef"), unit="sentence", rng=np.random.default_rng(0), resamples=20
    )
    first, second, third = found.classes
    assert (first.n, first.recall) == (5, 0.4)
    assert first.precision == pytest.approx(2 / 3)
    assert [(confusion.strategy, confusion.n) for confusion in first.confusions] == [
        ("encouragement", 2),
        ("similarity", 1),
    ]
    assert (second.recall, second.precision) == (0.0, 0.0)
    assert (third.n, third.recall, third.precision) == (0, None, 0.0)


def test_calibrated_predictions_have_a_small_error_and_overconfident_ones_a_large_one() -> None:
    rows, truth = _made(4_000)
    right = rows.argmax(axis=1) == truth
    assert calibration_error(rows.max(axis=1), right) < 0.03
    assert calibration_error(np.ones(4_000), right) == pytest.approx(1 - right.mean())


def test_dialogues_make_intervals_wider_where_they_differ() -> None:
    rng = np.random.default_rng(0)
    dialogues = np.repeat(np.arange(30), 20)
    truth = np.zeros(600, dtype=int)
    easy = (rng.random(30) < 0.7)[dialogues]
    rows = np.where(easy[:, None], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1])
    by_dialogue, by_sentence = (
        label_scores(
            rows, truth, CLASSES, clusters, unit="dialogue", rng=np.random.default_rng(0), resamples=200
        ).accuracy.interval
        for clusters in (dialogues.tolist(), list(range(600)))
    )
    assert by_dialogue is not None
    assert by_sentence is not None
    assert by_dialogue.high - by_dialogue.low > 3 * (by_sentence.high - by_sentence.low)
