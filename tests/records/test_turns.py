"""What one speaker says in a row becomes one utterance, and nothing of it is lost."""

import itertools

from hypothesis import given

from tests.records import strategies as made
from trialogue.records import Dialogue, DialogueAct, Labeller, Mention, SlotValue, StrategyLabel, Utterance, merge_turns


def test_sentences_of_a_turn_are_joined_with_their_labels_and_offsets() -> None:
    first = Utterance(
        speaker="system",
        text="I love Heat.",
        strategies=(StrategyLabel(strategy="personal_opinion", origin="expert", by=Labeller.PERSON),),
        mentions=(Mention(title="Heat", start=7, end=11),),
    )
    second = Utterance(
        speaker="system",
        text="And Ronin?",
        strategies=(StrategyLabel(strategy="opinion_inquiry", origin="expert", by=Labeller.PERSON),),
        mentions=(Mention(title="Ronin", start=4, end=9),),
        acts=(DialogueAct(intent="ask", slots=(SlotValue(slot="title", value="Ronin", start=4, end=9),)),),
    )
    user = Utterance(speaker="user", text="hm")
    (turn, after) = merge_turns(Dialogue(id="1", utterances=(first, second, user))).utterances
    assert turn.text == "I love Heat. And Ronin?"
    assert [turn.text[m.start : m.end] for m in turn.mentions or ()] == ["Heat", "Ronin"]
    assert [(label.strategy, label.text) for label in turn.strategies or ()] == [
        ("personal_opinion", "I love Heat."),
        ("opinion_inquiry", "And Ronin?"),
    ]
    (act,) = turn.acts or ()
    assert turn.text[act.slots[0].start : act.slots[0].end] == "Ronin"
    assert after == user


def test_what_is_unknown_of_every_part_stays_unknown() -> None:
    parts = (Utterance(speaker="user", text="a"), Utterance(speaker="user", text="b"))
    (turn,) = merge_turns(Dialogue(id="1", utterances=parts)).utterances
    assert (turn.acts, turn.strategies, turn.mentions, turn.ranking) == (None, None, None, None)


@given(dialogue=made.dialogues)
def test_speakers_alternate_afterwards_and_the_words_are_the_same(dialogue: Dialogue) -> None:
    turns = merge_turns(dialogue).utterances
    assert all(a.speaker != b.speaker for a, b in itertools.pairwise(turns))
    assert " ".join(turn.text for turn in turns) == " ".join(part.text for part in dialogue.utterances)
    assert merge_turns(merge_turns(dialogue)) == merge_turns(dialogue)
