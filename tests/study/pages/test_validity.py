"""Signs of language models: each appears where it should, excludes nobody, and is reported to participants."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.study.pages.studies import Form, entered, running, sent, source, walked
from tests.study.pages.test_staff import member, text
from trialogue.errors import DataError
from trialogue.inputs.study_data import countable_participants
from trialogue.inputs.study_files import read_export
from trialogue.study.design.file import preset
from trialogue.study.design.reading import study_of
from trialogue.study.design.validity import (
    HIDDEN_FIELD,
    Session,
    Signal,
    Validity,
    WrittenText,
    near_duplicates,
    signals_of,
    word_for,
)
from trialogue.study.export import export_study
from trialogue.study.models import Study
from trialogue.study.services.validity import signals

pytestmark = pytest.mark.usefixtures("database")
LONG = "It names a film that fits what the person asked for, and it says why."
ALL = Validity(hidden_instruction=True, traps={"root": ("13",), "year": ("1689",)}, similarity=0.7)


@pytest.mark.parametrize(
    ("session", "sign"),
    [
        (Session(hidden_filled=True), "hidden_instruction"),
        (Session(written=[WrittenText("A Halibut, of course.")], word="halibut"), "hidden_instruction"),
        (Session(answers={"root": "13", "year": "1689"}), "trap_questions"),
        (Session(reading=[(160, 19.0), (160, 19.9), (160, 90.0)]), "below_reading_time"),  # 160 / 8 = 20 s, 2 of 3
        (Session(written=[WrittenText(LONG, seconds=len(LONG) / 15 - 0.1)]), "typed_too_fast"),
    ],
)
def test_each_sign_appears_where_it_should(session: Session, sign: Signal) -> None:
    assert signals_of({1: session}, ALL) == {1: [sign]}


@pytest.mark.parametrize(
    "session",
    [
        Session(),
        Session(written=[WrittenText("halibuts are fish", 1.0)], word="halibut"),
        Session(answers={"root": "13", "year": "unknown"}),
        Session(reading=[(160, 20.0), (160, 19.0), (160, 90.0)]),
        Session(written=[WrittenText(LONG, seconds=len(LONG) / 15)]),
        Session(written=[WrittenText(LONG, seconds=0.1, pasted=True)]),
        Session(written=[WrittenText(LONG)]),
        Session(written=[WrittenText("ok", seconds=0.01)]),
    ],
)
def test_no_sign_appears_below_its_limit(session: Session) -> None:
    assert signals_of({1: session}, ALL) == {}


def test_near_duplicates_are_between_people_and_of_long_texts_only() -> None:
    changed = LONG.replace("fits what", "suits what").upper() + "!!"
    other = "I would never have chosen that one, since the person said twice that they hate horror."
    assert near_duplicates({1: [LONG, other], 2: [changed], 3: ["Same.", "Same."], 4: ["Same."]}, ALL) == {
        1: 1,
        2: 1,
        3: 0,
        4: 0,
    }
    assert near_duplicates({1: [LONG, LONG]}, ALL) == {1: 0}  # one's own texts are a rule's matter (same_text)


def test_no_sign_can_be_an_exclusion_rule_and_a_trap_has_to_be_asked() -> None:
    fields: dict[str, Any] = {"study": "s", "type": "realism", "title": "T", "phases": ["tasks", "exit"]}
    with pytest.raises(DataError, match="exclusion"):
        study_of({**fields, "exclusion": ["near_duplicate"]})
    with pytest.raises(DataError, match="traps names 'root', which no questionnaire asks"):
        study_of({**fields, "validity": {"traps": {"root": ["13"]}}})


def test_the_preset_of_traps_offers_not_to_know_first() -> None:
    questions = preset("llm-traps")
    assert len(questions) == 3
    assert all(question.options[0].value == "unknown" for question in questions)
    assert 13**6 == 4826809


def watched(**more: Any) -> Study:
    """A study that looks for everything."""
    return running("preference", validity={"hidden_instruction": True}, **more)


def test_the_hidden_instruction_is_seen_by_nobody_and_found_in_who_follows_it(tmp_path: Path) -> None:
    study, reads = watched(items=8), Client()
    walked(Client(), study)
    page = entered(reads, study)
    while "token" in Form(source(page)).hidden:
        if HIDDEN_FIELD in Form(source(page)).texts:
            hidden = source(page).partition('<div class="unseen" aria-hidden="true"')[2].partition("</div>")[0]
            assert word_for(2) in hidden
            assert 'tabindex="-1"' in hidden
        form = Form(source(page))
        posted = {**form.filled(), **({HIDDEN_FIELD: word_for(2)} if HIDDEN_FIELD in form.texts else {})}
        page = reads.post(form.action, posted, follow=True)  # type: ignore[assignment]
    people = {each.number: each.pk for each in study.participants.all()}
    assert "hidden_instruction" in signals(study)[people[2]]
    assert not any("hidden_instruction" in person.flags for person in study.participants.all())  # no rule: not stored
    assert "followed a hidden instruction" in text(member(), "/staff/preference/people/")
    export_study(study, tmp_path, who="test")
    data, _ = read_export(tmp_path)
    assert any("hidden_instruction" in person.flags for person in data.people)
    assert countable_participants(data.people, data.rules) == frozenset(
        study.participants.values_list("code", flat=True)
    )
    assert "hidden_instruction" not in json.loads((tmp_path / "study.json").read_text())["exclusion_rules"]


def test_a_study_that_looks_for_nothing_flags_nothing_in_its_export(tmp_path: Path) -> None:
    study = running("preference")
    walked(Client(), study)
    assert signals(study)  # these visitors answer at once
    export_study(study, tmp_path, who="test")
    data, _ = read_export(tmp_path)
    assert {flag for person in data.people for flag in person.flags} <= {"too_fast", "same_text", "straight_lining"}


def test_the_consent_says_that_conversations_may_go_to_language_models_of_others_if_it_asks_for_that() -> None:
    asking = running("chat", consent={"text": "Please.", "allows": ["language_models"]})
    assert "may be sent to language models run by other companies" in source(entered(Client(), asking))


def test_the_consent_does_not_mention_language_models_that_it_does_not_ask_for() -> None:
    assert "language models of other" not in source(entered(Client(), running("chat")))


def test_the_consent_says_what_is_noted_and_what_it_is_looked_at_for() -> None:
    shown = source(entered(Client(), watched()))
    assert "record when text is pasted, when you switch to another window and" in shown
    assert "a program answered instead of a person" in shown
    assert "a program answered instead" not in source(entered(Client(), running("rating")))
    client = Client()
    page = sent(client, entered(client, running("realism")))
    assert 'aria-hidden="true" lang="en"' not in source(page)
