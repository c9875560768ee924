"""Questionnaires that people bring: answers in words or numbers, with or without ids, are ratings, never conversations."""

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import trialogue
from trialogue.datasets.door.worded_scales import _SCALES, worded_scale
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.rows import Row, Table
from trialogue.datasets.tables.transcripts import with_messages
from trialogue.errors import DataError
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue

AGREEMENT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def written(path: Path, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def ratings(dialogues: Sequence[Dialogue]) -> list[tuple[str | None, str, float, float | None, float | None]]:
    return [(each.system, one.name, one.value, one.low, one.high) for each in dialogues for one in each.ratings]


def people(count: int, seed: int = 0) -> list[tuple[str, str, int, int]]:
    rng = random.Random(seed)
    return [(f"p{n}", "AB"[n % 2], rng.randint(1, 5), rng.randint(1, 5)) for n in range(count)]


@pytest.mark.parametrize("scale", range(len(_SCALES)))
@pytest.mark.parametrize("style", [str.lower, str.upper, str.capitalize, lambda word: f" {word.replace(' ', '_')}."])
def test_points_of_every_scale_are_their_numbers_however_they_are_written(scale: int, style: Any) -> None:
    words = [each.split("|")[0] for each in _SCALES[scale].split("; ")]
    found = worded_scale([style(word) for word in words])
    assert found is not None
    assert [found.read(style(word)).feedback.value for word in words] == list(range(1, len(words) + 1))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "cells",
    [
        ["good", "bad", "good", "bad"],  # thumbs
        ["fair", "good", "excellent"],  # 3 or 2, 4 or 3: of two scales
        ["agree"] * 5,  # one answer
        ["agree", "disagree", "I think it was fine", "no idea what this is"],
        ["yes", "no", "yes"],
        [1, 2, 3],
        ["agree", "satisfied", "often"],  # of three scales
        [],
    ],
)
def test_other_columns_are_left_alone(cells: list[object]) -> None:
    assert worded_scale(cells) is None


def test_answers_in_words_to_questions_in_headings_are_ratings(tmp_path: Path) -> None:
    rows = [(name, system, AGREEMENT[a - 1], AGREEMENT[b - 1].upper()) for name, system, a, b in people(30)]
    path = written(
        tmp_path / "likert.csv", ["participant", "system", "The system understood me", "I'd use it again"], rows
    )
    found = gather([path])
    assert ratings(found.dialogues) == [
        (system, question, value, 1, 5)
        for _, system, a, b in people(30)
        for question, value in (("The system understood me", a), ("I'd use it again", b))
    ]
    assert any("1 is 'strongly disagree', 5 is 'strongly agree'" in line for line in found.warnings)


@pytest.mark.parametrize("in_words", [True, False])
def test_a_column_of_questions_and_one_of_answers_are_no_exchanges(tmp_path: Path, in_words: bool) -> None:
    rows = [
        (number, system, question, AGREEMENT[value - 1] if in_words else value)
        for number, (_, system, a, b) in enumerate(people(30))
        for question, value in (("It understood me", a), ("I would use it again", b))
    ]
    path = written(tmp_path / "long.csv", ["dialogue_id", "system", "question", "answer"], rows)
    found = gather([path])
    assert not any(each.utterances for each in found.dialogues)
    assert {(name, value) for _, name, value, _, _ in ratings(found.dialogues)} == {
        (question, value)
        for _, _, a, b in people(30)
        for question, value in (("It understood me", a), ("I would use it again", b))
    }


def test_questions_and_answers_in_texts_are_still_exchanges(tmp_path: Path) -> None:
    rows = [(n, "A", "A film like Heat?", "I agree, try Collateral.") for n in range(5)]
    path = written(tmp_path / "talks.csv", ["dialogue_id", "system", "question", "answer"], rows)
    assert [len(each.utterances) for each in gather([path]).dialogues] == [2] * 5


def test_an_exported_form_without_ids_keeps_equal_answers_of_different_people(tmp_path: Path) -> None:
    rows = [(f"11/2/2026 10:00:{n:02}", "Alpha" if n % 2 else "Beta", 4, "") for n in range(20)]
    rows += [("11/2/2026 10:01:00", "Alpha", 2, "slow but good enough for me")]
    heads = ["Timestamp", "Which version did you use?", "How satisfied were you? [1-5]", "Comments"]
    found = gather([written(tmp_path / "form.csv", heads, [*rows, rows[3]])])  # exported twice, to the second
    assert [(each.system, each.ratings[0].value) for each in found.dialogues] == [(row[1], row[2]) for row in rows]
    assert {(one.name, one.low, one.high) for each in found.dialogues for one in each.ratings} == {
        ("How satisfied were you?", 1, 5)
    }
    assert any("system: Which version did you use?" in line for line in found.warnings)


def test_numbers_under_unknown_questions_are_not_guessed_but_proposed_and_can_be_mapped(tmp_path: Path) -> None:
    rows = [(name, system, a, 20 + b) for name, system, a, b in people(30)]
    path = written(tmp_path / "plain.csv", ["participant", "system", "It understood me", "age"], rows)
    with pytest.raises(DataError, match=r"ratings: \{It understood me: It understood me\}, user: participant"):
        gather([path])
    run = trialogue.evaluate(
        path,
        mapping={
            "user": "participant",
            "system": "system",
            "ratings": {"understood": "It understood me"},
            "scale": [1, 5],
        },
        origin="person",
        resamples=100,
    )
    means = {each.system: each.estimate.value for each in run.league("human:understood").standings}
    assert means == {
        name: pytest.approx(sum(a for _, system, a, _ in people(30) if system == name) / 15) for name in "AB"
    }


def test_a_mapping_of_answers_refuses_fields_of_texts_and_values_off_its_scale(tmp_path: Path) -> None:
    path = written(tmp_path / "plain.csv", ["who", "bot", "ease"], [("p1", "A", 3), ("p2", "B", 9)])
    with pytest.raises(DataError, match="speaker requires text or response"):
        gather([path], mapping={"ratings": ["ease"], "speaker": "who"})
    with pytest.raises(DataError, match="9 is outside the scale 1 to 5"):
        gather([path], mapping={"ratings": ["ease"], "system": "bot", "user": "who", "scale": [1, 5]})


def test_answers_in_other_words_count_as_missing_and_are_named(tmp_path: Path) -> None:
    rows = [(f"p{n}", "A", "agree" if n else "cannot say") for n in range(20)] + [("p20", "A", "strongly disagree")]
    found = gather([written(tmp_path / "some.csv", ["participant", "system", "It is easy"], rows)])
    assert len(ratings(found.dialogues)) == 20
    assert any("cannot say" in line for line in found.warnings)


def test_a_data_frame_is_read_as_its_file_is(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [(name, system, AGREEMENT[a - 1]) for name, system, a, _ in people(30)]
    heads = ["participant", "system", "It understood me"]
    path = written(tmp_path / "likert.csv", heads, rows)
    of_file, of_frame = (
        {each.system: each.estimate.value for each in run.league("human:It understood me").standings}
        for run in (
            trialogue.evaluate(path, resamples=100),
            trialogue.evaluate(pandas.DataFrame(rows, columns=heads), resamples=100),
        )
    )
    assert of_file == of_frame


TALK = (
    ("User", "A thriller, please"),
    ("Bot", "Heat (1995):\na classic.\nOr Collateral"),
    ("User", "Heat!"),
    ("Bot", "Enjoy."),
)


@pytest.mark.parametrize("names", [("User", "Bot"), ("USER", "ASSISTANT"), ("Seeker", "Recommender"), ("human", "ai")])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\n\n"])
def test_a_transcript_in_a_cell_is_its_utterances_and_a_heading_states_its_scale(
    tmp_path: Path, names: tuple[str, str], line_break: str
) -> None:
    called = dict(zip(("User", "Bot"), names, strict=True))
    cell = "\n".join(f"{called[who]}: {text}" for who, text in TALK).replace("\n", line_break)
    rows = [(n, "AB"[n % 2], cell, 1 + n % 7) for n in range(10)]
    found = gather([written(tmp_path / "wide.csv", ["id", "system", "transcript", "satisfaction (1-7)"], rows)])
    for number, each in enumerate(found.dialogues):
        assert [said.speaker for said in each.utterances] == ["user", "system", "user", "system"]
        assert [said.text.split() for said in each.utterances] == [text.split() for _, text in TALK]
        (rating,) = each.ratings
        assert (rating.name, rating.value, rating.low, rating.high) == ("satisfaction", 1 + number % 7, 1, 7)


def test_escaped_line_breaks_are_line_breaks(tmp_path: Path) -> None:
    rows = [(n, "A", r"User: hi\nBot: hello\nUser: bye") for n in range(4)]
    found = gather([written(tmp_path / "wide.csv", ["id", "system", "chat"], rows)])
    assert [[said.text for said in each.utterances] for each in found.dialogues] == [["hi", "hello", "bye"]] * 4


@pytest.mark.parametrize("text", ["Note: see above\nBot: hello", "User: hi", "no speakers here", "User: a\nUser: b"])
def test_other_texts_are_no_transcripts(text: str) -> None:
    table = Table(["id", "text"], [Row(n, {"id": n, "text": text}) for n in range(4)])
    report = ParseReport("", lambda _: None)
    assert with_messages(table, report) is table


@pytest.mark.parametrize("mapping", [None, {"system": "system", "ratings": ["It is easy"]}])
def test_copies_of_answers_that_nothing_tells_apart_are_refused(tmp_path: Path, mapping: Any) -> None:
    rows = [("A", "Strongly agree")] * 40 + [("B", each) for each in AGREEMENT * 4]
    path = written(tmp_path / "copies.csv", ["system", "It is easy"], rows)
    with pytest.raises(DataError, match="nothing tells copies from people who answered alike"):
        gather([path], mapping=mapping)


@pytest.mark.parametrize("question", ["It was frustrating", "I would not use it again", "The replies were boring"])
def test_agreeing_with_a_complaint_is_no_better_rating(tmp_path: Path, question: str) -> None:
    people_ = [(f"p{n}", "AB"[n % 2], AGREEMENT[n % 5]) for n in range(30)]
    wide = written(
        tmp_path / "wide.csv", ["participant", "system", question, "It is easy"], [(*p, p[2]) for p in people_]
    )
    long = written(
        tmp_path / "long.csv",
        ["dialogue_id", "system", "question", "answer"],
        [(who, system, asked, said) for who, system, said in people_ for asked in (question, "It is easy")],
    )
    for path in (wide, long):
        found = gather([path])
        assert {name for _, name, *_ in ratings(found.dialogues)} == {"It is easy"}
        assert question in str(found.reading) or any("was not read" in line for line in found.warnings)


def test_an_empty_reply_in_a_transcript_is_an_empty_reply_and_no_part_of_what_the_user_said(tmp_path: Path) -> None:
    rows = [(n, "A", "User: hi\nBot:\nUser: hello?\nBot: Heat") for n in range(4)]
    for each in gather([written(tmp_path / "wide.csv", ["id", "system", "chat"], rows)]).dialogues:
        assert [(said.speaker, said.text) for said in each.utterances][:3:2] == [("user", "hi"), ("user", "hello?")]
        assert each.utterances[1].text == ""


RATINGS_OF_PEOPLE: dict[str, Any] = {
    "list": [{"name": "liked", "value": 4}, {"name": "useful", "value": 2}],
    "list of aspects": [{"aspect": "liked", "score": 4, "rater": "p1"}, {"aspect": "useful", "score": 2}],
    "object": {"liked": 4, "useful": 2},
    "object of objects": {"liked": {"value": 4}, "useful": {"value": 2}},
}


@pytest.mark.parametrize("turns", ["messages", "utterances"])
@pytest.mark.parametrize("form", RATINGS_OF_PEOPLE)
def test_ratings_of_a_dialogue_are_read_alike_in_tables_and_chats(form: str, turns: str, tmp_path: Path) -> None:
    names = ("role", "content", "assistant") if turns == "messages" else ("speaker", "text", "system")
    said = [{names[0]: "user", names[1]: "What shall I watch?"}, {names[0]: names[2], names[1]: "Watch Heat."}]
    row = {"system": "a", "user": "u", turns: said, "ratings": RATINGS_OF_PEOPLE[form]}
    file = tmp_path / "talks.jsonl"
    file.write_text("".join(json.dumps({"id": f"d{place}", **row}) + "\n" for place in range(4)), encoding="utf-8")
    found = gather([str(file)]).dialogues
    assert len(found) == 4
    for dialogue in found:
        assert {(each.name, each.value) for each in dialogue.ratings} == {("liked", 4.0), ("useful", 2.0)}
