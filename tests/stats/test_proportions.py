"""Wilson's interval against statsmodels."""

import pytest

from trialogue.errors import UsageError
from trialogue.records import Estimate
from trialogue.stats import bounded_share, wilson


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
    assert wilson(0, 0).why == "there are no data"


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
