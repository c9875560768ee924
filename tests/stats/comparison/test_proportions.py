"""Wilson's interval against statsmodels."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import bounded_share, cluster_sums, clustered_share, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (3, 10), (87, 474), (27.5, 36)])
def test_intervals_agree_with_statsmodels(successes: float, n: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    found = wilson(successes, n)
    assert found.value == successes / n
    assert found.interval is not None
    expected = proportion_confint(successes, n, method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)


def test_no_and_all_successes_reach_the_bounds_exactly() -> None:
    none, every = wilson(0, 7).interval, wilson(7, 7).interval
    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0.0, 1.0)
    assert every.low == pytest.approx(1 - none.high)


def test_no_units_are_undefined() -> None:
    assert wilson(0, 0).why == Reason.of(ReasonCode.NO_DATA)


@pytest.mark.parametrize("successes", [-1, 8])
def test_impossible_counts_are_refused(successes: int) -> None:
    with pytest.raises(UsageError, match=r"between 0 and n, got -?\d of 7"):
        wilson(successes, 7)


def test_a_share_without_variation_is_bounded_by_its_clusters() -> None:
    none = bounded_share(Estimate(value=0.0, n=300, clusters=10, why="all replicates are alike"))
    assert none.interval is not None
    assert (none.interval.low, none.why) == (0.0, None)
    assert none.interval.high == pytest.approx(3.8415 / 13.8415, abs=1e-4)  # z^2 / (10 + z^2), not of 300
    assert "10 identical clusters" in none.interval.method


def test_other_estimates_are_left_as_they_are() -> None:
    for estimate in (
        Estimate(value=0.5, n=3, clusters=3, why="too few"),
        Estimate(value=1.0, n=3, clusters=1, why="one cluster"),
        Estimate(value=None, why="nothing"),
        wilson(0, 5),
    ):
        assert bounded_share(estimate) is estimate


def test_units_of_one_cluster_each_are_independent() -> None:
    from statsmodels.stats.proportion import proportion_confint

    data = cluster_sums([[1, 1]] * 30 + [[0, 1]] * 70, range(100))
    found = clustered_share(data)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(proportion_confint(30, 100, method="wilson"))
    assert (found.value, found.n, found.clusters) == (0.3, 100, 100)


def test_units_that_are_alike_within_clusters_are_worth_less_than_one_each() -> None:
    data = cluster_sums(
        [[yes, 1] for yes in (1, 0, 1, 0) for _ in range(5)], [cluster for cluster in "abcd" for _ in "12345"]
    )
    found = clustered_share(data)
    # Without each: 5/15 or 10/15, so the jackknife variance is 3/4 * 4 / 36 = 1/12 over .25 / 20, an effect of 20/3.
    assert found.interval is not None
    assert found.interval.method == "Wilson score of effective units, t"
    assert found.interval.facts == pytest.approx(
        {"effective_units": 3.0, "freedom": 3.0, "smallest_cluster": 5, "largest_cluster": 5, "correlation": 1.0}
    )
    # t(.975, 3)^2 = 10.1280; half the width is t / (1 + t^2 / 3) sqrt(.25 / 3 + t^2 / 36) = 3.18245 / 4.376 .603877
    assert found.interval.high - 0.5 == pytest.approx(0.439169, abs=1e-4)


def test_a_share_of_none_or_all_has_wilsons_interval_of_the_clusters_with_t() -> None:
    none = clustered_share(cluster_sums([[0, 1]] * 6, ["a", "a", "b", "b", "c", "c"])).interval
    every = clustered_share(cluster_sums([[1, 1]] * 6, ["a", "a", "b", "b", "c", "c"])).interval
    assert none is not None
    assert every is not None
    assert none.high == pytest.approx(18.5128 / 21.5128, abs=1e-4)  # t^2 / (3 + t^2), t(.975, 2) = 4.30265
    assert every.low == pytest.approx(1 - none.high)


def test_clusters_without_units_are_not_counted() -> None:
    some = cluster_sums([[1, 1], [0, 1], [1, 1]], ["a", "b", "c"])
    more = cluster_sums([[1, 1], [0, 1], [1, 1], [0, 0]], ["a", "b", "c", "d"])
    assert clustered_share(more) == clustered_share(some)


def test_a_share_in_one_cluster_or_of_nothing_says_why_it_has_no_interval() -> None:
    alone = clustered_share(cluster_sums([[1, 1], [0, 1]], ["a", "a"]))
    assert (alone.value, alone.interval) == (0.5, None)
    assert "one cluster" in str(alone.why)
    assert clustered_share(cluster_sums(np.zeros((0, 2)), [])).why == Reason.of(ReasonCode.NO_DATA)


def test_intervals_of_shares_in_few_clusters_cover() -> None:
    rng = np.random.default_rng(4)
    held = []
    for _ in range(200):
        sizes = 1 + rng.poisson(3, size=5)
        hits = rng.binomial(
            sizes, rng.beta(1.2, 2.8, size=5)
        )  # shares of .3 on average, correlated by 1 / (1 + 4) = .2
        found = clustered_share(cluster_sums(np.column_stack([hits, sizes]), range(5))).interval
        held.append(found is not None and found.contains(0.3))
    assert np.mean(held) > 0.93  # a bootstrap of clusters held .82
