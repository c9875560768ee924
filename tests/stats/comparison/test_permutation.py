"""The permutation test against scipy's, enumerated by hand, and its interval against its own p-values."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.permutation import PermutationTest, arrangement_sums, number_of_arrangements


def values(seed: int, size: int) -> Floats:
    return np.random.default_rng(seed).exponential(size=size)


def welch(a: Floats, b: Floats, axis: int = -1) -> Floats:
    gap = a.mean(axis=axis) - b.mean(axis=axis)
    error = a.var(axis=axis, ddof=1) / a.shape[axis] + b.var(axis=axis, ddof=1) / b.shape[axis]
    return np.asarray(gap / np.sqrt(error))


def paired_t(a: Floats, b: Floats, axis: int = -1) -> Floats:
    gaps = a - b
    return np.asarray(gaps.mean(axis=axis) / gaps.std(axis=axis, ddof=1))


def scipy_p(a: Floats, b: Floats, statistic: Callable[..., Floats], kind: str) -> float:
    from scipy.stats import permutation_test

    found = permutation_test(
        (a, b), statistic, permutation_type=kind, n_resamples=10**6, alternative="two-sided", axis=0
    )  # type: ignore[call-overload]
    return float(found.pvalue)


@pytest.mark.parametrize(("size_a", "size_b"), [(5, 5), (4, 7), (6, 5)])
def test_p_of_independent_groups_is_that_of_scipys_enumeration_of_welchs_statistic(size_a: int, size_b: int) -> None:
    a, b = values(1, size_a) + 1, values(2, size_b)
    assert PermutationTest(a, b, 0).p_value() == pytest.approx(scipy_p(a, b, welch, "independent"))


@pytest.mark.parametrize("size", [6, 9])
def test_p_of_pairs_is_that_of_scipys_enumeration_of_sign_flips(size: int) -> None:
    a, b = values(3, size) + 0.5, values(4, size)
    assert PermutationTest(a, b, size).p_value() == pytest.approx(scipy_p(a, b, paired_t, "samples"))


def test_a_sampled_p_is_near_the_enumerated_one() -> None:
    a, b = values(5, 9) + 0.8, values(6, 8)  # C(17, 9) = 24,310 arrangements
    whole = PermutationTest(a, b, 0, max_arrangements=30_000)
    sampled = PermutationTest(a, b, 0, max_arrangements=10_000, seed=1)
    assert (whole.arrangements, sampled.arrangements) == (24_310, 10_000)
    assert sampled.p_value() == pytest.approx(whole.p_value(), abs=0.01)  # four standard errors


def test_six_pairs_all_one_way_have_the_smallest_p_there_is() -> None:
    gaps = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert PermutationTest(gaps, np.zeros(6), 6).p_value() == 2 / 64  # two of 2^6 sign flips


def test_ties_with_the_observed_arrangement_count_half_where_asked() -> None:
    a, b = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])
    # Hypergeometric: 4 ones among 8; 3 or 1 in a group of 4 in 16 + 16 of 70 arrangements, 4 or 0 in 2.
    assert PermutationTest(a, b, 0).p_value() == pytest.approx(34 / 70)
    assert PermutationTest(a, b, 0, mid=True).p_value() == pytest.approx((2 + 32 / 2) / 70)


def test_a_partly_paired_design_swaps_the_shared_and_deals_the_others() -> None:
    assert number_of_arrangements(2, 1, 2) == 4 * 3
    swapped, dealt = arrangement_sums(np.array([[1.0], [10.0]]), np.array([[1.0], [2.0], [3.0]]), 1)
    assert sorted(swapped.ravel().tolist()) == [0.0] * 3 + [1.0] * 3 + [10.0] * 3 + [11.0] * 3
    assert sorted(dealt.ravel().tolist()) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    assert len({*zip(swapped.ravel().tolist(), dealt.ravel().tolist(), strict=True)}) == 12


@pytest.mark.parametrize("shared", [0, 1, 3, 20])
@pytest.mark.parametrize(
    ("first", "second"), [(0, 0), (0, 3), (3, 0), (2, 2), (15, 15), (5, 3_000), (3_000, 5), (0, 3_000), (3_000, 0)]
)
def test_the_first_arrangement_is_the_observed_one(shared: int, first: int, second: int) -> None:
    data = np.arange(float(first + second))[:, None]
    swapped, dealt = arrangement_sums(np.ones((shared, 1)), data, first, most=500)
    assert len(swapped) == len(dealt) == min(number_of_arrangements(shared, first, second), 501)
    assert (swapped[0, 0], dealt[0, 0]) == (0, data[:first].sum())
    if not first:
        assert (dealt == 0).all()


def test_blocks_of_a_shuffle_are_random_groups() -> None:
    """5 of 3,000 values 0 .. 2,999: sums with mean 5 * 1499.5 and variance 5 * 866^2 * (1 - 4/2999)."""
    sums = arrangement_sums(np.zeros((0, 1)), np.arange(3_000.0)[:, None], 5, most=4_000)[1][1:, 0]
    assert sums.mean() == pytest.approx(5 * 1499.5, abs=4 * 866 * 5**0.5 / 4_000**0.5)
    assert sums.std() == pytest.approx(866.03 * 5**0.5, rel=0.05)


def test_the_statistic_of_partly_shared_clusters_is_the_difference_over_its_error() -> None:
    """By brute force: two shared clusters and (1, 2) others; variances of sides less twice the covariance of the shared."""
    from itertools import product

    a, b = np.array([1.0, 4.0, 2.5]), np.array([0.5, 5.0, 7.0, 3.0])

    def statistic(first: Floats, second: Floats) -> float:
        own, other = ((side - side.mean()) / (len(side) * (len(side) - 1)) ** 0.5 for side in (first, second))
        variance = np.sum((own[:2] - other[:2]) ** 2) + np.sum(own[2:] ** 2) + np.sum(other[2:] ** 2)
        return float((first.mean() - second.mean()) / variance**0.5)

    seen = []
    for swaps, dealt in product(product((False, True), repeat=2), range(3)):
        alone = np.array([2.5, 7.0, 3.0])
        shared = np.where(swaps, b[:2], a[:2]), np.where(swaps, a[:2], b[:2])
        seen.append(statistic(np.append(shared[0], alone[dealt]), np.append(shared[1], np.delete(alone, dealt))))
    tails = np.mean(np.array(seen) >= seen[0] - 1e-9), np.mean(np.array(seen) <= seen[0] + 1e-9)
    assert PermutationTest(a, b, 2).p_value() == pytest.approx(min(1.0, 2 * min(tails)))


def test_the_interval_of_pairs_ends_at_means_of_subsets() -> None:
    """Hartigan's typical values: p of a difference d counts the flips whose gaps average to less than d, and their mirrors.

    Below the smallest gap that is the empty flip alone, 2 of 64 arrangements: p = .03. From the smallest gap on it is that
    gap's flip, too: 4 of 64, p = .06. The same at the upper end.
    """
    gaps = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    test = PermutationTest(gaps, np.zeros(6), 6)
    low, high = test.interval()
    assert low == pytest.approx(1.0, abs=1e-4)
    assert high == pytest.approx(32.0, abs=1e-4)


@given(
    a=st.lists(st.integers(0, 5), min_size=4, max_size=12),
    b=st.lists(st.integers(0, 5), min_size=4, max_size=12),
    shared=st.booleans(),
    mid=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_interval_leaves_zero_out_exactly_where_p_is_below_the_level(
    a: list[int], b: list[int], shared: bool, mid: bool
) -> None:
    if shared:
        b = (b * 3)[: len(a)]
        if len(a) < 6:
            return
    test = PermutationTest(
        np.array(a, float), np.array(b, float), len(a) if shared else 0, max_arrangements=500, mid=mid
    )
    if test.standard_error == 0:
        return
    low, high = test.interval()
    assert (low > 0 or high < 0) == (test.p_value() < 0.05)
    assert low <= test.value <= high


def test_the_interval_moves_with_the_data() -> None:
    a, b = values(7, 12), values(8, 30)
    first, second = PermutationTest(a, b, 0), PermutationTest(3 * a + 1000, 3 * b + 990, 0)
    assert second.value == pytest.approx(3 * first.value + 10)
    assert second.interval() == pytest.approx(tuple(3 * end + 10 for end in first.interval()), rel=1e-2)


def test_large_groups_agree_with_welchs_t_test() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(9)
    a, b = rng.normal(size=150) + 0.25, rng.normal(size=120) * 2
    test, expected = PermutationTest(a, b, 0), ttest_ind(a, b, equal_var=False)
    assert test.p_value() == pytest.approx(expected.pvalue, abs=0.016)  # three errors of twice a tail
    assert test.interval() == pytest.approx(tuple(expected.confidence_interval()), abs=0.03)


def test_without_variation_there_is_no_error_and_the_interval_is_not_to_be_used() -> None:
    test = PermutationTest(np.ones(5), np.zeros(5), 0)
    assert test.standard_error == 0
    assert test.p_value() == pytest.approx(2 / 252)  # Fisher: two of C(10, 5) arrangements are as extreme


@pytest.mark.parametrize("shared", [0, 4, 9])
@pytest.mark.parametrize("shift", [-3.0, 0.0, 0.25, 40.0])
def test_a_shift_is_the_same_as_data_that_are_lowered_by_it(shared: int, shift: float) -> None:
    rng = np.random.default_rng(shared)
    a, b = rng.normal(1, 1, 9), rng.normal(1, 1, 11)
    test, other = (PermutationTest(side, b, shared) for side in (a, a - shift))
    assert test.p_value(shift) == other.p_value()
    assert test.value - shift == pytest.approx(other.value, rel=1e-12, abs=1e-12)
    assert test.standard_error == pytest.approx(other.standard_error, rel=1e-9)
    low, high = other.interval()
    assert test.interval() == pytest.approx((low + shift, high + shift), abs=3e-3 * other.standard_error)
