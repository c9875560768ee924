"""Missing values count as the worst guesses: no completion, and no rule of what to leave out, does worse or better."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from trialogue.stats import auc
from trialogue.subjects.agreement.abstention import worst_guesses, worst_guesses_inside
from trialogue.subjects.agreement.score_pairs import Floats


def rank_covariance(values: Floats, people: Floats) -> float:
    return float((rankdata(values) * (rankdata(people) - (len(people) + 1) / 2)).sum())


def test_what_is_known_stays_and_nothing_missing_changes_nothing() -> None:
    column, people = np.array([3.0, np.nan, 1.0]), np.array([1.0, 2.0, 3.0])
    assert worst_guesses(column, people)[[0, 2]].tolist() == [3.0, 1.0]
    full = np.array([3.0, 2.0, 1.0])
    assert worst_guesses(full, people) is full


def test_a_good_unit_is_guessed_lowest_and_a_bad_one_highest() -> None:
    column, people = np.array([1.0, 2.0, 3.0, np.nan, np.nan]), np.array([2.0, 3.0, 4.0, 5.0, 1.0])
    guessed = worst_guesses(column, people)
    assert guessed[3] < 1
    assert guessed[4] > 3


def test_of_two_missing_units_the_one_that_people_like_less_lies_higher() -> None:
    column, people = np.array([1.0, 2.0, np.nan, np.nan]), np.array([1.0, 2.0, 3.0, 4.0])
    guessed = worst_guesses(column, people)
    assert guessed[3] < guessed[2] < 1


@settings(max_examples=12)
@given(st.integers(0, 10_000))
def test_no_completion_has_a_lower_rank_correlation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 4, size=6).astype(float)
    column = rng.integers(0, 4, size=6).astype(float)
    column[:3] = np.nan  # every order of three missing values among three known ones, ties apart
    lowest = rank_covariance(worst_guesses(column, people), people)
    gaps = [-1.0, 0.5, 1.5, 2.5, 4.0]
    for places in np.ndindex(5, 5, 5):
        for order in permutations((0.0, 0.1, 0.2)):
            column[:3] = [gaps[place] + nudge for place, nudge in zip(places, order, strict=True)]
            assert rank_covariance(column, people) >= lowest - 1e-9


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4, 0.9])
def test_leaving_out_even_the_units_that_a_measure_gets_most_wrong_does_not_raise_it(share: float) -> None:
    rng = np.random.default_rng(1)
    people = rng.normal(size=150)
    values = people + rng.normal(size=150)
    wrong = np.abs(rankdata(values) - rankdata(people))
    part = np.where(wrong >= np.quantile(wrong, 1 - share), np.nan, values)
    assert rank_covariance(worst_guesses(part, people), people) <= rank_covariance(values, people)


def test_for_a_question_of_yes_or_no_the_guesses_give_the_lowest_auc() -> None:
    column, people = np.array([1.0, 2.0, 3.0, np.nan, np.nan]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    # of 3 x 2 pairs, only (2, 1) and (3, 1) are right
    assert auc(worst_guesses(column, people), people).value == pytest.approx(2 / 6)


def test_without_any_known_value_units_stand_in_the_reverse_of_people_s_order() -> None:
    people = np.array([1.0, 3.0, 2.0])
    assert np.argsort(worst_guesses(np.full(3, np.nan), people)).tolist() == [1, 2, 0]


def test_inside_groups_each_has_its_own_guesses() -> None:
    column, people = np.array([1.0, np.nan, 5.0, np.nan]), np.array([1.0, 2.0, 2.0, 1.0])
    guessed = worst_guesses_inside(column, people, ["a", "a", "b", "b"])
    assert guessed[1] < 1
    assert guessed[3] > 5
