"""The table of inference on the page about statistics is the code's: it names every method that is used, and no other."""

import re
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.stats import cluster_sums, difference, jackknife_difference
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.crossed_raters import Ratings, rater_difference
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import ClusterSums

PAGE = Path(__file__).parents[2] / "docs" / "design" / "statistics.md"
SUFFIX = "with an allowance for values not observed"


def methods_of_the_page() -> set[str]:
    """What stands in backticks in the column of tests."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("| design | contributions |") :].split("\n\n")[0]
    return {each for line in table.splitlines()[2:] for each in re.findall(r"`([^`]+)`", line.split("|")[3])}


def plain(method: str) -> set[str]:
    """A method without counts, and what is added to it."""
    parts = method.replace(f", {SUFFIX}", f"|{SUFFIX}").split("|")
    return {re.sub(r"over \d+ clusters", "over clusters", each) for each in parts}


def side(values: Floats, keys: range, units: int = 1) -> ClusterSums:
    return cluster_sums(np.column_stack([values * units, np.full(len(values), float(units))]), keys)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    a=st.sampled_from([2, 7, 20, 230]),
    b=st.sampled_from([2, 9, 20, 230]),
    start=st.sampled_from([0, 3, 1_000]),
    units=st.integers(1, 3),
    kind=st.sampled_from(["share", "normal", "constant"]),
)
def test_every_method_of_a_difference_has_its_row(seed: int, a: int, b: int, start: int, units: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 2, n).astype(float) if kind == "share" else rng.uniform(size=n) for n in (a, b)]
    if kind == "constant":
        values[0] = np.full(a, 0.9)
    sides = side(values[0], range(a), units), side(values[1], range(start, start + b), units)
    found = difference(*sides, mean_of, is_share=kind == "share", scale=(0.0, 1.0), permutations=99)
    if found.interval is not None:
        assert plain(found.interval.method) <= methods_of_the_page()


def test_every_method_of_the_page_is_used() -> None:
    rng = np.random.default_rng(1)
    few, many = np.array([0.0, 1.0] * 10), np.array([0.0, 1.0, 1.0] * 10)
    numbers, further = rng.normal(size=20), rng.normal(size=300)
    found = [
        difference(side(few, range(20)), side(many, range(50, 80)), mean_of, is_share=True),
        difference(side(few, range(20), 3), side(many, range(50, 80), 3), mean_of, is_share=True),
        difference(side(few, range(20)), side(many[:20], range(20)), mean_of, is_share=True),
        difference(side(numbers, range(20)), side(further[:30], range(50, 80)), mean_of),
        difference(side(numbers, range(20)), side(further[:20], range(20)), mean_of),
        difference(side(numbers, range(20)), side(further[:30], range(10, 40)), mean_of),
        difference(side(further, range(300)), side(further[::-1], range(500, 800)), mean_of),
        difference(side(np.full(20, 1.0), range(20)), side(few, range(50, 70)), mean_of, scale=(0.0, 1.0)),
        jackknife_difference(dict(enumerate(numbers)), dict(enumerate(further[:20])), 1.0, 0.5, 40),
    ]
    things, people = [f"d{at}" for at in range(12) for _ in range(8)], [f"r{at}" for at in range(8)] * 12
    ratings = [Ratings(tuple(f"{name}{each}" for each in things), tuple(people), rng.normal(size=96)) for name in "ab"]
    crossed = rater_difference(*ratings)
    assert crossed is not None
    used = set().union(*(plain(each.interval.method) for each in (*found, crossed) if each.interval is not None))
    assert used == methods_of_the_page()
