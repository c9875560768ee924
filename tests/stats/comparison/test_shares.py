"""Shares and their differences: published values, statsmodels, exact enumeration of the test's error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.shares import (
    Share,
    are_counts,
    intraclass_correlation,
    paired_share_difference,
    share_difference,
    share_interval,
    share_of,
    wilson_bounds,
)
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums


def units(hits: int, n: int) -> Share:
    """Independent units."""
    return share_of(cluster_sums(np.column_stack([np.arange(n) < hits, np.ones(n)]), range(n)))


def clustered(hits: list[int], sizes: list[int]) -> ClusterSums:
    return cluster_sums(np.column_stack([hits, sizes]), range(len(sizes)))


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [  # Newcombe (1998), "Interval Estimation for the Difference ...", table II, method 10
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((10, 10, 0, 20), 0.6791, 1.0),
    ],
)
def test_differences_have_newcombes_published_intervals(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = share_difference(units(counts[0], counts[1]), units(counts[2], counts[3]))
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("counts", [(0, 15, 10, 100), (3, 20, 9, 60), (7, 7, 2, 9)])
def test_differences_have_statsmodels_intervals(counts: tuple[int, int, int, int]) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep

    found = share_difference(units(counts[0], counts[1]), units(counts[2], counts[3]))
    assert (found.low, found.high) == pytest.approx(confint_proportions_2indep(*counts, method="newcomb"))


def test_p_is_the_level_at_which_the_interval_ends_at_zero() -> None:
    a, b = units(9, 40), units(30, 70)
    p = share_difference(a, b).p
    assert p is not None
    assert share_difference(a, b, confidence=1 - p).high == pytest.approx(0, abs=1e-9)


def test_a_group_without_successes_makes_no_false_certainty() -> None:
    """The case of the issue: 0/15 against 10/100, Fisher's p = .355."""
    found = share_difference(units(0, 15), units(10, 100))
    assert found.p is not None
    assert found.p > 0.15
    assert found.low < 0 < found.high


SHARES = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize(("n", "m"), [(20, 60), (10, 40), (5, 5)])
def test_the_error_of_the_test_enumerated_is_below_5_percent_on_average_and_7_anywhere(n: int, m: int) -> None:
    from scipy.stats import binom

    called = np.array(
        [[(share_difference(units(x, n), units(y, m)).p or 0) < 0.05 for y in range(m + 1)] for x in range(n + 1)]
    )
    errors = [
        float(np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, p))[called].sum()) for p in SHARES
    ]
    assert np.mean(errors) <= 0.05
    assert max(errors) <= 0.07
    assert max(errors) >= 0.03  # and it is no test that never calls anything


def pairs_called(n: int) -> tuple[Floats, Floats]:
    """(only a, only b) tables of n pairs that McNemar calls, and that Tango's interval does."""
    p = np.zeros((n + 1, n + 1), dtype=bool)
    apart = np.zeros((n + 1, n + 1), dtype=bool)
    for f in range(n + 1):
        for g in range(n + 1 - f):
            found = paired_share_difference(f, g, n)
            p[f, g], apart[f, g] = (found.p or 0.0) < 0.05, found.low > 0 or found.high < 0
    return p, apart


@pytest.mark.parametrize("n", [6, 12, 25])
def test_tangos_interval_and_mcnemars_test_agree_in_every_table(n: int) -> None:
    called, apart = pairs_called(n)
    assert np.array_equal(called, apart)
    assert called.any()


@pytest.mark.parametrize("n", [8, 15, 30])
def test_the_error_for_pairs_enumerated_is_below_7_percent_anywhere(n: int) -> None:
    from scipy.stats import multinomial

    called, _ = pairs_called(n)
    tables = [(f, g) for f in range(n + 1) for g in range(n + 1 - f) if called[f, g]]
    for discordant in (0.05, 0.2, 0.5, 0.8):
        chances = [
            multinomial.pmf((f, g, n - f - g), n, [discordant / 2, discordant / 2, 1 - discordant]) for f, g in tables
        ]
        assert sum(chances) <= 0.07


def test_mcnemars_p_is_statsmodels() -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    expected = mcnemar([[20, 11], [3, 6]], exact=False, correction=False).pvalue
    assert paired_share_difference(11, 3, 40).p == pytest.approx(expected)


@pytest.mark.parametrize(("f", "g", "n"), [(11, 3, 40), (4, 0, 12), (0, 0, 10), (9, 9, 30)])
def test_tangos_ends_are_where_the_score_with_the_constrained_likelihood_reaches_196(f: int, g: int, n: int) -> None:
    from scipy.optimize import minimize_scalar

    found = paired_share_difference(f, g, n)
    for end in (found.low, found.high):

        def minus_log_likelihood(share_b_alone: float, gap: float = end) -> float:
            terms = ((f, share_b_alone + gap), (g, share_b_alone), (n - f - g, 1 - gap - 2 * share_b_alone))
            return -float(sum(count * np.log(chance) for count, chance in terms if count))

        span = (max(0.0, -end), (1 - end) / 2)
        best = minimize_scalar(minus_log_likelihood, bounds=span, method="bounded", options={"xatol": 1e-12}).x
        score = (f - g - n * end) / (n * (2 * best + end - end**2)) ** 0.5
        assert abs(score) == pytest.approx(1.959964, rel=1e-3)


def test_pairs_that_always_agree_still_have_an_interval() -> None:
    found = paired_share_difference(0, 0, 10)
    assert found.p == 1
    assert found.high == pytest.approx(3.841459 / 13.841459, rel=1e-5)  # z^2 / (n + z^2)
    assert found.low == -found.high


def test_a_share_of_independent_units_has_wilsons_interval() -> None:
    from statsmodels.stats.proportion import proportion_confint

    found = share_interval(units(3, 20))
    assert (found.low, found.high) == pytest.approx(proportion_confint(3, 20, method="wilson"))
    assert wilson_bounds(0, 10, 1.959964)[0] == 0
    assert wilson_bounds(1, 10, 1.959964)[1] == 1


def test_units_that_are_all_alike_within_clusters_are_worth_one_each() -> None:
    whole = share_of(clustered([5, 0, 5, 0, 0, 0, 5, 0, 0, 0], [5] * 10))
    assert whole.effective == pytest.approx(10 * 9 / 10, rel=0.12)  # the jackknife divides by k - 1
    assert whole.correlation == pytest.approx(1.0)


def test_without_variation_the_effective_size_is_the_number_of_clusters() -> None:
    assert share_of(clustered([0] * 8, [5] * 8)).effective == 8
    assert share_of(clustered([0] * 4, [9, 1, 1, 1])).effective == pytest.approx(144 / 84)  # (sum m)^2 / sum m^2


def test_units_are_never_worth_more_than_they_are() -> None:
    assert share_of(clustered([1] * 6, [2] * 6)).effective == 12  # less variation than by chance


def test_clusters_without_units_are_not_counted() -> None:
    assert share_of(clustered([1, 0, 0], [2, 0, 2])).clusters == 2


def test_the_correlation_is_that_of_the_analysis_of_variance() -> None:
    # Three clusters of two: hits 2, 1, 0; p = 1/2. Between: 2 (1/4 + 0 + 1/4) / 2 = 1/2; within: 1/2 / 3 = 1/6.
    assert intraclass_correlation(np.array([2.0, 1.0, 0.0]), np.array([2.0, 2.0, 2.0])) == pytest.approx(0.5)
    assert intraclass_correlation(np.array([1.0, 0.0]), np.array([1.0, 1.0])) is None


def test_only_whole_numbers_of_successes_among_units_are_counts() -> None:
    assert are_counts(clustered([1, 2], [3, 2]))
    assert not are_counts(cluster_sums([[0.5, 1.0]], ["a"]))
    assert not are_counts(cluster_sums([[2.0, 1.0]], ["a"]))
    assert not are_counts(cluster_sums([[1.0]], ["a"]))


SIDES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=2, max_size=15)


@given(a=SIDES, b=SIDES)
@settings(max_examples=200, deadline=None)
def test_intervals_leave_zero_out_exactly_where_p_is_below_the_level(
    a: list[tuple[int, int]], b: list[tuple[int, int]]
) -> None:
    one, other = (
        share_of(clustered([hits for hits, _ in side], [hits + misses + 1 for hits, misses in side])) for side in (a, b)
    )
    found = share_difference(one, other)
    assert found.p is not None
    assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
    assert -1 <= found.low <= one.value - other.value <= found.high <= 1
    turned = share_difference(other, one)
    assert (turned.low, turned.high, turned.p) == pytest.approx((-found.high, -found.low, found.p))
