"""In what share of resamples an order holds."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import norm

from trialogue.errors import UsageError
from trialogue.stats.ranking.order import order_share
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums


def system(values: Sequence[float], keys: Sequence[str] | None = None, *, name: str = "s") -> ClusterSums:
    own = keys or [f"{name}{number}" for number in range(len(values))]
    return cluster_sums([(value, 1.0) for value in values], own)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_far_apart_always_in_the_same_order() -> None:
    found = order_share([system([1, 2], name="a"), system([7, 8], name="b"), system([4, 5], name="c")], rng=rng())
    assert found.order == (1, 2, 0)
    assert found.share == 1.0
    assert found.share_of((0, 1, 2)) == 0.0
    assert order_share([system([1, 2]), system([7, 8], name="b")], rng=rng(), higher_is_better=False).order == (0, 1)


def test_two_normal_samples_hold_their_order_as_the_normal_distribution_says() -> None:
    a, b = np.random.default_rng(1).normal([[0.3], [0.0]], size=(2, 60))
    found = order_share([system(a.tolist(), name="a"), system(b.tolist(), name="b")], rng=rng())
    error = np.sqrt(a.var() / 60 + b.var() / 60)
    best = max(norm.cdf((a.mean() - b.mean()) / error), norm.cdf((b.mean() - a.mean()) / error))
    assert found.share == pytest.approx(best, abs=0.015)


def test_systems_that_share_people_are_drawn_together() -> None:
    people = [f"p{number}" for number in range(20)]
    ratings = np.random.default_rng(2).normal(size=20).tolist()
    better = [rating + 0.01 for rating in ratings]  # everybody likes the first a little more
    assert order_share([system(better, people), system(ratings, people)], rng=rng()).share == 1.0
    apart = order_share([system(better, name="a"), system(ratings, name="b")], rng=rng()).share
    assert apart is not None
    assert 0.4 < apart < 0.6


def test_ties_have_no_order() -> None:
    found = order_share([system([1, 1], name="a"), system([1, 1], name="b")], rng=rng())
    assert (found.share, found.with_ties, found.orders) == (0.0, 1.0, ())


@pytest.mark.parametrize(
    ("systems", "why"),
    [
        ([], "at least two"),
        ([system([1, 2])], "at least two"),
        ([system([1, 2]), ClusterSums((), np.zeros((0, 2)), 0)], "missing: number 1"),
        ([system([1, 2]), system([1], name="b")], "one cluster"),
    ],
)
def test_where_there_is_no_share_it_is_said_why(systems: list[ClusterSums], why: str) -> None:
    found = order_share(systems, rng=rng())
    assert found.share is None
    assert why in str(found.why)


def test_systems_with_different_sums_are_refused() -> None:
    with pytest.raises(UsageError, match="must have the same number of sums"):
        order_share([system([1, 2]), cluster_sums([1.0, 2.0], ["a", "b"])], rng=rng())
