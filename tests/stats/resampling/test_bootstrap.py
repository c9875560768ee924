"""The cluster bootstrap: values, intervals, and when there is none."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import bootstrap, bootstrap_sums, cluster_sums
from trialogue.stats.arrays import CELLS, Floats
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.replicates import weight_chunks


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def mean_data(values: Any, clusters: Any = None) -> Any:
    return cluster_sums(
        np.column_stack([values, np.ones(len(values))]), range(len(values)) if clusters is None else clusters
    )


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_the_value_is_the_statistic_of_the_total() -> None:
    found = bootstrap_sums(mean_data([1, 2, 6], ["x", "x", "y"]), mean_of, rng=generator())
    assert (found.value, found.n, found.clusters) == (3.0, 3, 2)  # 9 / 3


def test_the_interval_says_how_it_was_made() -> None:
    found = bootstrap_sums(mean_data([1.0, 2.0, 6.0]), mean_of, rng=generator(), resamples=500, confidence=0.9)
    assert found.interval is not None
    assert found.interval.method == "cluster bootstrap, percentile, 500 resamples"
    assert found.interval.confidence == 0.9
    assert found.interval.contains(3.0)


def test_the_same_seed_gives_the_same_interval_whatever_the_order_of_rows() -> None:
    values, keys = generator(1).normal(size=60), [index % 20 for index in range(60)]
    order = generator(2).permutation(60)
    first = bootstrap_sums(mean_data(values, keys), mean_of, rng=generator(3))
    second = bootstrap_sums(mean_data(values[order], [keys[i] for i in order]), mean_of, rng=generator(3))
    assert first == second


def test_percentile_intervals_agree_with_scipy() -> None:
    from scipy.stats import bootstrap as scipy_bootstrap

    values = generator(4).exponential(size=40)
    found = bootstrap_sums(mean_data(values), mean_of, rng=generator(), resamples=100_000)
    plain = bootstrap(values, lambda x: x.mean(axis=-1), rng=generator(), resamples=100_000)
    options: Any = {"n_resamples": 100_000, "method": "percentile", "rng": generator(9)}
    expected = scipy_bootstrap((values,), np.mean, **options)
    for one in (found, plain):
        # Both are random: quantiles of 100,000 replicates have a standard error of about 0.002 here.
        assert ends(one) == pytest.approx(tuple(expected.confidence_interval), abs=0.01)


def test_pooled_and_unpooled_draws_have_the_same_distribution() -> None:
    counts = np.array([5, 3, 2])
    pooled = np.concatenate(list(weight_chunks(counts * 10, 20_000, generator())))  # 3 units, 100 draws: multinomial
    drawn = np.concatenate(list(weight_chunks(counts, 20_000, generator())))  # 3 units, 10 draws: one by one
    for weights, size in ((pooled, 100), (drawn, 10)):
        assert np.all(weights.sum(axis=1) == size)
        assert weights.mean(axis=0) == pytest.approx(size * counts / 10, rel=0.02)
        assert weights.var(axis=0) == pytest.approx(size * counts / 10 * (1 - counts / 10), rel=0.05)  # multinomial


def test_chunks_stay_below_the_bound_and_add_up() -> None:
    chunks = list(weight_chunks(np.ones(3_000, dtype=np.int64), 1_000, generator(), width=5))
    assert sum(len(chunk) for chunk in chunks) == 1_000
    assert max(chunk.size for chunk in chunks) <= CELLS


def test_no_data_have_no_value() -> None:
    found = bootstrap_sums(mean_data([]), mean_of, rng=generator())
    assert (found.value, found.why) == (None, Reason.of(ReasonCode.NO_DATA))


def test_one_cluster_has_a_value_but_no_interval() -> None:
    found = bootstrap_sums(mean_data([1.0, 2.0], ["x", "x"]), mean_of, rng=generator())
    assert (found.value, found.interval) == (1.5, None)
    assert found.why == Reason.of(ReasonCode.ONE_CLUSTER)


def test_without_rng_there_is_a_value_only() -> None:
    found = bootstrap_sums(mean_data([1.0, 2.0]), mean_of, rng=None)
    assert (found.value, found.interval, found.why) == (1.5, None, Reason.of(ReasonCode.NO_RNG))


def test_an_undefined_statistic_gives_its_reason_and_no_warning() -> None:
    data = cluster_sums([[0.0, 0.0], [0.0, 0.0]], ["a", "b"])
    found = bootstrap_sums(data, mean_of, rng=generator(), undefined=Reason.of(ReasonCode.NOTHING_TO_PREDICT))
    assert (found.value, found.why) == (None, Reason.of(ReasonCode.NOTHING_TO_PREDICT))


def test_clusters_that_are_all_alike_have_no_interval() -> None:
    found = bootstrap_sums(mean_data([1.0] * 8), mean_of, rng=generator())
    assert (found.value, found.interval) == (1.0, None)
    assert found.why is not None
    assert "cannot be estimated" in str(found.why)


def test_many_undefined_resamples_withhold_the_interval() -> None:
    data = cluster_sums([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [2.0, 1.0]], range(4))
    found = bootstrap_sums(data, mean_of, rng=generator())  # both lack with chance (1/2)^4 = 6%
    assert (found.value, found.interval) == (1.5, None)
    assert str(found.why) == "the statistic is undefined in 6% of the resamples"


def test_a_few_undefined_resamples_are_left_out() -> None:
    data = cluster_sums([[1.0, 1.0]] * 2 + [[0.0, 0.0]] * 2 + [[2.0, 1.0]] * 2, range(6))
    found = bootstrap_sums(data, mean_of, rng=generator())  # all four lack with chance (1/3)^6 = 0.1%
    assert ends(found) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "confidence must lie between 0 and 1, got 1.0"),
        ({"resamples": 0}, "resamples must be at least 1, got 0"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bootstrap_sums(mean_data([1.0, 2.0]), mean_of, rng=generator(), **options)


def test_a_bootstrap_of_any_statistic_leaves_missing_values_out() -> None:
    found = bootstrap([3.0, None, 1.0, float("nan"), 2.0], lambda x: np.median(x, axis=-1), rng=generator())
    assert (found.value, found.n) == (2.0, 3)
    assert ends(found) == (1.0, 3.0)


def test_a_bootstrap_of_nothing_one_value_or_an_undefined_statistic_says_why() -> None:
    def mean(values: Floats) -> Floats:
        return np.asarray(values.mean(axis=-1))

    assert bootstrap([], mean, rng=generator()).why == Reason.of(ReasonCode.NO_DATA)
    one = bootstrap([4.0], mean, rng=generator())
    assert (one.value, one.why) == (4.0, Reason.of(ReasonCode.ONE_VALUE))
    undefined = bootstrap([1.0, 2.0], lambda x: x[..., 0] * np.nan, rng=generator())
    assert undefined.why == Reason.of(ReasonCode.STATISTIC_UNDEFINED)
