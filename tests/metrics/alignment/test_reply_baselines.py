"""Baselines of alignment take replies from other dialogues and never from the one they answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import DataError
from trialogue.metrics.alignment.reply_baselines import (
    CONTEXT,
    MAJORITY,
    MAX_DIALOGUES,
    RANDOM,
    SAME_TURN,
    Baselines,
    Rule,
    alignment_baselines,
    thin_evenly,
)
from trialogue.records import Labeller, Situation, StrategyLabel, Utterance


def situation(dialogue: int, turn: int, strategy: str | None = "credibility") -> Situation:
    labels = None if strategy is None else (StrategyLabel(strategy=strategy, origin="expert", by=Labeller.PERSON),)
    return Situation(
        id=f"{dialogue}#{turn}",
        context=(Utterance(speaker="user", text="?"),),
        reference=Utterance(speaker="system", text=f"{dialogue}/{turn}", strategies=labels),
        dialogue_id=str(dialogue),
        turn=turn,
    )


def baselines(situations: list[Situation], **predicted: tuple[str, ...]) -> Baselines:
    found = alignment_baselines(
        situations, predicted={name.replace("_", "#"): each for name, each in predicted.items()}
    )
    assert found is not None
    return found


def rule(of: Baselines, name: str, *, counts_none: bool = True) -> Rule:
    return next(each for each in of.rules(counts_none=counts_none) if each.name == name)


def by_id(of: Baselines, name: str, *, counts_none: bool = True) -> dict[str | None, object]:
    wanted = rule(of, name, counts_none=counts_none).wanted
    return dict(zip((unit.situation_id for unit in of.units), wanted, strict=True))


@given(dialogues=st.integers(2, 5), turns=st.integers(1, 4))
def test_any_reply_or_those_of_the_same_turn_may_be_taken(dialogues: int, turns: int) -> None:
    found = baselines([situation(d, t) for d in range(dialogues) for t in range(turns)])
    everybody, same = rule(found, RANDOM), rule(found, SAME_TURN)
    assert set(everybody.wanted) == set(everybody.held) == {0}
    assert same.wanted == same.held == tuple(unit.turn for unit in found.units)
    assert [found.clusters[owner] for owner in found.owners] == [
        f"dialogue:{d}" for d in range(dialogues) for _ in range(turns)
    ]


def test_the_majority_is_that_of_all_and_ties_go_by_name() -> None:
    """Similarity three times, credibility three times, of other dialogues each."""
    made = [situation(d, 0, "similarity") for d in range(3)] + [situation(d, 0) for d in range(3, 6)]
    assert set(by_id(baselines(made), MAJORITY).values()) == {"credibility"}
    assert set(by_id(baselines([*made, situation(6, 0, "similarity")]), MAJORITY).values()) == {"similarity"}


def test_where_no_strategy_does_not_count_nobody_aims_at_it() -> None:
    made = [situation(d, t, "no_strategy") for d in range(3) for t in range(2)] + [situation(d, 2) for d in range(3)]
    guesses = {f"{d}_{t}": ("no_strategy", "similarity") for d in range(3) for t in range(3)}
    found = baselines(made, **guesses)
    assert set(by_id(found, MAJORITY).values()) == {"no_strategy"}
    assert set(by_id(found, MAJORITY, counts_none=False).values()) == {"credibility"}
    assert set(by_id(found, CONTEXT).values()) == {"no_strategy"}
    assert set(by_id(found, CONTEXT, counts_none=False).values()) == {"similarity"}


def test_with_one_dialogue_there_are_no_baselines() -> None:
    assert alignment_baselines([situation(0, 0), situation(0, 1)]) is None
    assert alignment_baselines([]) is None


def test_without_anything_predicted_there_is_no_baseline_that_knows_the_context() -> None:
    found = baselines([situation(0, 0), situation(1, 0)])
    assert [each.name for each in found.rules()] == [RANDOM, SAME_TURN, MAJORITY]
    assert [each.name for each in replace(found, predicted={"0#0": ("similarity",)}).rules()][-1] == CONTEXT


def test_situations_without_a_reference_are_passed_over() -> None:
    bare = situation(0, 0).model_copy(update={"reference": None})
    found = baselines([bare, situation(1, 0), situation(2, 0)])
    assert {unit.situation_id for unit in found.units} == {"1#0", "2#0"}


def test_a_situation_that_stands_there_twice_counts_once() -> None:
    some = [situation(d, t) for d in range(2) for t in range(2)]
    assert baselines([*some, *some]).units == baselines(some).units
    with pytest.raises(DataError, match="Two different situations have the id '0#0'"):
        alignment_baselines([*some, situation(0, 0, "similarity")])


def test_of_many_dialogues_evenly_spaced_ones_stand_for_all() -> None:
    many = [situation(d, t) for d in range(2 * MAX_DIALOGUES) for t in range(2)]
    assert [one.id for one in thin_evenly(many)] == [
        f"{d}#{t}" for d in range(0, 2 * MAX_DIALOGUES, 2) for t in range(2)
    ]
    assert thin_evenly(many[:9]) == many[:9]
    assert thin_evenly([]) == []


def test_without_labels_nothing_is_the_majority() -> None:
    assert set(by_id(baselines([situation(d, 0, None) for d in range(2)]), MAJORITY).values()) == {None}
