"""Choices of language models beside people's: by hand."""

from typing import Any

from trialogue.records import Preference, Score
from trialogue.subjects.people.model_raters import model_choices, model_ratings


def vote(rater: str, choice: str, number: int, **more: Any) -> Preference:
    """Between two dialogues of a pair of systems."""
    content = {"id": f"{rater}{number}{choice}", "a": "good", "b": "bad", "choice": choice, "rater": rater}
    return Preference.model_validate({**content, "dialogue_a": f"g{number}", "dialogue_b": f"b{number}", **more})


def test_a_choice_counts_where_a_majority_of_people_chose_a_side() -> None:
    people = [vote("p", "a", 1), vote("q", "a", 1), vote("p", "a", 2), vote("q", "b", 2), vote("p", "tie", 3)]
    (found,) = model_choices(
        [vote("m", "a", 1), vote("m", "a", 2), vote("m", "b", 3), vote("m", "tie", 1)], people, seed=0
    )
    assert (found.choices, found.ties, found.units) == (4, 1, 1)  # of pairs 2 and 3 no majority chose a side
    assert found.agreement.value == 1.0


def test_dialogues_of_the_same_systems_are_pairs_of_their_own() -> None:
    people = [vote("p", "a", 1), vote("p", "b", 2)]
    (found,) = model_choices([vote("m", "a", 1), vote("m", "b", 2)], people, seed=0)
    assert (found.units, found.agreement.value) == (2, 1.0)


def test_sides_that_are_named_the_other_way_round_are_the_same_pair() -> None:
    people = [vote("p", "a", 1)]
    turned = vote("m", "b", 1, a="bad", b="good", dialogue_a="b1", dialogue_b="g1")
    assert model_choices([turned], people, seed=0)[0].agreement.value == 1.0


def test_each_system_has_the_means_of_the_model_and_of_people() -> None:
    def score(rater: str, system: str, number: int, value: float) -> Score:
        content = {"measure": "human:fit", "level": "response", "system": system, "situation_id": f"s{number}"}
        return Score.model_validate({**content, "rater": rater, "value": value})

    model = [score("m", "a", 1, 4.0), score("m", "a", 2, 5.0), score("m", "b", 1, 1.0)]
    people = [score("p", "a", 1, 2.0), score("q", "a", 1, 4.0), score("p", "a", 2, 1.0)]
    (found,) = model_ratings(model, people, scales={}, seed=0)
    assert [(one.system, one.mean, one.people) for one in found.systems] == [("a", 4.5, 2.0), ("b", 1.0, None)]
