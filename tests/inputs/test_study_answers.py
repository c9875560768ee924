"""What people said in a study, beside metrics: only of those whose answers count."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.inputs.inputs import gather
from trialogue.inputs.locations import resolve
from trialogue.inputs.study_answers import export_files
from trialogue.records import Dialogue, Labeller, Preference, Record, Score, Utterance, write_records
from trialogue.records.files.jsonl import RepairWarning
from trialogue.subjects.alignment.labelling.answers import read_answers
from trialogue.subjects.people.commands.report import study_findings

PEOPLE = """participant,state,reached,reason,flags,started_at,finished_at
good,completed,completed,,,,
careless,completed,completed,,failed_checks,,
slow,completed,completed,,slow,,
gone,active,active,,,,
"""
CODES = ("good", "careless", "slow", "gone")


def rated(rater: str) -> Score:
    about = {"system": "aria", "situation_id": "s1", "rater": rater}
    return Score(measure="human:quality", level="response", value=4, **about)


def vote(rater: str) -> Preference:
    return Preference(id=f"v-{rater}", a="aria", b="bolt", choice="a", rater=rater, dialogue_a="1", dialogue_b="2")


def talk(rater: str) -> Dialogue:
    return Dialogue(id=f"talk-{rater}", system="aria", user=rater, utterances=(Utterance(speaker="user", text="Hi"),))


def export(folder: Path, *, task: str = "choice", people: str = PEOPLE) -> Path:
    folder.mkdir()
    (folder / "participants.csv").write_text(people, encoding="utf-8")
    words = {"title": "A study", "exclusion_rules": {"failed_checks": "failed a check"}, "preferences": task}
    (folder / "study.json").write_text(json.dumps(words), encoding="utf-8")
    records: dict[str, Sequence[Record]] = {
        "scores.jsonl": [rated(code) for code in CODES],
        "preferences.jsonl": [vote(code) for code in CODES],
        "dialogues.jsonl": [talk(code) for code in CODES],
    }
    for name, rows in records.items():
        write_records(folder / name, rows)
    (folder / "answers.csv").write_text("rater,step\ngood,1\n", encoding="utf-8")
    return folder


def test_an_export_is_an_input_of_its_own_and_only_those_count_whom_the_plan_does_not_exclude(tmp_path: Path) -> None:
    found = gather([export(tmp_path / "export")])
    assert [score.rater for score in found.scores] == ["good", "slow"]  # "slow" is a flag that the plan does not name
    assert [each.rater for each in found.preferences] == ["good", "slow"]
    assert [dialogue.id for dialogue in found.dialogues] == ["talk-good", "talk-slow"]
    assert any("2 of 4 participants are left out" in warning for warning in found.warnings)


def test_a_file_of_an_export_is_read_with_the_table_of_participants_beside_it(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    found = gather([folder / "scores.jsonl"])
    assert [score.rater for score in found.scores] == ["good", "slow"]
    assert not found.preferences
    assert not found.dialogues
    assert "participants.csv" in found.hashes  # whose answers count is part of what was read


def test_a_file_of_scores_without_participants_is_taken_whole(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    (folder / "participants.csv").unlink()
    assert len(gather([folder / "scores.jsonl"]).scores) == 4


def test_choices_of_a_realism_study_are_no_votes_on_systems_and_that_is_said(tmp_path: Path) -> None:
    found = gather([export(tmp_path / "export", task="realism")])
    assert not found.preferences
    assert any(
        "4 judgements of which dialogue is human are not votes on systems" in warning for warning in found.warnings
    )


def test_where_nothing_is_left_it_is_said_why(tmp_path: Path) -> None:
    folder = export(tmp_path / "export", task="realism")
    for name in ("scores.jsonl", "dialogues.jsonl"):
        (folder / name).unlink()
    with pytest.raises(
        DataError, match=r"(?s)nothing to evaluate.*judgements of which dialogue is human are not votes"
    ):
        gather([folder])


@pytest.mark.parametrize("words", [None, {"title": "Who is human?"}])
def test_judgements_of_who_is_human_are_known_without_being_called_so(tmp_path: Path, words: object) -> None:
    folder = export(tmp_path / "export")
    write_records(folder / "preferences.jsonl", [vote(code).model_copy(update={"b": "human"}) for code in CODES])
    assert len(gather([folder]).preferences) == 2  # study.json says that they are choices: of "good" and "slow"
    (folder / "study.json").unlink()
    if words is not None:
        (folder / "study.json").write_text(json.dumps(words), encoding="utf-8")
    found = gather([folder])
    assert not found.preferences
    (messages,) = [
        each
        for each in found.warnings
        if "read as judgements of which dialogue is human (realism). If people chose" in each
    ]
    assert messages.startswith(str(folder))


@pytest.mark.parametrize("other", [{"b": "bolt"}, {"dialogue_a": None, "dialogue_b": None, "situation_id": "s1"}])
def test_a_system_that_is_called_human_among_others_is_voted_on(tmp_path: Path, other: dict[str, str | None]) -> None:
    folder = export(tmp_path / "export")
    (folder / "study.json").unlink()
    votes = [vote(code).model_copy(update={"b": "human"}) for code in CODES]
    write_records(folder / "preferences.jsonl", [votes[0].model_copy(update=other), *votes[1:]])
    found = gather([folder])
    assert [each.rater for each in found.preferences] == ["good"]
    assert not any("which dialogue is human" in warning for warning in found.warnings)


def test_without_a_plan_every_flag_excludes(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    (folder / "study.json").unlink()
    assert [score.rater for score in gather([folder]).scores] == ["good"]


def test_everything_wrong_in_an_export_is_reported_at_once(tmp_path: Path) -> None:
    folder = export(tmp_path / "export", people=PEOPLE + "good,completed,completed,,,,\n")
    lines = (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "scores.jsonl").write_text("\n".join(["{broken", *lines]), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        gather([folder])
    messages = str(caught.value)
    assert "scores.jsonl" in messages
    assert "'good' has two rows" in messages


def test_a_folder_of_plain_files_is_no_export(tmp_path: Path) -> None:
    write_records(tmp_path / "scores.jsonl", [rated("good")])
    assert export_files(tmp_path) == []
    assert resolve(str(tmp_path / "scores.jsonl")).reader is None


def test_talks_alone_are_those_of_people_who_count_too(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    assert [each.id for each in gather([folder / "dialogues.jsonl"]).dialogues] == ["talk-good", "talk-slow"]
    for name in ("scores.jsonl", "preferences.jsonl"):
        (folder / name).unlink()
    assert [each.id for each in gather([folder]).dialogues] == ["talk-good", "talk-slow"]


def test_answers_of_nobody_do_not_count_where_people_are_distinguished(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    nobody = Score(measure="human:quality", level="response", value=1, system="aria", situation_id="s1")
    write_records(folder / "scores.jsonl", [rated("good"), nobody])
    assert [score.rater for score in gather([folder / "scores.jsonl"]).scores] == ["good"]


def test_answers_about_no_system_are_no_ratings_and_that_is_said(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    age = Score(measure="human:age", level="dialogue", value=30, rater="good")
    write_records(folder / "scores.jsonl", [rated("good"), age])
    found = gather([folder])
    assert [score.measure for score in found.scores] == ["human:quality"]
    assert any(
        "answers to questions that concern no system are left out (1 of 2)" in warning for warning in found.warnings
    )


def test_a_table_without_a_row_leaves_nobody_out(tmp_path: Path) -> None:
    found = gather([export(tmp_path / "export", people=PEOPLE.partition("\n")[0] + "\n")])
    assert [score.rater for score in found.scores] == list(CODES)
    assert not any("left out" in warning for warning in found.warnings)


def test_labels_of_a_study_count_only_from_those_whom_the_plan_does_not_exclude(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    rows = [f"a,0,{code},similarity,annotator" for code in CODES] + ["b,0,gone,credibility,annotator"]
    head = "dialogue_id,utterance,rater,label,role"
    (folder / "labels.csv").write_text("\n".join([head, *rows, "c,0,boss,credibility,adjudicator"]) + "\n", "utf-8")
    with pytest.warns(RepairWarning, match="2 labellers are left out"):
        found = read_answers(folder)
    assert {key: [label.origin for label in labels] for key, labels in found.items()} == {
        "a": ["good", "slow"],
        "c": ["boss"],  # who decides disagreements takes no part in the study
    }
    (folder / "labels.csv").write_text(f"{head}\na,0,gone,similarity,annotator\n", "utf-8")
    with pytest.raises(DataError, match=r"contains no answers.* 1 labellers? (is|are) left out"):
        read_answers(folder)


def test_answers_of_scripts_are_never_taken_for_those_of_people_without_a_word(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    label = "dialogue_id,utterance,rater,label,role\na,0,good,similarity,annotator\n"
    (folder / "labels.csv").write_text(label, "utf-8")
    assert not any("rehearsal" in line for line in gather([folder]).warnings)  # an export of people, or an older one
    assert not any("rehearsal" in line for line in study_findings(folder).answer)
    assert {label.by for labels in read_answers(folder).values() for label in labels} == {Labeller.PERSON}
    words = json.loads((folder / "study.json").read_text("utf-8"))
    (folder / "study.json").write_text(json.dumps(words | {"simulated": True}), "utf-8")
    assert gather([folder]).warnings[0] == "study.json: These answers come from scripts, not people: a rehearsal."
    assert gather([folder / "scores.jsonl"]).warnings[0].endswith("a rehearsal.")
    scripted = read_answers(folder / "labels.csv")
    assert {label.by for labels in scripted.values() for label in labels} == {Labeller.SCRIPTED}
    found = study_findings(folder)
    said = {sentences[0] for sentences in (found.answer, found.warnings, found.methods)}
    assert said == {"These answers come from scripts, not people: a rehearsal."}
    (folder / "study.json").write_text('{"simulated": "yes"}', "utf-8")
    with pytest.raises(DataError, match="expected true or false, got 'yes'"):
        read_answers(folder)
