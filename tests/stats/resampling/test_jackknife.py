"""The delete-one-cluster jackknife of one statistic and of a difference."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.stats import jackknife, jackknife_difference
from trialogue.stats.arrays import Floats


def without_each(values: Floats) -> Floats:
    """The mean without each value."""
    return np.asarray((values.sum() - values) / (len(values) - 1))


def keyed(values: Floats, start: int = 0) -> dict[object, float]:
    return dict(zip(range(start, start + len(values)), without_each(values).tolist(), strict=True))


VALUES = np.random.default_rng(0).normal(size=12)
OTHERS = np.random.default_rng(1).normal(size=15) + 0.5


def test_of_a_mean_it_is_the_t_interval() -> None:
    from scipy.stats import ttest_1samp

    found = jackknife(without_each(VALUES), float(VALUES.mean()), 12)
    expected = ttest_1samp(VALUES, 0).confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))
    assert found.interval.method == "jackknife over 12 clusters, t"
    assert (found.n, found.clusters) == (12, 12)


@pytest.mark.parametrize(
    ("leave_one_out", "value", "why"),
    [
        ([], float("nan"), "the statistic is undefined on these data"),
        ([], 1.0, "one cluster says nothing about the spread between clusters"),
        ([1.0], 1.0, "one cluster says nothing about the spread between clusters"),
        ([1.0, float("nan")], 1.0, "the statistic is undefined without one of the clusters"),
        ([0.5, 0.5], 0.4, "the value is the same whichever cluster is left out, so its error cannot be estimated"),
    ],
)
def test_where_there_is_no_interval_it_says_why(leave_one_out: list[float], value: float, why: str) -> None:
    found = jackknife(leave_one_out, value, 5)
    assert found.interval is None
    assert str(found.why) == why
    assert found.value == (None if np.isnan(value) else value)


def test_an_impossible_confidence_is_refused() -> None:
    with pytest.raises(UsageError, match="confidence"):
        jackknife([1, 2], 1.0, 2, confidence=0)


def test_a_difference_with_all_clusters_shared_is_the_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    other = VALUES * 0.5 + OTHERS[:12]
    found = jackknife_difference(keyed(VALUES), keyed(other), float(VALUES.mean()), float(other.mean()), 24)
    expected = ttest_rel(VALUES, other)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval is not None
    interval = expected.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    assert (found.n, found.clusters) == (24, 12)


def test_a_difference_with_no_cluster_shared_is_welchs_test() -> None:
    from scipy.stats import ttest_ind

    found = jackknife_difference(
        keyed(VALUES), keyed(OTHERS, 100), float(VALUES.mean()), float(OTHERS.mean()), 27, confidence=0.9
    )
    expected = ttest_ind(VALUES, OTHERS, equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval is not None
    interval = expected.confidence_interval(0.9)
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    assert found.clusters == 27


def test_the_order_of_clusters_does_not_matter() -> None:
    forward, backward = keyed(VALUES), dict(reversed(keyed(VALUES).items()))
    arguments = (keyed(OTHERS, 5), float(VALUES.mean()), float(OTHERS.mean()), 27)
    assert jackknife_difference(forward, *arguments) == jackknife_difference(backward, *arguments)


def test_two_equal_sides_have_p_one_and_no_interval() -> None:
    found = jackknife_difference(keyed(VALUES), keyed(VALUES), 1.5, 1.5, 24)
    assert (found.value, found.interval, found.p) == (0.0, None, 1.0)


def test_a_constant_gap_has_neither_interval_nor_p() -> None:
    a, b = {"x": 3.0, "y": 4.0}, {"x": 1.0, "y": 2.0}
    found = jackknife_difference(a, b, 3.5, 1.5, 4)
    assert (found.value, found.interval, found.p) == (2.0, None, None)
    assert found.why is not None
    assert "same amount in every cluster" in str(found.why)


@pytest.mark.parametrize(
    ("a", "b", "value_a", "value_b", "why"),
    [
        ({"x": 1.0, "y": 2.0}, {"x": 1.0, "y": 2.0}, float("nan"), 1.0, "the statistic is undefined for a"),
        ({"x": 1.0, "y": 2.0}, {"x": 1.0, "y": 2.0}, 1.0, float("nan"), "the statistic is undefined for b"),
        ({"x": 1.0, "y": 2.0}, {"z": 1.0}, 1.0, 1.0, "one cluster says nothing about the spread between clusters"),
        (
            {"x": 1.0, "y": float("nan")},
            {"x": 1.0, "y": 2.0},
            1.0,
            1.0,
            "the statistic is undefined without one of the clusters",
        ),
    ],
)
def test_where_a_difference_has_no_interval_it_says_why(
    a: dict[object, float], b: dict[object, float], value_a: float, value_b: float, why: str
) -> None:
    found = jackknife_difference(a, b, value_a, value_b, 4)
    assert (found.interval, found.p, str(found.why)) == (None, None, why)


def test_variance_from_elsewhere_is_added_before_the_root() -> None:
    # the mean of 1, 2, 3: variance 1/3, t(.975, 2) = 4.3027; with 2/3 from elsewhere the standard error is 1
    found = jackknife([2.5, 2.0, 1.5], 2.0, 3, added=2 / 3)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((2 - 4.3027, 2 + 4.3027), abs=1e-4)


def test_variance_of_a_difference_from_elsewhere_moves_interval_and_p_alike() -> None:
    same = {key: value + 0.4 for key, value in keyed(VALUES).items()}
    noisy = {key: value + 0.01 * place for place, (key, value) in enumerate(same.items())}
    plain = jackknife_difference(noisy, keyed(VALUES), 0.46, 0.0, 24)
    wider = jackknife_difference(noisy, keyed(VALUES), 0.46, 0.0, 24, added=0.04)
    assert plain.interval is not None
    assert wider.interval is not None
    # t(.975, 11) = 2.20099: squares of both halves differ by its square times .04
    halves = [(each.high - each.low) / 2 for each in (plain.interval, wider.interval)]
    assert halves[1] ** 2 - halves[0] ** 2 == pytest.approx(2.20099**2 * 0.04, rel=1e-4)
    assert plain.p is not None
    assert wider.p is not None
    assert wider.p > plain.p


def test_clusters_of_a_kind_that_spreads_otherwise_have_degrees_of_freedom_of_their_own() -> None:
    # shares of the variance, (theta_(i) - mean)^2 3/4 or so: contributions -3, 3 of one kind and -1, 0, 1 of the other,
    # so 18 and 2: freedom 20^2 / (18^2 / 1 + 2^2 / 2) = 400 / 326, where all alike have 4
    size = 5
    leave_out = {key: -value / (0.8**0.5) for key, value in zip("abcde", [-3.0, 3.0, -1.0, 0.0, 1.0], strict=True)}
    flat = dict.fromkeys("abcde", 0.0)
    kinds = dict(zip("abcde", [1, 1, 0, 0, 0], strict=True))
    from scipy.stats import t

    for known, freedom in ((None, size - 1), (kinds, 400 / 326)):
        found = jackknife_difference(leave_out, flat, 2.0, 0.0, 5, kinds=known)
        assert found.p == pytest.approx(2 * t.sf(2 / 20**0.5, freedom))
        assert found.interval is not None
        assert found.interval.high - 2.0 == pytest.approx(t.ppf(0.975, freedom) * 20**0.5)


def test_of_rare_events_the_freedom_is_that_of_the_variance() -> None:
    """Of one in thirty, Student's t with n - 1 degrees of freedom covers too little; normal values keep theirs."""
    from scipy.stats import t as student

    rng = np.random.default_rng(5)
    covers = {False: 0, True: 0}
    for _ in range(600):
        values = (rng.random(100) < 0.034) - rng.random(100) * 0.068  # mean 0, as lift: met, less what was expected
        for are_rare in covers:
            found = jackknife(without_each(values), float(values.mean()), 100, are_rare=are_rare).interval
            covers[are_rare] += found is not None and found.low <= 0 <= found.high
    assert covers[False] / 600 < 0.9 < 0.95 < covers[True] / 600 < 0.98
    values = rng.normal(size=4000)
    normal = jackknife(without_each(values), 0.0, 4000, are_rare=True).interval
    assert normal is not None
    error = values.std(ddof=1) / 4000**0.5
    assert normal.high == pytest.approx(student.ppf(0.975, 3999) * error, rel=1e-3)


def test_a_difference_of_rare_events_has_no_more_freedom() -> None:
    rng = np.random.default_rng(6)
    one, other = (keyed((rng.random(100) < 0.05).astype(float)) for _ in range(2))
    plain, rare = (jackknife_difference(one, other, 0.06, 0.02, 200, are_rare=are_rare) for are_rare in (False, True))
    assert plain.interval is not None
    assert rare.interval is not None
    assert rare.interval.low < plain.interval.low
    assert (rare.p or 0) > (plain.p or 1)


def test_clusters_of_one_side_each_give_what_they_give_as_one_kind() -> None:
    rng = np.random.default_rng(0)
    a, b = ({f"{side}{place}": value for place, value in enumerate(rng.normal(size=40))} for side in "ab")
    kinds = dict.fromkeys([*a, *b], "one")
    assert jackknife_difference(a, b, 0.4, 0.1, 80) == jackknife_difference(a, b, 0.4, 0.1, 80, kinds=kinds)
