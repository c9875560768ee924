"""Attention checks: attentive readers can pass them, whatever the study asks, in every language."""

from typing import Any

import numpy as np
import pytest

from trialogue.study.bots.simulation import SimulatedStudy
from trialogue.study.design.checks import CheckItem, advice, checks_of, is_passed
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import Message, PreferenceItem, RatingItem
from trialogue.study.design.reading import study_of

CONTEXT = (Message(speaker="user", text="A thriller?"),)
ITEM = RatingItem(key="one", context=CONTEXT, responses={"fine": "Heat.", "poor": "No."})
SENSE: dict[str, Any] = {
    "name": "sense",
    "question": "Does it make sense?",
    "scale": ["Not at all", "Hardly", "Completely"],
}
ENDS = {"name": "fluency", "question": "How fluent is it?", "scale": ["Not at all", "", "", "Perfectly"]}
WHY = {"name": "why", "question": "Why?", "text": {"lines": 2}}
NO_YES = [{"en": "No", "de": "Nein"}, {"en": "Yes", "de": "Ja"}]
BOTH = {"name": "good", "question": {"en": "Good?", "de": "Gut?"}, "scale": NO_YES}


def study(*criteria: dict[str, Any], **more: Any) -> StudyFile:
    fields: dict[str, Any] = {
        "study": "s",
        "title": "T",
        "type": "rating",
        "phases": ["tasks", "exit"],
        "attention": {"checks": 8},
    }
    return study_of({**fields, "criteria": list(criteria), **more})


def made(file: StudyFile, item: Any = ITEM) -> list[CheckItem]:
    """Those of a study with one item: one that repeats it, and eight that repeat nothing."""
    return checks_of(file, [item], rng=np.random.default_rng(0))


def point(check: CheckItem, question: str) -> int:
    """The point that is asked for."""
    wanted = check.expected[question]
    assert isinstance(wanted, int)
    return wanted


def asked(check: CheckItem) -> str:
    assert isinstance(check.item, RatingItem)
    return next(text for text in check.item.responses.values() if "attention" in text or "Aufmerksamkeit" in text)


def test_where_questions_have_other_answers_one_question_is_named_and_only_that_counts() -> None:
    for check in made(study(SENSE, ENDS)):
        assert list(check.expected) == ["sense"]
        assert f'"{SENSE["scale"][point(check, "sense") - 1]}" for the question "Does it make sense?"' in asked(check)
        given = {f"r{n}-sense": point(check, "sense") for n in (1, 2)}
        assert is_passed(check.expected, {**given, "r1-fluency": 1, "r2-fluency": 4})


def test_where_all_questions_offer_the_answer_all_of_them_count() -> None:
    for check in made(study(SENSE, {**SENSE, "name": "style"})):
        assert set(check.expected) == {"sense", "style"}
        assert "for every question about every reply" in asked(check)


def test_the_same_words_at_another_place_of_another_scale_are_asked_for_by_their_words() -> None:
    turned = {**SENSE, "name": "turned", "scale": SENSE["scale"][::-1]}
    for check in made(study(SENSE, turned)):
        assert point(check, "turned") == 4 - point(check, "sense")  # points 1, 2, 3 and 3, 2, 1


def test_a_point_without_words_is_asked_for_by_the_number_that_stands_there() -> None:
    checks = made(study(ENDS))
    assert {point(check, "fluency") for check in checks} > {2}
    assert all(f'choose "{point(check, "fluency")}"' in asked(check) for check in checks)


def test_what_is_asked_for_stands_in_every_language_in_which_it_may_be_read() -> None:
    for check in made(study(BOTH, language="en", languages=["de", "en-gb"])):
        place = point(check, "good") - 1
        english, german = asked(check).split("\n")  # in British English as in English
        assert f'"{("No", "Yes")[place]}"' in english
        assert f'"{("Nein", "Ja")[place]}"' in german


def test_a_choice_is_asked_for_in_every_language_too() -> None:
    pair = PreferenceItem(key="one", context=CONTEXT, responses={"fine": "Heat.", "poor": "No."})
    for check in made(study(type="preference", language="de", languages=["en"]), pair):
        messages = check.item.responses["fine"]  # type: ignore[union-attr, index]
        assert ("A ist besser" in messages) == ("A is better" in messages) == (check.expected == {"choice": "1"})


@pytest.mark.parametrize("criteria", [(WHY,), (WHY, SENSE)])
def test_only_questions_with_options_are_asked_for(criteria: tuple[dict[str, Any], ...]) -> None:
    file = study(*criteria)
    assert [list(check.expected) for check in made(file)] == ([["sense"]] * 9 if SENSE in criteria else [])
    assert any(note.startswith("No attention checks") for note in advice(file)) == (SENSE not in criteria)


def test_a_simulated_study_whose_checks_nobody_can_pass_is_wrong() -> None:
    counts: dict[str, Any] = {"acknowledged": 0, "stored": 0, "server_errors": 0, "stuck": 0, "imbalance": 0}
    checks = {"attentive": (2, 2), "careless": (5, 5)}
    found = SimulatedStudy.model_construct(None, **counts, raters_per_item=3, coverage={}, checks=checks)
    assert found.wrong == ["2 attention checks failed by participants who followed the instructions"]


def test_a_check_about_one_reply_is_passed_by_that_reply_alone() -> None:
    places = set()
    for check in made(study(SENSE, ENDS, attention={"checks": 8, "about": "one_reply"})):
        ((field, wanted),) = check.expected.items()
        assert isinstance(check.item, RatingItem)
        place = int(field[1])
        places.add(place)
        assert list(check.item.responses.values())[place - 1] == asked(check)
        assert "about this reply" in asked(check)
        others = {f"r{n}-{name}": 1 + (n % 2) for n in (1, 2) for name in ("sense", "fluency")}
        assert is_passed(check.expected, {**others, field: wanted})
        assert not is_passed(check.expected, {**others, field: 1 + (int(str(wanted)) % 3)})
    assert places == {1, 2}
