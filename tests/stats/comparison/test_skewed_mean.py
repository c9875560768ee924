"""Hall's transformation, and contributions of clusters."""

import numpy as np
import pytest

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.means import skewed_mean
from trialogue.stats.resampling.clusters import cluster_sums, contributions, effective_clusters, is_ratio


def mean_of(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def test_symmetric_values_have_students_interval() -> None:
    from scipy.stats import t

    values = np.array([-3.0, -1.0, 0.0, 1.0, 3.0, 5.0, 7.0, 8.0, 9.0, 11.0])
    values = np.concatenate([values, 8 - values])
    found = skewed_mean(values)
    expected = t.interval(0.95, 19, values.mean(), values.std(ddof=1) / 20**0.5)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(expected)


def test_ends_solve_halls_cubic_by_root_finding() -> None:
    from scipy.optimize import brentq
    from scipy.stats import skew, t

    values = np.exp(np.random.default_rng(3).normal(size=12))
    found = skewed_mean(values)
    g, error = skew(values) / 12**0.5, values.std(ddof=1) / 12**0.5

    def cubic(x: float) -> float:
        return float(x + g * x**2 / 3 + g**2 * x**3 / 27 + g / 6)

    assert found is not None
    for end, quantile in ((found.low, 0.975), (found.high, 0.025)):
        root = brentq(lambda x, q=quantile: cubic(x) - t.ppf(q, 11), -1e4, 1e4)
        assert end == pytest.approx(values.mean() - root * error)


def test_a_long_right_tail_moves_the_interval_up() -> None:
    values = np.exp(np.random.default_rng(3).normal(size=30))
    found = skewed_mean(values)
    assert found is not None
    assert found.high - values.mean() > 1.2 * (values.mean() - found.low)
    turned = skewed_mean(-values)
    assert turned is not None
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_without_variation_or_with_one_value_there_is_no_interval() -> None:
    assert skewed_mean(np.full(5, 0.3)) is None
    assert skewed_mean(np.array([1.0])) is None


def test_very_skewed_values_are_marked() -> None:
    def marked(sigma: float) -> float:
        rng = np.random.default_rng(1)
        samples = [skewed_mean(np.exp(sigma * rng.normal(size=20))) for _ in range(400)]
        return float(np.mean([found is not None and found.is_unsafe for found in samples]))

    assert marked(0.1) < 0.01
    assert marked(1.5) > 0.45


def test_contributions_of_a_mean_of_single_units_are_the_values() -> None:
    values = np.array([3.0, 1.0, 8.0])
    found = contributions(cluster_sums(np.column_stack([values, np.ones(3)]), "abc"), mean_of)
    assert found.each == pytest.approx(values)
    assert found.alike == pytest.approx(3)


def test_contributions_are_jackknife_pseudo_values_around_the_statistic() -> None:
    data = cluster_sums([[4.0, 2.0], [9.0, 3.0], [2.0, 1.0]], "abc")
    found = contributions(data, mean_of)
    pseudo = np.array([3 * 15 / 6 - 2 * 11 / 4, 3 * 15 / 6 - 2 * 6 / 3, 3 * 15 / 6 - 2 * 13 / 5])
    assert found.value == 15 / 6
    assert found.each == pytest.approx(pseudo - pseudo.mean() + 2.5)
    assert found.alike == pytest.approx(36 / 14)  # (2 + 3 + 1)^2 / (4 + 9 + 1)


def test_what_is_undefined_without_a_cluster_is_said() -> None:
    found = contributions(cluster_sums([[1.0, 1.0], [0.0, 0.0]], "ab"), mean_of)
    assert found.value == 1
    assert not found.are_defined


def test_only_a_ratio_of_two_sums_is_one() -> None:
    data = cluster_sums([[4.0, 2.0], [9.0, 3.0], [0.0, 0.0]], "abc")
    assert is_ratio(data, mean_of)
    assert not is_ratio(data, lambda sums: np.exp(mean_of(sums)))
    assert not is_ratio(cluster_sums([[1.0, 1.0, 1.0]], "a"), lambda sums: sums[..., 0] / sums[..., 1])


def test_one_large_cluster_counts_as_little_more_than_one() -> None:
    assert effective_clusters(np.array([98.0, 1.0, 1.0])) == pytest.approx(10_000 / 9_606)
    assert effective_clusters(np.zeros(3)) == 0
