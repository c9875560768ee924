"""Records that share what they have in common stay the records that they were."""

from trialogue.records import Dialogue, DialogueAct, Mention, Utterance
from trialogue.records.dialogue import SlotValue
from trialogue.records.files.dialogue_store import compact
from trialogue.records.files.jsonl import to_line


def dialogue(name: str) -> Dialogue:
    act = DialogueAct(intent="Disclose", slots=(SlotValue(slot="genre", value="horror"),))
    said = Utterance(speaker="user", text="horror", acts=(act,), mentions=(Mention(title="Heat"),))
    return Dialogue(id=name, utterances=(said, Utterance(speaker="system", text="Heat")))


def test_a_compact_dialogue_is_written_and_compared_as_before() -> None:
    expected, found = dialogue("a"), compact(dialogue("a"))
    assert found == expected
    assert to_line(found) == to_line(expected)
    assert found.utterances[0].model_fields_set == expected.utterances[0].model_fields_set


def test_two_dialogues_share_the_names_of_their_fields_and_a_copy_does_not() -> None:
    first, second = compact(dialogue("a")), compact(dialogue("b"))
    assert first.__pydantic_fields_set__ is second.__pydantic_fields_set__
    copy = first.model_copy(update={"system": "s"})
    assert "system" in copy.model_fields_set
    assert "system" not in first.model_fields_set
    assert "system" not in second.model_fields_set
