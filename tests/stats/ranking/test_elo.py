"""Elo ratings and their dependence on order."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.stats import Vote, elo, elo_order_dependence


def battles(seed: int, n: int = 60) -> list[Vote]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        a, b = rng.choice(list("wxyz"), size=2, replace=False).tolist()
        found.append(Vote(a, b, rng.choice(["a", "b", "tie"], p=[0.5, 0.3, 0.2]).item()))
    return found


def test_two_battles_are_worked_by_hand() -> None:
    found = {one.name: one for one in elo([Vote("x", "y", "a"), Vote("y", "x", "a")])}
    # x: 1000 + 16/2 = 1008. Then y is expected to score 1 / (1 + 10^(16/400)) = .4770, and gains 16 * .5230 = 8.368
    assert found["x"].rating == pytest.approx(1008 - 8.3681, abs=1e-4)
    assert found["y"].rating == pytest.approx(992 + 8.3681, abs=1e-4)
    assert found["x"].battles == 2


def test_points_are_neither_made_nor_lost() -> None:
    assert sum(one.rating for one in elo(battles(0))) == pytest.approx(4_000)


def test_a_tie_between_equals_changes_nothing() -> None:
    assert [one.rating for one in elo([Vote("x", "y", "tie")])] == [1000, 1000]


def test_parameters_scale_and_move_the_ratings() -> None:
    plain = {one.name: one.rating for one in elo(battles(1))}
    other = {one.name: one.rating for one in elo(battles(1), k=8, scale=200, initial=0)}
    assert other == pytest.approx({name: (rating - 1000) / 2 for name, rating in plain.items()})


def test_no_battles_have_no_ratings() -> None:
    assert elo([]) == ()
    assert elo_order_dependence([], rng=np.random.default_rng(0)) == ()


def test_shuffled_orders_are_rated_as_one_by_one() -> None:
    votes = battles(2, n=30)
    spread = elo_order_dependence(votes, rng=np.random.default_rng(0), shuffles=2_000)
    rng = np.random.default_rng(1)
    loop = [{one.name: one.rating for one in elo([votes[i] for i in rng.permutation(30)])} for _ in range(1_000)]
    for one in spread:
        ratings = [found[one.name] for found in loop]
        assert one.mean == pytest.approx(np.mean(ratings), abs=1)
        assert one.sd == pytest.approx(np.std(ratings), rel=0.1)
        assert one.rank_low <= one.rank <= one.rank_high


def test_the_given_order_is_reported_beside_the_shuffled_ones() -> None:
    votes = battles(3)
    spread = elo_order_dependence(votes, rng=np.random.default_rng(0), shuffles=50)
    assert [(one.name, one.rating) for one in spread] == [(one.name, one.rating) for one in elo(votes)]
    assert [one.rank for one in spread] == [1, 2, 3, 4]


def test_one_battle_has_no_order_to_depend_on() -> None:
    assert [one.sd for one in elo_order_dependence([Vote("x", "y", "a")], rng=np.random.default_rng(0))] == [0, 0]


def test_one_shuffle_shows_no_spread_and_is_refused() -> None:
    with pytest.raises(UsageError, match="shuffles must be at least 2"):
        elo_order_dependence(battles(4), rng=np.random.default_rng(0), shuffles=1)


def test_the_spread_of_two_orders_has_the_denominator_of_a_sample() -> None:
    votes = [Vote("x", "y", "a"), Vote("y", "x", "a")]
    # Worked above: x ends at 999.6319 in this order and at 1000.3681 in the other. With a share q of the first among n
    # orders: mean = 1000.3681 - .7362 q, variance = n / (n - 1) * q (1 - q) * .7362^2.
    n, gap = 5, 2 * (1000 - (1008 - 8.3681))
    found = {one.name: one for one in elo_order_dependence(votes, rng=np.random.default_rng(0), shuffles=n)}["x"]
    q = (1000 + gap / 2 - found.mean) / gap
    assert round(q * n) in range(1, n)
    assert q * n == pytest.approx(round(q * n), abs=1e-3)
    assert found.sd == pytest.approx((n / (n - 1) * q * (1 - q)) ** 0.5 * gap, rel=1e-3)
