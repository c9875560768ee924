"""Means over runs: hand calculations, a second implementation, and coverage on simulated data."""

import math

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from trialogue.stats.comparison.means import RunValues, pool_differences, pool_means


def runs_of(values: np.ndarray, *, crossed: bool) -> list[RunValues]:
    """One run for each row; columns are units, of their own in each run where these are not crossed."""
    return [
        [(unit if crossed else (row, unit), float(value)) for unit, value in enumerate(own)]
        for row, own in enumerate(values)
    ]


def test_runs_with_units_of_their_own_are_a_t_test_on_their_means() -> None:
    values = np.array([[0.0, 1.0, 0.5], [1.0, 1.0, 0.4], [0.2, 0.9, 0.7]])
    found = pool_means(runs_of(values, crossed=False))
    expected = ttest_1samp(values.mean(axis=1), 0.0)
    interval = expected.confidence_interval(0.95)
    assert [found.value, found.p] == pytest.approx([values.mean(), expected.pvalue])
    assert [found.low, found.high] == pytest.approx([interval.low, interval.high])
    assert found.freedom == pytest.approx(2.0)
    assert not found.is_crossed


def test_crossed_runs_have_the_variance_of_both_factors() -> None:
    values = np.array([[1.0, 0.0, 2.0], [2.0, 2.0, 2.0]])
    found = pool_means(runs_of(values, crossed=True))
    # means of runs 1, 2: variance 1/2, over 2 runs .25; of units 1.5, 1, 2: variance .25, over 3 units .08333
    # rest: cells less both margins plus the mean are ±0, ±.5, ±.5: sum of squares 1 / ((2-1)(3-1)) = .5, over 6 cells .08333
    variance = 0.25 + 0.25 / 3 - 0.5 / 6
    freedom = variance**2 / (0.25**2 / 1 + (0.25 / 3) ** 2 / 2 + (0.5 / 6) ** 2 / 2)
    freedom = max(freedom, 1.0)  # Satterthwaite gives .9: never fewer than one
    half = float(t.ppf(0.975, freedom)) * math.sqrt(variance)
    assert found.is_crossed
    assert found.freedom == pytest.approx(freedom)
    assert [found.low, found.high] == pytest.approx([1.5 - half, 1.5 + half])
    assert found.between == pytest.approx(math.sqrt(0.5 - 0.5 / 3))  # var of means less rest / units


def test_runs_have_equal_weights_whatever_their_sizes() -> None:
    found = pool_means([[("a", 1.0)], [(n, 0.0) for n in range(99)]])
    assert found.value == 0.5


def test_differences_are_taken_within_runs() -> None:
    first = runs_of(np.array([[1.0, 1.0], [0.5, 0.5], [0.0, 0.2]]), crossed=False)
    second = runs_of(np.array([[0.8, 0.8], [0.2, 0.4], [0.0, 0.0]]), crossed=False)
    found = pool_differences(list(zip(first, second, strict=True)))
    gaps = [0.2, 0.2, 0.1]
    assert found.value == pytest.approx(sum(gaps) / 3)
    assert found.p == pytest.approx(ttest_1samp(gaps, 0.0).pvalue)
    turned = pool_differences(list(zip(second, first, strict=True)))
    assert found.p is not None
    assert [turned.value, turned.p] == pytest.approx([-found.value, found.p])


def test_the_order_of_runs_and_units_does_not_matter() -> None:
    values = np.random.default_rng(3).normal(size=(4, 6))
    one = pool_means(runs_of(values, crossed=True))
    other = pool_means([list(reversed(run)) for run in reversed(runs_of(values, crossed=True))])
    assert one.low is not None
    assert one.high is not None
    assert [other.low, other.high] == pytest.approx([one.low, one.high])


def test_runs_that_never_vary_have_no_interval() -> None:
    found = pool_means([[("a", 1.0), ("b", 1.0)], [("a", 1.0), ("b", 1.0)]])
    assert (found.value, found.low, found.high, found.p, found.between) == (1.0, None, None, None, 0.0)


def test_many_runs_on_the_same_units_do_not_make_their_sample_larger() -> None:
    rng = np.random.default_rng(1)
    units = rng.normal(size=(1, 10))
    widths = []
    for count in (5, 200):
        found = pool_means(runs_of(units + rng.normal(scale=0.1, size=(count, 10)), crossed=True))
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[1] == pytest.approx(widths[0], rel=0.15)  # nearly all error is that of ten units


@pytest.mark.slow
@pytest.mark.parametrize(("count", "least"), [(2, 0.86), (3, 0.91), (5, 0.925)])
@pytest.mark.parametrize("crossed", [True, False])
def test_intervals_cover_the_mean_of_other_runs(count: int, least: float, *, crossed: bool) -> None:
    """400 simulations of a cell: standard deviations of runs, units and rest as given; 20 units."""
    rng = np.random.default_rng(1)
    for runs, units, rest in ((0.0, 1.0, 1.0), (0.3, 1.0, 1.0), (1.0, 0.3, 1.0)):
        hits = 0
        for _ in range(400):
            shape = (1, 20) if crossed else (count, 20)
            values = rng.normal(0, runs, (count, 1)) + rng.normal(0, units, shape) + rng.normal(0, rest, (count, 20))
            found = pool_means(runs_of(values, crossed=crossed))
            assert found.low is not None
            assert found.high is not None
            hits += found.low <= 0 <= found.high
        assert least <= hits / 400 <= 0.995, (runs, units, rest)
