"""Counts of a simulated study."""

from trialogue.study.bots.tally import _imbalance, _positions


def test_positions_are_counted_by_system() -> None:
    assert _positions([["a", "b"], ["b", "a"], ["a", "b"]]) == {"a": (2, 1), "b": (1, 2)}


def test_balance_is_judged_among_items_of_the_same_systems() -> None:
    # a is first twice too often in all, but once too often in each of the two kinds of pairs: as well as three slots allow
    orders = [["a", "b"], ["b", "a"], ["a", "b"], ["a", "c"], ["c", "a"], ["a", "c"]]
    assert _imbalance(orders) == 1
    assert _imbalance([["a", "b"]] * 3) == 3
    assert _imbalance([]) == _imbalance([[], []]) == 0
