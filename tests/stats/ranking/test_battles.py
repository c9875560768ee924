"""Battles as numbers, and win rates."""

import pytest

from trialogue.errors import UsageError
from trialogue.records import Preference, Reason, ReasonCode
from trialogue.stats import Vote, win_rates
from trialogue.stats.ranking.battles import tally


def test_battles_become_indices_and_scores_in_their_order() -> None:
    table = tally([Vote("y", "x", "a", "ann"), Vote("x", "z", "tie"), Vote("x", "y", "b", "ann")])
    assert table.names == ("x", "y", "z")
    assert (table.a.tolist(), table.b.tolist(), table.score.tolist()) == ([1, 0, 0], [0, 2, 1], [1.0, 0.5, 0.0])
    assert table.raters == (("rater", "ann"), ("battle", 1), ("rater", "ann"))


def test_a_preference_on_record_is_a_battle() -> None:
    found = win_rates([Preference(id="1", a="x", b="y", choice="a"), Preference(id="2", a="x", b="y", choice="tie")])
    assert [(one.name, one.wins, one.ties, one.losses) for one in found] == [("x", 1, 1, 0), ("y", 0, 1, 1)]


def test_a_tie_is_half_a_win_or_none() -> None:
    battles = [Vote("x", "y", "a"), Vote("y", "x", "tie"), Vote("y", "x", "tie"), Vote("x", "y", "b")]
    assert [one.rate.value for one in win_rates(battles)] == [0.5, 0.5]  # (1 + 2/2) / 4
    battles[3] = Vote("x", "y", "a")
    half, dropped = win_rates(battles)[0].rate, win_rates(battles, ties="drop")[0].rate
    assert (half.value, half.n) == (0.75, 4)
    assert (dropped.value, dropped.n) == (1.0, 2)


def test_only_ties_have_no_win_rate_without_ties() -> None:
    assert win_rates([Vote("x", "y", "tie")], ties="drop")[0].rate.why == Reason.of(ReasonCode.NO_DATA)


def test_rates_are_sorted_best_first_and_then_by_name() -> None:
    battles = [Vote("c", "a", "a"), Vote("b", "a", "a"), Vote("d", "e", "tie")]
    assert [one.name for one in win_rates(battles)] == ["b", "c", "d", "e", "a"]


def test_no_battles_have_no_rates() -> None:
    assert win_rates([]) == ()


def test_bad_battles_are_refused() -> None:
    with pytest.raises(UsageError, match="battle 1 pits 'x' against itself"):
        win_rates([Vote("x", "y", "a"), Vote("x", "x", "a")])
    with pytest.raises(UsageError, match="battle 0 has the choice 'left'; known: a, b, tie"):
        win_rates([Vote("x", "y", "left")])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no rule 'win' for ties"):
        win_rates([Vote("x", "y", "a")], ties="win")  # type: ignore[arg-type]
