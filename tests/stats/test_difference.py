"""Differences between two sides whose clusters are the same, partly the same, or others."""

from typing import Any

import numpy as np
import pytest
from tests.untraced import untraced

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import ClusterSums, cluster_sums, difference
from trialogue.stats.resample import mean_of


def side(values: Any, start: int = 0) -> ClusterSums:
    return cluster_sums(np.column_stack([values, np.ones(len(values))]), range(start, start + len(values)))


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def width(estimate: object) -> float:
    interval = estimate.interval  # type: ignore[attr-defined]
    return float(interval.high - interval.low)


def test_the_value_is_a_minus_b_and_counts_are_of_both() -> None:
    found = difference(side(np.array([3.0, 5.0])), side(np.array([1.0, 2.0, 3.0]), start=1), mean_of, rng=generator())
    assert (found.value, found.n, found.clusters) == (2.0, 5, 4)  # 4 - 2; clusters 0, 1 and 1, 2, 3


def test_exchanging_the_sides_turns_the_sign() -> None:
    a, b = side(generator(1).normal(size=30)), side(generator(2).normal(size=30))
    one, other = difference(a, b, mean_of, rng=generator()), difference(b, a, mean_of, rng=generator())
    assert one.value == -other.value  # type: ignore[operator]
    assert one.p == pytest.approx(other.p, abs=0.02)


def test_shared_clusters_are_compared_within() -> None:
    taste = 10 * generator(3).normal(size=50)
    a, b = taste + generator(4).normal(size=50), taste + generator(5).normal(size=50)
    paired = difference(side(a), side(b), mean_of, rng=generator())
    independent = difference(side(a), side(b, start=1000), mean_of, rng=generator())
    assert width(paired) < 0.25 * width(independent)  # sd of a pair sqrt(2), of a side sqrt(101)


def test_paired_intervals_and_p_values_agree_with_the_t_test() -> None:
    from scipy.stats import ttest_rel

    taste = generator(6).normal(size=200)
    a, b = taste + generator(7).normal(size=200) + 0.2, taste + generator(8).normal(size=200)
    found, expected = difference(side(a), side(b), mean_of, rng=generator(), permutations=50_000), ttest_rel(a, b)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected.confidence_interval()), abs=0.02)
    assert found.p == pytest.approx(expected.pvalue, abs=0.005)


def test_independent_intervals_and_p_values_agree_with_the_t_test() -> None:
    from scipy.stats import ttest_ind

    a, b = generator(9).normal(size=200) + 0.2, generator(10).normal(size=150)
    found = difference(side(a), side(b, start=1000), mean_of, rng=generator(), permutations=50_000)
    expected = ttest_ind(a, b)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected.confidence_interval()), abs=0.02)
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)


def test_p_values_are_those_of_the_t_tests() -> None:
    """Paired where clusters are shared, Welch's where not: the pseudo-values of a mean are the values themselves."""
    from scipy.stats import ttest_ind, ttest_rel

    a, b = generator(21).normal(size=30) + 0.4, generator(22).normal(size=30) * 3
    paired = difference(side(a), side(b), mean_of, rng=generator())
    independent = difference(side(a), side(b[:20], start=100), mean_of, rng=generator())
    assert paired.p == pytest.approx(ttest_rel(a, b).pvalue)
    assert independent.p == pytest.approx(ttest_ind(a, b[:20], equal_var=False).pvalue)


SIZES = [(5, 5, True), (10, 1, False), (10, 1, True), (12, 3, True)]


@pytest.mark.slow
@pytest.mark.parametrize(("units_a", "units_b", "shared"), SIZES)
@untraced()
def test_clusters_of_unequal_size_do_not_make_differences(units_a: int, units_b: int, shared: bool) -> None:
    """Means of N(0, 1) units, 40 clusters a side: 5 % of 1,000 tests at .05 give 50, standard error 7."""

    def drawn(rng: np.random.Generator, units: int, start: int) -> ClusterSums:
        totals = rng.normal(size=(40, units)).sum(axis=1)
        return cluster_sums(np.column_stack([totals, np.full(40, float(units))]), range(start, start + 40))

    called = 0
    for seed in range(1_000):
        rng = generator(seed)
        a, b = drawn(rng, units_a, 0), drawn(rng, units_b, 0 if shared else 100)
        p = difference(a, b, mean_of, rng=rng, resamples=1, permutations=1).p
        called += p is not None and p <= 0.05
    assert 30 <= called <= 72


def test_two_equal_sides_differ_by_nothing() -> None:
    a = side(np.array([1.0, 2.0, 4.0]))
    found = difference(a, a, mean_of, rng=generator())
    assert (found.value, found.p, found.interval) == (0.0, 1.0, None)
    assert found.why is not None
    assert "without variation" in str(found.why)


def test_float_ties_do_not_make_a_difference_look_rarer_than_it_is() -> None:
    # Ten pairs that differ by 0.1 each: only the 2 of 2^10 flips with all signs alike are as extreme.
    values = np.linspace(0, 6.3, 10)
    found = difference(side(values + 0.1), side(values), mean_of, rng=generator(), permutations=200_000)
    assert found.p == pytest.approx(2 / 1024, abs=0.0005)


def test_without_spread_p_is_by_permutation_and_never_zero() -> None:
    """Fifty pairs that all differ by 100: no flip of 999 is as extreme, so p = (1 + 0) / (1 + 999)."""
    a, b = np.linspace(100, 150), np.linspace(0, 50)
    found = difference(side(a), side(b), mean_of, rng=generator(), permutations=999)
    assert found.p == 1 / 1000


@pytest.mark.parametrize("shared", [0, 15, 30])
def test_differences_of_clusters_drawn_alike_have_uniform_p_values(shared: int) -> None:
    called = [
        difference(
            side(generator(seed).normal(size=30)),
            side(generator(seed + 10_000).normal(size=30), start=30 - shared),
            mean_of,
            rng=generator(seed),
            resamples=1,
            permutations=199,
        ).p
        for seed in range(400)
    ]
    assert np.mean([p is not None and p <= 0.5 for p in called]) == pytest.approx(0.5, abs=0.09)  # 3.6 standard errors


def test_a_side_without_data_or_value_is_named() -> None:
    one, empty = side(np.array([1.0, 2.0])), side(np.zeros(0))
    assert str(difference(one, empty, mean_of, rng=generator()).why) == "there are no data of b"
    undefined = cluster_sums([[0.0, 0.0]], ["x"])
    assert str(difference(undefined, one, mean_of, rng=generator()).why) == "the statistic is undefined for a"
    assert str(difference(one, undefined, mean_of, rng=generator()).why) == "the statistic is undefined for b"


@pytest.mark.parametrize(("b", "start"), [([2.0], 0), ([2.0], 1), ([2.0, 3.0], 1)])
def test_one_cluster_on_a_side_gives_neither_interval_nor_p(b: list[float], start: int) -> None:
    found = difference(side(np.array([1.0])), side(np.array(b), start), mean_of, rng=generator())
    assert (found.interval, found.p) == (None, None)
    assert found.why == Reason.of(ReasonCode.ONE_CLUSTER)


def test_sides_of_different_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="have 2 and 1 sums"):
        difference(side(np.ones(3)), cluster_sums([1.0, 2.0], "ab"), mean_of, rng=generator())
    with pytest.raises(UsageError, match="permutations must be at least 1"):
        difference(side(np.arange(3.0) + 1), side(np.arange(3.0)), mean_of, rng=generator(), permutations=0)


def test_permutations_that_leave_a_side_undefined_withhold_p() -> None:
    # One denominator on each side, both of clusters of one side: most deals give one side none.
    a, b = cluster_sums([[1, 1], [1, 0]], ["a1", "a2"]), cluster_sums([[2, 1], [1, 0]], ["b1", "b2"])
    found = difference(a, b, mean_of, rng=generator())
    assert found.p is None
    assert found.interval is None
    assert found.why is not None
    assert "undefined in" in str(found.why)


def test_the_order_of_rows_does_not_matter() -> None:
    values, other = generator(1).normal(size=(2, 40))
    order = generator(2).permutation(40)
    rows = np.column_stack([values, np.ones(40)])
    shuffled = cluster_sums(rows[order], order.tolist())
    first = difference(side(values), side(other, start=10), mean_of, rng=generator())
    assert first == difference(shuffled, side(other, start=10), mean_of, rng=generator())
