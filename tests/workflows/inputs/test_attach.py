"""Ratings from a file of their own."""

from trialogue.records import Dialogue, Rating, Response, Score, Utterance
from trialogue.workflows.inputs.attach import attach_ratings
from trialogue.workflows.inputs.inputs import Material

TALK = Dialogue(
    id="t1",
    system="crs",
    utterances=(Utterance(speaker="user", text="hello"), Utterance(speaker="system", text="try Heat")),
)
REPLY = Response(situation_id="s1", system="crs", utterance=Utterance(speaker="system", text="try Heat"))


def rated(**fields: object) -> Score:
    """Somebody's 4 for meaningfulness."""
    given = {"measure": "human:meaningfulness", "value": 4.0, "system": "crs", "rater": "P1", **fields}
    return Score.model_validate(given)


def test_ratings_reach_the_dialogue_the_utterance_and_the_response_they_are_of() -> None:
    scores = [
        rated(level="dialogue", dialogue_id="t1"),
        rated(level="utterance", dialogue_id="t1", utterance=1),
        rated(level="response", situation_id="s1", measure="human:meaningfulness@response"),
    ]
    found = attach_ratings(Material(dialogues=[TALK], responses=[REPLY], scores=scores))
    four = Rating(name="meaningfulness", value=4.0, rater="P1")
    assert found.dialogues[0].ratings == (four,)
    assert [utterance.ratings for utterance in found.dialogues[0].utterances] == [(), (four,)]
    assert found.responses[0].utterance.ratings == (four,)
    assert not found.warnings


def test_a_rating_that_is_there_already_is_not_doubled() -> None:
    once = attach_ratings(Material(dialogues=[TALK], scores=[rated(level="dialogue", dialogue_id="t1")]))
    assert attach_ratings(once).dialogues == once.dialogues


def test_ratings_of_something_else_are_counted() -> None:
    found = attach_ratings(Material(dialogues=[TALK], scores=[rated(level="dialogue", dialogue_id="t2")]))
    assert found.dialogues == [TALK]
    assert found.warnings == ["1 of 1 ratings are of nothing that was given, and left out."]


def test_scores_of_metrics_and_skipped_questions_are_no_ratings() -> None:
    scores = [
        rated(level="dialogue", dialogue_id="t1", measure="length@words|v1", rater=None),
        rated(level="dialogue", dialogue_id="t1", value=None, why="skipped"),
    ]
    material = Material(dialogues=[TALK], scores=scores)
    assert attach_ratings(material) is material
