"""Rank tests against scipy, tables and arithmetic."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.rank_tests import friedman, wilcoxon, wilcoxon_pairs


def test_friedman_agrees_with_scipy_also_with_ties() -> None:
    from scipy.stats import friedmanchisquare

    table = np.random.default_rng(0).integers(1, 6, (25, 4)).astype(float)
    expected = friedmanchisquare(*table.T)
    found = friedman(table)
    assert found.test.statistic == pytest.approx(expected.statistic)
    assert found.test.p == pytest.approx(expected.pvalue)
    assert found.concordance.value == pytest.approx(expected.statistic / (25 * 3))


def test_a_table_with_gaps_takes_skillings_and_mack() -> None:
    table = np.random.default_rng(1).normal(0, 1, (20, 3)) + np.array([0, 0.5, 1.5])
    whole = friedman(table)
    table[:5, 0] = np.nan
    found = friedman(table)
    assert found.test.name == "Skillings-Mack"
    assert found.complete == 15
    assert found.test.p is not None
    assert whole.test.p is not None
    assert found.test.p < 0.05


def test_skillings_mack_of_a_complete_table_without_ties_is_friedman() -> None:
    from trialogue.stats.mixed_models.rank_tests import _skillings_mack

    table = np.random.default_rng(2).normal(0, 1, (15, 4))
    assert _skillings_mack(table).statistic == pytest.approx(friedman(table).test.statistic)


def test_systems_that_nobody_compared_are_reported() -> None:
    nan = np.nan
    found = friedman([[1, 2, nan, nan], [2, 1, nan, nan], [nan, nan, 1, 2]])
    assert found.test.p is None
    assert found.test.why is not None
    assert found.test.why == Reason.of(ReasonCode.SYSTEMS_UNCONNECTED)


@pytest.mark.parametrize("table", [[], [[1.0, 2.0]], [[1.0, 1.0], [2.0, 2.0]]])
def test_too_little_is_undefined(table: list[list[float]]) -> None:
    assert friedman(table).test.p is None


def test_the_interval_of_w_holds_its_value() -> None:
    table = np.random.default_rng(3).normal(0, 1, (30, 3)) + np.array([0, 0.5, 1])
    found = friedman(table).concordance
    assert found.interval is not None
    assert found.value is not None
    assert found.interval.contains(found.value)


def test_the_interval_of_w_covers_where_a_bootstrap_lies_too_high() -> None:
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        interval = friedman(rng.normal(0, 1, (6, 3))).concordance.interval
        held += interval is not None and interval.contains(1 / 6)  # E(W) of m people who judge at random is 1 / m
    assert held >= 184


@pytest.mark.parametrize("apart", [0.5, 1.0])
def test_the_interval_of_w_is_as_wide_as_w_varies_and_misses_on_both_sides(apart: float) -> None:
    """With 20 people who agree in part, W is about normal: a 95% interval is 2 * 1.96 standard deviations wide."""
    rng = np.random.default_rng(7)
    found = [friedman(rng.normal(0, 1, (20, 4)) + apart * np.arange(4)).concordance for _ in range(300)]
    values = np.array([one.value for one in found])
    ends = np.array([(one.interval.low, one.interval.high) for one in found if one.interval is not None])
    truth = values.mean()
    width = np.mean(ends[:, 1] - ends[:, 0])
    assert 0.9 <= width / (2 * 1.96 * values.std(ddof=1)) <= 1.25
    below, above = np.mean(ends[:, 1] < truth), np.mean(ends[:, 0] > truth)
    assert 0.93 - 2 * 0.0126 <= 1 - below - above <= 0.99  # Monte Carlo error of .95 over 300 tables: .0126
    assert max(below, above) <= 0.06
    assert all(low < one.value < high for one, (low, high) in zip(found, ends, strict=True) if one.value is not None)


def test_the_interval_of_w_is_the_jackknife_of_people_left_out_one_by_one() -> None:
    """W = 1 / m + C (m - 1) / m; artanh C without each person in turn, then Student's t with m - 1 degrees of freedom."""
    from scipy.stats import friedmanchisquare, t

    table = np.random.default_rng(4).normal([0, 0.4, 0.8], 1, (9, 3))

    def artanh_c(rows: Floats) -> float:
        people, systems = rows.shape
        w = friedmanchisquare(*rows.T).statistic / (people * (systems - 1))
        return float(np.arctanh((people * w - 1) / (people - 1)))

    without = np.array([artanh_c(np.delete(table, person, axis=0)) for person in range(9)])
    error = (8 / 9 * np.sum((without - without.mean()) ** 2)) ** 0.5
    reach = t.ppf(0.975, 8) * error
    expected = [1 / 9 + 8 / 9 * np.tanh(artanh_c(table) + sign * reach) for sign in (-1, 1)]
    interval = friedman(table).concordance.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((max(0, expected[0]), min(1, expected[1])))


def test_w_of_people_with_one_order_has_no_interval() -> None:
    found = friedman([[1, 2, 3]] * 4).concordance
    assert (found.value, found.interval) == (1.0, None)
    assert "same ranking" in str(found.why)
    alone = friedman([[1, 2, 3], [3, 3, 3]]).concordance
    assert alone.interval is None
    assert alone.why


def test_wilcoxon_is_exact_and_agrees_with_scipy() -> None:
    from scipy import stats

    rng = np.random.default_rng(4)
    a, b = rng.normal(0.3, 1, 18), rng.normal(0, 1, 18)
    assert wilcoxon(a, b).p == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue)


def test_wilcoxon_of_many_agrees_with_the_normal_approximation_of_scipy() -> None:
    from scipy import stats

    rng = np.random.default_rng(5)
    a, b = rng.normal(0.1, 1, 150), rng.normal(0, 1, 150)
    expected = stats.wilcoxon(a, b, method="approx", correction=True).pvalue
    assert wilcoxon(a, b).p == pytest.approx(expected, rel=1e-3)


def test_wilcoxon_with_ties_enumerates_signs() -> None:
    # Differences 1, 1, 2, -1: ranks 2, 2, 4, 2; sums of signs in 16 patterns as far from 5 as 8 is: 2 + 2 (0, 2, 8, 10
    # of 10: counts 1, 3, 3, 1 of sums 0, 2, 8, 10).
    found = wilcoxon([2, 2, 3, 1], [1, 1, 1, 2])
    assert found.p == pytest.approx(8 / 16)
    assert found.rank_biserial.value == pytest.approx((8 - 2) / 10)


def test_equal_pairs_are_left_out_and_counted() -> None:
    found = wilcoxon([1, 2, 3], [1, 1, 1])
    assert (found.n, found.equal, found.p) == (2, 1, 0.5)
    assert wilcoxon([1, 2], [1, 2]).p is None


def test_pairs_are_corrected() -> None:
    table = np.random.default_rng(6).normal(0, 1, (20, 3)) + np.array([0, 0.3, 2])
    found = wilcoxon_pairs(table, ["a", "b", "c"], rng=np.random.default_rng(0), resamples=500)
    assert [(one.pair.a, one.pair.b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all((one.pair.p_adjusted or 0) >= (one.ranks.p or 0) for one in found)
    with pytest.raises(UsageError, match="3 columns for 2"):
        wilcoxon_pairs(table, ["a", "b"], rng=np.random.default_rng(0))


@pytest.mark.parametrize("scale", [1e-300, 1e-13, 1.0, 1e13, 1e300])
def test_wilcoxon_does_not_depend_on_the_unit(scale: float) -> None:
    values = np.random.default_rng(2).normal(0.3, 1, 30).round(2)
    once, scaled = wilcoxon(values, np.zeros(30)), wilcoxon(values * scale, np.zeros(30))
    assert scaled.p == once.p is not None
    assert (scaled.n, scaled.rank_biserial.value) == (once.n, once.rank_biserial.value)


def test_wilcoxon_takes_differences_as_equal_that_differ_by_rounding_alone() -> None:
    # .3 - .1, .2 and .9 - .7 are one difference; .1 + .2 and .3 are equal
    a, b = [0.3, 0.2, 0.9, 0.1 + 0.2], [0.1, 0.0, 1.1, 0.3]
    found, whole = wilcoxon(a, b), wilcoxon([2, 2, 2, 0], [0, 0, 4, 0])
    assert (found.p, found.n, found.equal) == (whole.p, 3, 1)
    assert found.rank_biserial.value == whole.rank_biserial.value
    # beside a pair of large numbers, small differences are still differences
    assert wilcoxon([1e9, 1e-3, 2e-3], [0.0, 0.0, 0.0]).n == 3
