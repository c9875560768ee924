"""Situations end on a user utterance; those of a dialogue are cut where a system utterance answers."""

import pytest
from hypothesis import given

from tests.records import strategies as made
from trialogue.records import Dialogue, Mention, Response, Situation, Utterance, situations_of


def say(script: str) -> Dialogue:
    speakers = {"u": "user", "s": "system"}
    parts = [Utterance.model_validate({"speaker": speakers[s], "text": f"{s}{i}"}) for i, s in enumerate(script)]
    return Dialogue(id="d", utterances=tuple(parts))


def test_a_situation_is_cut_before_every_reply_to_a_user() -> None:
    cut = list(situations_of(say("suussus")))
    assert [(each.id, len(each.context), each.reference.text if each.reference else "", each.turn) for each in cut] == [
        ("d#3", 3, "s3", 1),
        ("d#6", 6, "s6", 2),
    ]


def test_targets_are_unknown_unless_somebody_looked_for_items() -> None:
    dialogue = say("us")
    assert next(situations_of(dialogue)).targets is None
    reply = dialogue.utterances[1].model_copy(update={"mentions": (Mention(title="Heat", item_id="heat"),)})
    linked = dialogue.model_copy(update={"utterances": (dialogue.utterances[0], reply)})
    assert next(situations_of(linked)).targets == ("heat",)


def test_targets_are_unknown_where_a_title_has_no_id() -> None:
    dialogue = say("us")
    found = (Mention(title="Heat", item_id="heat"), Mention(title="Ronin"))
    reply = dialogue.utterances[1].model_copy(update={"mentions": found})
    named = dialogue.model_copy(update={"utterances": (dialogue.utterances[0], reply)})
    assert next(situations_of(named)).targets is None


def test_a_dialogue_of_one_speaker_has_no_situations() -> None:
    assert list(situations_of(say("uuu"))) == list(situations_of(say("ss"))) == list(situations_of(say(""))) == []


@given(dialogue=made.dialogues)
def test_every_situation_ends_on_a_user_utterance_that_the_system_answers(dialogue: Dialogue) -> None:
    for situation in situations_of(dialogue):
        assert situation.context[-1].speaker == "user"
        assert situation.reference is not None
        assert situation.context == dialogue.utterances[: len(situation.context)]


def test_a_context_that_ends_on_the_system_is_refused() -> None:
    with pytest.raises(ValueError, match="must end with a user utterance"):
        Situation(id="x", context=(Utterance(speaker="system", text="hi"),))


def test_a_reference_said_by_the_user_is_refused() -> None:
    user = Utterance(speaker="user", text="hi")
    with pytest.raises(ValueError, match="must be a system utterance"):
        Situation(id="x", context=(user,), reference=user)
    with pytest.raises(ValueError, match="must be a system utterance"):
        Response(situation_id="x", system="a", utterance=user)
