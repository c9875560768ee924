"""Weights of situations from dialogues of people; what a situation's own dialogue may not say of it."""

import pytest

from tests.demo_records import demo_situations
from trialogue.errors import UsageError
from trialogue.subjects.alignment.commands.align import align, weighted_situations


def test_every_reference_gets_a_weight_from_other_dialogues() -> None:
    found = list(weighted_situations(demo_situations(), ["demo"], t=1))
    assert [one.id for one in found] == [one.id for one in demo_situations()]
    weights = [one.reference.meta["strategy_weight"] for one in found if one.reference is not None]
    assert all(isinstance(weight, float) and 1 <= weight <= 20 for weight in weights)
    by = {str(one.reference.meta["strategy_weight_by"]) for one in found if one.reference is not None}
    assert len(by) == 1
    assert "order=2" in (name := by.pop())
    assert name.endswith("own_dialogue_left_out|t=1")


def test_looking_back_further_than_any_model_does_is_refused() -> None:
    with pytest.raises(UsageError, match="t must be 0"):
        list(weighted_situations(demo_situations(), ["demo"], t=40))


def test_alignment_is_weighted_where_that_is_asked_for() -> None:
    run = align(["demo"], [], weights_from=["demo"], resamples=100, baselines=False)
    league = run.league("behavior_alignment(weight=inverse_entropy)")
    assert {standing.system for standing in league.standings} == {"aria", "bolt", "chip"}
    signature = next(score.signature for score in run.scores if score.signature and "weight" in score.measure)
    assert "weights=ngram(order=2,smoothing=witten_bell" in str(signature)
