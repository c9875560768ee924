"""Of many measures, those that agree with people better than chance are found, and noise is not called the best."""

import numpy as np
import pytest

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.subjects.agreement.answer import above_chance, p_of_interval

WIDTH = 1.959964  # standard errors in half of a 95% interval


def estimate(value: float, *, error: float = 0.05, clusters: int = 100) -> Estimate:
    interval = Interval(low=value - WIDTH * error, high=value + WIDTH * error, method="made")
    return Estimate(value=value, interval=interval, n=clusters, clusters=clusters)


def test_the_p_value_is_that_of_the_normal_distribution() -> None:
    # z = (.63 - .5) / .05 = 2.6; 2 * (1 - Phi(2.6)) = .00932
    assert p_of_interval(estimate(0.63), 0.5) == pytest.approx(0.00932, abs=1e-5)
    assert p_of_interval(estimate(0.37), 0.5) == pytest.approx(0.00932, abs=1e-5)


def test_below_chance_is_not_above_it() -> None:
    assert above_chance([estimate(0.2), estimate(0.8)], 0.5) == [False, True]


def test_few_clusters_and_missing_intervals_are_no_evidence() -> None:
    assert above_chance([estimate(0.9, clusters=9), estimate(0.9, clusters=10)], 0.5) == [False, True]
    assert above_chance([Estimate(value=1.0, n=50, clusters=50)], 0.5) == [False]


def test_perfect_agreement_whose_resamples_are_all_perfect_is_evidence() -> None:
    why = Reason.of(ReasonCode.RESAMPLES_ALL_EQUAL)
    assert above_chance([Estimate(value=1.0, n=50, clusters=50, why=why)], 0.5) == [True]
    assert above_chance([Estimate(value=0.5, n=50, clusters=50, why=why)], 0.5) == [False]  # a constant


def test_an_interval_without_width_is_evidence_unless_it_lies_at_chance() -> None:
    assert above_chance([estimate(1.0, error=0.0), estimate(0.5, error=0.0)], 0.5) == [True, False]


def test_among_twenty_measures_of_noise_a_best_one_is_named_in_at_most_five_percent() -> None:
    rng = np.random.default_rng(0)
    runs = 2_000
    named = sum(any(above_chance([estimate(v) for v in 0.5 + 0.05 * rng.normal(size=20)], 0.5)) for _ in range(runs))
    # a two-sided 5% over the family, of which half is above chance: .025; three standard errors of 2,000 runs are .0105
    assert named / runs <= 0.0355


def test_a_true_agreement_is_found_among_noise() -> None:
    rng = np.random.default_rng(1)
    runs = 500
    found = sum(
        above_chance([estimate(0.7 + 0.05 * rng.normal()), *(estimate(0.5) for _ in range(19))], 0.5)[0]
        for _ in range(runs)
    )
    assert found / runs > 0.75  # z = 4 against 3.02, the Bonferroni bound of 20: power .84
