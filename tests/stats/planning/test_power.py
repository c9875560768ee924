"""Planned sizes against statsmodels and against simulated studies."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.stats import clusters_for_means
from trialogue.stats.power import judgements_needed


@pytest.mark.parametrize("effect", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_sizes_are_within_one_of_the_exact_t_tests(effect: float, power: float) -> None:
    from statsmodels.stats.power import TTestIndPower, TTestPower

    paired = TTestPower().solve_power(effect, power=power, alpha=0.05)
    sides = TTestIndPower().solve_power(effect, power=power, alpha=0.05)
    assert clusters_for_means(effect, 1.0, paired=True, power=power) == pytest.approx(paired, abs=1)
    assert clusters_for_means(2 * effect, 2.0, paired=False, power=power) == pytest.approx(sides, abs=1)


@pytest.mark.parametrize("paired", [True, False])
def test_simulated_studies_of_that_size_find_the_difference_as_often_as_planned(paired: bool) -> None:
    from scipy.stats import ttest_1samp, ttest_ind

    rng = np.random.default_rng(0)
    n = clusters_for_means(0.6, 1.0, paired=paired)
    a, b = rng.normal(0.6, 1, size=(4_000, n)), rng.normal(0, 1, size=(4_000, n))
    p = ttest_1samp(a, 0, axis=1).pvalue if paired else ttest_ind(a, b, axis=1).pvalue
    assert np.mean(p < 0.05) == pytest.approx(0.8, abs=0.025)  # four standard errors


def test_direction_does_not_matter() -> None:
    assert clusters_for_means(-0.5, 1.0, paired=True) == clusters_for_means(0.5, 1.0, paired=True)


def test_a_huge_difference_still_needs_two_clusters() -> None:
    assert clusters_for_means(100.0, 1.0, paired=True) >= 2


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (lambda: clusters_for_means(0, 1, paired=True), "difference other than 0"),
        (lambda: clusters_for_means(1, 0, paired=True), "positive sd"),
        (lambda: clusters_for_means(1, 1, paired=True, power=1), "power and level"),
    ],
)
def test_impossible_plans_are_refused(plan: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan()


@pytest.mark.parametrize("share", [-0.1, 0.0, 0.5, 1.0, 1.5])
def test_shares_of_wins_that_no_sample_distinguishes_are_refused(share: float) -> None:
    with pytest.raises(UsageError, match="Expected a share between 0 and 1"):
        judgements_needed(share)


@pytest.mark.parametrize("chance", [-0.1, 0.0, 1.0, 1.5])
@pytest.mark.parametrize("name", ["power", "level"])
def test_power_and_level_are_chances(name: str, chance: float) -> None:
    with pytest.raises(UsageError):
        judgements_needed(0.4, **{name: chance})
    with pytest.raises(UsageError, match="power and level must lie between 0 and 1"):
        clusters_for_means(0.5, 1.0, paired=True, **{name: chance})


def test_the_unknown_standard_deviation_costs_what_guenther_says() -> None:
    """By hand, with z = 1.96 and .8416: 31.4 + 1.92 pairs; 62.8 + .96 on each side."""
    assert clusters_for_means(0.5, 1.0, paired=True) == 34
    assert clusters_for_means(0.5, 1.0, paired=False) == 64
