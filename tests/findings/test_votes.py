"""Votes rank systems whatever their order; what limits the ranking is said."""

import random

import numpy as np
import pytest

from trialogue.findings.records import Strength, Votes
from trialogue.findings.systems.answer import answer
from trialogue.findings.votes import votes_of
from trialogue.records import Estimate, Preference, Reason, ReasonCode


def vote(number: int, a: str, b: str, choice: str, rater: str = "") -> Preference:
    return Preference.model_validate(
        {"id": str(number), "a": a, "b": b, "choice": choice, "rater": rater or f"r{number}"}
    )


ROUNDS = [
    ("x", "y", "a"),
    ("y", "z", "a"),
    ("x", "z", "a"),
    ("x", "y", "tie"),
    ("y", "x", "a"),
    ("z", "y", "a"),
    ("z", "x", "a"),
]
VOTES = [vote(i * 10 + j, *battle) for i in range(4) for j, battle in enumerate(ROUNDS)]


def test_no_votes_no_ranking() -> None:
    assert votes_of([]) is None


def test_strengths_do_not_depend_on_the_order_of_the_votes_but_elo_does() -> None:
    shuffled = random.Random(1).sample(VOTES, len(VOTES))
    one, other = votes_of(VOTES, resamples=50), votes_of(shuffled, resamples=50)
    assert one is not None
    assert other is not None
    by_name = {strength.system: strength for strength in other.strengths}
    for strength in one.strengths:
        same = by_name[strength.system].strength.value
        assert strength.strength.value is not None
        assert same is not None
        assert abs(strength.strength.value - same) < 1e-6
    assert {s.system: s.elo for s in one.strengths} != {s.system: s.elo for s in other.strengths}


def test_wins_and_ties_are_counted() -> None:
    found = votes_of([vote(1, "x", "y", "a"), vote(2, "y", "x", "tie"), vote(3, "y", "x", "a")], resamples=20)
    assert found is not None
    assert (found.votes, found.ties, found.raters) == (3, 1, 3)
    assert found.wins == {"x": {"y": 1.5}, "y": {"x": 1.5}}


def test_a_vote_that_the_corpus_holds_twice_counts_once() -> None:
    doubled = vote(3, "x", "y", "a").model_copy(update={"source": "corpus (duplicate)"})
    found = votes_of([vote(1, "x", "y", "a"), vote(2, "x", "y", "b"), doubled], resamples=20)
    assert found is not None
    assert found.votes == 2
    assert found.left_out == Reason.of(ReasonCode.DUPLICATE_VOTES, votes=1)


def test_a_system_that_never_lost_leaves_strengths_undefined_with_the_reason() -> None:
    found = votes_of([vote(1, "x", "y", "a"), vote(2, "x", "y", "a")], resamples=20)
    assert found is not None
    assert found.strengths[0].strength.value is None
    assert "never lost" in str(found.why)
    assert "do not rank" in answer([], found)[0].text


def strength_of(system: str, low: int, high: int) -> Strength:
    return Strength(
        system=system,
        strength=Estimate(value=1000.0),
        rank_low=low,
        rank_high=high,
        elo=1000.0,
        elo_rank_low=1,
        elo_rank_high=3,
        win_rate=Estimate(value=0.5),
    )


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (((1, 1), (2, 2), (3, 3)), "x ranks first (significantly better"),
        (((1, 2), (2, 3), (2, 3)), "only x may rank first (no system"),
        (((1, 2), (1, 2), (3, 3)), "either x or y may rank first (no system"),
        (((1, 3), (1, 3), (1, 3)), "any of x, y and z may rank first (no system"),
    ],
)
def test_a_system_ranks_first_where_its_interval_has_no_other_rank(
    ranks: tuple[tuple[int, int], ...], said: str
) -> None:
    strengths = tuple(strength_of(name, *each) for name, each in zip("xyz", ranks, strict=True))
    text = answer([], Votes(strengths=strengths, votes=9, ties=1, raters=9, wins={}))[0].text
    assert said in text


@pytest.mark.parametrize("seed", range(30))
def test_ranks_letters_and_intervals_of_votes_never_contradict_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names, raters = "wxyz"[: int(rng.integers(2, 5))], int(rng.integers(4, 40))
    lead = rng.normal(0, 0.6, len(names))
    votes = []
    for number in range(int(rng.integers(40, 200))):
        a, b = rng.choice(len(names), 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(lead[b] - lead[a]))
        choice = "tie" if rng.random() < 0.2 else "a" if won else "b"
        votes.append(vote(number, names[a], names[b], choice, rater=f"r{rng.integers(raters)}"))
    found = votes_of(votes, resamples=200)
    assert found is not None
    for each in found.contrasts:
        if each.difference.p is not None:
            assert each.difference.interval is not None
            assert (each.difference.p <= 0.05) == (not each.difference.interval.contains(0))
    for one in found.strengths:
        better = [
            each
            for each in found.contrasts
            if (each.a, each.verdict) == (one.system, "b") or (each.b, each.verdict) == (one.system, "a")
        ]
        assert one.rank_low is None or one.rank_low == 1 + len(better)
