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
    assert "10 clusters" in none.interval.method


def test_other_estimates_are_left_as_they_are() -> None:
    for estimate in (
        Estimate(value=0.5, n=3, clusters=3, why="too few"),
        Estimate(value=1.0, n=3, clusters=1, why="one cluster"),
        Estimate(value=None, why="nothing"),
        wilson(0, 5),
    ):
        assert bounded_share(estimate) is estimate


def test_units_of_one_cluster_each_are_independent_but_for_students_t() -> None:
    data = cluster_sums([[1, 1]] * 30 + [[0, 1]] * 70, range(100))
    found = clustered_share(data)
    # d = 100 / 99 (30 .7^2 + 70 .3^2) / 100^2 over .21 / 100 = 1.0101, but all alike would be 1: 100 units. t(.975, 99) =
    # 1.98422, t^2 = 3.93713: middle (.3 + .0196856) / 1.0393713, reach 1.98422 / 1.0393713 sqrt(.0021 + .0000984283)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.307576 - 0.089511, 0.307576 + 0.089511), abs=1e-5
    )
    assert (found.value, found.n, found.clusters) == (0.3, 100, 100)


def test_units_that_are_alike_within_clusters_are_worth_one_each() -> None:
    data = cluster_sums(
        [[yes, 1] for yes in (1, 0, 1, 0) for _ in range(5)], [cluster for cluster in "abcd" for _ in "12345"]
    )
    found = clustered_share(data)
    assert found.interval is not None
    assert found.interval.method == "Wilson score of 4.0 effective units in 4 clusters, t"
    # t(.975, 3)^2 = 10.1280; half the width is t / (1 + t^2 / 4) sqrt(.25 / 4 + t^2 / 64) = 3.18245 / 3.532 .469840
    assert found.interval.high - 0.5 == pytest.approx(0.423342, abs=1e-5)


def test_a_share_of_none_or_all_has_wilsons_interval_of_the_clusters() -> None:
    for yes in (0, 1):
        data = cluster_sums([[yes, 1]] * 6, ["a", "a", "b", "b", "c", "c"])
        assert clustered_share(data) == bounded_share(Estimate(value=float(yes), n=6, clusters=3, why="x"))


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
    assert np.mean(held) > 0.93  # measured .988 of 400; a bootstrap of clusters held .82
