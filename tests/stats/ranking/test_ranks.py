"""Ranks and their intervals from replicates."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.stats import RankInterval, rank_intervals


def test_clear_orders_have_ranks_of_one_place() -> None:
    draws = np.array([10.0, 0.0, 5.0]) + np.random.default_rng(0).normal(size=(500, 3))
    found = rank_intervals([10, 0, 5], draws)
    assert found == (RankInterval(1, 1, 1), RankInterval(3, 3, 3), RankInterval(2, 2, 2))


def test_lower_can_be_better() -> None:
    found = rank_intervals([10, 0], [[10, 0], [9, 1]], higher_is_better=False)
    assert found == (RankInterval(2, 2, 2), RankInterval(1, 1, 1))


def test_a_share_of_the_replicates_in_each_tail_is_cut_off() -> None:
    # The first one is second in 2 of 100 replicates: outside a 95% interval, inside a 99% one.
    draws = np.array([[2.0, 1.0]] * 98 + [[1.0, 2.0]] * 2)
    assert rank_intervals([2, 1], draws)[0] == RankInterval(1, 1, 1)
    assert rank_intervals([2, 1], draws, confidence=0.99)[0] == RankInterval(1, 1, 2)


def test_ties_share_the_better_rank_and_widen_the_interval() -> None:
    found = rank_intervals([1, 1, 0], [[1, 1, 0]] * 10)
    assert found[0] == found[1] == RankInterval(1, 1, 2)
    assert found[2] == RankInterval(3, 3, 3)


def test_one_without_a_value_has_no_rank_and_takes_none_away() -> None:
    found = rank_intervals([3.0, None, 2.0], [[3.0, float("nan"), 2.0]] * 5)
    assert found == (RankInterval(1, 1, 1), RankInterval(None), RankInterval(2, 2, 2))


def test_too_many_undefined_replicates_withhold_intervals() -> None:
    draws = [[2.0, 1.0]] * 9 + [[float("nan"), 1.0]]
    assert rank_intervals([2, 1], draws) == (RankInterval(1), RankInterval(2))
    assert rank_intervals([2, 1], [*draws, *draws[:1] * 10])[0] == RankInterval(1, 1, 1)  # 1 of 20


def test_without_replicates_there_are_ranks_only() -> None:
    assert rank_intervals([2, 1], np.zeros((0, 2))) == (RankInterval(1), RankInterval(2))
    assert rank_intervals([], []) == ()


def test_replicates_of_other_contestants_are_refused() -> None:
    with pytest.raises(UsageError, match="2 values, but the replicates have 3"):
        rank_intervals([1, 2], [[1, 2, 3]])
