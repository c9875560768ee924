"""What may be asked, and what an answer to it may be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trialogue.study.design.questions import (
    LONGEST,
    InvalidAnswer,
    NumberLimits,
    Option,
    Question,
    SliderLimits,
    TextLimits,
    answer_to,
    answers_to,
    clean,
    text_in,
)

SCALE = Question(name="meaning", question="How meaningful?", scale=("not", "", "very"))
CHOICE = Question(
    name="age", question="Age?", choice=(Option(value="a", label="18-24"), Option(value="b", label="25+"))
)
CHOICES = Question(name="kinds", question="Kinds?", choices=tuple(Option(value=v, label=v.upper()) for v in "abc"))
TEXT = Question(name="why", question="Why?", text=TextLimits(lines=3, at_least=4, at_most=10))
NUMBER = Question(name="films", question="How many?", number=NumberLimits(low=0, high=50))
SLIDER = Question(name="mood", question="How?", slider=SliderLimits(low=0, high=10, step=0.5, ends=("bad", "good")))
RANKING = Question(name="order", question="Order?", ranking=tuple(Option(value=v, label=v.upper()) for v in "abc"))
EXTREMES = Question(name="ends", question="Which?", best_worst=tuple(Option(value=v, label=v.upper()) for v in "abc"))
ANY = [SCALE, CHOICE, CHOICES, TEXT, NUMBER, SLIDER, RANKING, EXTREMES]


@pytest.mark.parametrize(
    ("question", "posted", "answer"),
    [
        (SCALE, ["3"], 3),
        (SCALE, ["4"], InvalidAnswer("unknown")),
        (SCALE, ["0"], InvalidAnswer("unknown")),
        (SCALE, ["2", "3"], InvalidAnswer("unknown")),
        (SCALE, ["2", "2"], 2),
        (SCALE, ["9999; =cmd|calc"], InvalidAnswer("unknown")),
        (CHOICE, ["b"], "b"),
        (CHOICE, ["25+"], InvalidAnswer("unknown")),
        (CHOICES, ["c", "a"], ["a", "c"]),
        (CHOICES, ["c", "x"], InvalidAnswer("unknown")),
        (TEXT, [" because\r\nx "], "because\nx"),
        (TEXT, ["    abc    "], InvalidAnswer("too_short", 4)),
        (TEXT, ["12345678901"], InvalidAnswer("too_long", 10)),
        (NUMBER, ["7"], 7),
        (NUMBER, ["7.0"], 7),
        (NUMBER, ["7,5"], InvalidAnswer("not_whole")),
        (NUMBER, ["-1"], InvalidAnswer("too_low", 0)),
        (NUMBER, ["51"], InvalidAnswer("too_high", 50)),
        (NUMBER, ["nan"], InvalidAnswer("not_a_number")),
        (NUMBER, ["1e3"], InvalidAnswer("not_a_number")),
        (NUMBER, ["٣"], InvalidAnswer("not_a_number")),
        (NUMBER, ["9" * 400], InvalidAnswer("not_a_number")),
        (SLIDER, ["7.5"], 7.5),
        (SLIDER, ["7.3"], InvalidAnswer("unknown")),
        (SLIDER, ["11"], InvalidAnswer("too_high", 10)),
        (SLIDER, [""], InvalidAnswer("missing")),
        (RANKING, ["2=a", "1=b", "3=c"], ["b", "a", "c"]),
        (RANKING, ["2=a", "1=b", ""], InvalidAnswer("missing")),
        (RANKING, ["1=a", "1=b", "3=c"], InvalidAnswer("not_ranked")),
        (RANKING, ["1=a", "2=b", "4=c"], InvalidAnswer("unknown")),
        (RANKING, ["1=a", "2=b", "3=x"], InvalidAnswer("unknown")),
        (RANKING, ["1=a", "2=a", "3=c"], InvalidAnswer("unknown")),
        (EXTREMES, ["best=c", "worst=a"], ["c", "a"]),
        (EXTREMES, ["best=c", ""], InvalidAnswer("missing")),
        (EXTREMES, ["best=c", "worst=c"], InvalidAnswer("same_twice")),
        (EXTREMES, ["best=c", "best=a"], InvalidAnswer("unknown")),
        (EXTREMES, ["middle=c", "worst=a"], InvalidAnswer("unknown")),
    ],
)
def test_an_answer_is_taken_or_its_mistake_is_named(question: Question, posted: list[str], answer: Any) -> None:
    assert answer_to(question, posted) == answer


@pytest.mark.parametrize("question", ANY)
@pytest.mark.parametrize("posted", [[], [""], ["  "], ["\x00"]])
def test_no_answer_is_missing_where_one_is_required_and_else_none(question: Question, posted: list[str]) -> None:
    assert answer_to(question, posted) == InvalidAnswer("missing")
    assert answer_to(question.model_copy(update={"required": False}), posted) is None


@given(st.lists(st.text(max_size=30), max_size=3))
def test_whatever_a_form_sends_is_answered(posted: list[str]) -> None:
    for question in ANY:
        answer = answer_to(question, posted)
        assert isinstance(answer, InvalidAnswer | int | float | str | list)


@given(st.text())
def test_a_cleaned_text_can_be_stored_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text + "\ud800")
    assert "\x00" not in cleaned
    assert "\r" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned == clean(cleaned)


def test_answers_keep_what_was_posted_so_that_it_can_be_shown_again() -> None:
    answers = answers_to([SCALE, TEXT], {"r2-meaning": ["2"], "r2-why": ["no"], "r1-why": ["because"]}, prefix="r2-")
    assert answers.values == {"meaning": 2}
    assert answers.wrong == {"why": InvalidAnswer("too_short", 4)}
    assert answers.given == {"meaning": ["2"], "why": ["no"]}


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "needs one of scale, choice, choices, text, number, slider, ranking, best_worst; it has none of them"),
        ({"scale": ["a", "b"], "number": {}}, "it has scale and number"),
        ({"scale": ["a", ""]}, "needs labels for its first and last points"),
        ({"scale": ["a"]}, "at least 2"),
        ({"choice": ["a", "a"]}, "options with the same value: a"),
        ({"text": {"at_most": LONGEST + 1}}, "less than or equal to 20000"),
        ({"text": {"lines": 0}}, "greater than or equal to 1"),
        ({"text": {}, "colour": "red"}, "Extra inputs"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Question.model_validate({"name": "q", "question": "?", **fields})


@pytest.mark.parametrize("name", ["", "Q", "1st", "a-b", "a b", "a" * 65, "é"])
def test_a_name_is_a_plain_word(name: str) -> None:
    with pytest.raises(ValidationError):
        Question(name=name, question="?", text=TextLimits())


def test_words_are_found_in_the_nearest_language() -> None:
    words = {"de": "Ja", "en": "Yes", "pt-br": "Sim"}
    assert [text_in(words, code) for code in ("de", "de-at", "fr", "pt-br")] == ["Ja", "Ja", "Yes", "Sim"]
    assert text_in({"pt-br": "Sim"}, "fr") == "Sim"
    assert text_in("Yes", "de") == "Yes"


def test_a_text_in_which_nothing_can_be_seen_is_no_text() -> None:
    why = Question(name="why", question="Why?", text=TextLimits(at_least=3))
    assert answer_to(why, ["\u200b\u200d\ufeff\u2060"]) == InvalidAnswer("missing")
    assert answer_to(why, ["\U0001f44d\u200d\U0001f44d"]) == "\U0001f44d\u200d\U0001f44d"
