"""Ratings that repeat over raters and dialogues: what is refused, what is estimated, and the level."""

import numpy as np
import pytest

from trialogue.records import ReasonCode
from trialogue.seeds import rng_for
from trialogue.stats.comparison.crossed_raters import Ratings, rater_difference, two_way_p
from trialogue.stats.comparison.two_sides import STANDARD_ERROR

Rows = list[tuple[str, str | None, float]]


def side(rows: Rows) -> Ratings:
    clusters, raters, values = zip(*rows, strict=True)
    return Ratings(tuple(clusters), tuple(raters), np.array(values, dtype=float))


def drawn(raters: int, things: int, seed: int, *, taste: float = 0.0, effect: float = 0.0) -> tuple[Ratings, Ratings]:
    """Everybody rates every dialogue of both systems."""
    rng = rng_for(seed, "crossed")
    own = rng.normal(0, 0.8, raters)
    sides = []
    for system in range(2):
        heights, tastes = rng.normal(0, 0.5, things), rng.normal(0, taste, raters)
        sides.append(
            side(
                [
                    (f"{system}d{d}", f"r{r}", effect * system + own[r] + tastes[r] + heights[d] + rng.normal())
                    for d in range(things)
                    for r in range(raters)
                ]
            )
        )
    return sides[0], sides[1]


def test_raters_who_rate_once_or_are_unknown_are_no_source_of_their_own() -> None:
    a = side([(f"a{d}", f"p{d}", d % 3) for d in range(12)])
    b = side([(f"b{d}", f"q{d}", d % 2) for d in range(12)])
    assert rater_difference(a, b) is None
    unknown = [side([(f"{name}{d}", None, d % 3) for d in range(12)]) for name in "ab"]
    assert rater_difference(*unknown) is None


@pytest.mark.parametrize(
    ("raters", "code"),
    [
        ({"a": "rst", "b": "uvw"}, ReasonCode.RATERS_NESTED_IN_SYSTEMS),
        ({"a": "rs", "b": "rs"}, ReasonCode.FEW_RATERS_OF_BOTH),
        ({"a": "rstx", "b": "rst"}, ReasonCode.FEW_RATERS_PARTLY_CROSSED),
    ],
)
def test_raters_that_cannot_be_told_from_systems_are_refused_with_the_reason(
    raters: dict[str, str], code: ReasonCode
) -> None:
    rng = np.random.default_rng(0)
    a, b = (side([(f"{name}{d}", r, rng.normal()) for d in range(20) for r in raters[name]]) for name in "ab")
    found = rater_difference(a, b)
    assert found is not None
    assert found.why is not None
    assert (found.why.code, found.p, found.interval) == (code, None, None)
    assert found.value == pytest.approx(a.values.mean() - b.values.mean())


def test_three_raters_of_everything_stand_for_themselves() -> None:
    found = rater_difference(*drawn(3, 20, 1))
    assert found is not None
    assert found.interval is not None
    assert found.interval.facts["raters"] == 3
    assert found.interval.facts["freedom"] == 2


def test_severity_cancels_and_the_variance_is_that_of_a_paired_t_where_only_raters_vary() -> None:
    rng = np.random.default_rng(3)
    gaps, own = rng.normal(0.5, 1, 8), rng.normal(0, 9, 8)
    a = side([(f"d{d}", f"r{r}", own[r] + gaps[r]) for d in range(40) for r in range(8)])
    b = side([(f"d{d}", f"r{r}", own[r]) for d in range(40) for r in range(8)])
    found = rater_difference(a, b)
    assert found is not None
    assert found.interval is not None
    assert found.value == pytest.approx(gaps.mean())
    assert found.interval.facts[STANDARD_ERROR] == pytest.approx(
        gaps.std(ddof=1) / 8**0.5
    )  # the paired t test of raters
    assert found.interval.facts["freedom"] == 7


def test_the_interval_excludes_zero_exactly_where_p_is_below_the_level() -> None:
    for seed in range(40):
        found = rater_difference(*drawn(7, 9, seed, taste=0.3, effect=0.5))
        assert found is not None
        assert found.interval is not None
        assert found.p is not None
        assert (found.p < 0.05) == (not found.interval.contains(0.0))


def test_tastes_of_six_raters_are_no_difference_of_systems() -> None:
    """SD .3 of rater x system: the test on dialogues alone finds one in about a fifth (``benchmarks/RATERS.md``)."""
    found = [rater_difference(*drawn(6, 20, seed, taste=0.3)) for seed in range(300)]
    hits = sum(each is not None and each.p is not None and each.p < 0.05 for each in found)
    assert hits <= 27  # .05 + 3 standard errors of .0126, of 300


def test_a_few_ratings_that_differ_from_nearly_all_are_rare_events() -> None:
    """One rating in 60 is a 1, the others are 5; the other system has the same mean. Student's t finds .092 of them."""
    hits = 0
    for seed in range(200):
        rng = rng_for(seed, "nearly constant")
        a = side([(f"0d{d}", f"r{r}", 1.0 if rng.random() < 1 / 60 else 5.0) for d in range(20) for r in range(12)])
        b = side([(f"1d{d}", f"r{r}", 5 - 4 / 60) for d in range(20) for r in range(12)])
        found = rater_difference(a, b)
        hits += found is not None and found.p is not None and found.p < 0.05
    assert hits <= 8  # .05 of 200 are 10, and Student's t finds 18


def test_a_mean_of_what_repeats_in_two_ways_has_the_two_way_variance() -> None:
    """Six raters of everything: by hand, 6/5 and 8/7 of the squares of sums, less those of cells; t(5)."""
    from scipy.stats import t

    rng = np.random.default_rng(2)
    values = rng.normal(0.4, 1, size=(8, 6)) + rng.normal(size=(8, 1)) + rng.normal(size=6)
    things, people = np.indices(values.shape)
    gaps = (values - values.mean()) / values.size
    parts = 8 / 7 * np.sum(gaps.sum(axis=1) ** 2), 6 / 5 * np.sum(gaps.sum(axis=0) ** 2)
    variance = max(sum(parts) - 48 / 47 * np.sum(gaps**2), *parts)
    found = two_way_p(values.ravel(), things.ravel().tolist(), people.ravel().tolist())
    assert found == pytest.approx(2 * t.sf(abs(values.mean()) / variance**0.5, 5))


@pytest.mark.parametrize("raters", [["r"] * 4, ["r", "s", "t", "u"]])
def test_where_raters_do_not_repeat_there_is_no_two_way_test(raters: list[str]) -> None:
    assert two_way_p(np.array([1.0, -1.0, 1.0, 0.0]), ["x", "x", "y", "y"], raters) is None
