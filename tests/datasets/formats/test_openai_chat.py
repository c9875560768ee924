"""OpenAI's chat format: roles, parts, tools, names, and everything that can be wrong with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets import Head, Repairs
from trialogue.datasets.formats.openai_chat import FORMAT
from trialogue.errors import DataError
from trialogue.records import Dialogue

SAMPLES = Path(__file__).parents[2] / "data" / "openai_chat"
HELLO = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}


def write(folder: Path, *entries: object, name: str = "made.jsonl", end: str = "\n") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(each) for each in entries) + end)
    return path


def read(path: Path) -> tuple[list[Dialogue], list[str]]:
    repairs = Repairs()
    dialogues = [record for record in FORMAT.read(path, note=repairs) if isinstance(record, Dialogue)]
    return dialogues, [str(problem) for problem in repairs.problems]


def mistakes(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def said(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


def test_user_and_assistant_speak_and_the_rest_goes_to_meta_with_its_place() -> None:
    [first, _], _ = read(SAMPLES / "chat.jsonl")
    assert [(each.speaker, each.text) for each in first.utterances] == [
        ("user", "hi"),
        ("system", "Watch\nNight Ferry"),
    ]
    aside = first.meta["messages"]
    assert isinstance(aside, list)
    assert [(m["role"], m["before"]) for m in aside if isinstance(m, dict)] == [
        ("system", 0),
    ]
    trace = first.utterances[1].trace  # only a call of a tool and its result: nobody is spoken to
    assert trace is not None
    assert trace.calls is not None
    assert [(call.name, call.result) for call in trace.calls] == [("search", "Night Ferry (2003)")]


def test_names_come_from_the_entry_its_metadata_or_the_file(tmp_path: Path) -> None:
    [first, second], _ = read(SAMPLES / "chat.jsonl")
    assert (first.id, first.system, first.user, first.source) == ("c1", "demo-1", "w7", "chat")
    assert first.meta["split"] == "a"
    assert (second.id, second.system, second.user) == ("chat-2", "demo-2", None)
    [plain], _ = read(write(tmp_path, HELLO, name="my_bot.jsonl"))
    assert (plain.id, plain.system) == ("my_bot-1", "my_bot")


def test_a_json_list_reads_the_same_as_json_lines() -> None:
    lines, _ = read(SAMPLES / "chat.jsonl")
    listed, _ = read(SAMPLES / "list.json")
    renamed = [d.model_copy(update={"source": "chat", "id": d.id.replace("list", "chat")}) for d in listed]
    assert renamed == lines


def test_a_single_conversation_over_several_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(HELLO, indent=2))
    [dialogue], notes = read(path)
    assert len(dialogue.utterances) == 2
    assert notes == []


def test_parts_without_text_are_reported_and_a_refusal_is_an_answer() -> None:
    [_, second], notes = read(SAMPLES / "chat.jsonl")
    assert [each.text for each in second.utterances] == ["this poster?", "I cannot see it."]
    assert second.utterances[0].meta == {"name": "Ana"}
    assert any("a part of type 'image_url' has no text and was left out" in note for note in notes)


def test_whatever_else_an_entry_holds_is_kept(tmp_path: Path) -> None:
    entry = HELLO | {"temperature": 0.5, "metadata": {"condition": "b"}}
    [dialogue], _ = read(write(tmp_path, entry))
    assert dialogue.meta == {"condition": "b", "temperature": 0.5}


def test_an_empty_message_is_kept_and_a_conversation_without_any_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path, said({"role": "user", "content": ""}), said({"role": "system", "content": "x"}))
    dialogues, notes = read(path)
    assert [len(dialogue.utterances) for dialogue in dialogues] == [1, 0]
    assert any("an empty message; kept" in note for note in notes)
    assert any("has no text by the user or assistant" in note for note in notes)


def test_half_a_character_and_numbers_that_json_does_not_have_are_mended(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text(
        '{"messages": [{"role": "user", "content": "caf\\u00e9 \\ud83d"}], "seed": NaN}\n', encoding="ascii"
    )
    [dialogue], notes = read(path)
    assert dialogue.utterances[0].text == "café \ufffd"
    assert dialogue.meta == {"seed": None}
    assert any("half a character" in note for note in notes)
    assert any("a number that JSON does not allow" in note for note in notes)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"id": "no messages"},
        said(id=["a"]),
        {"messages": "hi"},
        said("hi"),
        said({"role": "narrator", "content": "x"}),
        said({"role": "user", "content": 7}),
        said({"role": "user", "content": [7]}),
        said({"role": "user", "content": [{"type": "text"}]}),
        HELLO | {"metadata": "b"},
        HELLO | {"id": "twice"},
        HELLO | {"id": "twice", "split": "b"},
        7,
    )
    reported = [each.split("made.jsonl, ")[1] for each in mistakes(path)]
    assert reported == [
        "line 1, field messages: there are none.",
        "line 2, field id: expected a string, got a list.",
        "line 3, field messages: expected a list of messages, got the text 'hi'.",
        "line 4, field messages.0: expected a message {role, content}.",
        "line 5, field messages.0.role: unknown role 'narrator'. "
        "Known: user, assistant, system, developer, tool, function.",
        "line 6, field messages.0.content: expected a string or a list of parts, got the number 7.",
        "line 7, field messages.0.content.0: expected a part {type, text}, got the number 7.",
        "line 8, field messages.0.content.0: expected a part {type, text}, got an object.",
        "line 9, field metadata: expected an object, got the text 'b'.",
        "line 12: expected an object, got the number 7.",
        "line 11, field id: duplicate id 'twice' (first used by conversation 10). "
        "Ids must be unique within a system; without ids, conversations are numbered.",
    ]


def test_numbers_beyond_all_bounds_are_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    message = '{"role": "user", "content": "hi", "weight": 1e999}'
    path.write_text(f'{{"messages": [{message}]}}\n{{"messages": [], "seed": 1e999}}\n')
    reported = mistakes(path)
    assert len(reported) == 2
    assert all("finite number" in each for each in reported)


def test_a_last_line_cut_short_is_left_out_and_a_list_cut_short_is_refused(tmp_path: Path) -> None:
    dialogues, notes = read(write(tmp_path, HELLO, end='\n{"messages": [{"role": "us'))
    assert len(dialogues) == 1
    assert any("line 2: the last line is cut off" in note for note in notes)
    whole = json.dumps([HELLO, HELLO], indent=1)
    cut = tmp_path / "cut.json"
    for length in (len(whole) - 1, len(whole) - 20, len(whole) // 2 + 5, 1):
        cut.write_text(whole[:length])
        assert any("Is the file complete" in each for each in mistakes(cut)), whole[:length]


def test_what_follows_a_list_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(json.dumps([HELLO]) + "\n" + json.dumps([HELLO]))
    assert "there is more text after the list" in mistakes(path)[0]


def test_hostile_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text("")
    assert "this file is empty" in mistakes(path)[0]
    path.write_text("[" * 200_000)
    assert "nested too deeply" in mistakes(path)[0]
    path.write_bytes(b'{"messages": [{"role": "user", "content": "caf\xe9"}]}\n')
    assert "is not UTF-8" in mistakes(path)[0]
    path.write_text("messages: hi\n")
    assert "line 1: not valid JSON" in mistakes(path)[0]


def test_it_is_recognised_by_content(tmp_path: Path) -> None:
    assert all(FORMAT.recognises(Head(path)) for path in SAMPLES.iterdir())
    long = said({"role": "user", "content": "x" * 100_000}, {"role": "assistant", "content": "y"})
    assert FORMAT.recognises(Head(write(tmp_path, long)))
    assert not FORMAT.recognises(Head(SAMPLES))
    others: tuple[dict[str, Any], ...] = (
        {"kind": "dialogue", "id": "a", "utterances": [], "meta": {"messages": [{"role": "user", "content": ""}]}},
        {"messages": []},
        {"messages": [{"senderWorkerId": 1, "text": "hi"}]},
        {"choices": [{"message": {"role": "user", "content": "hi"}}]},
    )
    for other in others:
        assert not FORMAT.recognises(Head(write(tmp_path, other)))
    longer = {"kind": "dialogue", "meta": {"messages": [{"role": "user", "content": "x" * 100_000}]}}
    assert not FORMAT.recognises(Head(write(tmp_path, longer)))


def test_names_and_prompts_under_one_key_are_not_mixed_into_one_system(tmp_path: Path) -> None:
    path = write(tmp_path, {**HELLO, "system": "aria"}, {**HELLO, "system": "x" * 101}, {**HELLO, "system": "a\nb"})
    [mistake] = mistakes(path)
    assert "line 2" in mistake
    assert "'system' names the system in other conversations ('aria')" in mistake


def test_numbers_that_are_no_ratings_are_named(tmp_path: Path) -> None:
    [dialogue], notes = read(write(tmp_path, {**HELLO, "success": 1}))
    assert (dialogue.ratings, dialogue.meta) == ((), {"success": 1})
    assert any("not read: success." in note for note in notes)
