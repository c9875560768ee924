"""What a decision protocol leaves out."""

from trialogue.analysis.decision import exclude
from trialogue.findings.protocol import Exclusion
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Dialogue, Preference, Rating, Utterance


def dialogue(name: str, turns: int, *, user: str | None = None, ended_by: str | None = None) -> Dialogue:
    utterances = tuple(Utterance(speaker="user", text=f"{number}") for number in range(turns))
    ratings = (Rating(name="satisfaction", value=3, rater="P1"), Rating(name="satisfaction", value=4, rater="P2"))
    fields = {"id": name, "system": "aria", "utterances": utterances, "user": user, "ratings": ratings}
    return Dialogue.model_validate({**fields, **({"ended_by": ended_by} if ended_by else {})})


def test_dialogues_with_few_user_turns_are_left_out_and_counted() -> None:
    material = InputRecords(dialogues=[dialogue("a", 1), dialogue("b", 2), dialogue("c", 3)])
    kept, lines = exclude(material, [Exclusion(user_turns_below=2)])
    assert [each.id for each in kept.dialogues] == ["b", "c"]
    assert lines == ["Excluded by the decision protocol (fewer than 2 user utterances): 1 of 3 dialogues."]
    assert len(material.dialogues) == 3  # what was given is as it was


def test_a_dialogue_that_failed_is_not_left_out_for_being_short() -> None:
    material = InputRecords(dialogues=[dialogue("a", 1, ended_by="agent_error")])
    kept, lines = exclude(material, [Exclusion(user_turns_below=5)])
    assert (len(kept.dialogues), lines) == (1, [])


def test_dialogues_ratings_and_votes_of_participants_are_left_out() -> None:
    votes = [
        Preference(id="v1", a="aria", b="bolt", choice="a", rater="P1"),
        Preference(id="v2", a="aria", b="bolt", choice="a", rater="P2"),
    ]
    material = InputRecords(dialogues=[dialogue("a", 2, user="P1"), dialogue("b", 2, user="P2")], preferences=votes)
    kept, lines = exclude(material, [Exclusion(participants=("P1",))])
    assert [each.id for each in kept.dialogues] == ["b"]
    assert [rating.rater for rating in kept.dialogues[0].ratings] == ["P2"]
    assert [vote.id for vote in kept.preferences] == ["v2"]
    assert lines == ["Excluded by the decision protocol (participants P1): 1 of 2 dialogues and 1 of 2 votes."]


def test_without_rules_nothing_is_left_out() -> None:
    material = InputRecords(dialogues=[dialogue("a", 0)])
    assert exclude(material, ()) == (material, [])
