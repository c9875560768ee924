"""An agenda decides, a model words it: the gate keeps what is said to be what was decided."""

import pytest

from tests.simulation.llm.test_user import Says
from tests.simulation.made import Scripted, agent, film_ratings, films, turn
from trialogue.metrics.gates.detect import is_truncated
from trialogue.records import DialogueAct, Mention, SlotValue, Utterance
from trialogue.simulation import load_users
from trialogue.simulation.dialogue import talk
from trialogue.simulation.language.phrases import OPENING
from trialogue.simulation.llm.prompts import PROMPTS
from trialogue.simulation.llm.user import ModelQueries
from trialogue.simulation.llm.worded import ActGate, WordedUser, gate_of
from trialogue.simulation.source import WORDING, Wording
from trialogue.simulation.users.world import World

MODEL = load_users("cir6-pkg")
USERS = MODEL.settle(World(films(), film_ratings()))
GATE: ActGate = gate_of(MODEL, USERS)
HEAT = next(item for item in films().values() if item.title == "Heat")
ELSE = next(item for item in films().values() if len(item.title) > 8)


def said(text: str, intent: str = "Disclose", *values: str, film: bool = False) -> Utterance:
    slots = tuple(SlotValue(slot="genre", value=value) for value in values)
    slots += (SlotValue(slot="item", value=HEAT.title),) if film else ()
    named = (Mention(title=HEAT.title_with_year, item_id=HEAT.id),) if film else ()
    return Utterance(speaker="user", text=text, acts=(DialogueAct(intent=intent, slots=slots),), mentions=named)


@pytest.mark.parametrize(
    ("message", "wording", "result"),
    [
        (said("I want a thriller", "Disclose", "Thriller"), "i want a thriller please", Wording.MODEL),
        (said("I want a thriller", "Disclose", "Thriller"), "i want something exciting", Wording.LOST_VALUE),
        (said("I want a thriller", "Disclose", "Thriller"), "i want a thriller or a comedy", Wording.NEW_VALUE),
        (
            said("I want a thriller", "Disclose", "Thriller"),
            f"a thriller like {ELSE.title_with_year}",
            Wording.NEW_VALUE,
        ),
        (said("I want a thriller", "Disclose", "Thriller"), "do you have a thriller?", Wording.QUESTION),
        (said("I want a thriller", "Disclose", "Thriller"), "i want a thriller " + "and so on " * 20, Wording.TOO_LONG),
        (said("I like Heat", film=True), "I hate Heat", Wording.OTHER_STANCE),
        (said("I like Heat", film=True), "i really like Heat", Wording.MODEL),
        (said("I like Heat", film=True), "i really like it", Wording.LOST_VALUE),
        (said("Thank you, goodbye", "Complete"), "i want a thriller", Wording.NEW_VALUE),
        (said("Thank you, goodbye", "Complete"), "bye, thank you", Wording.MODEL),
    ],
)
def test_a_wording_is_said_only_if_it_does_the_same(message: Utterance, wording: str, result: Wording) -> None:
    assert GATE.judge(message, wording) is result


def test_every_phrase_of_the_agenda_keeps_its_own_values_stance_and_question() -> None:
    kept = [Wording.MODEL, Wording.OTHER_ACT]
    for label in MODEL.phrasebook.phrases:
        for phrase in MODEL.phrasebook.phrases_of(label) if label != OPENING else ():
            text = phrase.text.replace("{", "").replace("}", "")
            assert GATE.judge(said(text, label), text) in kept


def worded(model: Says) -> WordedUser:
    user = USERS.new("1", seed=0)
    asking = ModelQueries(model, seed=1, trial="t", longest_text=1000)
    return WordedUser(user, asking, GATE, "Word it.", PROMPTS["worded"]["message"], "system")


class Repeats(Says):
    """Words a message as it is, in capitals and with its role in front, as models do."""

    def complete(self, messages, *, seed, trial):  # type: ignore[no-untyped-def]
        self.answers = [f'"{messages[-1]["content"].rpartition("Answer: ")[2]}"']
        return super().complete(messages, seed=seed, trial=trial)


def test_the_acts_need_and_ending_are_the_agendas_whatever_the_words() -> None:
    plain = talk(Scripted(turn(agent("How about Heat (1995)?"))), USERS.new("1", seed=0))
    other = talk(
        Scripted(turn(agent("How about Heat (1995)?"))), worded(Says(*["Let us talk of cheese instead."] * 99))
    )
    assert [each.acts for each in other.utterances] == [each.acts for each in plain.utterances]
    assert [each.text for each in other.utterances] == [each.text for each in plain.utterances]  # templates stand
    assert other.ended_by is plain.ended_by
    first = other.utterances[0]
    assert first.meta["rejected"] == "Let us talk of cheese instead."
    assert first.meta[WORDING] in set(Wording) - {Wording.MODEL}


def test_a_wording_that_passes_is_said_with_its_slots_where_they_are() -> None:
    model = Repeats()
    found = talk(Scripted(turn(agent("How about Heat (1995)?"))), worded(model))
    kept = [each for each in found.utterances if each.speaker == "user" and each.meta[WORDING] == Wording.MODEL]
    assert kept
    for each in kept:
        for act in each.acts or ():
            for slot in act.slots:
                assert slot.start is not None
                assert each.text[slot.start : slot.end].casefold() == (slot.value or "").casefold()
    assert model.asked[0][0] == {"role": "system", "content": "Word it."}
    assert model.asked[0][1]["content"].startswith("Recommender: (nothing yet)\nAnswer: ")


class Rambles(Says):
    """Uses up its tokens."""

    def complete(self, messages, *, seed, trial):  # type: ignore[no-untyped-def]
        self.answers = ["Once upon a time"]
        return super().complete(messages, seed=seed, trial=trial).model_copy(update={"finish_reason": "length"})


def test_a_wording_that_is_cut_off_is_replaced_by_the_template() -> None:
    plain = talk(Scripted(turn(agent("How about Heat (1995)?"))), USERS.new("1", seed=0))
    cut = talk(Scripted(turn(agent("How about Heat (1995)?"))), worded(Rambles()))
    assert [each.text for each in cut.utterances] == [each.text for each in plain.utterances]
    assert {each.meta[WORDING] for each in cut.utterances if each.speaker == "user"} == {Wording.CUT.value}
    assert cut.utterances[0].meta["rejected"] == "Once upon a time"
    assert not is_truncated(cut.as_dialogue("d"))  # what is sent is whole
