"""Quantiles of clustered values, with intervals that hold them."""

import numpy as np
import pytest
from scipy.stats import binom

from trialogue.records import Reason, ReasonCode
from trialogue.stats.comparison.shares import quantile_of


def test_the_interval_of_independent_values_is_that_of_order_statistics() -> None:
    # The k-th of 100 values bounds the median from below if P(at most k - 1 below it) stays under 2.5 %: k = 40, and 61.
    k = next(k for k in range(100) if binom.cdf(k, 100, 0.5) > 0.025)
    found = quantile_of(range(1, 101), range(100), 0.5)
    assert found.value == 50.5
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (k, 101 - k) == (40, 61)
    assert (found.n, found.clusters) == (100, 100)


@pytest.mark.parametrize(
    ("values", "clusters", "share"), [([3, 1, 2, 9], "abcd", 0.5), ([0.2] * 4 + [7], "aabbc", 0.95)]
)
def test_the_value_is_numpys(values: list[float], clusters: str, share: float) -> None:
    assert quantile_of(values, list(clusters), share).value == pytest.approx(float(np.quantile(values, share)))


def test_neither_the_order_nor_the_unit_of_values_matters() -> None:
    rng = np.random.default_rng(1)
    values, clusters = rng.lognormal(size=300), rng.integers(40, size=300)
    order = rng.permutation(300)
    found = quantile_of(values, clusters.tolist(), 0.95)
    assert quantile_of(values[order], clusters[order].tolist(), 0.95) == found
    milli = quantile_of(values * 1024, clusters.tolist(), 0.95)  # a power of 2 rounds nothing
    assert found.interval is not None
    assert milli.interval is not None
    assert (milli.value, milli.interval.low) == (1024 * (found.value or 0), 1024 * found.interval.low)


def test_values_of_few_people_say_less_than_as_many_of_many() -> None:
    rng = np.random.default_rng(2)
    values = np.exp(rng.normal(size=20)[np.repeat(np.arange(20), 15)] + 0.1 * rng.normal(size=300))
    apart = quantile_of(values, range(300), 0.5).interval
    together = quantile_of(values, np.repeat(np.arange(20), 15).tolist(), 0.5).interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


@pytest.mark.parametrize(
    ("values", "clusters", "share", "code"),
    [
        ([], [], 0.5, ReasonCode.NO_DATA),
        ([1.0, 2.0], ["a", "a"], 0.5, ReasonCode.ONE_CLUSTER),
        ([2.0, 2.0, 2.0], ["a", "b", "c"], 0.95, ReasonCode.CLUSTERS_ALL_EQUAL),
        (range(50), range(50), 0.95, ReasonCode.INTERVAL_UNBOUNDED),  # .95^50 = .077: all may lie below the quantile
    ],
)
def test_where_there_is_no_interval_a_reason_says_why(
    values: list[float], clusters: list[str], share: float, code: ReasonCode
) -> None:
    found = quantile_of(values, clusters, share)
    assert found.interval is None
    assert found.why == Reason.of(code)
    assert (found.value is None) == (code is ReasonCode.NO_DATA)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_interval_holds_the_quantile_of_clustered_waits(share: float) -> None:
    rng = np.random.default_rng(3)
    truth = float(np.exp(np.sqrt(0.3**2 + 0.5**2) * (0.0 if share == 0.5 else 1.6448536)))
    misses = known = 0
    for _ in range(300):
        people = np.repeat(np.arange(80), rng.poisson(2, 80) + 1)
        values = np.exp(0.3 * rng.normal(size=80)[people] + 0.5 * rng.normal(size=len(people)))
        interval = quantile_of(values, people.tolist(), share).interval
        known += interval is not None
        misses += interval is not None and not interval.low <= truth <= interval.high
    assert known >= 290
    assert misses / known < 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
