"""Intraclass correlations from variance components, and the check of proportional odds."""

import numpy as np
import pytest

from trialogue.stats import icc
from trialogue.stats.arrays import Floats
from trialogue.stats.raters.reliability import reliability


def table(rng: np.random.Generator, items: int, raters: int) -> Floats:
    found: Floats = rng.normal(0, 1, (items, 1)) + rng.normal(0, 0.5, raters) + rng.normal(0, 1, (items, raters))
    return found


def test_a_complete_table_gives_the_icc_of_the_analysis_of_variance() -> None:
    values = table(np.random.default_rng(0), 40, 4)
    found = reliability(values.ravel(), np.repeat(range(40), 4).tolist(), np.tile(range(4), 40).tolist())
    for ours, form in ((found.single, "2,1"), (found.mean, "2,k")):
        assert ours.value == pytest.approx(icc(values, form=form).value, abs=1e-4)  # type: ignore[arg-type]
    assert found.raters == 4


def test_a_table_with_gaps_keeps_every_rating_and_comes_near_the_truth() -> None:
    rng = np.random.default_rng(1)
    values = table(rng, 300, 12)
    rows, columns = np.nonzero(rng.random(values.shape) < 0.3)
    found = reliability(values[rows, columns], rows.tolist(), columns.tolist())
    assert found.single.n == len(rows)
    assert found.single.interval is not None
    assert found.single.interval.contains(1 / 2.25)  # variances 1, .25 and 1
    assert sum(found.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("ratings", "items", "raters", "why"),
    [
        ([1, 2], [1, 1], [1, 2], "two items"),
        ([1, 2, 3], [1, 2, 3], [1, 1, 2], "no item has two ratings"),
        ([1, 2, 3, 4], [1, 1, 2, 2], [1, 2, 3, 4], "no rater rated two items"),
        ([3, 3, 3, 3], [1, 1, 2, 2], [1, 2, 1, 2], "do not vary"),
    ],
)
def test_an_undefined_value_is_explained(ratings: list[float], items: list[int], raters: list[int], why: str) -> None:
    found = reliability(ratings, items, raters)
    assert found.single.value is None
    assert found.single.why is not None
    assert why in str(found.single.why)


def test_items_that_do_not_differ_have_reliability_zero() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, (20, 5))
    values -= values.mean(axis=1, keepdims=True)
    found = reliability(values.ravel(), np.repeat(range(20), 5).tolist(), np.tile(range(5), 20).tolist())
    assert found.single.value == 0
    assert found.single.interval is None


def test_the_one_way_correlation_within_raters_is_that_of_the_analysis_of_variance() -> None:
    values = table(np.random.default_rng(3), 12, 40)
    found = reliability(values.ravel(), np.repeat(range(12), 40).tolist(), np.tile(range(40), 12).tolist())
    one_way = found.within_rater_one_way
    assert one_way.value == pytest.approx(icc(values.T, form="1,1").value, abs=1e-4)  # rows: raters
    assert one_way.value is not None
    assert found.design_effect == pytest.approx(1 + 11 * one_way.value)
    assert one_way.clusters == 40
