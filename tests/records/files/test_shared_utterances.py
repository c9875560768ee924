"""Dialogues of a file, of which utterances that are written alike are one record: what the usual reader makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError
from trialogue.records import Dialogue, Response, Utterance, read_records, write_records
from trialogue.records.base import SCHEMA
from trialogue.records.files import jsonl
from trialogue.records.files.plain import reader_of_dialogues

HELLO = {"speaker": "user", "text": "Hello 🎬", "meta": {"big": 12345678901234567890123, "small": 1e-7}}
TALK: dict[str, Any] = {
    "kind": "dialogue", "v": 5, "id": "1", "utterances": [HELLO, HELLO], "system": "a", "meta": {"x": [1.5, None]},
}  # fmt: skip


def parsed(text: str) -> Dialogue:
    found = jsonl.parse_line(text, {"dialogue": Dialogue})
    assert isinstance(found, Dialogue)
    return found


@pytest.mark.parametrize(
    "change", [{}, {"ratings": [{"name": "overall", "value": 3}]}, {"need": None}, {"utterances": []}]
)
@pytest.mark.parametrize("spaces", [None, 2])
def test_a_dialogue_is_what_the_usual_reader_makes_of_its_line(change: dict[str, Any], spaces: int | None) -> None:
    line = json.dumps(TALK | change, indent=spaces)
    found = reader_of_dialogues()(line)
    assert found == parsed(line)
    assert found is not None
    assert found.__pydantic_fields_set__ == parsed(line).__pydantic_fields_set__


VALUES = [
    "5", "1.0", "1.5", "true", "null", '"5"', '"a"', '"declared"', "[]", "{}", "[1]", '["a"]', "-0.0", "1e999", "NaN",
]  # fmt: skip
FIELDS = ["speaker", "text", "acts", "acts_by", "mentions", "ranking", "ratings", "trace", "meta", "unknown"]


@pytest.mark.parametrize("value", VALUES)
def test_what_a_field_takes_is_what_the_usual_reader_takes(value: str) -> None:
    fields = [f'"{name}": %s' for name in FIELDS]
    fields += ('"acts": [{"intent": "a", "slots": [{"slot": "s", "start": %s}]}]', '"meta": {"a": [%s]}')
    fields += ('"ratings": [{"name": "a", "value": %s}]', '"mentions": [{"title": "t", "by": %s}]')
    fields += ('"trace": {"calls": [{"name": "a", "arguments": %s}]}', '"trace": {"input_tokens": %s}')
    for field in fields:
        said = f'{{"speaker": "user", "text": "a", {field % value}}}'
        line = f'{{"kind": "dialogue", "v": {SCHEMA}, "id": "1", "utterances": [{said}]}}'
        try:
            expected = parsed(line)
        except ValueError:
            assert reader_of_dialogues()(line) is None, said
        else:
            found = reader_of_dialogues()(line)
            assert (found, repr(found)) == (expected, repr(expected)), said


def test_utterances_that_are_written_alike_are_one_record_in_all_dialogues_of_a_file(tmp_path: Path) -> None:
    said = Utterance(speaker="user", text="Hello")
    write_records(tmp_path / "talks.jsonl", [Dialogue(id=str(place), utterances=(said, said)) for place in range(3)])
    dialogues = list(read_records(tmp_path / "talks.jsonl", Dialogue))
    assert len({id(each) for talk in dialogues for each in talk.utterances}) == 1


def test_of_utterances_that_differ_texts_acts_and_mentions_are_shared() -> None:
    said = {"speaker": "system", "text": "Heat?", "acts": [{"intent": "List"}], "mentions": [{"title": "Heat"}]}
    talk = reader_of_dialogues()(json.dumps(TALK | {"utterances": [said | {"ranking": [name]} for name in "ab"]}))
    assert talk is not None
    first, second = talk.utterances
    assert first != second
    assert (first.text is second.text, first.acts is second.acts, first.mentions is second.mentions) == (True,) * 3


@pytest.mark.parametrize(
    "change",
    [{"v": 1}, {"v": 99}, {"speaker": "x"}, {"kind": "response"}, {"id": None}, {"unknown": 1}, {"utterances": 3}],
)
def test_other_lines_are_left_to_the_usual_reader(change: dict[str, Any]) -> None:
    assert reader_of_dialogues()(json.dumps(TALK | change)) is None


def test_mistakes_are_named_as_by_the_usual_reader(tmp_path: Path) -> None:
    wrong = TALK | {"utterances": [HELLO, HELLO | {"text": 5}]}
    (tmp_path / "talks.jsonl").write_text(json.dumps(TALK) + "\n" + json.dumps(wrong) + "\n", "utf-8")
    with pytest.raises(DataError, match=r"line 2, field utterances\[1\].text"):
        list(read_records(tmp_path / "talks.jsonl", Dialogue))
    with pytest.raises(DataError, match="kind 'dialogue'; expected: response"):
        list(read_records(tmp_path / "talks.jsonl", Response))


def test_a_shared_utterance_is_written_as_it_is_in_each_dialogue() -> None:
    shared = jsonl.share(Utterance(speaker="user", text='a "half" 🎬, 1e-07\n'))
    own = Utterance(speaker="system", text="own", meta={"power": 1e-7})
    dialogues = [Dialogue(id=f'"{number}"', utterances=(shared, own, shared)[:number]) for number in range(4)]
    for each in (*dialogues, *dialogues):
        assert json.loads(jsonl.to_line(each)) == {"kind": "dialogue", "v": SCHEMA, **each.to_json()}
    shared.meta["changed"] = True  # the only part of it that can be
    assert jsonl.to_line(dialogues[3]).count('"changed":true') == 2


def test_few_of_many_shared_utterances_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_SHARED", 3)
    monkeypatch.setattr(jsonl, "_SHARED", {})
    said = tuple(jsonl.share(Utterance(speaker="user", text=str(number))) for number in range(5))
    assert len(jsonl._SHARED) == 2  # 3, then none, then 2
    assert jsonl.to_line(Dialogue(id="1", utterances=said)).count('"speaker"') == 5
