"""Preference agreement: choices, margins, kappa, the noise ceiling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.findings.raters import rated, truth, votes
from trialogue.errors import UsageError
from trialogue.findings.resampling import Resampling
from trialogue.records import Preference
from trialogue.subjects.agreement.preference_agreement import (
    choices_of,
    noise_ceiling,
    pairs_of,
    preference_agreement,
    values_by_side,
)

FEW = Resampling(0, 200)


def test_a_measure_that_knows_the_truth_agrees_completely() -> None:
    good, systems = truth(60)
    pairs = pairs_of(votes(good, systems))
    sides = values_by_side(rated(good, [None] * 60, systems))["metric"]
    found = preference_agreement(pairs, "metric", sides, resampling=FEW)
    assert (found.kappa.value, found.accuracy.value, found.scored) == (1.0, 1.0, 59)
    assert found.margin == 0
    assert preference_agreement(pairs, "metric", sides, lower=True, resampling=FEW).accuracy.value == 0


def test_chance_has_a_kappa_near_zero() -> None:
    good, systems = truth(600)
    noise = np.random.default_rng(5).normal(size=600)
    sides = values_by_side(rated(noise, [None] * 600, systems))["metric"]
    found = preference_agreement(pairs_of(votes(good, systems, tie=0.5)), "metric", sides, resampling=FEW)
    assert found.kappa.value == pytest.approx(0, abs=0.1)
    assert found.kappa.interval is not None
    assert found.kappa.interval.contains(0)


def test_the_matched_margin_makes_as_many_ties_as_people() -> None:
    good, systems = truth(200)
    chosen = votes(good, systems, tie=1.0)
    ties = sum(vote.choice == "tie" for vote in chosen)
    noisy = good + np.random.default_rng(6).normal(size=200)
    sides = values_by_side(rated(noisy, [None] * 200, systems))["metric"]
    found = preference_agreement(pairs_of(chosen), "metric", sides, resampling=FEW)
    assert found.ties == pytest.approx(ties / 199)
    assert "as many ties as people" in found.margin_rule
    exact = preference_agreement(pairs_of(chosen), "metric", sides, margin=0.0, resampling=FEW)
    assert (exact.ties, exact.margin_rule) == (0.0, "given")
    assert exact.accuracy == found.accuracy  # decisive choices do not depend on the margin


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.floats(0, 3))
def test_choices_are_ties_exactly_within_the_margin(gaps: list[float], margin: float) -> None:
    for gap, choice in zip(gaps, choices_of(np.array(gaps), margin), strict=True):
        assert (choice == "tie") == (abs(gap) <= margin)
        assert choice == "tie" or (choice == "a") == (gap > 0)


def test_choices_without_a_value_count_as_wrong() -> None:
    good, systems = truth(60)
    values = np.where(np.arange(60) < 20, np.nan, good)
    sides = values_by_side(rated(values, [None] * 60, systems))["metric"]
    found = preference_agreement(pairs_of(votes(good, systems)), "metric", sides, resampling=FEW)
    assert (found.votes, found.scored) == (59, 39)
    assert (found.accuracy.value, found.kappa.value) == (1.0, 1.0)
    assert found.headline_accuracy.value == pytest.approx(39 / 59)
    assert (found.headline_kappa.value or 0) < 0.5
    whole = preference_agreement(
        pairs_of(votes(good, systems)), "m", values_by_side(rated(good, [None] * 60, systems))["metric"], resampling=FEW
    )
    assert whole.kappa_penalised is None
    assert whole.headline_kappa == whole.kappa


def test_a_negative_margin_is_refused() -> None:
    with pytest.raises(UsageError, match="0 or more"):
        preference_agreement(pairs_of(votes([1.0, 2.0], ["a", "b"])), "m", {}, margin=-1.0)


def test_votes_without_dialogues_say_nothing_of_dialogues() -> None:
    vote = Preference(id="1", a="a", b="b", choice="a", rater="x")
    assert pairs_of([vote]).votes == ()


def test_responses_to_situations_are_sides_too() -> None:
    vote = Preference(id="1", a="a", b="b", choice="b", rater="x", situation_id="s")
    found = preference_agreement(pairs_of([vote]), "m", {("a", None, "s"): 1.0, ("b", None, "s"): 2.0}, resampling=FEW)
    assert (found.scored, found.accuracy.value) == (1, 1.0)


def test_the_noise_ceiling_is_one_person_against_another() -> None:
    good, systems = truth(40)
    same = [*votes(good, systems, rater="x"), *votes(good, systems, rater="y")]
    found = noise_ceiling(pairs_of(same), resampling=FEW)
    assert found is not None
    assert (found.kappa.value, found.accuracy.value, found.scored) == (1.0, 1.0, 39)
    assert noise_ceiling(pairs_of(votes(good, systems))) is None


def test_who_stands_left_does_not_matter_to_the_noise_ceiling() -> None:
    good, systems = truth(40)
    mine = votes(good, systems, rater="x")
    turned = [
        Preference(
            id=f"t{vote.id}",
            a=vote.b,
            b=vote.a,
            choice={"a": "b", "b": "a", "tie": "tie"}[vote.choice],
            rater="y",
            dialogue_a=vote.dialogue_b,
            dialogue_b=vote.dialogue_a,
        )
        for vote in mine
    ]
    found = noise_ceiling(pairs_of([*mine, *turned]), resampling=FEW)
    assert found is not None
    assert found.kappa.value == 1.0
