"""Orders of systems: correlations, permutation p, refusals, votes."""

import numpy as np
import pytest

from tests.findings.raters import rated, truth, votes
from trialogue.findings.resampling import Resampling
from trialogue.records import VOTES
from trialogue.subjects.agreement.ranking_agreement import ranking_agreement, vote_ranking
from trialogue.subjects.agreement.score_pairs import judgement_tables
from trialogue.subjects.agreement.system_orders import order_p, refusal

FEW = Resampling(0, 200)


def test_the_same_order_of_six_systems_is_found_and_is_no_chance() -> None:
    good, systems = truth(240, between=3.0)
    [table] = judgement_tables(rated(2 * good, good, systems))
    found = ranking_agreement(table, "metric", resampling=FEW)
    assert found is not None
    assert (found.spearman.value, found.refusal) == (1.0, None)
    assert found.p == pytest.approx(2 / 720)  # of 6! orders, the same and the reverse one
    assert [each.system for each in found.systems] == ["f", "e", "d", "c", "b", "a"]
    assert found.systems[0].people_rank == (1, 1)


def test_too_few_systems_are_refused_with_the_arithmetic() -> None:
    good = np.array([1.0, 2.0, 3.0, 4.0] * 5)
    [table] = judgement_tables(rated(good, good, ["a", "b", "c", "d"] * 5))
    found = ranking_agreement(table, "metric", resampling=FEW)
    assert found is not None
    assert "p = .083" in str(found.refusal)  # 2 / 4!
    assert str(refusal(2)) == "a ranking of 2 systems is not informative"


def test_one_system_has_no_order() -> None:
    [table] = judgement_tables(rated([1.0, 2.0], [0, 1], ["a", "a"]))
    assert ranking_agreement(table, "metric", resampling=FEW) is None


def test_a_measure_s_own_values_of_systems_take_the_place_of_means() -> None:
    good, systems = truth(120, between=3.0)
    [table] = judgement_tables(rated(good, good, systems))
    own = dict(zip("abcdef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True))
    found = ranking_agreement(table, "metric", system_values=own, resampling=FEW)
    assert found is not None
    assert found.spearman.value == -1.0
    assert found.systems[0].measure == 1.0


def test_leaving_out_the_dialogues_that_a_measure_gets_wrong_does_not_put_systems_in_people_s_order() -> None:
    good, systems = truth(240, between=0.3)
    guess = good + 3 * np.random.default_rng(5).normal(size=240)
    wrong = np.abs(guess - good)
    part = np.where(wrong > np.quantile(wrong, 0.6), np.nan, guess)
    [full], [lacking] = (judgement_tables(rated(values, good, systems)) for values in (guess, part))
    honest, picky = (ranking_agreement(table, "metric", resampling=FEW) for table in (full, lacking))
    assert honest is not None
    assert picky is not None
    assert (picky.spearman.value or 0) < (honest.spearman.value or 0)
    known = np.array([value for value, system in zip(part, systems, strict=True) if system == "a"])
    shown = next(each.measure for each in picky.systems if each.system == "a")
    assert shown == pytest.approx(np.nanmean(known))
    own = dict.fromkeys("abcdef", 0.5)  # a measure's own values of systems do not hide what is missing
    hidden = ranking_agreement(lacking, "metric", system_values=own, resampling=FEW)
    assert hidden is not None
    assert hidden.spearman == picky.spearman
    assert {each.measure for each in hidden.systems} == {0.5}


def test_votes_give_an_order_too() -> None:
    good, systems = truth(240, between=2.0)
    [table] = judgement_tables(rated(good, good, systems))
    chosen = votes(good + 4 * np.random.default_rng(8).normal(size=240), systems)  # who never loses has no strength
    found = vote_ranking(chosen, table, "metric", resampling=FEW)
    assert found is not None
    assert found.against == VOTES
    assert (found.spearman.value or 0) > 0.9
    assert vote_ranking([], table, "metric", resampling=FEW) is None


def test_random_orders_stand_for_all_where_there_are_many_systems() -> None:
    values = np.arange(9.0)
    p = order_p(values, values, np.random.default_rng(0))
    assert p is not None
    assert p < 0.001  # 2 / 9! = 5.5e-6, of which 10,000 random orders see at most a few
    assert order_p(values[:2], values[:2], np.random.default_rng(0)) is None
