"""Pearson, Spearman and Kendall against scipy, analytic and by bootstrap."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import kendall, pearson, spearman
from trialogue.stats.arrays import Floats

ALL: list[Any] = [pearson, spearman, kendall]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def pairs(seed: int, n: int = 40, *, tied: bool = False) -> tuple[Floats, Floats]:
    x = generator(seed).normal(size=n)
    y = x + generator(seed + 1).normal(size=n)
    return (np.round(x), np.round(y)) if tied else (x, y)


def by_scipy(statistic: Any, x: Floats, y: Floats) -> float:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    oracles: dict[Any, Any] = {pearson: pearsonr, spearman: spearmanr, kendall: kendalltau}
    return float(oracles[statistic](x, y).statistic)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize("tied", [False, True])
def test_values_agree_with_scipy(statistic: Any, tied: bool) -> None:
    for seed in range(5):
        x, y = pairs(seed, tied=tied)
        assert statistic(x, y).value == pytest.approx(by_scipy(statistic, x, y))


def test_fishers_interval_agrees_with_scipy() -> None:
    from scipy.stats import pearsonr

    x, y = pairs(3)
    found, expected = pearson(x, y, confidence=0.9), pearsonr(x, y).confidence_interval(0.9)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("statistic", "error"),
    [  # standard errors of Fisher's z: Bonett & Wright (2000), eq. for Spearman; Fieller, Hartley & Pearson (1957)
        (spearman, lambda r: np.sqrt((1 + r**2 / 2) / 37)),
        (kendall, lambda r: np.sqrt(0.437 / 36)),
    ],
)
def test_analytic_intervals_of_ranks_use_their_own_errors(statistic: Any, error: Any) -> None:
    found = statistic(*pairs(4))
    reach = np.arctanh(found.interval.high) - np.arctanh(found.value)
    assert reach == pytest.approx(1.959964 * error(found.value), rel=1e-5)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize("clustered", [False, True])
def test_the_bootstrap_is_one_over_pairs_or_clusters(statistic: Any, clustered: bool) -> None:
    x, y = pairs(5, n=36, tied=True)
    keys = np.arange(36) // 3 if clustered else np.arange(36)
    found = statistic(
        x, y, clusters=keys.tolist() if clustered else None, rng=generator(), resamples=20_000, method="percentile"
    )
    rng, loop = generator(1), []
    for _ in range(1_000):
        drawn = rng.integers(0, keys.max() + 1, size=keys.max() + 1)
        index = np.concatenate([np.flatnonzero(keys == key) for key in drawn])
        loop.append(by_scipy(statistic, x[index], y[index]))
    assert (found.interval.low, found.interval.high) == pytest.approx(
        np.nanquantile(loop, [0.025, 0.975]).tolist(), abs=0.05
    )


@pytest.mark.parametrize("statistic", ALL)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=6, max_size=25),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=40)
def test_weights_count_copies(statistic: Any, rows: list[tuple[int, int, int]], seed: int) -> None:
    """The coefficient at whole weights is that of the rows repeated so often."""
    from trialogue.stats.association.correlation import _KENDALL, _PEARSON, _SPEARMAN
    from trialogue.stats.resampling.clusters import units_of
    from trialogue.stats.resampling.replicates import evaluate

    kind = {pearson: _PEARSON, spearman: _SPEARMAN, kendall: _KENDALL}[statistic]
    table = np.array(rows, dtype=float)
    assume(
        np.ptp(table[:, 0]) > 0 and np.ptp(table[:, 1]) > 0
    )  # else the coefficient is undefined before any resampling
    units = units_of(table[:, :2], table[:, 2].astype(int).tolist())
    weights = generator(seed).integers(0, 4, size=len(units.counts)).astype(float)
    copies = np.repeat(units.rows, weights[units.of_row].astype(int), axis=0)
    found = evaluate(kind.weighted(units), weights[None])[0] if weights.sum() else np.nan
    if len(copies) < 2 or np.ptp(copies[:, 0]) == 0 or np.ptp(copies[:, 1]) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(by_scipy(statistic, copies[:, 0], copies[:, 1]), abs=1e-9)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize("options", [{}, {"method": "percentile"}, {"method": "percentile", "clusters": True}])
def test_the_order_of_rows_does_not_matter(statistic: Any, options: dict[str, Any]) -> None:
    x, y = pairs(7)
    keys, order = np.arange(40) // 2, generator(1).permutation(40)
    results = []
    for index in (np.arange(40), order):
        extra = {**options, "clusters": keys[index].tolist()} if "clusters" in options else options
        results.append(statistic(x[index], y[index], rng=generator(), resamples=200, **extra))
    assert results[0] == results[1]


@pytest.mark.parametrize("statistic", ALL)
def test_missing_sides_are_left_out(statistic: Any) -> None:
    found = statistic([1, None, 3, 4, 5, 6], [2, 9, 1, float("nan"), 7, 8])
    assert found == statistic([1, 3, 5, 6], [2, 1, 7, 8])
    assert found.n == 4


@pytest.mark.parametrize("statistic", ALL)
def test_constant_sides_are_undefined_and_named(statistic: Any) -> None:
    assert statistic([1, 1, 1, 1], [1, 2, 3, 4]).why == Reason.of(ReasonCode.X_CONSTANT)
    assert statistic([1, 2, 3, 4], [0.1] * 4).why == Reason.of(ReasonCode.Y_CONSTANT)
    assert statistic([1, 1, 1], [2, 2, 2]).why == Reason.of(ReasonCode.X_AND_Y_CONSTANT)


@pytest.mark.parametrize("statistic", ALL)
def test_too_few_pairs_say_so(statistic: Any) -> None:
    assert str(statistic([], []).why) == "a correlation needs at least two pairs, got 0"
    assert str(statistic([1], [2]).why) == "a correlation needs at least two pairs, got 1"
    for method in ("analytic", "percentile"):
        found = statistic([1, 2, 3], [1, 3, 2], method=method, rng=generator())
        assert found.value is not None
        assert found.interval is None
        assert "an interval needs at least" in str(found.why)


@pytest.mark.parametrize("statistic", ALL)
def test_a_perfect_correlation_is_one_without_an_interval(statistic: Any) -> None:
    x = np.arange(30) / 7
    for method in ("analytic", "percentile"):
        up = statistic(x, x * 3 + 1, method=method, rng=generator())
        assert (up.value, up.interval) == (pytest.approx(1.0), None)
        assert "error cannot be estimated" in str(up.why)
        assert statistic(x, -x, method=method, rng=generator()).value == pytest.approx(-1.0)


@pytest.mark.parametrize("statistic", ALL)
def test_a_bootstrap_without_rng_is_a_value_only(statistic: Any) -> None:
    assert statistic(*pairs(1), method="percentile").why == Reason.of(ReasonCode.NO_RNG)


def test_many_constant_resamples_withhold_the_interval() -> None:
    found = pearson([0, 0, 0, 1], [1, 2, 3, 4], rng=generator(), method="percentile")  # (3/4)^4 = 32% lack the 1
    assert found.interval is None
    assert found.why is not None
    assert "undefined in 32%" in str(found.why)


def test_large_and_small_numbers_do_not_overflow() -> None:
    x, y = pairs(8)
    assert pearson(x * 1e200, y * 1e-200).value == pytest.approx(pearson(x, y).value)
    found = pearson(x * 1e200, y * 1e-200, rng=generator(), method="percentile", resamples=200)
    assert found.interval is not None
    assert found.interval.contains(pearson(x, y).value or 0)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([1, 2], [1], {}, "equal lengths"),
        ([1, 2], [1, 2], {"clusters": ["a", "b"]}, "assumes independent pairs"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], {"method": "fisher"}, "no method 'fisher'"),
        ([1, 2], [1, 2], {"confidence": 95}, "confidence must lie between 0 and 1"),
        (["a"], [1], {}, "x must be numbers"),
        ([1, float("inf")], [1, 2], {}, "infinite"),
    ],
)
def test_what_cannot_be_computed_is_refused(statistic: Any, x: Any, y: Any, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        statistic(x, y, **options)


def test_kendalls_bootstrap_refuses_more_units_than_fit_in_memory() -> None:
    x = generator().normal(size=5_001)
    with pytest.raises(UsageError, match=r"up to 5000 clusters or distinct pairs, got 5001"):
        kendall(x, x**3 + 1, rng=generator(), method="percentile")
