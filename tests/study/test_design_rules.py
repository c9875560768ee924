"""Rules of the study file that keep answers readable: one namespace, readable checks, numbers without doubt, kinds."""

from pathlib import Path
from typing import Any

import pytest

from tests.study.walking import FRAME, OF_TYPE, entered, running, walk
from trialogue.errors import DataError
from trialogue.study.design.checks import checks_of
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import RatingItem
from trialogue.study.design.questions import InvalidAnswer, NumberLimits, Question, answer_to
from trialogue.study.design.reading import study_of
from trialogue.study.export import export_study
from trialogue.subjects.people.commands.report import study_findings

SENSE = {"name": "sense", "question": "Is it?", "choice": ["yes", "no"]}


def file(kind: str = "rating", **more: Any) -> StudyFile:
    return study_of({"study": "a", "type": kind, **FRAME, **OF_TYPE[kind], **more})


@pytest.mark.parametrize("field", ["after", "before", "questions"])
def test_two_questions_of_one_name_are_refused_wherever_they_are_asked(field: str) -> None:
    asked: Any = [SENSE] if field == "questions" else [{"questions": [SENSE]}]
    with pytest.raises(DataError, match=r"'sense' occurs twice, here and in criteria\. Give each its own name"):
        file("rating", **{field: asked})


def test_ratings_of_turns_and_of_the_whole_conversation_need_different_names() -> None:
    with pytest.raises(DataError, match="'sense' occurs twice, here and in criteria"):
        file("chat", chat={"turns": 2, "at_least": 1, "each_turn": [SENSE]})


@pytest.mark.parametrize("text", ["25,000", "25.000", "1,234,567", "+1.000"])
def test_a_number_that_some_read_as_thousands_is_asked_again(text: str) -> None:
    for whole in (True, False):
        question = Question(name="films", question="How many?", number=NumberLimits(whole=whole))
        assert answer_to(question, [text]) == InvalidAnswer("ambiguous")


@pytest.mark.parametrize(("text", "number"), [("0.125", 0.125), ("0,125", 0.125), ("12,5", 12.5), ("1234.5", 1234.5)])
def test_decimals_without_doubt_are_taken(text: str, number: float) -> None:
    question = Question(name="films", question="How many?", number=NumberLimits(whole=False))
    assert answer_to(question, [text]) == number


def test_checks_are_in_the_language_of_the_study_or_the_study_is_refused() -> None:
    checks = {"checks": 1, "min_seconds_per_item": 0}
    with pytest.raises(DataError, match=r"no text of attention checks in 'fr', 'it'.*or checks: 0"):
        file(language="fr", languages=["en", "it"], attention=checks)
    assert file(language="fr", attention={"checks": 0, "min_seconds_per_item": 0}).language == "fr"
    with pytest.raises(DataError, match=r"must contain \{answer\}"):
        file(language="fr", attention=checks | {"text": {"fr": "Lisez bien."}})
    made = file(language="fr", languages=["de-at"], attention=checks | {"text": {"fr": "Choisissez « {answer} »."}})
    item = RatingItem.model_validate(
        {"key": "i", "context": [{"speaker": "user", "text": "Hm?"}], "responses": {"a": "A", "b": "B"}}
    )
    import numpy as np

    check, plain = checks_of(made, [item], rng=np.random.default_rng(0))
    assert isinstance(check.item, RatingItem)
    assert plain.origin == ""
    (asked,) = (text for text in check.item.responses.values() if len(text) > 1)
    french, german = asked.split("\n")
    assert french.startswith("Choisissez « ")
    assert german.startswith("Diese Antwort prüft die Aufmerksamkeit")


@pytest.mark.usefixtures("store")
def test_choices_about_replies_are_straight_lined_and_described_by_system(tmp_path: Path) -> None:
    study = running(
        items=3, raters_per_item=3, criteria=[SENSE | {"name": "fit"}], exclusion=[], replace_excluded=False
    )
    walked = [entered(study) for _ in range(3)]
    for person, wanted in zip(walked, ("yes", "yes", None), strict=True):
        walk(person, {"fit": wanted} if wanted else None)
    assert ["straight_lining" in each.flags for each in walked] == [True, True, False]
    export_study(study, tmp_path, who="test")
    found = study_findings(tmp_path)
    assert "nothing that compares systems" not in " ".join(found.answer)
    assert sorted(each.system for each in found.options) == ["human", "kbrd", "redial"]
    assert {each.answers for each in found.options} == {9}
    agreements = [each.agreement for each in found.options]
    assert all(each is not None and (each.value is not None or each.why) for each in agreements)
    share = {row.option: row.estimate.value for each in found.options for row in each.options if each.system == "kbrd"}
    assert share["yes"] is not None
    assert share["no"] is not None
    assert share["yes"] + share["no"] == pytest.approx(1)
