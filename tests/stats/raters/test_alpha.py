"""Krippendorff's alpha against his published examples and its definition."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import cohen_kappa, krippendorff_alpha
from trialogue.stats.arrays import Floats

LEVELS: list[Any] = ["nominal", "ordinal", "interval", "ratio"]

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
N = np.nan
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
).T


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def by_definition(table: Floats, level: str) -> float:
    """1 - D_o / D_e from all pairs of ratings, one by one."""
    items = [row[~np.isnan(row)] for row in table]
    items = [row for row in items if len(row) >= 2]
    ratings = np.concatenate(items)
    n = len(ratings)

    def apart(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        if level == "ratio":
            return ((c - k) / (c + k)) ** 2 if c + k > 0 else 0.0
        low, high = min(c, k), max(c, k)
        between = sum((ratings >= low) & (ratings <= high)) - (sum(ratings == c) + sum(ratings == k)) / 2
        return float(between**2) if c != k else 0.0

    observed = sum(apart(c, k) / (len(row) - 1) for row in items for c in row for k in row) / n
    expected = sum(apart(c, k) for c in ratings for k in ratings) / (n * (n - 1))
    return float(1 - observed / expected)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_published_example_comes_out(level: Any, published: float) -> None:
    found = krippendorff_alpha(OBSERVERS, level=level)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert found.n == 11  # the last unit was rated once


def test_the_published_example_of_two_observers_and_binary_data_comes_out() -> None:
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(a, b, strict=True)), level="nominal").value == pytest.approx(0.095, abs=0.0005)


def test_the_published_example_of_letters_comes_out() -> None:
    a, b = "aabbdcccedda", "babbbccceddd"  # section B of the same paper
    expected = 0.692
    assert krippendorff_alpha(list(zip(a, b, strict=True)), level="nominal").value == pytest.approx(
        expected, abs=0.0005
    )


@pytest.mark.parametrize("level", LEVELS)
@given(
    table=st.integers(2, 4).flatmap(
        lambda raters: st.lists(
            st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, 7.0, None]), min_size=raters, max_size=raters),
            min_size=2,
            max_size=8,
        )
    )
)
@settings(deadline=None, max_examples=60)
def test_values_are_those_of_the_definition(level: Any, table: list[list[float | None]]) -> None:
    numbers = np.array(table, dtype=float)
    paired = numbers[(~np.isnan(numbers)).sum(axis=1) >= 2]
    found = krippendorff_alpha(table, level=level)
    if len(set(paired[~np.isnan(paired)].tolist())) < 2:
        assert found.value is None
    else:
        assert found.value == pytest.approx(by_definition(numbers, level), abs=1e-9)


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_many_distinct_values_change_nothing(level: Any) -> None:
    table = generator(1).gamma(2, size=(40, 1)) + generator(2).gamma(1, size=(40, 3))
    table[3, 1] = np.nan
    table[5, 0] = 0.0
    assert krippendorff_alpha(table, level=level).value == pytest.approx(by_definition(table, level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_few_items_have_a_jackknife_on_fishers_z(level: Any) -> None:
    rng = generator(3)
    table = np.clip(np.round(3 + rng.normal(size=(12, 1)) + rng.normal(size=(12, 3))), 1, 5)
    found = krippendorff_alpha(table, level=level, rng=generator(4))
    deleted = np.array(
        [krippendorff_alpha(np.delete(table, at, 0), level=level).value for at in range(12)], dtype=float
    )
    error = (11 / 12 * np.sum((deleted - deleted.mean()) ** 2)) ** 0.5
    assert found.value is not None
    reach = 2.200985 * error / (1 - found.value**2)  # t(.975, 11); the derivative of Fisher's z is 1 / (1 - alpha^2)
    assert found.interval is not None
    ends = np.tanh(np.arctanh(found.value) + np.array([-reach, reach]))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends), rel=1e-6)


def test_fewer_than_ten_items_have_no_interval() -> None:
    found = krippendorff_alpha([[1, 1], [2, 3], [3, 3], [2, 2], [1, 2]], rng=generator(4))
    assert found.interval is None
    assert found.why == Reason.of(ReasonCode.TOO_FEW_FOR_JACKKNIFE, clusters=5, needed=10)


@pytest.mark.parametrize("level", LEVELS)
def test_the_bootstrap_is_one_over_items(level: Any) -> None:
    rng = generator(3)
    table = np.clip(np.round(3 + rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))), 1, 5)
    found = krippendorff_alpha(table, level=level, rng=generator(4), resamples=20_000)
    loop = [krippendorff_alpha(table[rng.integers(0, 60, size=60)], level=level).value for _ in range(800)]
    assert found.interval is not None
    expected = np.quantile(np.array(loop, dtype=float), [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == pytest.approx(expected.tolist(), abs=0.04)


@pytest.mark.parametrize("level", LEVELS)
def test_clusters_of_one_item_are_items_and_copies_add_nothing(level: Any) -> None:
    table = np.clip(np.round(3 + generator(5).normal(size=(40, 1)) + generator(6).normal(size=(40, 3))), 1, 5)
    once = krippendorff_alpha(table, level=level, clusters=range(40), rng=generator())
    assert once.value == pytest.approx(krippendorff_alpha(table, level=level).value)
    twice = krippendorff_alpha(
        np.vstack([table, table]), level=level, clusters=[*range(40), *range(40)], rng=generator()
    )
    assert once.interval is not None
    assert twice.interval is not None
    assert (twice.n, twice.clusters) == (80, 40)
    assert twice.interval.low == pytest.approx(once.interval.low, abs=0.01)  # n (n-1) weighs a little differently


@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_items_and_raters_does_not_matter(level: Any) -> None:
    order = generator(1).permutation(12)
    first = krippendorff_alpha(OBSERVERS, level=level, rng=generator())
    assert first == krippendorff_alpha(OBSERVERS[order][:, [2, 0, 3, 1]], level=level, rng=generator())


def test_ordinal_alpha_knows_ranks_only() -> None:
    stretched = np.where(np.isnan(OBSERVERS), np.nan, OBSERVERS**3)
    assert krippendorff_alpha(stretched).value == krippendorff_alpha(OBSERVERS).value


def test_interval_alpha_does_not_mind_origin_and_unit() -> None:
    moved = krippendorff_alpha(OBSERVERS * 1e-3 + 1e4, level="interval").value
    assert moved == pytest.approx(krippendorff_alpha(OBSERVERS, level="interval").value, abs=1e-6)


def test_words_in_a_given_order_are_ordinal() -> None:
    names = {1: "poor", 2: "fair", 3: "good", 4: "better", 5: "best"}
    words = [[None if np.isnan(x) else names[int(x)] for x in row] for row in OBSERVERS]
    found = krippendorff_alpha(words, level="ordinal", levels=list(names.values()))
    assert found.value == krippendorff_alpha(OBSERVERS).value
    assert krippendorff_alpha(words, level="nominal").value == krippendorff_alpha(OBSERVERS, level="nominal").value


def test_two_raters_of_many_items_come_near_cohens_kappa() -> None:
    a = generator(1).integers(0, 3, size=5_000)
    b = np.where(generator(2).random(5_000) < 0.7, a, generator(3).integers(0, 3, size=5_000))
    found = krippendorff_alpha(np.column_stack([a, b]), level="nominal").value
    assert found == pytest.approx(cohen_kappa(a.tolist(), b.tolist()).value, abs=1e-3)


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_agreement_is_one_and_constant_ratings_are_undefined(level: Any) -> None:
    perfect = krippendorff_alpha([[1, 1], [2, 2], [4, 4]], level=level, rng=generator())
    assert perfect.value == pytest.approx(1.0)
    assert perfect.interval is None
    constant = krippendorff_alpha([[3, 3], [3, None], [3, 3]], level=level, rng=generator())
    assert (constant.value, constant.n) == (None, 2)
    assert constant.why == Reason.of(ReasonCode.RATINGS_ALL_EQUAL)


@pytest.mark.parametrize("level", LEVELS)
def test_without_pairs_it_is_undefined(level: Any) -> None:
    for table in ([], [[1], [2]], [[1, None], [None, 2]]):
        assert krippendorff_alpha(table, level=level).why == Reason.of(ReasonCode.NO_ITEM_RATED_TWICE)


@pytest.mark.parametrize("level", LEVELS)
def test_one_item_has_no_interval(level: Any) -> None:
    found = krippendorff_alpha([[1, 2]], level=level, rng=generator())
    assert found.value == 0.0  # all disagreement there is is within the one item: D_o = D_e
    assert found.interval is None


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            [[1, 2]],
            {"level": "cardinal"},
            "no level of measurement 'cardinal'. Known: nominal, ordinal, interval, ratio",
        ),
        ([["a", "b"]], {"level": "ordinal"}, "needs the order of the labels"),
        ([["a", "b"]], {"level": "interval"}, "must be numbers"),
        ([[-1, 2]], {"level": "ratio"}, "no negative values"),
        ([1, 2], {"level": "nominal"}, r"shape \(n_items, n_raters\)"),
        ([1, 2], {"level": "interval"}, "must have 2 axes"),
        ([[1, 2]], {"clusters": ["a", "b"]}, "equal lengths"),
    ],
)
def test_what_cannot_be_computed_is_refused(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        krippendorff_alpha(table, **options)
