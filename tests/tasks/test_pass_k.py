"""pass^k: an oracle that goes through all sets of trials, and what is undefined."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.records import ReasonCode
from trialogue.tasks.trials import difference_over_tasks, mean_over_tasks, pass_k, pass_of


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_it_is_the_share_of_sets_of_trials_that_all_succeed(trials: list[bool], k: int) -> None:
    if k > len(trials):
        with pytest.raises(UsageError, match="between 1 and the number of trials"):
            pass_of(sum(trials), len(trials), k)
        return
    sets = list(combinations(trials, k))
    assert pass_of(sum(trials), len(trials), k) == Fraction(sum(all(each) for each in sets), len(sets))


def test_tasks_are_the_unit_whatever_their_number_of_trials() -> None:
    found = pass_k({"a": [True] * 8, "b": [False, False], "c": [True, False]}, 1)
    assert found.value == pytest.approx(0.5)  # (1 + 0 + 1/2) / 3, not 9 / 12
    assert (found.n, found.clusters) == (3, 3)
    same = pass_k({"a": [True] * 4, "b": [False] * 4}, 1)
    assert (same.value, same.n, same.clusters) == (0.5, 8, 2)
    once, many = (pass_k({str(task): [task < 5] * trials for task in range(10)}, 1).interval for trials in (1, 50))
    assert once is not None
    assert many is not None
    assert many.low <= once.low < once.high <= many.high  # repeating trials of the same ten tasks adds no tasks


def test_more_trials_than_there_are_is_undefined_with_a_reason() -> None:
    found = pass_k({"a": [True] * 4, "b": [True] * 3}, 4)
    assert (found.value, found.interval) == (None, None)
    assert found.why is not None
    assert (found.why.code, found.why.facts) == (ReasonCode.TOO_FEW_TRIALS, {"tasks": 1, "k": 4})
    assert "1 task has fewer than 4 trials" in str(found.why)


def test_an_interval_needs_two_tasks_and_is_there_when_all_are_alike() -> None:
    assert pass_k({"a": [True] * 9}, 2).interval is None
    all_fail = pass_k({str(task): [False] * 4 for task in range(20)}, 2)
    assert all_fail.interval is not None
    assert (all_fail.value, all_fail.interval.low) == (0, 0)
    assert all_fail.interval.high == pytest.approx(1.9600**2 / (20 + 1.9600**2), abs=1e-3)  # Wilson's, 0 of 20


def test_pass_k_never_rises_with_k() -> None:
    trials = {str(task): [trial * 7 % 5 < task % 5 for trial in range(5)] for task in range(30)}
    values = [pass_k(trials, k).value or 0.0 for k in range(1, 6)]
    assert values == sorted(values, reverse=True)


def test_a_difference_is_taken_task_by_task() -> None:
    system = {str(task): Fraction(1, 2) for task in range(12)}
    floor = {str(task): Fraction(task % 2) for task in range(12)}
    found = difference_over_tasks(system, floor | {"elsewhere": Fraction(1)})
    assert found.value == pytest.approx(0)
    assert found.clusters == 12
    assert found.interval is not None
    assert found.interval.low == pytest.approx(-found.interval.high, abs=1e-9)


def test_differences_that_do_not_vary_have_an_interval_that_allows_for_other_tasks() -> None:
    found = difference_over_tasks({str(task): 1.0 for task in range(12)}, {str(task): 0.0 for task in range(12)})
    assert found.interval is not None
    assert 0 < found.interval.low < found.interval.high == found.value == 1
    small = difference_over_tasks({str(task): 0.0 for task in range(30)}, {str(task): 0.01 for task in range(30)})
    assert small.interval is not None
    assert small.interval.contains(0)  # failing 30 times is no proof of being below .01
    assert difference_over_tasks({"a": 1.0}, {"a": 0.0}).interval is None
    assert difference_over_tasks({"a": 1.0}, {"b": 0.0}).value is None


def test_other_means_have_no_upper_end() -> None:
    found = mean_over_tasks({str(task): Fraction(task) for task in range(10)})
    assert found.value == 4.5
    assert found.interval is not None
    assert found.interval.high > 4.5
