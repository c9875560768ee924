"""Pairs: as many with one label as with two, none twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.strategies.learning.dyads import count_pairs, draw_exact_pairs, draw_matching, draw_pairs


def test_pairs_are_counted() -> None:
    # sizes 3, 2, 1: 3 + 1 + 0 with one label, 15 - 4 with two
    assert count_pairs(np.array([0, 1, 0, 2, 1, 0])) == (4, 11)


@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=40).filter(lambda labels: min(count_pairs(np.array(labels))) > 0),
    st.integers(1, 60),
    st.integers(0, 5),
)
def test_no_pair_occurs_twice_and_kinds_are_balanced(labels: list[int], count: int, seed: int) -> None:
    columns = np.array(labels)
    pairs = draw_pairs(columns, count, rng=np.random.default_rng(seed))
    size = min(count, *count_pairs(columns))
    assert pairs.same.sum() == (~pairs.same).sum() == size
    assert ((columns[pairs.left] == columns[pairs.right]) == pairs.same).all()
    assert (pairs.left != pairs.right).all()
    ends = {frozenset(pair) for pair in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)}
    assert len(ends) == 2 * size


def test_every_pair_with_one_label_can_be_drawn() -> None:
    columns = np.array([0, 1, 0, 2, 1, 0, 3, 3])
    pairs = draw_pairs(columns, None, rng=np.random.default_rng(0))
    found = {frozenset(pair) for pair in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)}
    assert {frozenset(pair) for pair in ((0, 2), (0, 5), (2, 5), (1, 4), (6, 7))} <= found


def test_a_label_weighs_by_its_number_of_pairs() -> None:
    columns = np.repeat([0, 1], [100, 50])  # 4950 and 1225 pairs
    pairs = draw_pairs(columns, 2_000, rng=np.random.default_rng(0))
    share = np.mean(columns[pairs.left[pairs.same]] == 0)
    assert share == pytest.approx(4950 / 6175, abs=0.03)


def test_either_end_may_come_first() -> None:
    pairs = draw_pairs(np.repeat([0, 1], 50), 500, rng=np.random.default_rng(0))
    assert 0.4 < np.mean(pairs.left < pairs.right) < 0.6


@pytest.mark.parametrize("columns", [[0, 0, 0], [0, 1, 2], [0]])
def test_one_label_or_no_twins_are_refused(columns: list[int]) -> None:
    with pytest.raises(UsageError, match="pairs require"):
        draw_pairs(np.array(columns), 5, rng=np.random.default_rng(0))


def test_more_pairs_than_there_are_can_be_refused() -> None:
    with pytest.raises(
        UsageError, match="2 pairs with one strategy and 2 with two were requested; 3 sentences have 1 and"
    ):
        draw_exact_pairs(np.array([0, 0, 1]), 2, 2, rng=np.random.default_rng(0))


def test_as_many_of_each_kind_are_the_same_pairs_however_they_are_asked_for() -> None:
    columns = np.repeat([0, 1, 2], 20)
    pairs = draw_pairs(columns, 50, rng=np.random.default_rng(0))
    exact = draw_exact_pairs(columns, 50, 50, rng=np.random.default_rng(0))
    assert all((one == other).all() for one, other in zip(pairs, exact, strict=True))


@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=40).filter(lambda labels: min(count_pairs(np.array(labels))) > 0),
    st.integers(0, 5),
)
def test_replies_beside_references_are_two_rows_that_match_or_do_not(labels: list[int], seed: int) -> None:
    columns = np.array(labels)
    pairs = draw_matching(columns, 30, 50, rng=np.random.default_rng(seed))
    assert pairs.same.tolist() == [True] * 30 + [False] * 50
    assert ((columns[pairs.left] == columns[pairs.right]) == pairs.same).all()
    assert (pairs.left != pairs.right).all()


def test_in_matches_a_label_weighs_by_its_rows_and_not_by_its_pairs() -> None:
    columns = np.repeat([0, 1], [30, 10])
    drawn = columns[draw_matching(columns, 20_000, 10, rng=np.random.default_rng(0)).left[:20_000]]
    assert (drawn == 0).mean() == pytest.approx(30 / 40, abs=0.01)
    by_pair = draw_pairs(columns, 200, rng=np.random.default_rng(0))
    # 30 * 29 / 2 = 435 and 10 * 9 / 2 = 45 pairs: 435 / 480 = .906
    assert (columns[by_pair.left[:200]] == 0).mean() == pytest.approx(0.906, abs=0.06)


def test_without_a_match_there_is_nothing_to_draw() -> None:
    with pytest.raises(UsageError, match="at least two sentences"):
        draw_matching(np.array([0, 1, 2]), 5, 5, rng=np.random.default_rng(0))
