"""Orders of systems: correlations, permutation p, refusals, votes."""

import numpy as np
import pytest

from tests.metaeval.people import rated, truth, votes
from trialogue.metaeval.judged import judged
from trialogue.metaeval.ranking_agreement import ranking_agreement, vote_ranking
from trialogue.metaeval.resampling import Resampling
from trialogue.metaeval.system_orders import order_p, refusal
from trialogue.records import VOTES

FEW = Resampling(0, 200)


def test_the_same_order_of_six_systems_is_found_and_is_no_chance() -> None:
    good, systems = truth(240, between=3.0)
    [table] = judged(rated(2 * good, good, systems))
    found = ranking_agreement(table, "metric", how=FEW)
    assert found is not None
    assert (found.spearman.value, found.refusal) == (1.0, None)
    assert found.p == pytest.approx(2 / 720)  # of 6! orders, the same and the reverse one
    assert [each.system for each in found.systems] == ["f", "e", "d", "c", "b", "a"]
    assert found.systems[0].people_rank == (1, 1)


def test_too_few_systems_are_refused_with_the_arithmetic() -> None:
    good = np.array([1.0, 2.0, 3.0, 4.0] * 5)
    [table] = judged(rated(good, good, ["a", "b", "c", "d"] * 5))
    found = ranking_agreement(table, "metric", how=FEW)
    assert found is not None
    assert "p = .083" in str(found.refusal)  # 2 / 4!
    assert str(refusal(2)) == "2 systems cannot be put in an order that says anything"


def test_one_system_has_no_order() -> None:
    [table] = judged(rated([1.0, 2.0], [0, 1], ["a", "a"]))
    assert ranking_agreement(table, "metric", how=FEW) is None


def test_a_measure_s_own_values_of_systems_take_the_place_of_means() -> None:
    good, systems = truth(120, between=3.0)
    [table] = judged(rated(good, good, systems))
    own = dict(zip("abcdef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True))
    found = ranking_agreement(table, "metric", system_values=own, how=FEW)
    assert found is not None
    assert found.spearman.value == -1.0
    assert found.systems[0].measure == 1.0


def test_votes_give_an_order_too() -> None:
    good, systems = truth(240, between=2.0)
    [table] = judged(rated(good, good, systems))
    chosen = votes(good + 4 * np.random.default_rng(8).normal(size=240), systems)  # who never loses has no strength
    found = vote_ranking(chosen, table, "metric", how=FEW)
    assert found is not None
    assert found.against == VOTES
    assert (found.spearman.value or 0) > 0.9
    assert vote_ranking([], table, "metric", how=FEW) is None


def test_random_orders_stand_for_all_where_there_are_many_systems() -> None:
    values = np.arange(9.0)
    p = order_p(values, values, np.random.default_rng(0))
    assert p is not None
    assert p < 0.001  # 2 / 9! = 5.5e-6, of which 10,000 random orders see at most a few
    assert order_p(values[:2], values[:2], np.random.default_rng(0)) is None
