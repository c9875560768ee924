"""Labels on records."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.made import expert, heard, said, talk
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Labeller, Preference, Response, Situation, StrategyLabel, Utterance
from trialogue.records.files.jsonl import RepairWarning
from trialogue.strategies.base import Context, Floats
from trialogue.strategies.labelling import Options, label_dialogue, label_records
from trialogue.strategies.models import Model


@dataclass
class Spy:
    """Says similarity for sentences with "too", with a probability that it reads off; and remembers what it was asked."""

    uses_context: bool = False
    same_coefficients: tuple[float, float] = (1.0, 2.0)
    asked: list[tuple[str, Context]] = field(default_factory=list)
    name: str = "spy"
    origin: str = "spy|v1|data:abc123"
    classes: tuple[str, ...] = ("credibility", "similarity", "no_strategy")

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        assert (contexts is not None) == self.uses_context
        self.asked += zip(texts, contexts or [()] * len(texts), strict=True)
        return np.array([[0.3, 0.7, 0.0] if "too" in text else [0.4, 0.35, 0.25] for text in texts])


def _labels(utterance: Utterance) -> list[tuple[str, str | None, float | None]]:
    return [(label.strategy, label.text, label.probability) for label in utterance.strategies or ()]


def test_every_sentence_of_the_system_is_labelled_and_the_user_left_alone() -> None:
    spy = Spy()
    found = label_dialogue(talk(heard("Me too"), said("Me too! It is fun.")), spy)
    assert found.utterances[0] == heard("Me too")
    assert _labels(found.utterances[1]) == [("similarity", "Me too!", 0.7), ("credibility", "It is fun.", 0.4)]
    assert {label.origin for label in found.utterances[1].strategies or ()} == {"spy|v1|data:abc123"}
    distribution = found.utterances[1].strategy_distribution
    assert distribution is not None
    assert distribution.probabilities == {
        "credibility": 0.3,
        "similarity": 0.7,
        "no_strategy": 0.0,
    }  # of the first sentence
    assert (distribution.origin, distribution.matching) == ("spy|v1|data:abc123|first", (1.0, 2.0))


def test_how_sentences_combine_is_chosen_and_said() -> None:
    found = label_dialogue(talk(said("Me too! It is fun.")), Spy(), options=Options(combine="mean"))
    distribution = found.utterances[0].strategy_distribution
    assert distribution is not None
    assert distribution.origin.endswith("|mean")
    # the mean of (.3, .7, 0) and (.4, .35, .25)
    assert distribution.probabilities == {"credibility": 0.35, "similarity": 0.525, "no_strategy": 0.125}


def test_what_was_calibrated_for_replies_beside_references_is_written() -> None:
    @dataclass
    class Newer(Spy):
        matching_coefficients: tuple[float, float] = (3.0, 4.0)
        matching_error: tuple[float, float, float] | None = (0.25, 0.5, 1.0)

    distribution = label_dialogue(talk(said("Me too!")), Newer()).utterances[0].strategy_distribution
    assert distribution is not None
    assert distribution.matching == (3.0, 4.0)
    assert distribution.matching_error == (0.25, 0.5, 1.0)


def test_labels_of_people_stay_and_those_of_models_go() -> None:
    old = StrategyLabel(strategy="credibility", origin="old|v1", by=Labeller.MODEL, probability=0.9)
    dialogue = talk(said("Me too!", expert("encouragement")), said("Me too!", old), said("Me too!", expert("x"), old))
    first, second, third = label_dialogue(dialogue, Spy()).utterances
    assert [label.origin for label in first.strategies or ()] == ["expert"]
    assert first.strategy_distribution is not None
    assert [label.origin for label in second.strategies or ()] == ["spy|v1|data:abc123"]
    assert [label.origin for label in third.strategies or ()] == ["expert"]
    beside = label_dialogue(dialogue, Spy(), options=Options(beside=True)).utterances[0]
    assert [label.origin for label in beside.strategies or ()] == ["expert", "spy|v1|data:abc123"]


def test_labelling_twice_is_labelling_once() -> None:
    dialogue = talk(heard("Hi"), said("Me too! Fine."), said("Me too!", expert("similarity")))
    once = label_dialogue(dialogue, Spy())
    assert label_dialogue(once, Spy()) == once


def test_an_empty_reply_has_no_labels_and_no_distribution() -> None:
    empty = label_dialogue(talk(said("  ")), Spy()).utterances[0]
    assert empty.strategies == ()
    assert empty.strategy_distribution is None


def test_an_unsure_sentence_gets_no_label_or_no_strategy_as_chosen() -> None:
    dialogue = talk(said("Me too! It is fun."))
    left_out = label_dialogue(dialogue, Spy(), options=Options(abstain=0.5)).utterances[0]
    assert _labels(left_out) == [("similarity", "Me too!", 0.7)]
    assert left_out.strategies is not None
    assert left_out.strategies[0].origin == "spy|v1|data:abc123|sure:0.5"
    claimed = label_dialogue(dialogue, Spy(), options=Options(abstain=0.5, unsure="no_strategy")).utterances[0]
    assert _labels(claimed)[1] == ("no_strategy", "It is fun.", 0.4)
    assert claimed.strategies is not None
    assert claimed.strategies[1].origin == "spy|v1|data:abc123|sure:0.5|unsure:no_strategy"
    assert claimed.strategy_distribution == left_out.strategy_distribution


def test_situations_and_responses_are_labelled_and_others_pass() -> None:
    situation = Situation(id="s", context=(said("Me too!"), heard("Hi")), reference=said("It is fun."))
    response = Response(situation_id="s", system="a", utterance=said("Me too!"))
    preference = Preference(id="p", a="x", b="y", choice="a")
    first, second, third = label_records([situation, response, preference], Spy())
    assert isinstance(first, Situation)
    assert isinstance(second, Response)
    assert _labels(first.context[0])[0][0] == "similarity"
    assert first.context[1] == heard("Hi")
    assert first.reference is not None
    assert _labels(first.reference)[0][0] == "credibility"
    assert _labels(second.utterance)[0][0] == "similarity"
    assert third is preference
    alone = next(label_records([situation.model_copy(update={"reference": None})], Spy()))
    assert alone.reference is None


def test_equal_utterances_are_asked_about_once() -> None:
    spy = Spy()
    responses = [Response(situation_id=str(n), system="a", utterance=said("Me too!")) for n in range(50)]
    assert len(list(label_records(responses, spy, batch=7))) == 50
    assert [text for text, _ in spy.asked] == ["Me too!"]


def test_a_model_with_context_receives_the_history() -> None:
    spy = Spy(uses_context=True)
    label_dialogue(talk(heard("Hi"), said("One. Two.")), spy)
    assert spy.asked == [("One.", (("user", "Hi"),)), ("Two.", (("user", "Hi"), ("system", "One.")))]


def test_sentences_of_a_user_are_said_by_the_user_in_the_context_of_those_behind_them() -> None:
    spy = Spy(uses_context=True)
    label_dialogue(talk(heard("Hi. Me too!")), spy, options=Options(speakers=("user",)))
    assert spy.asked == [("Hi.", ()), ("Me too!", (("user", "Hi."),))]


def test_responses_without_what_was_said_before_are_reported() -> None:
    alone = Response(situation_id="nobody knows", system="a", utterance=said("Fine."))
    with pytest.warns(UserWarning, match="1 responses were labelled without their context, because"):
        list(label_records([alone], Spy(uses_context=True)))
    list(label_records([alone], Spy()))  # does not read it


def test_a_response_has_the_context_of_its_situation() -> None:
    situation = Situation(id="s", context=(said("Welcome"), heard("Hi")), reference=None)
    response = Response(situation_id="s", system="a", utterance=said("Fine."))
    context: Context = (("system", "Welcome"), ("user", "Hi"))
    for records, known in (([response], [situation]), ([situation, response], [])):
        spy = Spy(uses_context=True)
        list(label_records(records, spy, situations=known))
        assert spy.asked[-1] == ("Fine.", context)
    spy = Spy(uses_context=True)
    with pytest.warns(RepairWarning, match="without their context"):
        list(label_records([response], spy))
    assert spy.asked == [("Fine.", ())]


def test_the_user_is_labelled_if_asked_for() -> None:
    found = label_dialogue(talk(heard("Me too")), Spy(), options=Options(speakers=("user", "system")))
    assert _labels(found.utterances[0]) == [("similarity", "Me too", 0.7)]


texts = st.lists(st.sampled_from(["Me too!", "It is fun. Really", "", "Have you seen Up?", "ok"]), max_size=4)


@settings(max_examples=25, deadline=None)
@given(st.lists(texts, max_size=6), st.integers(1, 4))
def test_the_size_of_batches_does_not_matter(small: Model, dialogues: list[list[str]], batch: int) -> None:
    records = [talk(*map(said, part), id=str(number)) for number, part in enumerate(dialogues)]
    together = list(label_records(records, small))
    assert list(label_records(records, small, batch=batch)) == together
    assert [label_dialogue(record, small) for record in records] == together


def test_labelled_records_survive_json(small: Model) -> None:
    found = label_dialogue(talk(heard("Hi"), said("Have you seen Up? It is fun.")), small)
    again = Dialogue.model_validate(json.loads(json.dumps(found.to_json())))
    assert again == found
    distribution = found.utterances[1].strategy_distribution
    assert distribution is not None
    assert sum(distribution.probabilities.values()) == pytest.approx(1, abs=1e-5)
    assert distribution.matching == small.matching_coefficients


GERMAN = "Ich suche einen lustigen Film für heute Abend und mag keine Horrorfilme, weil ich dann nicht schlafen kann."


def test_another_language_is_refused_unless_allowed(small: Model) -> None:
    records = [talk(said(f"{GERMAN} {number}"), id=str(number)) for number in range(20)]
    with pytest.raises(DataError, match=r"^This text is in German \(\d+ words\), and .* is a model for English"):
        list(label_records(records, small, batch=2))
    assert len(list(label_records(records, small, options=Options(any_language=True)))) == 20


def test_a_system_that_speaks_another_language_is_reported_by_name_whatever_the_others_speak(small: Model) -> None:
    english = [
        talk(said(f"Have you seen the one that is about the number {n}?"), id=str(n), system="a") for n in range(20)
    ]
    german = [talk(said(f"{GERMAN} {number}"), id=f"g{number}", system="b") for number in range(20)]
    with pytest.raises(DataError, match=r"^b is in German"):
        list(label_records([*english, *german], small))


def test_a_few_foreign_words_are_no_reason_to_stop(small: Model) -> None:
    assert label_dialogue(talk(said(GERMAN)), small).utterances[0].strategies


@pytest.mark.parametrize("options", [{"combine": "median"}, {"abstain": 1.5}, {"abstain": 0.3, "unsure": "guess"}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Options(**options)  # type: ignore[arg-type]


def test_batches_of_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="batch must be at least 1"):
        list(label_records([], Spy(), batch=0))
