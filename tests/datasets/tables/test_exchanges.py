"""Tables of exchanges, and what else engineers export: blank headings, times, annotators, several variants."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.inputs.inputs import InputRecords, gather


def read(folder: Path, *rows: str, name: str = "made.csv") -> InputRecords:
    (folder / name).write_text("\n".join(rows) + "\n")
    return gather([str(folder / name)])


@pytest.mark.parametrize(
    "head", ["user_message,bot_message", "input,output", "question,answer", "user,assistant", "prompt,response"]
)
def test_a_row_per_exchange_is_two_messages(tmp_path: Path, head: str) -> None:
    rows = ["d1,a film please,Try Heat,5", "d1,something newer,Try Joker,5", "d2,hello there,Try Alien,2"]
    material = read(tmp_path, f"conversation_id,{head},rating", *rows)
    assert [[(said.speaker, said.text) for said in each.utterances] for each in material.dialogues] == [
        [("user", "a film please"), ("system", "Try Heat"), ("user", "something newer"), ("system", "Try Joker")],
        [("user", "hello there"), ("system", "Try Alien")],
    ]
    assert [[rating.value for rating in each.ratings] for each in material.dialogues] == [[5], [2]]


def test_exchanges_as_columns_mapped_by_hand(tmp_path: Path) -> None:
    (tmp_path / "made.csv").write_text("frage,antwort\nEin Film?,Heat\nNoch einer?,\n")
    material = gather([str(tmp_path / "made.csv")], mapping={"user_text": "frage", "system_text": "antwort"})
    assert [[said.text for said in each.utterances] for each in material.dialogues] == [
        ["Ein Film?", "Heat"],
        ["Noch einer?"],
    ]


def test_a_column_without_a_heading_is_no_system(tmp_path: Path) -> None:
    material = read(tmp_path, ",dialogue_id,role,text", "0,d1,user,hi", "1,d1,bot,Try Heat")
    [dialogue] = material.dialogues
    assert (dialogue.system, len(dialogue.utterances)) == ("made", 2)


def test_rows_are_sorted_by_their_times_where_no_column_numbers_them(tmp_path: Path) -> None:
    rows = ["d1,bot,Try Heat,2026-01-01T10:00:05Z", "d1,user,hi,2026-01-01T10:00:00Z"]
    [dialogue] = read(tmp_path, "dialogue_id,role,text,created_at", *rows).dialogues
    assert [said.text for said in dialogue.utterances] == ["hi", "Try Heat"]


def test_a_transcript_for_each_annotator_is_one_conversation_with_all_ratings(tmp_path: Path) -> None:
    rows = [
        f"d1,{side},{text},{who},{stars}"
        for who, stars in (("x", 3), ("y", 5))
        for side, text in (("user", "hi"), ("bot", "Heat"))
    ]
    [dialogue] = read(tmp_path, "dialogue_id,role,text,annotator,rating", *rows).dialogues
    assert len(dialogue.utterances) == 2
    assert [(rating.rater, rating.value) for rating in dialogue.ratings] == [("x", 3), ("y", 5)]


def test_the_only_column_that_may_name_the_system_does(tmp_path: Path) -> None:
    rows = [f"d{n},{side},x {n},v{n % 2}" for n in range(4) for side in ("user", "bot")]
    material = read(tmp_path, "dialogue_id,role,text,variant", *rows)
    assert [each.system for each in material.dialogues] == ["v0", "v1", "v0", "v1"]


@pytest.mark.parametrize(
    "column", ["toxicity_score", "rating_id", "rating_count", "confidence_score", "difficulty_rating"]
)
def test_what_may_be_better_when_lower_or_is_no_rating_is_named_and_not_ranked(tmp_path: Path, column: str) -> None:
    rows = [f"d{n},{side},x {n},{n % 5}" for n in range(10) for side in ("user", "bot")]
    material = read(tmp_path, f"dialogue_id,role,text,{column}", *rows)
    assert not any(each.ratings for each in material.dialogues)
    assert column in {name for each in material.reading.unread for name in each.names}


def test_zeros_that_may_mean_no_rating_are_named(tmp_path: Path) -> None:
    rows = [f"d{n},{side},x {n},{(-1, 0, 1)[n % 3]}" for n in range(9) for side in ("user", "bot")]
    material = read(tmp_path, "dialogue_id,role,text,thumbs", *rows)
    assert any("3 of 9 ratings are 0, beside -1 and 1" in warning for warning in material.warnings)


def test_messages_and_ratings_by_message_are_joined(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("conversation_id,message_id,role,text\nd1,m1,user,hi\nd1,m2,bot,Heat\n")
    (tmp_path / "r.csv").write_text("message_id,rating\nm2,4\n")
    [dialogue] = gather([str(tmp_path / "m.csv"), str(tmp_path / "r.csv")]).dialogues
    assert [rating.value for rating in dialogue.utterances[1].ratings] == [4]


def test_ratings_of_other_systems_are_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("conversation_id,role,text\nd1,user,hi\nd1,bot,Heat\n")
    (tmp_path / "r.csv").write_text("conversation_id,variant,rating\nd1,b,4\n")
    with pytest.raises(DataError, match="the table is about the systems 'b', and the conversations are with 'm'"):
        gather([str(tmp_path / "m.csv"), str(tmp_path / "r.csv")])


@pytest.mark.parametrize("head", ["agent,task,trial,reward", "model,task,trial,reward", "system,unit,trial,reward"])
def test_results_of_task_runs_are_a_table_of_scores(tmp_path: Path, head: str) -> None:
    rows = [f"{'ab'[n % 2]},{n // 4},{n // 2 % 2},{n % 3 // 2}" for n in range(16)]
    material = read(tmp_path, head, *rows)
    assert len(material.dialogues) == 16
    assert {each.system for each in material.dialogues} == {"a", "b"}


def test_an_excel_workbook_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "made.xlsx").write_bytes(b"PK\x03\x04" + bytes(60))
    with pytest.raises(DataError, match='save as "CSV UTF-8"'):
        gather([str(tmp_path / "made.xlsx")])
