"""Intervals of discriminators: exact where they can be computed by hand, and covering .5 where there is no difference."""

import numpy as np
import pytest
from scipy.special import expit, logit, stdtrit
from sklearn.model_selection import StratifiedKFold

from trialogue.records import Estimate, ReasonCode
from trialogue.stats import auc
from trialogue.subjects.simulated_users.realism.discriminator_auc import CROSS_FIT, FOLDS, discriminator_auc
from trialogue.subjects.simulated_users.realism.two_sample import new_classifier


def test_the_variance_is_that_of_the_influences_of_users() -> None:
    scores, labels = np.array([1.0, 4.0, 2.0, 3.0, 5.0, 0.0]), np.array([0, 0, 0, 1, 1, 1])
    found = discriminator_auc(scores, labels, list("abcdef"))
    # wins of 3, 5, 0 against 1, 4, 2: 2 + 3 + 0 of 9; seen from the real ones 2, 1 and 2 of 3 pairs are lost
    assert found.value == pytest.approx(5 / 9)
    simulated = np.array([2 - 5 / 3, 3 - 5 / 3, 0 - 5 / 3]) / 9
    real = np.array([2 - 5 / 3, 1 - 5 / 3, 2 - 5 / 3]) / 9
    parts = [1.5 * float(np.sum(real**2)), 1.5 * float(np.sum(simulated**2))]
    freedom = sum(parts) ** 2 / sum(part**2 / 2 for part in parts)
    reach = stdtrit(freedom, 0.975) * sum(parts) ** 0.5 / (5 / 9 * 4 / 9)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(expit(logit(5 / 9) - reach))
    assert found.interval.high == pytest.approx(expit(logit(5 / 9) + reach))


def test_learned_scores_have_a_larger_variance() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=60), np.arange(60) % 2
    plain, learned = (discriminator_auc(scores, labels, range(60), is_learned=kind) for kind in (False, True))
    assert learned.value == plain.value
    assert plain.interval is not None
    assert learned.interval is not None
    widths = [logit(each.high) - logit(each.low) for each in (plain.interval, learned.interval)]
    assert widths[1] / widths[0] == pytest.approx(CROSS_FIT**0.5)


def test_pairs_are_of_one_group_and_a_user_is_one_whatever_they_said() -> None:
    rng = np.random.default_rng(1)
    scores, labels, groups = rng.normal(size=40), np.arange(40) % 2, (np.arange(40) // 20).tolist()
    found = discriminator_auc(scores + 100 * (np.arange(40) // 20), labels, range(40), groups=groups)
    assert found.value == auc(scores, labels, groups=groups, rng=None, method="percentile").value
    twice = discriminator_auc(np.tile(scores, 2), np.tile(labels, 2), [*range(40), *range(40)])
    once = discriminator_auc(scores, labels, range(40))
    assert once.interval is not None
    assert twice.interval is not None
    assert twice.interval.low == pytest.approx(once.interval.low)


@pytest.mark.parametrize(
    ("scores", "labels", "users", "code"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], "abcd", ReasonCode.PERFECT_SEPARATION),
        ([1, 1, 1, 1], [0, 0, 1, 1], "abcd", ReasonCode.CLUSTERS_ALL_EQUAL),
        ([1, 3, 2, 4], [0, 0, 1, 1], "aacd", ReasonCode.ONE_CLUSTER),
    ],
)
def test_without_an_interval_the_reason_is_given(
    scores: list[int], labels: list[int], users: str, code: ReasonCode
) -> None:
    found = discriminator_auc(np.array(scores, dtype=float), np.array(labels), list(users))
    assert found.interval is None
    assert found.why is not None
    assert found.why.code is code


def test_a_classifier_that_learns_noise_covers_one_half() -> None:
    """Of 150 data sets without a difference; the variance given the fits covers in 83% (.83 = P(|z| < 1.96 / sqrt 2))."""
    rng = np.random.default_rng(5)
    covered = [held_out(rng) for _ in range(150)]
    intervals = [each.interval for each in covered]
    assert np.mean([each is not None and each.contains(0.5) for each in intervals]) >= 0.92


def held_out(rng: np.random.Generator) -> Estimate:
    rows, labels = rng.normal(size=(100, 12)), np.arange(100) % 2
    points, folds = np.zeros(100), np.zeros(100, dtype=int)
    split = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    for number, (inside, outside) in enumerate(split.split(rows, labels)):  # each row is a user
        folds[outside] = number
        points[outside] = new_classifier().fit(rows[inside], labels[inside]).decision_function(rows[outside])
    return discriminator_auc(points, labels, range(100), groups=folds.tolist(), is_learned=True)
