"""Floors of alignment borrow from other dialogues and never from the one they answer."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.alignment_floors import MAJORITY, RANDOM, SAME_TURN, alignment_floors
from trialogue.records import Response, Situation, StrategyLabel, Utterance


def situation(dialogue: int, turn: int, strategy: str = "credibility") -> Situation:
    label = StrategyLabel(strategy=strategy, origin="expert")
    return Situation(
        id=f"{dialogue}#{turn}",
        context=(Utterance(speaker="user", text="?"),),
        reference=Utterance(speaker="system", text=f"{dialogue}/{turn}", strategies=(label,)),
        dialogue_id=str(dialogue),
        turn=turn,
    )


def floors(situations: list[Situation], seed: int = 0) -> list[Response]:
    return list(alignment_floors(situations, rng=np.random.default_rng(seed)))


@given(dialogues=st.integers(2, 5), turns=st.integers(1, 4), seed=st.integers(0, 99))
def test_what_is_borrowed_is_from_another_dialogue(dialogues: int, turns: int, seed: int) -> None:
    made = [situation(d, t) for d in range(dialogues) for t in range(turns)]
    for response in floors(made, seed):
        dialogue, _, turn = response.situation_id.partition("#")
        if response.system != MAJORITY:
            assert response.utterance.text.split("/")[0] != dialogue
        if response.system == SAME_TURN:
            assert response.utterance.text.split("/")[1] == turn


def test_the_majority_is_counted_without_the_dialogue_itself() -> None:
    """Dialogue 0 says "similarity" three times; elsewhere credibility is said twice and similarity once."""
    made = [situation(0, t, "similarity") for t in range(3)]
    made += [situation(1, 0), situation(1, 1), situation(2, 0, "similarity")]
    said = {
        r.situation_id: r.utterance.strategies[0].strategy
        for r in floors(made)
        if r.system == MAJORITY and r.utterance.strategies
    }
    assert said["0#0"] == "credibility"
    assert said["1#0"] == "similarity"


def test_with_one_dialogue_there_are_no_floors() -> None:
    assert floors([situation(0, 0), situation(0, 1)]) == []


def test_the_same_seed_borrows_the_same() -> None:
    made = [situation(d, t) for d in range(4) for t in range(3)]
    assert floors(made, 1) == floors(made, 1)
    assert floors(made, 1) != floors(made, 2)


def test_situations_without_a_reference_are_passed_over() -> None:
    bare = situation(0, 0).model_copy(update={"reference": None})
    assert {response.situation_id for response in floors([bare, situation(1, 0), situation(2, 0)])} == {"1#0", "2#0"}


def test_without_labels_there_is_no_majority() -> None:
    def unlabelled(dialogue: int) -> Situation:
        made = situation(dialogue, 0)
        assert made.reference is not None
        return made.model_copy(update={"reference": made.reference.model_copy(update={"strategies": None})})

    assert {response.system for response in floors([unlabelled(0), unlabelled(1)])} == {RANDOM, SAME_TURN}
