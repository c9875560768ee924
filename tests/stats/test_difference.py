"""Differences of statistics of sums: what is compared with what, and how far that agrees with the tests of others."""

import numpy as np
import pytest

from tests.untraced import untraced
from trialogue.errors import UsageError
from trialogue.records import Estimate, ReasonCode
from trialogue.stats import cluster_sums, difference, estimate_of_sums
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.permutation import PermutationTest
from trialogue.stats.resampling.clusters import ClusterSums


def mean_of(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def side(values: Floats, start: int = 0) -> ClusterSums:
    """One unit a cluster, keys start, start + 1, ..."""
    return cluster_sums(np.column_stack([values, np.ones(len(values))]), range(start, start + len(values)))


def width(found: Estimate) -> float:
    assert found.interval is not None
    return found.interval.high - found.interval.low


def code(found: Estimate) -> ReasonCode | None:
    return None if found.why is None else found.why.code


def test_the_difference_of_means_counts_units_and_clusters() -> None:
    found = difference(side(np.array([3.0, 5.0])), side(np.array([1.0, 2.0, 3.0]), start=1), mean_of)
    assert (found.value, found.n, found.clusters) == (2.0, 5, 4)  # 4 - 2; clusters 0, 1 and 1, 2, 3


def test_exchanging_the_sides_turns_the_sign() -> None:
    a, b = side(generator(1).normal(size=30)), side(generator(2).normal(size=30) + 0.5, start=15)
    one, other = difference(a, b, mean_of), difference(b, a, mean_of)
    assert one.value == -(other.value or 0.0)
    assert one.p == pytest.approx(other.p, abs=0.02)


def test_shared_clusters_are_compared_within() -> None:
    taste = 10 * generator(3).normal(size=50)
    a, b = taste + generator(4).normal(size=50), taste + generator(5).normal(size=50)
    paired, independent = difference(side(a), side(b), mean_of), difference(side(a), side(b, start=1000), mean_of)
    assert width(paired) < 0.25 * width(independent)  # sd of a pair sqrt(2), of a side sqrt(101)


def test_paired_intervals_and_p_values_agree_with_the_t_test() -> None:
    from scipy.stats import ttest_rel

    taste = generator(6).normal(size=150)
    a, b = taste + generator(7).normal(size=150) + 0.2, taste + generator(8).normal(size=150)
    found, expected = difference(side(a), side(b), mean_of, permutations=30_000), ttest_rel(a, b)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected.confidence_interval()), abs=0.02)
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)


def test_independent_intervals_and_p_values_agree_with_the_t_test() -> None:
    from scipy.stats import ttest_ind

    a, b = generator(9).normal(size=150) + 0.2, generator(10).normal(size=120)
    found = difference(side(a), side(b, start=1000), mean_of, permutations=30_000)
    expected = ttest_ind(a, b, equal_var=False)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected.confidence_interval()), abs=0.02)
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)


SIZES = [(5, 5, True), (10, 1, False), (10, 1, True), (12, 3, True)]


@pytest.mark.slow
@pytest.mark.atlas
@pytest.mark.parametrize(("units_a", "units_b", "shared"), SIZES)
@untraced()
def test_clusters_of_unequal_size_do_not_make_differences(units_a: int, units_b: int, shared: bool) -> None:
    """Means of N(0, 1) units, 40 clusters a side: 5% of 1,000 tests at .05 give 50, standard error 7.

    Swapping clusters without studentisation found 110 to 260 here.
    """

    called = 0
    for seed in range(1_000):
        rng = generator(seed)
        rows = [
            np.column_stack([rng.normal(size=(40, units)).sum(axis=1), np.full(40, float(units))])
            for units in (units_a, units_b)
        ]
        sides = [
            cluster_sums(each, range(start, start + 40))
            for each, start in zip(rows, (0, 0 if shared else 40), strict=True)
        ]
        p = difference(sides[0], sides[1], mean_of, permutations=299).p
        called += p is not None and p <= 0.05
    assert 30 <= called <= 72


def test_two_equal_sides_differ_by_nothing() -> None:
    a = side(np.array([1.0, 2.0, 4.0, 3.0, 9.0, 7.0]))
    found = difference(a, a, mean_of)
    assert (found.value, found.p, found.interval) == (0.0, 1.0, None)
    assert code(found) is ReasonCode.DIFFERENCES_ALL_EQUAL


def test_float_ties_do_not_make_a_difference_look_rarer_than_it_is() -> None:
    """Ten pairs that differ by 0.1 each: only the 2 of 2^10 flips with all signs alike are as extreme."""
    values = np.linspace(0, 6.3, 10)
    assert PermutationTest(values + 0.1, values, 10).p_value() == pytest.approx(2 / 1024)
    found = difference(side(values + 0.1), side(values), mean_of)
    assert (found.p, found.interval, code(found)) == (None, None, ReasonCode.DIFFERENCES_ALL_EQUAL)


def test_a_sampled_p_is_never_zero() -> None:
    """Fifty pairs that all differ by about 100: none of 999 flips is as extreme as the observed one. Twice that tail."""
    a, b = np.linspace(100, 150) + generator(1).normal(size=50), np.linspace(0, 50)
    assert difference(side(a), side(b), mean_of, permutations=999).p == 2 / 1000


@pytest.mark.parametrize("shared", [0, 15, 30])
def test_differences_of_clusters_drawn_alike_have_uniform_p_values(shared: int) -> None:
    called = []
    for seed in range(400):
        rng = generator(seed)
        test = PermutationTest(rng.normal(size=30), rng.normal(size=30), shared, max_arrangements=199)
        called.append(test.p_value() <= 0.5)
    assert np.mean(called) == pytest.approx(0.5, abs=0.09)  # 3.6 standard errors


def test_a_side_without_data_or_value_is_named() -> None:
    one, empty = side(np.array([1.0, 2.0])), side(np.zeros(0))
    assert str(difference(one, empty, mean_of).why) == "there are no data for b"
    undefined = cluster_sums([[0.0, 0.0]], ["x"])
    assert str(difference(undefined, one, mean_of).why) == "the statistic is undefined for a"


@pytest.mark.parametrize(("b", "start"), [([2.0], 0), ([2.0], 1)])
def test_one_cluster_on_a_side_gives_neither_interval_nor_p(b: list[float], start: int) -> None:
    found = difference(side(np.array([1.0])), side(np.array(b), start), mean_of)
    assert (found.interval, found.p) == (None, None)
    assert code(found) is ReasonCode.ONE_CLUSTER


def test_too_few_clusters_for_any_finding_are_refused_with_what_would_do() -> None:
    found = difference(side(np.arange(5.0) ** 2), side(np.arange(5.0)), mean_of)
    assert (found.interval, found.p) == (None, None)
    assert code(found) is ReasonCode.TOO_FEW_CLUSTERS_TO_TEST
    assert "at least 6 shared by both systems, or 4 of each system, are needed" in str(found.why)


def test_sides_of_different_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="have 2 and 1 sums, but must have the same number"):
        difference(side(np.ones(3)), cluster_sums([1.0, 2.0], "ab"), mean_of)
    with pytest.raises(UsageError, match="permutations must be at least 1"):
        difference(side(np.arange(3.0) + 1), side(np.arange(3.0)), mean_of, permutations=0)


def test_the_order_of_rows_does_not_matter() -> None:
    values, other = generator(1).normal(size=(2, 40))
    order = generator(2).permutation(40)
    rows = np.column_stack([values, np.ones(40)])
    shuffled = cluster_sums(rows[order], order.tolist())
    first = difference(side(values), side(other, start=10), mean_of)
    assert first == difference(shuffled, side(other, start=10), mean_of)


def test_the_same_seed_gives_the_same_bytes_and_another_nearly_the_same_p() -> None:
    a, b = side(generator(1).normal(size=40)), side(generator(2).normal(size=40) + 0.4, start=100)
    first = difference(a, b, mean_of, seed=3)
    assert first.model_dump_json() == difference(a, b, mean_of, seed=3).model_dump_json()
    assert first.p == pytest.approx(difference(a, b, mean_of, seed=4).p, abs=0.02)


def test_one_system_has_an_interval_that_needs_no_seed() -> None:
    from scipy.stats import t

    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    found = estimate_of_sums(side(values), mean_of)
    assert found.interval is not None
    expected = t.interval(0.95, 4, 3.0, values.std(ddof=1) / 5**0.5)  # no skewness: Student's
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_skewed_clusters_are_reported_beside_the_interval() -> None:
    found = estimate_of_sums(side(np.array([1.0] * 19 + [1.5, 60.0])), mean_of)
    assert found.interval is not None
    assert code(found) is ReasonCode.CLUSTERS_SKEWED


def test_undefined_estimates_give_the_reason() -> None:
    empty = cluster_sums(np.zeros((0, 2)), [])
    assert code(estimate_of_sums(empty, mean_of)) is ReasonCode.NO_DATA
    undefined = cluster_sums([[0.0, 0.0]], ["x"])
    assert code(estimate_of_sums(undefined, mean_of)) is ReasonCode.STATISTIC_UNDEFINED


@pytest.mark.parametrize("scale", [1e-100, 1e-13, 1.0, 1e13])
def test_a_constant_difference_is_a_difference_in_any_unit(scale: float) -> None:
    found = difference(side(np.full(20, scale)), side(np.zeros(20)), mean_of, scale=(0.0, scale))
    assert found.value == scale
    assert found.p == pytest.approx(difference(side(np.ones(20)), side(np.zeros(20)), mean_of, scale=(0.0, 1.0)).p)
    assert found.p is not None
    assert found.p < 0.01
