"""Clusters by number: every statistic is what it is of the same clusters by name, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.stats import ClusterSums, cluster_sums, difference, jackknife_difference
from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.clusters import NumberedKeys, count_clusters, select_clusters
from trialogue.stats.resampling.replicates import NumberedValues

NUMBERS = st.floats(-3, 3).map(lambda value: round(value, 3))
SIDES = st.tuples(*(st.dictionaries(st.integers(0, 40), NUMBERS, min_size=2, max_size=30) for _ in "ab"))


def name(number: int) -> str:
    """In the order of numbers."""
    return f"u{number:03}"


def by_name(side: dict[int, float]) -> ClusterSums:
    return cluster_sums([[value, 1 + key % 3] for key, value in side.items()], list(map(name, side)))


def by_number(side: dict[int, float]) -> ClusterSums:
    whole = by_name(side)
    return ClusterSums(NumberedKeys(np.array(sorted(side), dtype=np.int32)), whole.sums, whole.n)


def mean(sums: Floats) -> Floats:
    found: Floats = sums[..., 0] / sums[..., 1]
    return found


@given(sides=SIDES)
def test_a_difference_of_sums_is_the_same(sides: tuple[dict[int, float], dict[int, float]]) -> None:
    a, b = sides
    named = difference(by_name(a), by_name(b), mean, permutations=50)
    assert difference(by_number(a), by_number(b), mean, permutations=50) == named


@given(sides=SIDES)
def test_a_jackknife_of_both_sides_is_the_same(sides: tuple[dict[int, float], dict[int, float]]) -> None:
    a, b = sides
    values = sum(a.values(), 0.0), sum(b.values(), 0.0)
    numbers = [NumberedValues(np.array(sorted(side)), np.array([side[key] for key in sorted(side)])) for side in sides]
    named = jackknife_difference(a, b, values[0], values[1], 7)
    assert jackknife_difference(numbers[0], numbers[1], values[0], values[1], 7) == named
    assert [dict(each) for each in numbers] == [*sides]


def test_keys_are_a_sequence_of_numbers() -> None:
    keys = NumberedKeys(np.array([2, 5, 9]))
    assert (len(keys), list(keys), keys[1], list(keys[1:]), bool(keys)) == (3, [2, 5, 9], 5, [5, 9], True)
    assert keys == NumberedKeys(np.array([2, 5, 9]))
    assert keys != NumberedKeys(np.array([2, 5]))
    assert keys != (2, 5, 9)
    assert count_clusters(keys, NumberedKeys(np.array([5, 6]))) == count_clusters(("a", "b", "c"), ("b", "d")) == 4
    assert select_clusters(keys, np.array([0, 2])) == NumberedKeys(np.array([2, 9]))
    assert select_clusters(("a", "b", "c"), np.array([0, 2])) == ("a", "c")


def test_a_number_that_is_not_there_has_no_value() -> None:
    values = NumberedValues(np.array([2, 5]), np.array([0.5, 1.0]))
    assert values[5] == 1.0
    for absent in (3, 9, "5"):
        with pytest.raises(KeyError):
            values[absent]
