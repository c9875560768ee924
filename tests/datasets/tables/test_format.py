"""Tables with a column mapping: both shapes, programs' quirks, and mistakes reported all at once."""

import contextlib
import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.datasets import AnyRecord, Head, Repairs
from trialogue.datasets.tables.format import Mapping, guess_mapping, load_mapping, table_format
from trialogue.errors import DataError
from trialogue.records import Dialogue, Response, Situation

SAMPLES = Path(__file__).parents[2] / "data" / "table"
PLAIN = {"dialogue": "d", "speaker": "s", "text": "t"}
REPLY = {"situation": "id", "system": "sys", "response": "out"}


def write(folder: Path, text: str | bytes, name: str = "made.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, mapping: Any) -> tuple[list[AnyRecord], list[str]]:
    repairs = Repairs()
    records = list(table_format(mapping).read(path, note=repairs))
    return records, [str(problem) for problem in repairs.problems]


def dialogues(path: Path, mapping: Any = PLAIN) -> list[Dialogue]:
    return [record for record in read(path, mapping)[0] if isinstance(record, Dialogue)]


def responses(path: Path, mapping: Any = REPLY) -> list[Response]:
    return [record for record in read(path, mapping)[0] if isinstance(record, Response)]


def situations(path: Path, mapping: Any) -> list[Situation]:
    return [record for record in read(path, mapping)[0] if isinstance(record, Situation)]


def mistakes(path: Path, mapping: Any = PLAIN) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path, mapping)
    return [str(problem).removeprefix(f"{path}, ") for problem in caught.value.problems]


def mapping_mistakes(given: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        load_mapping(given)
    return [str(problem) for problem in caught.value.problems]


# --- one row per utterance


def test_rows_become_dialogues_with_names_and_ratings() -> None:
    first, second = dialogues(SAMPLES / "dialogues.csv", SAMPLES / "dialogues.yaml")
    assert [(said.speaker, said.text) for said in first.utterances] == [
        ("user", "hi, there"),
        ("system", "Night Ferry?\nA thriller."),
    ]
    assert (first.id, first.system, first.user, first.source) == ("a", "R2", "w1", "dialogues")
    assert [(r.name, r.value, r.low, r.high) for r in first.utterances[1].ratings] == [("relevance", 4, 1, 5)]
    assert [(r.name, r.value) for r in first.ratings] == [("satisfaction", 5)]
    assert second.utterances[1].text == '"Tin Moon"'


def test_rows_may_lie_apart_and_are_sorted_where_a_column_says_how(tmp_path: Path) -> None:
    path = write(tmp_path, "d,n,s,t\na,10,user,last\nb,1,user,other\na,9,bot,before\na,9,bot,still before\n")
    records, notes = read(path, PLAIN | {"order": "n"})
    assert [[said.text for said in d.utterances] for d in records if isinstance(d, Dialogue)] == [
        ["before", "still before", "last"],
        ["other"],
    ]
    assert any("out of order; sorted" in note for note in notes)
    unsorted = dialogues(path)
    assert [said.text for said in unsorted[0].utterances] == ["last", "before", "still before"]


def test_obvious_speakers_are_known_in_any_spelling(tmp_path: Path) -> None:
    names = ["user", "SEEKER", "Human:", "customer", "system", "Assistant", "CHAT-BOT", "recommender", "agent", "Bot"]
    path = write(tmp_path, "d,s,t\n" + "".join(f"a,{name},x\n" for name in names))
    assert [said.speaker for said in dialogues(path)[0].utterances] == ["user"] * 4 + ["system"] * 6


def test_other_speakers_are_listed_with_how_to_map_them(tmp_path: Path) -> None:
    path = write(tmp_path, "d,s,t\na,Alice,hi\na,R2,hello\na,Alice,bye\n")
    [messages] = mistakes(path)
    assert messages == (
        "line 2, field s: unknown speakers, neither user nor system: 'Alice' (2×), 'R2' (1×). "
        "Map them to roles, for example: speakers: {Alice: user, R2: user}"
    )
    mapped = dialogues(path, PLAIN | {"speakers": {"Alice": "user", "R2": "system"}})
    assert [said.speaker for said in mapped[0].utterances] == ["user", "system", "user"]


def test_strategies_items_and_rankings_may_be_lists(tmp_path: Path) -> None:
    rows = 'a,bot,"Try Tin Moon",credibility; offer_help,"[""Tin Moon (1987)""]","[\'7\', 3]",x\na,user,no,,,,\n'
    mapping = PLAIN | {"strategies": "st", "mentions": "m", "ranking": "r", "meta": ["z"], "system_name": "R2"}
    [dialogue] = dialogues(write(tmp_path, "d,s,t,st,m,r,z\n" + rows), mapping)
    first, second = dialogue.utterances
    assert [(label.strategy, label.origin) for label in first.strategies or ()] == [
        ("credibility", "annotated"),
        ("offer_help", "annotated"),
    ]
    assert [(m.title, first.text[m.start : m.end]) for m in first.mentions or ()] == [("Tin Moon (1987)", "Tin Moon")]
    assert first.ranking == ("7", "3")
    assert first.meta == {"z": "x"}
    assert (second.strategies, second.mentions, second.ranking, second.meta) == (None, None, None, {})
    assert dialogue.system == "R2"


def test_json_lines_and_json_lists_are_tables_too(tmp_path: Path) -> None:
    rows = [{"d": 1, "s": "user", "t": "hi", "x": 4.5}, {"d": 1, "s": "bot", "t": "é", "x": None}]
    mapping = PLAIN | {"utterance_ratings": {"stars": "x"}}
    lines = dialogues(write(tmp_path, "\n".join(json.dumps(row) for row in rows), "made.jsonl"), mapping)
    listed = dialogues(write(tmp_path, json.dumps(rows), "made.json"), mapping)
    assert lines == listed
    assert lines[0].id == "1"
    assert lines[0].utterances[0].ratings[0].value == 4.5
    assert lines[0].utterances[1].ratings == ()


# --- one row per response


def test_responses_come_with_their_situations_and_all_raters() -> None:
    mapping = REPLY | {
        "situation": "situation_id",
        "system": "system",
        "response": "response",
        "context": "context",
        "reference": "reference",
        "rater": "rater",
        "ratings": "fluency",
        "scale": [1, 3],
    }
    records, _ = read(SAMPLES / "responses.tsv", mapping)
    assert [record.kind for record in records] == ["situation", "response", "response", "situation", "response"]
    first, answer, _, second, last = records
    assert isinstance(first, Situation)
    assert isinstance(second, Situation)
    assert isinstance(answer, Response)
    assert isinstance(last, Response)
    assert [(said.speaker, said.text) for said in first.context] == [("user", "hi")]
    assert first.reference is not None
    assert first.reference.text == "Hello!"
    assert [(said.speaker, said.text) for said in second.context] == [
        ("user", "hi"),
        ("system", "Hello!"),
        ("user", "a thriller please"),
    ]
    assert [(r.rater, r.value) for r in answer.utterance.ratings] == [("x", 3), ("y", 2)]
    assert last.utterance.ratings == ()


def test_a_row_may_hold_the_responses_of_several_systems(tmp_path: Path) -> None:
    path = write(tmp_path, "ctx,kbrd,kgsf,who\nhi,hello,,9\nhi there,hey,ho,9\n")
    mapping = {"context": "ctx", "responses": {"KBRD": "kbrd", "KGSF": "kgsf"}, "dialogue": "who"}
    found = responses(path, mapping)
    assert [(r.situation_id, r.system, r.utterance.text, r.meta) for r in found] == [
        ("made-1", "KBRD", "hello", {}),
        ("made-1", "KGSF", "", {"blank": True}),
        ("made-2", "KBRD", "hey", {}),
        ("made-2", "KGSF", "ho", {}),
    ]
    assert [s.dialogue_id for s in situations(path, mapping)] == ["9", "9"]


def test_equal_contexts_without_id_are_one_situation(tmp_path: Path) -> None:
    path = write(tmp_path, "ctx,sys,out\nhi,A,x\nho,A,y\nhi,B,z\n")
    mapping = {"context": "ctx", "system": "sys", "response": "out"}
    assert [(r.situation_id, r.system) for r in responses(path, mapping)] == [
        ("made-1", "A"),
        ("made-1", "B"),
        ("made-2", "A"),
    ]


@pytest.mark.parametrize(
    ("cell", "separator", "expected"),
    [
        ("hi", None, [("user", "hi")]),
        ("hi\nhello\nbye", None, [("user", "hi"), ("system", "hello"), ("user", "bye")]),
        ("hello [SEP] hi", "[SEP]", [("system", "hello"), ("user", "hi")]),
        ("User: hi\nUser: are you there?", None, [("user", "hi"), ("user", "are you there?")]),
        ("Bot: 5: the number\nUser: ok", None, [("system", "5: the number"), ("user", "ok")]),
        ("Note: this\nTitle: that", None, [("system", "Note: this"), ("user", "Title: that")]),
        ('["a", "b", "c"]', None, [("user", "a"), ("system", "b"), ("user", "c")]),
        ("['it''s', 'b']".replace("''", "\\'"), None, [("system", "it's"), ("user", "b")]),
        (
            '[{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]',
            None,
            [("system", "a"), ("user", "b")],
        ),
        ("[not a list", None, [("user", "[not a list")]),
    ],
)
def test_contexts_are_understood(
    tmp_path: Path, cell: str, separator: str | None, expected: list[tuple[str, str]]
) -> None:
    path = write(tmp_path, json.dumps({"id": "1", "ctx": cell, "sys": "A", "out": "x"}), "made.jsonl")
    [situation] = situations(path, REPLY | {"context": "ctx", "context_separator": separator})
    assert [(said.speaker, said.text) for said in situation.context] == expected


def test_responses_without_contexts_come_without_situations_and_say_so(tmp_path: Path) -> None:
    records, notes = read(write(tmp_path, "id,sys,out\n1,A,x\n"), REPLY)
    assert [record.kind for record in records] == ["response"]
    assert any("responses were read without situations" in note for note in notes)


def test_all_mistakes_of_a_response_table_are_reported_at_once(tmp_path: Path) -> None:
    rows = [
        "1,hi,A,x,3",
        "1,hi,A,x,3",
        "1,ho,B,x,3",
        ",hi,A,x,3",
        "2,,A,x,3",
        "3,Bot: hi,A,x,3",
        "4,hi,,x,3",
        "5,hi,A,x,much",
        "6,hi,A,x,9",
    ]
    path = write(tmp_path, "id,ctx,sys,out,r\n" + "\n".join(rows))
    messages = mistakes(path, REPLY | {"context": "ctx", "ratings": ["r"], "scale": [1, 5]})
    assert messages == [
        "line 4, field id: situation '1' differs from an earlier row (context, reference, targets or dialogue). "
        "Do several situations share this id?",
        "line 5, field id: the row has no situation id.",
        "line 6, field ctx: this context is empty. The context is the dialogue before the response.",
        "line 7, field ctx: the context ends with an utterance of the system; it must end with the user's. "
        "The context is the dialogue before the response.",
        "line 8, field sys: the row has no system.",
        "line 10, field r: 9 is outside the scale 1 to 5.",
    ]


# --- the quirks of programs that write tables


def test_what_excel_writes_is_read(tmp_path: Path) -> None:
    text = '\ufeffd;s;t;note\r\na;user;hallo;4,5\r\na;bot;"zwei\r\nZeilen";3\r\n;;;\r\n;;;\r\n'
    mapping = PLAIN | {"ratings": {"note": "note"}}
    records, notes = read(write(tmp_path, text.encode()), mapping)
    [dialogue] = records
    assert isinstance(dialogue, Dialogue)
    assert [said.text for said in dialogue.utterances] == ["hallo", "zwei\r\nZeilen"]
    assert [said.ratings[0].value for said in dialogue.utterances] == [4.5, 3.0]
    assert any("line 5: a blank row was skipped (2 times" in note for note in notes)
    assert any("a decimal comma was read as a decimal point" in note for note in notes)


def test_excels_unicode_text_and_separator_line_are_read(tmp_path: Path) -> None:
    unicode_text = "d\ts\tt\r\na\tuser\tžluť\r\n".encode("utf-16")
    assert dialogues(write(tmp_path, unicode_text))[0].utterances[0].text == "žluť"
    assert dialogues(write(tmp_path, "sep=|\nd|s|t\na|user|x,y;z\n"))[0].utterances[0].text == "x,y;z"
    assert "line 4" in mistakes(write(tmp_path, "sep=|\nd|s|t\na|user|x\na|user\n"))[0]


def test_a_delimiter_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "d:s:t,u,v,w\na:user:x\n")
    assert dialogues(path, {"dialogue": "d", "speaker": "s", "text": "t,u,v,w", "delimiter": ":"})[0].id == "a"


def test_compressed_tables_are_read(tmp_path: Path) -> None:
    import gzip

    path = write(tmp_path, gzip.compress(b"d,s,t\na,user,x\n"), "made.csv.gz")
    assert dialogues(path)[0].source == "made"


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "bot"]), st.text(alphabet='a;,\t"\n é😀|', max_size=12)),
        min_size=1,
        unique=True,
    )
)
def test_any_text_survives_any_delimiter(rows: list[tuple[str, str]]) -> None:
    import csv
    import io
    import tempfile

    for delimiter in ",;\t|":
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
        writer.writerows([("d", "s", "t"), *(("a", speaker, said) for speaker, said in rows)])
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder), text.getvalue())
            repairs = Repairs()
            [dialogue] = table_format(PLAIN).read(path, note=repairs)
        assert isinstance(dialogue, Dialogue)
        assert [said.text for said in dialogue.utterances] == [said for _, said in rows]


# --- mistakes


def test_unknown_columns_are_reported_with_the_nearest_ones(tmp_path: Path) -> None:
    path = write(tmp_path, "dialogue_id,speakr,text\na,user,x\n")
    messages = mistakes(path, {"dialogue": "dialog_id", "speaker": "speaker", "text": "text", "order": "zzz"})
    assert messages == [
        "field dialog_id: there is no column 'dialog_id', which the mapping uses as dialogue. "
        "Did you mean 'dialogue_id'?",
        "field speaker: there is no column 'speaker', which the mapping uses as speaker. Did you mean 'speakr'?",
        "field zzz: there is no column 'zzz', which the mapping uses as order. There are: dialogue_id, speakr, text.",
    ]


def test_ten_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    rows = [
        "a,1,user,x,3,R2,u1",
        ",2,user,x,3,R2,u1",
        "a,two,user,x,3,R2,u1",
        "a,,user,x,3,R2,u1",
        "a,5,Alice,x,3,R2,u1",
        "a,6,user,x,many,R2,u1",
        "a,7,user,x,99,R2,u1",
        "a,8,user,x,3,R3,u1",
        "a,9,user,x,3,R2,u2",
        "a,10,user,x,3,R2",
        "a,11,user,x,3,R2,u1,more,and more",
    ]
    path = write(tmp_path, "d,n,s,t,r,sys,u\n" + "\n".join(rows) + "\n")
    messages = mistakes(
        path, PLAIN | {"order": "n", "ratings": {"r": "r"}, "scale": (1, 5), "system": "sys", "user": "u"}
    )
    assert len(messages) == 9
    for part in (
        "line 3, field d: the row has no dialogue id.",
        "line 4, field n: expected a number, got the text 'two'.",
        "line 5, field n: expected a number to sort by, got an empty cell. Fill it in, or map another column under order.",
        "line 6, field s: unknown speakers, neither user nor system: 'Alice' (1×).",
        "line 8, field r: 99 is outside the scale 1 to 5.",
        "line 2, field sys: dialogue 'a' has several values: R2, R3.",
        "line 2, field u: dialogue 'a' has several values: u1, u2.",
        "line 11: this row has 6 cells, the header has 7.",
        "line 12: this row has 9 cells, the header has 7.",
    ):
        assert any(each.startswith(part) for each in messages), part


def test_dialogue_ratings_that_differ_and_ids_given_twice_are_mistakes(tmp_path: Path) -> None:
    path = write(tmp_path, "d,s,t,sat,i\na,user,x,1,u\na,bot,y,2,u\n")
    messages = mistakes(path, PLAIN | {"dialogue_ratings": ["sat"], "utterance_id": "i"})
    assert messages == [
        "line 2, field i: dialogue 'a' has two utterances with the id 'u'.",
        "line 3, field sat: dialogue 'a' has two values: 1 and 2. "
        "If these are ratings of utterances, map them under ratings.",
    ]


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    assert "this file is empty" in mistakes(write(tmp_path, ""))[0]
    assert "the table has no rows" in mistakes(write(tmp_path, "\n\n,,\n"))[0]
    assert "a header, but no rows" in mistakes(write(tmp_path, "d,s,t\n"))[0]
    assert "the table has no rows" in mistakes(write(tmp_path, "[]", "made.json"))[0]


def test_headings_given_twice_open_quotes_and_latin_1_are_refused(tmp_path: Path) -> None:
    assert "2 columns share this name" in mistakes(write(tmp_path, "d,s,t,t\na,user,x,y\n"))[0]
    [messages] = mistakes(write(tmp_path, 'd,s,t\na,user,x\na,user,"never closed\na,user,x\n'))
    assert messages.startswith("line 3: the row cannot be read (unexpected end of data).")
    [messages] = mistakes(write(tmp_path, b"d,s,t\na,user,caf\xe9\n"))
    assert "iconv" in messages


def test_lists_and_contexts_that_are_none_are_mistakes(tmp_path: Path) -> None:
    path = write(tmp_path, 'd,s,t,m\na,user,x,"[""Tin Moon"""\n')
    assert mistakes(path, PLAIN | {"mentions": "m"}) == [
        'line 2, field m: the list is not valid JSON. Quote its texts, as in ["a", "b"].'
    ]
    rows = [
        {"id": "1", "ctx": None, "sys": "A", "out": "x"},
        {"id": "2", "ctx": [{"who": "b"}], "sys": "A", "out": "x"},
    ]
    path = write(tmp_path, "\n".join(json.dumps(row) for row in rows), "made.jsonl")
    assert mistakes(path, REPLY | {"context": "ctx"}) == [
        "line 1, field ctx: this context is empty. The context is the dialogue before the response.",
        "line 2, field ctx: expected an utterance {speaker, text}, got an object.",
    ]


def test_unknown_speakers_in_a_context_are_reported(tmp_path: Path) -> None:
    context = [{"speaker": "R2", "text": "hello"}, {"speaker": "user", "text": "hi"}]
    path = write(tmp_path, json.dumps({"id": "1", "ctx": context, "sys": "A", "out": "x"}), "made.jsonl")
    assert "neither user nor system: 'R2' (1×)" in mistakes(path, REPLY | {"context": "ctx"})[0]


def test_utf_16_cut_short_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "d\ts\tt\r\na\tuser\tx\r\n".encode("utf-16")[:-1])
    with pytest.raises(DataError, match="the first bytes say"):
        read(path, PLAIN)


# --- mappings


def test_a_mapping_tells_all_its_mistakes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("dialog: id\ntext: t\norder: [1]\nscale: [5, 1]\nspeakers: {Alice: boss}\ncontext: c\n")
    messages = [each.removeprefix(f"{path}") for each in mapping_mistakes(path)]
    assert (
        messages[0]
        == ", line 1, field dialog: unknown field. Did you mean 'dialogue' or 'trial' or 'dialogue_ratings'?"
    )
    assert ": dialogue is required where a row is an utterance." in messages
    assert ": speaker is required where a row is an utterance." in messages
    assert ": context is not allowed where a row is an utterance." in messages
    assert any(each.startswith(", line 3, field order: expected a string, got [1].") for each in messages)
    assert any("the lowest value must come first" in each for each in messages)
    assert any(
        each.startswith(", line 5, field speakers.Alice: expected one of 'user' or 'system'") for each in messages
    )
    assert len(messages) == 7


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({}, "expected text (a row is an utterance), response (a row is a response of a system) or ratings"),
        ({"text": "t", "response": "r"}, "text and response exclude each other"),
        ({"response": "r", "responses": {"A": "a"}, "context": "c"}, "response and responses exclude each other"),
        ({"response": "r", "context": "c"}, "system (a column) or system_name (the name itself) is required"),
        ({"response": "r", "system": "s"}, "situation or context is required"),
        ({"responses": {"A": "a"}, "context": "c", "ratings": ["r"]}, "ratings requires one response per row"),
        (
            {"response": "r", "context": "c", "system": "s", "order": "n"},
            "order is not allowed where a row is a response",
        ),
    ],
)
def test_the_two_shapes_are_not_mixed(given: dict[str, Any], part: str) -> None:
    assert any(part in each for each in mapping_mistakes(given))
    with pytest.raises(ValueError, match=r"expected|exclude|is required|is not allowed|requires one"):
        Mapping.model_validate(given)


def test_mapping_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    assert "there is no such file" in mapping_mistakes(path)[0]
    path.write_text("a: [1\n")
    assert "line 2: this is not valid YAML" in mapping_mistakes(str(path))[0]
    path.write_text("just text\n")
    assert "this file has no fields. For example: dialogue: conversation_id" in mapping_mistakes(path)[0]


def test_numbers_may_be_column_names(tmp_path: Path) -> None:
    mapping = load_mapping({"dialogue": 0, "speaker": 1, "text": 2, "speakers": {1: "user"}})
    assert (mapping.dialogue, mapping.text, mapping.speakers) == ("0", "2", {"1": "user"})
    assert load_mapping(mapping) is mapping


def test_obvious_headings_are_guessed_and_reported(tmp_path: Path) -> None:
    repairs = Repairs()
    mapping = guess_mapping(SAMPLES / "dialogues.csv", note=repairs)
    assert mapping is not None
    assert mapping.columns() == {
        "dialogue": "dialogue_id",
        "system": "bot",
        "speaker": "role",
        "text": "message",
        "order": "turn",
        "user": "worker",
        "ratings.stars": "stars",
        "ratings.satisfaction": "satisfaction",
    }
    assert "Not read: none." in str(repairs.problems[0])
    assert "trialogue check FILE --map MAP.yaml" in str(repairs.problems[0].hint)
    assert len(dialogues(SAMPLES / "dialogues.csv", mapping)) == 2
    reply = guess_mapping(SAMPLES / "responses.tsv", note=repairs)
    assert reply is not None
    assert reply.is_of_responses
    assert (reply.situation, reply.context, reply.rater) == ("situation_id", "context", "rater")


def test_headings_that_leave_doubt_are_not_guessed(tmp_path: Path) -> None:
    repairs = Repairs()
    for text in ("a,b,c\n1,2,3\n", "dialogue_id,text\na,x\n", "", '{"x": 1}\n'):
        assert guess_mapping(write(tmp_path, text), note=repairs) is None
    assert repairs.problems == []


def test_a_table_is_recognised_by_its_columns(tmp_path: Path) -> None:
    made = table_format(PLAIN)
    assert made.name == "table"
    assert made.recognises(Head(write(tmp_path, "d;s;t;u\n")))
    assert not made.recognises(Head(write(tmp_path, "d;s\n")))
    assert made.recognises(Head(write(tmp_path, '[{"d": 1, "s": 2, "t": 3}]')))
    assert not made.recognises(Head(tmp_path))


# --- guessing from cells


RATED = (
    "dialogue_id,role,text,satisfaction,fluency_score,mood,score\n"
    "a,user,hi,,,good,\na,system,hello,4,1,good,x\nb,user,hi,,,bad,\nb,system,hello there,2,2,bad,\nb,system,well,,1,bad,\n"
)


def test_columns_of_ratings_are_kept_and_their_level_is_inferred_from_their_cells(tmp_path: Path) -> None:
    repairs = Repairs()
    path = write(tmp_path, RATED)
    mapping = guess_mapping(path, note=repairs)
    assert mapping is not None
    # dialogue b has one satisfaction and two values of fluency; mood is no heading of ratings, and score holds an x
    assert mapping.ratings == {"satisfaction": "satisfaction", "fluency": "fluency_score"}
    (note,) = repairs.problems
    assert "ratings.satisfaction: satisfaction" in note.what
    assert "ratings.fluency: fluency_score" in note.what
    assert "Not read: mood, score." in note.what
    first, second = dialogues(path, mapping)
    assert [(rating.name, rating.value) for rating in first.ratings] == [("satisfaction", 4)]
    assert [[rating.value for rating in said.ratings] for said in second.utterances] == [[], [2], [1]]


def test_a_heading_of_ratings_alone_stands_for_itself(tmp_path: Path) -> None:
    for heading in ("rating", "Score", "stars", "Overall Quality"):
        mapping = guess_mapping(
            write(tmp_path, f"dialogue_id,role,text,{heading}\na,user,hi,\na,bot,hm,5\n"), note=Repairs()
        )
        assert mapping is not None
        assert list(mapping.ratings.values()) == [heading]


def test_a_wide_table_has_a_column_of_replies_for_each_system(tmp_path: Path) -> None:
    path = SAMPLES / "wide.csv"
    repairs = Repairs()
    mapping = guess_mapping(path, note=repairs)
    assert mapping is not None
    assert mapping.responses == {"sysA": "sysA", "sysB": "sysB"}
    assert "responses.sysA: sysA" in repairs.problems[0].what
    records = list(table_format(mapping).read(path, note=repairs))
    assert [record.kind for record in records] == ["situation", "response", "response"] * 3
    assert [record.system for record in records if isinstance(record, Response)] == ["sysA", "sysB"] * 3


def test_other_replies_to_the_same_words_in_a_wide_table_are_another_situation(tmp_path: Path) -> None:
    rows = ["I like Heat,see Seven tonight,no idea yet", "I like Heat,see Alien tonight,no idea yet"]
    path = write(tmp_path, "\n".join(["context,sysA,sysB", *rows, rows[0]]) + "\n")
    mapping = guess_mapping(path, note=Repairs())
    assert mapping is not None
    with pytest.raises(DataError, match=r"line 4.* already answers .* in line 2.* add a column of ids: situation_id"):
        list(table_format(mapping).read(path, note=Repairs()))
    path = write(tmp_path, "\n".join(["context,sysA,sysB", *rows]) + "\n")
    records = list(table_format(mapping).read(path, note=Repairs()))
    assert len([record for record in records if isinstance(record, Situation)]) == 2
    assert len([record for record in records if isinstance(record, Response)]) == 4


def test_a_context_with_one_further_column_of_text_or_with_notes_is_no_wide_table(tmp_path: Path) -> None:
    for heading, cells in (("reply_of_mine", "I like Heat"), ("notes,comment", "not bad,it is fine"), ("a,b", "1,2")):
        assert guess_mapping(write(tmp_path, f"context,{heading}\nhello there,{cells}\n"), note=Repairs()) is None


ODD = "|x|1|4,5|hello there, friend|user|system|a|b|NaN|1e400|-|[|é☃|=1+1| "
PLAIN_HEADINGS = (
    "dialogue_id conversation speaker role text message turn system user context reference response reply rating score "
    "satisfaction rating_fluency fluency_score rater sysA sysB notes x"
)
CELLS = st.sampled_from([*ODD.split("|"), '["a"]'])
HEADINGS = st.sampled_from([*PLAIN_HEADINGS.split(), "", " ", "Dialogue ID", "répondant", "rating_", "_score"])


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_whatever_a_table_holds_it_is_guessed_and_read_or_refused_in_words(data: st.DataObject) -> None:
    headings = data.draw(st.lists(HEADINGS, min_size=1, max_size=7))
    rows = data.draw(st.lists(st.lists(CELLS, min_size=len(headings), max_size=len(headings)), max_size=5))
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([headings, *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(stream.getvalue(), encoding="utf-8", newline="")
        repairs = Repairs()
        mapping = guess_mapping(path, note=repairs)
        assert (mapping is None) == (not repairs.problems)  # what is guessed is reported
        if mapping is None:
            return
        used = list(mapping.columns().values())
        assert set(used) <= {heading.strip() for heading in headings}
        assert len(set(used)) == len(used)  # no column is two things
        with contextlib.suppress(DataError):  # in words; anything else is a bug
            read = list(table_format(mapping).read(path, note=repairs))
            kinds = {"response", "situation"} if mapping.is_of_responses else {"dialogue"}
            assert {record.kind for record in read} <= kinds
