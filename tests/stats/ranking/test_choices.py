"""Wins, losses, ties, and how often one rating is above another."""

import numpy as np
import pytest

from trialogue.stats.ranking.battles import Choice, binomial, win_lose_tie

# KDD 2020, table 6, "All": wins, losses, ties of 225; shares without ties, exact intervals and p.
TABLE_6 = {
    "QRFA-Single": ((61, 115, 49), (0.35, 0.28, 0.42), 1e-4, 6e-5),
    "CIR6-Single": ((76, 103, 46), (0.42, 0.35, 0.50), 0.052, 5e-4),
    "CIR6-PKG": ((81, 93, 51), (0.47, 0.39, 0.54), 0.40, 5e-3),
}


@pytest.mark.parametrize("simulator", TABLE_6)
def test_table_6_of_kdd_2020(simulator: str) -> None:
    (wins, losses, ties), (share, low, high), p, near = TABLE_6[simulator]
    found = binomial(wins, wins + losses)
    assert wins + losses + ties == 225
    assert found.value == pytest.approx(share, abs=0.005)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(low, abs=0.006)
    assert found.interval.high == pytest.approx(high, abs=0.006)
    assert found.p == pytest.approx(p, abs=near)


def judged(rng: np.random.Generator, pairs: int, spread: float) -> tuple[list[Choice], list[int]]:
    """Three judgements a pair, ties 20%; no preference on average, but pairs differ."""
    lean = rng.normal(0, spread, pairs)
    choices: list[Choice] = []
    for pair in range(pairs):
        for _ in range(3):
            tie = rng.random() < 0.2
            choices.append("tie" if tie else "a" if rng.random() < 1 / (1 + np.exp(-lean[pair])) else "b")
    return choices, np.repeat(range(pairs), 3).tolist()


def test_judgements_of_one_pair_widen_the_interval() -> None:
    choices, pairs = judged(np.random.default_rng(0), 60, 3.0)
    together = win_lose_tie(choices, clusters=pairs, rng=np.random.default_rng(1), resamples=2000).decisive.interval
    apart = win_lose_tie(choices, rng=np.random.default_rng(1), resamples=2000).decisive.interval
    assert together is not None
    assert apart is not None
    assert together.high - together.low > 1.1 * (apart.high - apart.low)


def test_the_clustered_test_holds_its_level_where_the_exact_one_does_not() -> None:
    clustered = exact = 0
    for seed in range(200):
        choices, pairs = judged(np.random.default_rng(seed), 40, 3.0)
        found = win_lose_tie(choices, clusters=pairs, rng=np.random.default_rng(seed), resamples=10)
        clustered += (found.clustered.p or 1) < 0.05
        exact += (found.exact.p or 1) < 0.05
    assert clustered <= 20  # P(more than 20 of 200 at 5%) = .001
    assert exact > clustered


def test_shares_add_up() -> None:
    found = win_lose_tie(["a", "a", "b", "tie"], rng=np.random.default_rng(0), resamples=100)
    assert sum(one.value or 0 for one in found.shares.values()) == 1
    assert (found.wins, found.losses, found.ties, found.clusters) == (2, 1, 1, 4)


def test_ties_alone_say_nothing_of_who_wins() -> None:
    found = win_lose_tie(["tie", "tie"], rng=np.random.default_rng(0), resamples=100)
    assert found.decisive.value is None
    assert found.exact.value is None
    assert found.clustered.p is None
    assert found.shares["tie"].value == 1


def test_nothing_is_undefined() -> None:
    assert win_lose_tie([], rng=np.random.default_rng(0)).decisive.value is None


def test_few_clusters_try_every_sign() -> None:
    found = win_lose_tie(["a"] * 5, rng=np.random.default_rng(0), resamples=100)
    assert found.clustered.p == 2 / 2**5
