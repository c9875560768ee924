"""A study's export to a report, and what is reported of exports that cannot be read."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.subjects.people.made import judged, participants, rated
from trialogue.errors import DataError, UsageError
from trialogue.inputs.study_files import read_export
from trialogue.records import write_records
from trialogue.subjects.people.commands.report import study_findings, study_report
from trialogue.subjects.people.pages.document import read_study_findings


def table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows(rows)


def export(folder: Path, *, workers: int = 10) -> Path:
    """A small study of everything."""
    folder.mkdir(exist_ok=True)
    scores, shown = rated(np.random.default_rng(0), workers=workers, situations=5, pool=12)
    write_records(folder / "scores.jsonl", scores)
    write_records(folder / "preferences.jsonl", judged(np.random.default_rng(1), pairs=12))
    people: list[tuple[object, ...]] = [
        (p.participant, p.state, p.reached, p.reason, ";".join(p.flags), p.started_at, p.finished_at)
        for p in participants(workers, flagged=(2,))
    ]
    head = ("participant", "state", "reached", "reason", "flags", "started_at", "finished_at")
    people += [(one.rater, "completed", "", "", "", "", "") for one in judged(np.random.default_rng(1), pairs=12)]
    table(folder / "participants.csv", head, {str(row[0]): row for row in people}.values())
    table(
        folder / "presentations.csv",
        ("rater", "system", "situation_id", "dialogue_id", "position", "seconds", "preference_id"),
        [
            *((k[0], k[1], k[2], k[3], one.position, one.seconds, "") for k, one in shown.items()),
            ("", "", "", "", 1, 30, "sim-0-0"),
        ],
    )
    labels = [
        (f"d{d}", u, rater, "ab"[(d + u + (rater == "ann" and d == 0)) % 2], "")
        for d in range(4)
        for u in range(3)
        for rater in ("ann", "bob")
    ]
    table(folder / "labels.csv", ("dialogue_id", "utterance", "rater", "label", "role"), labels)
    with (folder / "participants.csv").open("a", encoding="utf-8") as stream:
        stream.write("ann,completed,,,,,\nbob,completed,,,,,\n")
    table(
        folder / "codes.csv",
        ("preference_id", "coder", "code"),
        [("sim-0-0", "ann", "grammar"), ("sim-0-0", "bob", "")],
    )
    study = {
        "title": "A study",
        "preferences": "realism",
        "study_hash": "ab" * 32,
        "raters_per_item": 3,
        "exclusion_rules": {"failed_attention": "answered a check wrongly"},
        "scales": {"human:meaningfulness": {"title": "Meaningfulness", "labels": {"1": "None", "5": "All"}}},
    }
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(tmp_path_factory.mktemp("export"))


def test_an_export_becomes_a_report(folder: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    page = study_report(folder, tmp_path, progress=messages.append)
    text = page.read_text(encoding="utf-8")
    assert "A study" in text
    assert "Which dialogue was a person" in text
    assert "<script" not in text
    names = {path.name for path in tmp_path.iterdir()}
    tables = {"systems.csv", "pairs.csv", "agreement.csv", "sensitivity.csv", "choices.csv"}
    assert names == {"report.html", "findings.json", "manifest.json", "methods.txt", "figures", *tables}
    found = read_study_findings(tmp_path)
    assert found.flow is not None
    assert found.study_hash == "ab" * 32
    assert found.flow.page_seconds is not None
    assert found.flow.page_seconds.value == 20  # every page of the made-up study took 20 s
    assert found.choices is not None
    assert found.labels is not None
    assert set(found.manifest.inputs) == {path.name for path in folder.iterdir()}
    assert messages


def test_the_same_export_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    one, other = (study_report(folder, tmp_path / name, seed=3) for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert (tmp_path / "one" / "findings.json").read_bytes() == (tmp_path / "other" / "findings.json").read_bytes()


def test_files_can_be_named_one_by_one(folder: Path) -> None:
    data, hashes = read_export([folder / "scores.jsonl", folder / "participants.csv"])
    assert set(hashes) == {"scores.jsonl", "participants.csv"}
    assert not data.preferences


def test_participants_may_be_json_lines(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_bytes((folder / "scores.jsonl").read_bytes())
    lines = [
        {"participant": "P000", "state": "completed", "flags": ["x"], "extra": 1},
        {"participant": "P001", "state": "completed"},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "participants.jsonl").write_text(text, encoding="utf-8")
    data, _ = read_export(tmp_path)
    assert [person.flags for person in data.people] == [("x",), ()]


def test_the_apostrophe_that_guards_a_formula_is_taken_off(tmp_path: Path) -> None:
    table(tmp_path / "labels.csv", ("dialogue_id", "utterance", "rater", "label"), [("'=d", 1, "'@ann", "it's")])
    (label,) = read_export(tmp_path)[0].labels
    assert (label.dialogue_id, label.rater, label.label) == ("=d", "@ann", "it's")


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


BROKEN: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "nothing": (empty, ["no file of answers found"]),
    "broken JSON": (lambda f: (f / "study.json").write_text("{"), ["study.json", "not valid JSON"]),
    "impossible values in study.json": (
        lambda f: (f / "study.json").write_text(
            json.dumps(
                {"preferences": "x", "raters_per_item": 0, "title": 3, "scales": {"m": {"labels": {"one": "x"}}}}
            )
        ),
        ["field preferences", "field raters_per_item", "field title", "field scales"],
    ),
    "unknown state": (
        lambda f: (f / "participants.csv").write_text("participant,state\nP1,gone\nP2,completed\nP2,completed\n"),
        ["line 2, field state", "'P2' has two rows"],
    ),
    "missing columns": (lambda f: (f / "labels.csv").write_text("dialogue_id,label\nx,y\n"), ["lacks the columns"]),
    "broken numbers": (
        lambda f: (f / "presentations.csv").write_text("rater,position\nP1,first\nP1,0\nP1,1.5\nP1,nan\n"),
        ["line 2", "line 3", "line 4", "line 5"],
    ),
    "two kinds of participants": (lambda f: (f / "participants.jsonl").write_text("{}"), ["keep one"]),
    "not UTF-8": (lambda f: (f / "codes.csv").write_bytes(b"preference_id,coder\n\xff,a\n"), ["not UTF-8"]),
    "broken scores": (lambda f: (f / "scores.jsonl").write_text('{"kind":"score","v":1}\nx\n'), ["line 1", "line 2"]),
    "unclosed quotes": (lambda f: (f / "codes.csv").write_text('preference_id,coder\n"x,y\n'), ["this is not CSV"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_export_is_refused_with_every_mistake(name: str, folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    damage, expected = BROKEN[name]
    damage(tmp_path)
    with pytest.raises(DataError) as caught:
        read_export(tmp_path)
    for words in expected:
        assert words in str(caught.value)


def test_unknown_files_and_options_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        read_export(tmp_path / "nowhere")
    (tmp_path / "mine.csv").write_text("x")
    with pytest.raises(DataError, match="no file of this name"):
        read_export([tmp_path / "mine.csv"])
    with pytest.raises(UsageError, match="alpha"):
        study_findings(folder, alpha=2)
    with pytest.raises(UsageError, match="seed"):
        study_findings(folder, seed=-1)


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    scores, _ = rated(np.random.default_rng(0), workers=6, situations=3, pool=6)
    bad = "<script>alert(1)</script>\u202e=cmd"
    renamed = [one.model_copy(update={"system": bad if one.system == "kbrd" else one.system}) for one in scores]
    write_records(tmp_path / "scores.jsonl", renamed)
    page = study_report(tmp_path, tmp_path / "out")
    assert "<script>alert" not in page.read_text(encoding="utf-8")


def test_an_earlier_reports_leftovers_are_removed_and_other_files_stay(folder: Path, tmp_path: Path) -> None:
    study_report([folder / "preferences.jsonl"], tmp_path)
    (tmp_path / "figures" / "mine.svg").write_text("x")
    study_report([folder / "labels.csv"], tmp_path)
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"mine.svg", "labels.svg"}
    assert not (tmp_path / "choices.csv").exists()


def test_answers_to_questionnaires_are_described(tmp_path: Path) -> None:
    from trialogue.records import Score

    asked = [Score(measure="human:age", level="dialogue", value=float(1 + i % 3), rater=f"P{i}") for i in range(9)]
    write_records(tmp_path / "scores.jsonl", asked)
    found = study_findings(tmp_path)
    assert found.answers[0].counts == {"1": 3, "2": 3, "3": 3}
    assert "Age" in study_report(tmp_path, tmp_path / "out").read_text(encoding="utf-8")


def test_who_took_part_is_a_table_and_a_sentence_with_counts_shares_and_missing_answers(tmp_path: Path) -> None:
    given = export(tmp_path / "given")
    words = json.loads((given / "study.json").read_text(encoding="utf-8"))
    words |= {"titles": {"english": "How good is your English?"}, "options": {"english": {"some": "Beginner"}}}
    (given / "study.json").write_text(json.dumps(words), encoding="utf-8")
    people = [score.rater for score in read_export(given)[0].scores]
    answers = dict(zip(dict.fromkeys(people), ("some", "fluent", "some", "some"), strict=False))
    head = ("rater", "step", "situation_id", "question", "kind", "option", "value")
    rows = [
        (rater, "after:1", "", "english", "choice", option, int(option == chosen))
        for rater, chosen in answers.items()
        for option in ("some", "fluent")
    ]
    table(given / "options.csv", head, rows)
    found = study_findings(given)
    (english,) = found.options
    counts = {row.option: row.count for row in english.options}
    assert sum(count or 0 for count in counts.values()) == english.raters
    assert english.raters + (english.missing or 0) == (found.flow.analysed if found.flow else None)
    (sentence,) = (each for each in found.methods if "How good is your English?" in each)
    assert f"Beginner {counts['Beginner']} (" in sentence
    assert f"no answer {english.missing}" in sentence
    page = study_report(given, tmp_path / "report").read_text(encoding="utf-8")
    assert "Share of answers" in page
    assert "no answer" in page
