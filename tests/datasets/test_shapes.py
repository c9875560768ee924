"""Shapes of files that people have: ShareGPT, replies beside references, Mechanical Turk, ConvoKit."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets import AnyRecord, Repairs, get_format, recognise
from trialogue.errors import DataError, MissingExtraError, UnknownNameError
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Response, Situation

DATA = Path(__file__).parents[1] / "data" / "people"


def read(path: Path) -> tuple[list[AnyRecord], str]:
    repairs = Repairs()
    return list(recognise(path).read(path, note=repairs)), "\n".join(map(str, repairs.problems))


def mistakes(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("sharegpt.json", "sharegpt"),
        ("pairs.jsonl", "prediction-pairs"),
        ("pairs_with_context.jsonl", "prediction-pairs"),
        ("mturk_replies.csv", "mturk"),
        ("mturk_dialogues.csv", "mturk"),
        ("convokit", "convokit"),
        ("convokit/utterances.jsonl", "convokit"),
    ],
)
def test_each_shape_is_recognised_by_its_content(name: str, format_name: str) -> None:
    assert recognise(DATA / name).name == format_name == get_format(format_name).name


def test_a_format_that_there_is_not_is_reported_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"There is no format 'sharegtp'\. Did you mean 'sharegpt'"):
        get_format("sharegtp")


# --- ShareGPT


def test_humans_are_users_and_models_are_systems() -> None:
    records, _ = read(DATA / "sharegpt.json")
    dialogues = [record for record in records if isinstance(record, Dialogue)]
    assert [(each.id, each.system) for each in dialogues] == [
        ("s1", "sharegpt"),
        ("s2", "sharegpt"),
        ("s3", "other-bot"),
    ]
    assert [(said.speaker, said.text) for said in dialogues[0].utterances] == [
        ("user", "A film like Heat?"),
        ("system", "Have you seen Collateral?"),
    ]
    assert dialogues[0].meta["messages"] == [{"from": "system", "value": "You recommend films.", "before": 0}]


def test_mistakes_of_a_conversation_are_reported_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        {"conversations": [{"from": "human", "value": "hi"}, {"from": "martian", "value": "zzz"}]},
        {"id": True, "conversations": [{"from": "gpt", "value": 5}]},
        {"conversations": [{"from": "human"}]},
        {"conversations": "none"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    messages = mistakes(path)
    assert "line 1, field conversations.1.from: unknown from 'martian'." in messages
    assert "line 2, field id: expected a string, got true." in messages
    assert "line 2, field conversations.0.value: expected a string or a list of parts, got the number 5." in messages
    assert "line 3, field conversations.0.value: expected a string or a list of parts, got null." in messages
    assert "line 4, field conversations: expected a list of messages" in messages


# --- replies beside references


def test_pairs_are_situations_with_references_and_replies() -> None:
    records, notes = read(DATA / "pairs.jsonl")
    assert [record.kind for record in records] == ["situation", "response"] * 3
    situation, response = records[:2]
    assert isinstance(situation, Situation)
    assert isinstance(response, Response)
    assert situation.reference is not None
    assert (situation.reference.text, response.utterance.text) == ("Then try Collateral.", "Have you seen Collateral?")
    assert response.system == "pairs"
    assert situation.meta == {"context": "unknown"}
    assert "the file has no context for the replies" in notes
    assert "the speaker in front of a reply was removed (2 times" in notes
    assert isinstance(records[5], Response)
    assert records[5].meta == {"blank": True}


def test_contexts_of_pairs_are_read_where_there_are_some() -> None:
    records, notes = read(DATA / "pairs_with_context.jsonl")
    contexts = [[(said.speaker, said.text) for said in each.context] for each in records if isinstance(each, Situation)]
    assert contexts == [
        [("user", "A film like Heat?")],
        [("user", "hello"), ("system", "Hi! What do you like?"), ("user", "Something for the kids")],
        [("user", "A quiet film?")],
    ]
    assert "the file has no context" not in notes


def test_files_of_two_systems_share_the_situations_whose_references_are_equal(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text((DATA / "pairs.jsonl").read_text().replace("Collateral?", f"{name}?"))
    material = gather([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])
    assert len(material.situations) == 3
    assert {(each.system, each.situation_id) for each in material.responses} == {
        (system, each.id) for system in ("one", "two") for each in material.situations
    }


def test_a_pair_without_its_reference_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"pred": "a", "label": "b"}\n{"pred": "a"}\n{"pred": 5, "label": "b"}\n')
    messages = mistakes(path)
    assert "line 2: one of label, reference, ref, gold is needed." in messages
    assert "line 3, field pred: expected a string, got the number 5." in messages


# --- Mechanical Turk


def test_what_workers_answered_are_ratings_of_the_reply_they_saw() -> None:
    records, notes = read(DATA / "mturk_replies.csv")
    replies = {each.utterance.text: each for each in records if isinstance(each, Response)}
    assert sum(isinstance(each, Situation) for each in records) == 2  # H1 and H2 show the same context
    seen = replies["Have you seen Collateral?"]
    assert seen.system == "new"
    assert [(rating.name, rating.value) for rating in seen.utterance.ratings] == [("relevance", 5), ("relevance", 4)]
    raters = [rating.rater for rating in seen.utterance.ratings]
    assert raters[0] == replies["What do you like?"].utterance.ratings[0].rater != raters[1]
    assert "W1" not in str(raters)  # codes, no accounts
    assert [rating.value for rating in replies["How old are they?"].utterance.ratings] == [4]  # of H3 one was rejected
    assert "a rejected assignment was left out" in notes
    assert "ratings of 2 workers were read: relevance; worker ids were replaced by codes" in notes
    assert "answers that are not numbers were skipped: comment" in notes


def test_dialogues_that_workers_judged_have_their_ratings_whether_buttons_or_numbers() -> None:
    records, _ = read(DATA / "mturk_dialogues.csv")
    dialogues = [each for each in records if isinstance(each, Dialogue)]
    assert [(each.id, each.system, len(each.utterances)) for each in dialogues] == [
        ("d1", "mine", 2),
        ("d2", "mine", 4),
        ("d3", "mine", 2),
    ]
    assert [(rating.name, rating.value) for rating in dialogues[0].ratings] == [
        ("satisfaction", 3),
        ("fluency", 2),
        ("satisfaction", 2),
        ("fluency", 1),
    ]
    assert dialogues[0].utterances[1].text == "Have you seen Collateral?"


def test_inputs_that_are_no_reply_and_no_dialogue_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("HITId,WorkerId,Input.image,Answer.x\nH,W,a.png,1\n")
    assert "the Input columns could not be interpreted" in mistakes(path)
    path.write_text("HITId,WorkerId,Input.transcript,Answer.x\nH,W,hello there,1\n")
    assert "the first speaker is unknown" in mistakes(path)


# --- ConvoKit


def test_conversations_come_in_the_order_of_time_with_their_speakers_roles() -> None:
    records, _ = read(DATA / "convokit")
    dialogues = [each for each in records if isinstance(each, Dialogue)]
    assert [each.id for each in dialogues] == ["c1", "c2", "c3"]
    messages = [(said.id, said.speaker) for said in dialogues[0].utterances]
    assert messages == [("u1", "user"), ("u2", "system"), ("u3", "user")]
    assert dialogues[0].meta == {"domain": "films"}
    assert dialogues[0].utterances[2].meta == {"mood": "curious", "speaker": "p7"}


def test_speakers_whose_role_nobody_tells_are_reported_with_what_would_do() -> None:
    messages = mistakes(DATA / "convokit" / "utterances.jsonl")  # alone, without speakers.json
    assert "unknown speakers, neither user nor system: 'p7' (2×), 'r1' (2×)" in messages
    assert "--mapping" in messages


# --- Parquet and the library datasets


CHAT: list[dict[str, Any]] = [
    {"id": "1", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]},
    {"id": "2", "messages": [{"role": "user", "content": "a film?"}, {"role": "assistant", "content": "Heat"}]},
    {"id": "3", "messages": [{"role": "user", "content": "a book?"}, {"role": "assistant", "content": "Emma"}]},
]
TURNS: list[dict[str, Any]] = [
    {"dialogue_id": "a", "role": "user", "text": "hi", "satisfaction": None},
    {"dialogue_id": "a", "role": "system", "text": "hello", "satisfaction": 4.0},
]


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def test_conversations_in_parquet_are_read_as_the_same_lines_of_json_would_be(tmp_path: Path) -> None:
    records, _ = read(parquet(tmp_path / "bot.parquet", CHAT))
    (tmp_path / "bot.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CHAT))
    assert records == read(tmp_path / "bot.jsonl")[0]
    assert [record.system for record in records if isinstance(record, Dialogue)] == ["bot"] * 3


def test_tables_in_parquet_are_guessed_and_mapped_and_keep_their_ratings(tmp_path: Path) -> None:
    path = parquet(tmp_path / "turns.parquet", TURNS)
    records, notes = read(path)
    assert f"{path}: columns were guessed" in notes
    (dialogue,) = records
    assert isinstance(dialogue, Dialogue)
    assert [(rating.name, rating.value) for rating in dialogue.ratings] == [("satisfaction", 4)]
    mapping = {"dialogue": "dialogue_id", "speaker": "role", "text": "text", "system_name": "mine"}
    (mapped,) = gather([path], mapping=mapping).dialogues
    assert mapped.system == "mine"


def test_a_folder_that_datasets_saved_is_read_messages_turned_inside_out_or_not(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    turned = [
        {**row, "messages": {key: [said[key] for said in row["messages"]] for key in ("role", "content")}}
        for row in CHAT
    ]
    read_back = []
    for name, rows in (("plain", CHAT), ("turned", turned)):
        folder = tmp_path / name / "bot"
        folder.mkdir(parents=True)
        (folder / "dataset_info.json").write_text("{}")
        (folder / "state.json").write_text("{}")
        table = pyarrow.Table.from_pylist(rows)
        with pyarrow.ipc.new_stream(str(folder / "data-00000-of-00001.arrow"), table.schema) as stream:
            stream.write_table(table)
        read_back.append(gather([folder]).dialogues)
    assert len(read_back[0]) == 3
    assert read_back[0] == read_back[1]


def test_damaged_and_unreadable_parquet_is_refused_by_its_own_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1" + b"\x00" * 20)
    assert f"{path}: the file is damaged" in mistakes(path)
    odd = parquet(tmp_path / "odd.parquet", [{"a": 1}])
    assert f"{odd}: unknown format" in mistakes(odd)


def test_without_pyarrow_the_command_that_installs_it_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parquet(tmp_path / "bot.parquet", CHAT)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[parquet\]'"):
        read(path)


# --- several references


@pytest.mark.parametrize("key", ["label", "references", "refs"])
def test_a_list_of_references_is_several_references_of_one_reply(tmp_path: Path, key: str) -> None:
    lines = [
        {"pred": "a b", key: ["a b", " c "]},
        {"pred": "a b", key: ["d"]},
        {"pred": "a b", key: ["", "e"]},
        {"pred": "a b", key: "f"},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert recognise(path).name == "prediction-pairs"
    records, told = read(path)
    situations = [each for each in records if isinstance(each, Situation)]
    assert [[said.text for said in each.references] for each in situations] == [["a b", "c"], ["d"], ["e"], ["f"]]
    assert "a blank one of several references was left out" in told
    path.write_text(json.dumps({"pred": "a", key: ["a"]}) + "\n" + json.dumps({"pred": "a", key: [1]}) + "\n")
    assert "expected a string, got a list" in mistakes(path)


def test_one_reference_in_a_list_or_not_is_the_same_situation(tmp_path: Path) -> None:
    names = []
    for label in ("b", ["b"]):
        path = tmp_path / "mine.jsonl"
        path.write_text(json.dumps({"pred": "a", "label": label}))
        records, _ = read(path)
        names.append([each.id for each in records if isinstance(each, Situation)])
    assert names[0] == names[1]
