"""Battles: rows with two systems and a winner, in the layouts that arenas and side-by-side evaluations write."""

import csv
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import trialogue
from trialogue.datasets.base import Head, recognise
from trialogue.datasets.formats.battles import FORMAT
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Preference, Raters


def table(path: Path, columns: Sequence[str], *rows: Sequence[object]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([columns, *rows])
    return path


def lines(path: Path, *objects: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")
    return path


def votes(path: Path, notes: list[Problem] | None = None) -> list[Preference]:
    assert recognise(path).name == "battles"
    heard = notes if notes is not None else []
    return [each for each in FORMAT.read(path, note=heard.append) if isinstance(each, Preference)]


SYSTEMS = [("model_a", "model_b"), ("System 1", "System 2"), ("crs1", "crs2"), ("left_bot", "right_bot"), ("a", "b")]
HEADINGS = ["winner", "Vote", "choice", "preferred", "Which is better?"]


@pytest.mark.parametrize(("systems", "heading"), [*product(SYSTEMS, HEADINGS)])
def test_usual_headings_are_recognised(tmp_path: Path, systems: tuple[str, str], heading: str) -> None:
    path = table(tmp_path / "votes.csv", [*systems, heading, "rater"], ["aria", "bolt", "aria", "p1"])
    assert [(each.a, each.b, each.choice, each.rater) for each in votes(path)] == [("aria", "bolt", "a", "p1")]


WORDS = {
    "a": ["aria", "model_a", "A", "1", "left", "first", "A>B", "A>>B", "a wins", "Option A", "[[A>B]]"],
    "b": ["bolt", "model_b", "b", "2", "right", "B_wins", "A<B", "A<<B"],
    "tie": ["tie", "Tie (bothbad)", "draw", "both", "neither", "A=B", "no preference", "same"],
}


@pytest.mark.parametrize(("choice", "word"), [(choice, word) for choice, words in WORDS.items() for word in words])
def test_a_vote_is_read_in_its_usual_words(tmp_path: Path, choice: str, word: str) -> None:
    path = lines(tmp_path / "votes.jsonl", {"model_a": "aria", "model_b": "bolt", "winner": word})
    assert [each.choice for each in votes(path)] == [choice]


def test_every_row_that_is_no_vote_is_named_at_once(tmp_path: Path) -> None:
    rows = [
        ["aria", "bolt", "chip"],
        ["aria", "bolt", "0"],
        ["aria", "aria", "a"],
        ["", "bolt", "a"],
        ["aria", "bolt", "a"],
    ]
    path = table(tmp_path / "votes.csv", ["system_a", "system_b", "winner"], *rows)
    with pytest.raises(DataError) as error:
        votes(path)
    assert [problem.line for problem in error.value.problems] == [2, 3, 4, 5]
    assert "the text 'chip'. It must name one of the two systems" in str(error.value)


def test_options_of_questions_are_no_systems(tmp_path: Path) -> None:
    path = table(tmp_path / "quiz.csv", ["a", "b", "choice"], *[[f"yes {n}", f"no {n}", "a"] for n in range(3)])
    with pytest.raises(DataError, match="'a' and 'b' have 6 values in 3 rows: texts, not systems"):
        votes(path)


def test_a_vote_with_an_id_that_is_logged_twice_is_read_once(tmp_path: Path) -> None:
    rows = [["7", "aria", "bolt", "aria"], ["7", "aria", "bolt", "aria"], ["8", "aria", "bolt", "aria"]]
    notes: list[Problem] = []
    read = votes(table(tmp_path / "v.csv", ["id", "model_a", "model_b", "winner"], *rows), notes)
    assert len(read) == 2
    assert [note.what for note in notes][:1] == ["a vote that is logged twice was read once."]
    alike = votes(table(tmp_path / "w.csv", ["model_a", "model_b", "winner"], *(row[1:] for row in rows)))
    assert len(alike) == 3


def test_a_row_without_a_vote_is_counted(tmp_path: Path) -> None:
    notes: list[Problem] = []
    path = table(tmp_path / "v.csv", ["system_a", "system_b", "winner"], ["aria", "bolt", ""], ["aria", "bolt", "b"])
    assert len(votes(path, notes)) == 1
    assert [note.what for note in notes] == ["a row without a vote was read without one."]


def test_conversations_are_read_with_the_vote_on_them(tmp_path: Path) -> None:
    def talk(reply: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "A film?"}, {"role": "assistant", "content": reply}]

    row = {"question_id": 7, "model_a": "aria", "model_b": "bolt", "winner": "model_b", "judge": "gpt-4o"}
    path = lines(tmp_path / "arena.jsonl", {**row, "conversation_a": talk("Heat."), "conversation_b": talk("Alien.")})
    notes: list[Problem] = []
    records = list(FORMAT.read(path, note=notes.append))
    dialogues = {each.id: each for each in records if isinstance(each, Dialogue)}
    (vote,) = (each for each in records if isinstance(each, Preference))
    assert vote.dialogue_a is not None
    assert vote.dialogue_b is not None
    assert dialogues[vote.dialogue_a].utterances[1].text == "Heat."
    assert (dialogues[vote.dialogue_b].system, dialogues[vote.dialogue_b].utterances[1].text) == ("bolt", "Alien.")
    assert vote.raters is Raters.MODEL
    assert [note.what for note in notes] == ["fields not read: question_id."]


def test_prompts_and_replies_with_flags_of_the_winner(tmp_path: Path) -> None:
    columns = [
        "model_a",
        "model_b",
        "prompt",
        "response_a",
        "response_b",
        "winner_model_a",
        "winner_model_b",
        "winner_tie",
    ]
    several = [json.dumps(each) for each in (["A film?", "Older?"], ["Heat.", "Jaws."], ["Alien.", "Duel."])]
    path = table(
        tmp_path / "pairs.csv", columns, ["x", "y", *several, 0, 1, 0], ["x", "y", "A film?", "Up.", "Big.", 0, 0, 1]
    )
    records = list(FORMAT.read(path, note=lambda _: None))
    texts = [[said.text for said in each.utterances] for each in records if isinstance(each, Dialogue)]
    assert texts[:2] == [["A film?", "Heat.", "Older?", "Jaws."], ["A film?", "Alien.", "Older?", "Duel."]]
    assert texts[2:] == [["A film?", "Up."], ["A film?", "Big."]]
    assert [each.choice for each in records if isinstance(each, Preference)] == ["b", "tie"]
    wrong = table(tmp_path / "wrong.csv", columns, ["x", "y", *several, 1, 1, 0])
    with pytest.raises(DataError, match="exactly one of the flags"):
        votes(wrong)


@pytest.mark.parametrize(
    ("more", "raters"),
    [
        ({}, Raters.UNKNOWN),
        ({"participant": "p1"}, Raters.PEOPLE),
        ({"judge": "arena_7"}, Raters.UNKNOWN),
        ({"annotator": "claude-3-opus"}, Raters.MODEL),
        ({"rater": "p1", "raters": "model"}, Raters.MODEL),
    ],
)
def test_whose_a_vote_is(tmp_path: Path, more: dict[str, str], raters: Raters) -> None:
    path = lines(tmp_path / "votes.jsonl", {"model_a": "aria", "model_b": "bolt", "winner": "a", **more})
    assert [each.raters for each in votes(path)] == [raters]


@pytest.mark.parametrize(
    "columns",
    [
        ["session_id", "user_id", "crs1", "crs2", "vote"],
        ["dialogue", "speaker", "text", "preference"],
        ["model_a", "rating", "winner"],
        ["a", "b", "text"],
        ["kind", "v", "id", "a", "b", "choice"],
    ],
)
def test_other_tables_are_left_to_other_formats(tmp_path: Path, columns: list[str]) -> None:
    path = table(tmp_path / "t.csv", columns, ["x"] * len(columns))
    assert not FORMAT.recognises(Head(path))


def test_votes_alone_rank_systems(tmp_path: Path) -> None:
    rows = [["aria", "bolt", "aria" if place % 5 else "bolt", f"p{place % 20}"] for place in range(100)]
    path = table(tmp_path / "votes.csv", ["system_a", "system_b", "winner", "participant"], *rows)
    run = trialogue.evaluate(path)
    assert run.findings.votes is not None
    assert (run.findings.votes.votes, run.findings.votes.rater_kinds) == (100, (Raters.PEOPLE,))
    assert run.answer.startswith("In 100 pairwise votes (0 ties), aria")
    run.write(tmp_path / "run")
    asked = trialogue.evaluate(path, origin="model")
    assert asked.findings.votes is not None
    assert asked.findings.votes.rater_kinds == (Raters.MODEL,)


def test_a_report_without_texts_has_no_reason_of_a_vote(tmp_path: Path) -> None:
    rows = [["aria", "bolt", "aria" if place % 5 else "bolt", f"p{place}", f"because {place}"] for place in range(40)]
    path = table(tmp_path / "votes.csv", ["system_a", "system_b", "winner", "participant", "comment"], *rows)
    for without, found in ((False, True), (True, False)):
        folder = tmp_path / f"run-{without}"
        trialogue.evaluate(path, without_texts=without, resamples=100).write(folder)
        texts = [each.read_bytes() for each in folder.rglob("*") if each.is_file()]
        assert any(b"because" in each for each in texts) is found
