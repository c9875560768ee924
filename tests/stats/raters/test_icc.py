"""Intraclass correlations against Shrout and Fleiss' example."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import icc, spearman_brown

# Shrout & Fleiss (1979), table 2: six targets, four judges.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
FORMS: list[Any] = ["1,1", "1,k", "2,1", "2,k", "3,1", "3,k"]


@pytest.mark.parametrize(
    ("form", "published", "low", "high"),
    [  # values: their paper; intervals: the R package psych on the same data, as its manual prints them
        ("1,1", 0.17, -0.133, 0.723),
        ("2,1", 0.29, 0.019, 0.761),
        ("3,1", 0.71, 0.342, 0.946),
        ("1,k", 0.44, -0.884, 0.912),
        ("2,k", 0.62, 0.071, 0.927),
        ("3,k", 0.91, 0.676, 0.986),
    ],
)
def test_the_published_example_comes_out(form: Any, published: float, low: float, high: float) -> None:
    found = icc(JUDGES, form=form)
    assert found.value == pytest.approx(published, abs=0.0051)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.0011)
    assert (found.n, found.clusters) == (6, 6)


@pytest.mark.parametrize("one", ["1", "2", "3"])
def test_the_mean_of_k_is_spearman_browns_of_one(one: str) -> None:
    single, mean = icc(JUDGES, form=f"{one},1").value, icc(JUDGES, form=f"{one},k").value  # type: ignore[arg-type]
    assert single is not None
    assert mean == pytest.approx(spearman_brown(single, 4))


def test_the_f_interval_of_consistency_covers() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2_000):
        table = rng.normal(size=(20, 1)) + rng.normal(size=(1, 3)) + rng.normal(size=(20, 3))
        interval = icc(table, form="3,1").interval
        covered += interval is not None and interval.contains(0.5)
    assert 0.935 <= covered / 2_000 <= 0.965  # exact for normal ratings; three standard errors


@pytest.mark.parametrize("form", FORMS)
def test_order_origin_and_unit_do_not_matter(form: Any) -> None:
    table = np.array(JUDGES, dtype=float)
    moved = 10 * table[[3, 0, 5, 1, 2, 4]][:, [2, 0, 1, 3]] - 7
    assert icc(moved, form=form).value == pytest.approx(icc(table, form=form).value)


def test_a_constant_offset_between_raters_lowers_agreement_but_not_consistency() -> None:
    table = np.array([[1.0, 3.0], [2.0, 4.0], [4.0, 6.0]])
    assert icc(table, form="3,1").value == pytest.approx(1.0)
    assert icc(table, form="2,1").value == pytest.approx(7 / 13)  # MSR 14/3, MSC 6, MSE 0: (14/3) / (14/3 + 2*6/3)


def test_perfect_agreement_has_no_interval() -> None:
    for form in FORMS:
        found = icc([[1, 1], [2, 2], [5, 5]], form=form)
        assert found.value == pytest.approx(1.0)
        assert found.interval is None
        assert found.why == Reason.of(ReasonCode.RATERS_AGREE_PERFECTLY)


@pytest.mark.parametrize("form", FORMS)
def test_ratings_that_are_all_equal_are_undefined(form: Any) -> None:
    assert icc([[0.1, 0.1], [0.1, 0.1]], form=form).why == Reason.of(ReasonCode.RATINGS_VARY_TOO_LITTLE)


@pytest.mark.parametrize("table", [np.zeros((0, 3)), [[1.0, 2.0]], [[1.0], [2.0]], []])
def test_too_few_items_or_raters_are_undefined(table: Any) -> None:
    found = icc(table, form="2,1")
    assert found.value is None
    assert found.why is not None
    assert "two items and two raters" in str(found.why)


def test_missing_ratings_are_refused_or_dropped() -> None:
    table = [*JUDGES, [5, None, 4, 4]]
    with pytest.raises(UsageError, match=r"1 of 7 items lack a rating.*missing='drop'"):
        icc(table, form="2,1")
    assert icc(table, form="2,1", missing="drop") == icc(JUDGES, form="2,1")


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UsageError, match="no form '4,1'"):
        icc(JUDGES, form="4,1")  # type: ignore[arg-type]


def test_spearman_brown_works_backwards() -> None:
    assert spearman_brown(spearman_brown(0.3, 5), 1 / 5) == pytest.approx(0.3)
    assert spearman_brown(0.0, 7) == 0.0


@pytest.mark.parametrize(("reliability", "times"), [(1.2, 2), (0.5, 0), (-0.9, 3)])
def test_an_impossible_reliability_is_refused(reliability: float, times: float) -> None:
    with pytest.raises(UsageError, match="cannot be converted"):
        spearman_brown(reliability, times)
