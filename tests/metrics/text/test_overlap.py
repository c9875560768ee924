"""Kernels of overlap against plain definitions."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.text.overlap import common, f1, longest_common_subsequence, matches

LETTERS = st.text(alphabet="abc", max_size=12)


@given(first=LETTERS, second=LETTERS)
def test_common_is_the_size_of_the_intersection_of_multisets(first: str, second: str) -> None:
    assert common(first, second) == (Counter(first) & Counter(second)).total()


@given(first=LETTERS, second=LETTERS, order=st.integers(1, 6))
def test_matches_are_the_clipped_counts_of_every_order(first: str, second: str, order: int) -> None:
    expected = []
    for n in range(1, order + 1):
        ours, theirs = (Counter(text[i : i + n] for i in range(len(text) - n + 1)) for text in (first, second))
        expected.append((ours & theirs).total())
    assert list(matches(first, second, order)) == expected
    assert list(matches(tuple(first), tuple(second), order)) == expected


def _table(first: str, second: str) -> int:
    row = [0] * (len(second) + 1)
    for letter in first:
        before = row
        row = [0]
        for place, other in enumerate(second, start=1):
            row.append(before[place - 1] + 1 if letter == other else max(row[-1], before[place]))
    return row[-1]


@given(first=LETTERS, second=LETTERS)
def test_the_longest_common_subsequence_is_that_of_the_table(first: str, second: str) -> None:
    assert longest_common_subsequence(tuple(first), tuple(second)) == _table(first, second)


def test_a_subsequence_may_be_longer_than_a_machine_word() -> None:
    first = tuple(str(number) for number in range(200))
    assert longest_common_subsequence(first, ("x", *first[::2], "y")) == 100


def test_f1_of_no_hit_is_zero_and_of_all_hits_one() -> None:
    assert f1(0, 0, 0) == 0.0
    assert f1(3, 3, 3) == 1.0
    assert f1(1, 2, 4) == 1 / 3  # precision 1/2, recall 1/4: 2 * 1/8 / (3/4)
