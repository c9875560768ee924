"""What people did is what the export holds, and what the report reads."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.study.walking import entered, running, walk
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Preference, Reason, ReasonCode, Score, read_records
from trialogue.study.export import export_study
from trialogue.study.models import Assignment, Audit, Study, Submission
from trialogue.study.services import leaving
from trialogue.subjects.judging.commands.consent import disclosure_of
from trialogue.subjects.people.commands.report import study_findings

pytestmark = pytest.mark.usefixtures("store")


def exported(study: Study, folder: Path) -> dict[str, str]:
    """The files of an export."""
    return {path.name: path.read_text("utf-8") for path in export_study(study, folder / "export", who="test")}


def rows(text: str) -> list[dict[str, str]]:
    """Rows of a table."""
    return list(csv.DictReader(text.splitlines()))


def test_ratings_of_systems_stand_with_the_system_that_was_shown_at_that_place(tmp_path: Path) -> None:
    study = running()
    person = entered(study)
    walk(person)
    files = exported(study, tmp_path)
    assert sorted(files) == [
        "answers.csv",
        "participants.csv",
        "presentations.csv",
        "scores.jsonl",
        "study.json",
    ]
    found = list(read_records(tmp_path / "export" / "scores.jsonl", Score))
    assert len(found) == 9  # three items, three systems each
    for task in person.assignments.select_related("slot", "item", "submission"):
        for place, system in enumerate(task.slot.order, start=1):
            score = next(each for each in found if (each.situation_id, each.system) == (task.item.key, system))
            assert score.value == task.submission.answers[f"r{place}-sense"]
            assert (score.dialogue_id, score.rater) == (task.item.dialogue, person.code)
    shown = rows(files["presentations.csv"])
    assert [row["position"] for row in shown] == ["1", "2", "3"] * 3
    assert [row["trial"] for row in shown] == ["2"] * 3 + ["3"] * 3 + ["4"] * 3  # consent is the first page
    messages = json.loads(files["study.json"])
    assert messages["study_hash"] == study.sha256
    assert messages["scales"]["human:sense"]["labels"]["5"] == "Perfectly meaningful"


def test_the_report_reads_what_was_exported(tmp_path: Path) -> None:
    study = running(items=4, raters_per_item=4, items_per_participant=4)
    for _ in range(4):
        walk(entered(study))
    exported(study, tmp_path)
    findings = study_findings(tmp_path / "export")
    assert findings.title == "Which reply makes sense?"
    assert "human:sense" in findings.model_dump_json()


ONCE = [
    {"name": "known", "question": "How many of these films do you know?", "number": {"low": 0}},
    {"name": "sure", "question": "How sure are you?", "scale": ["not at all", "quite", "entirely"], "required": False},
]


@pytest.mark.parametrize(
    ("kind", "agents"), [("rating", 0), ("preference", 0), ("labelling", 0), ("chat", 1), ("chat", 2)]
)
def test_points_and_numbers_that_are_asked_once_with_an_item_are_of_no_system_unless_it_has_but_one(
    kind: str, agents: int, tmp_path: Path
) -> None:
    systems: dict[str, Any] = {"agents": dict.fromkeys(("one", "two"), "echo")} if agents else {}
    study = running(kind, questions=ONCE, agents_of_items=["one", "two"][:agents], **systems)
    person = entered(study)
    walk(person, {"known": "7", "sure": ""})
    files = exported(study, tmp_path)
    found = list(read_records(tmp_path / "export" / "scores.jsonl", Score))
    known = [each for each in found if each.measure == "human:known"]
    assert [each.value for each in known] == [7.0] * 3  # three items
    assert {each.system for each in known} == ({"one"} if agents == 1 else {None})
    if agents != 1:
        keys = person.assignments.values_list("item__key", flat=True)
        assert sorted(str(each.situation_id) for each in known) == sorted(keys)
    assert [(each.value, each.why) for each in found if each.measure == "human:sure"] == [
        (None, Reason.of(ReasonCode.QUESTION_SKIPPED))
    ] * 3
    assert json.loads(files["study.json"])["scales"]["human:sure"]["labels"]["3"] == "entirely"
    assert len({(each.measure, each.system, each.situation_id, each.dialogue_id) for each in found}) == len(found)
    if agents != 1:
        (messages,) = study_findings(tmp_path / "export").answers
        assert (messages.title, messages.counts) == ("Known", {"7": 3})


def test_the_same_database_gives_the_same_bytes_and_every_export_is_logged(tmp_path: Path) -> None:
    study = running()
    walk(entered(study))
    assert exported(study, tmp_path) == exported(study, tmp_path)
    assert Audit.objects.filter(what="export", who="test").count() == 2


def test_who_withdrew_is_counted_and_said_nothing_and_who_is_excluded_is_flagged(tmp_path: Path) -> None:
    study = running(exclusion=["too_fast"], attention={"checks": 0, "min_seconds_per_item": 60})
    gone, fast = entered(study), entered(study)
    walk(gone)
    walk(fast)
    leaving.withdraw(gone)
    files = exported(study, tmp_path)
    people = {row["participant"]: row for row in rows(files["participants.csv"])}
    assert (people[gone.code]["state"], people[fast.code]["flags"]) == ("withdrew", "too_fast")
    assert {score.rater for score in read_records(tmp_path / "export" / "scores.jsonl", Score)} == {fast.code}
    assert gone.code not in files["answers.csv"]
    assert json.loads(files["study.json"])["exclusion_rules"] == {
        "too_fast": "typically took less than 60 s for an item"
    }


@pytest.mark.parametrize("side", ["1", "same", "2"])
def test_a_preference_is_for_the_system_that_stood_on_the_chosen_side(side: str, tmp_path: Path) -> None:
    study = running("preference")
    person = entered(study)
    walk(person, {"choice": side, "reason": "=1+1"})
    files = exported(study, tmp_path)
    orders = {task.item.key: task.slot.order for task in person.assignments.select_related("slot", "item")}
    for each in read_records(tmp_path / "export" / "preferences.jsonl", Preference):
        order = orders[each.situation_id or ""]
        chosen = "tie" if side == "same" else "a" if order[int(side) - 1] == each.a else "b"
        assert (each.a, each.b, each.choice, each.reason) == ("kbrd", "redial", chosen, "=1+1")
        shown = next(row for row in rows(files["presentations.csv"]) if row["preference_id"] == each.id)
        assert shown["position"] == ("1" if order[0] == each.a else "2")
    assert {row["answer"] for row in rows(files["answers.csv"]) if row["field"] == "reason"} == {"'=1+1"}


def test_of_realism_the_simulator_is_a_and_the_human_b(tmp_path: Path) -> None:
    study = running("realism")
    person = entered(study)
    walk(person, {"choice": "1"})
    exported(study, tmp_path)
    orders = {f"{person.code}:task:{each.position}": each.slot.order for each in person.assignments.all()}
    for each in read_records(tmp_path / "export" / "preferences.jsonl", Preference):
        assert (each.a, each.b, each.source) == ("cir6", "human", "bot")
        assert each.choice == ("b" if orders[each.id][0] == "human" else "a")
        assert (each.dialogue_a or "")[0] + (each.dialogue_b or "")[0] == "sh"


def test_labels_and_chats_are_exported_as_records(tmp_path: Path) -> None:
    study = running("labelling")
    walk(entered(study), {"label": "no_strategy"})
    labels = rows(exported(study, tmp_path)["labels.csv"])
    assert [(row["utterance"], row["label"], row["role"]) for row in labels] == [("1", "no_strategy", "annotator")] * 3
    chats = running("chat")
    walk(entered(chats), {"sense": "4"})
    exported(chats, tmp_path / "chat")
    said = list(read_records(tmp_path / "chat" / "export" / "dialogues.jsonl", Dialogue))
    scores = list(read_records(tmp_path / "chat" / "export" / "scores.jsonl", Score))
    assert {each.dialogue_id for each in scores} == {each.id for each in said}
    assert {(each.value, each.system, each.level) for each in scores} == {(4.0, "one", "dialogue")}
    assert [each.text for each in said[0].utterances] == ["Hello there", "Hello there"]
    held = Assignment.objects.filter(participant__study=chats)
    keys = {f"{each.participant.code}-{each.position}-1": each.item.key for each in held}
    needs = {each.id: "item-0" if each.need is None else each.need.id.replace("n", "item-") for each in said}
    assert needs == keys
    assert len(set(needs.values())) == 3


def chats_that_may_be_judged(version: str = "1", **more: Any) -> Study:
    return running("chat", consent={"version": version, "text": "Please.", "allows": ["language_models"]}, **more)


def test_consent_to_language_models_is_exported_with_conversations_and_read_by_the_judge(tmp_path: Path) -> None:
    study = chats_that_may_be_judged()
    walk(entered(study), {"sense": "4"})
    exported(study, tmp_path)
    said = list(read_records(tmp_path / "export" / "dialogues.jsonl", Dialogue))
    assert said
    assert {json.dumps(each.meta) for each in said} == {'{"consent": ["language_models"]}'}
    assert disclosure_of(said, [], ["https://models.example.org/v1"]) is None
    asked = disclosure_of(
        [each.model_copy(update={"meta": {}}) for each in said], [], ["https://models.example.org/v1"]
    )
    assert asked is not None
    assert asked.dialogues == len(said)


def test_consent_to_another_version_of_the_text_is_none_to_this_one(tmp_path: Path) -> None:
    study = chats_that_may_be_judged()
    person = entered(study)
    walk(person, {"sense": "4"})
    person.consent_version = "0"
    person.save()
    exported(study, tmp_path)
    assert {len(each.meta) for each in read_records(tmp_path / "export" / "dialogues.jsonl", Dialogue)} == {0}


def test_without_the_word_in_the_study_file_nobody_agreed_to_language_models(tmp_path: Path) -> None:
    study = running("chat")
    walk(entered(study), {"sense": "4"})
    exported(study, tmp_path)
    said = list(read_records(tmp_path / "export" / "dialogues.jsonl", Dialogue))
    assert {len(each.meta) for each in said} == {0}
    with pytest.raises(DataError, match=r"consent\.allows\[0\]: expected one of 'language_models'"):
        running("chat", consent={"text": "Please.", "allows": ["everything"]})


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("")
    with pytest.raises(UsageError, match="thesis"):
        export_study(running(), tmp_path, who="test")
    assert not Submission.objects.exists()


def test_infacts_workbooks_have_their_12_8_and_13_columns_and_no_formulas(tmp_path: Path) -> None:
    import openpyxl

    pages: dict[str, Any] = {
        "before": [{"questions": [{"preset": "infact-demographics"}]}],
        "after": [
            {"questions": [{"preset": "infact-experience"}]},
            {"questions": [{"name": "remarks", "question": "Remarks?", "text": {"lines": 4}, "required": False}]},
        ],
    }
    study = running(phases=["consent", "before", "tasks", "after", "exit"], **pages)
    person, unfinished = entered(study), entered(study)
    walk(person, {"remarks": "=cmd()", "used_chatbot": "yes", "used_crs": "no"})
    walk(unfinished, until="after")
    export_study(study, tmp_path, who="test", infact=True)
    books = {
        path.stem: [[cell.value for cell in row] for row in openpyxl.load_workbook(path).active.iter_rows()]
        for path in tmp_path.glob("*.xlsx")
    }
    widths = {name: {len(row) for row in rows} for name, rows in books.items()}
    assert widths == {
        "valid_study_data": {12},
        "invalid_study_data": {12},
        "valid_demographic_data": {8},
        "valid_feedback_data": {13},
    }
    assert [len(books[name]) for name in ("valid_study_data", "invalid_study_data")] == [4, 4]
    about = dict(zip(*books["valid_demographic_data"], strict=True))
    assert (about["user_ID"], about["movie_crs"], about["other_crs"]) == (person.code, "yes", "no")
    felt = dict(zip(*books["valid_feedback_data"], strict=True))
    assert (felt["remarks"], felt["group"]) == ("'=cmd()", "none")
    first = dict(zip(books["valid_study_data"][0], books["valid_study_data"][1], strict=True))
    task = person.assignments.select_related("slot", "submission").get(item__key=first["fragment"])
    place = task.slot.order.index("kbrd") + 1
    assert first["kbrd_rating"] == task.submission.answers[f"r{place}-sense"]
    assert first["valid"] == 1


def test_workbooks_are_refused_before_anything_is_written_where_they_cannot_hold_a_study(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one criterion"):
        export_study(running("labelling"), tmp_path / "export", who="test", infact=True)
    assert not (tmp_path / "export").exists()
    assert not Audit.objects.filter(what="export").exists()
