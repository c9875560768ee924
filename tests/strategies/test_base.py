"""Examples from labelled dialogues, and the order of classes."""

import pytest

from tests.strategies.made import expert, heard, said, talk
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Labeller, StrategyLabel
from trialogue.strategies.base import CLASSES, Example, check_examples, data_hash, examples_of, ordered_classes

DIALOGUE = talk(
    heard("Hi"),
    said("Me too!", expert("similarity"), expert("acknowledgment", origin="second")),
    heard("What else?"),
    said("Great. Seen Up?", expert("acknowledgment", text="Great."), expert("experience_inquiry", text="Seen Up?")),
    said(" ", expert("no_strategy")),
    said("unlabelled"),
)


def test_a_label_belongs_to_its_sentence_or_else_to_the_whole_utterance() -> None:
    found = list(examples_of([DIALOGUE]))
    assert [(example.text, example.label) for example in found] == [
        ("Me too!", "similarity"),
        ("Great.", "acknowledgment"),
        ("Seen Up?", "experience_inquiry"),
    ]
    assert {example.dialogue_id for example in found} == {"d"}
    assert {example.source for example in found} == {"made"}


def test_the_context_are_the_utterances_before_as_far_back_as_asked_for() -> None:
    first, second, _ = examples_of([DIALOGUE], context=2)
    assert first.context == (("user", "Hi"),)
    assert second.context == (("system", "Me too!"), ("user", "What else?"))
    assert [example.context for example in examples_of([DIALOGUE], context=0)] == [(), (), ()]


def test_another_origin_and_fewer_classes_can_be_asked_for() -> None:
    assert [example.label for example in examples_of([DIALOGUE], origin="second")] == ["acknowledgment"]
    assert [example.text for example in examples_of([DIALOGUE], classes=["similarity"])] == ["Me too!"]


def test_what_the_user_says_is_no_example() -> None:
    labelled = heard("I love it").model_copy(update={"strategies": (expert("similarity"),)})
    assert list(examples_of([talk(labelled)])) == []


def test_other_spellings_are_understood_and_other_names_mapped() -> None:
    spelled = talk(said("a", expert("Opinion Inquiry")), said("b", expert("ASK")))
    found = examples_of([spelled], mapping={"ASK": "experience_inquiry"})
    assert [example.label for example in found] == ["opinion_inquiry", "experience_inquiry"]


def test_a_name_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'credibility'"):
        list(examples_of([talk(said("a", expert("credibilty")))]))


def test_labels_of_another_set_are_as_asked_for() -> None:
    acts = talk(said("a", expert("Greet")), said("b", expert("Bye")))
    assert [example.label for example in examples_of([acts], classes=["Greet"])] == ["Greet"]


def test_more_context_than_is_kept_is_refused() -> None:
    with pytest.raises(UsageError, match="context must be 0 to 6"):
        list(examples_of([DIALOGUE], context=7))


def test_classes_are_in_the_order_of_the_paper_then_others_by_name() -> None:
    assert ordered_classes(reversed(CLASSES)) == CLASSES
    assert ordered_classes(["zeta", "transparency", "alpha", "no_strategy"]) == (
        "transparency",
        "no_strategy",
        "alpha",
        "zeta",
    )


def test_the_hash_changes_with_everything_that_a_model_sees() -> None:
    one = Example(text="a", label="similarity")
    others = [
        one.model_copy(update={"text": "b"}),
        one.model_copy(update={"label": "credibility"}),
        one.model_copy(update={"dialogue_id": "d"}),
        one.model_copy(update={"context": (("user", "x"),)}),
    ]
    assert len({data_hash([example]) for example in (one, *others)}) == 5
    assert data_hash([one, others[0]]) != data_hash([others[0], one])
    assert data_hash([one]) == data_hash([one.model_copy(update={"source": "elsewhere"})])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no labelled sentences"),
        ([Example(text="a", label="similarity")], "at least 2 different strategies"),
        ([Example(text="a", label="similarity"), Example(text=" ", label="credibility")], "1 of 2 .* are empty"),
    ],
)
def test_examples_that_nothing_can_be_learned_from_are_refused(given: list[Example], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_examples(given)


def test_a_second_label_of_one_origin_for_a_sentence_does_not_count() -> None:
    twice = talk(
        said(
            "Me too!", expert("similarity"), StrategyLabel(strategy="credibility", origin="expert", by=Labeller.PERSON)
        )
    )
    assert [example.label for example in examples_of([twice])] == ["similarity"]
