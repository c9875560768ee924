"""Trialogue's own JSON Lines as a format."""

from pathlib import Path

import pytest

from trialogue.datasets import Head, Repairs
from trialogue.datasets.formats.trialogue_jsonl import FORMAT
from trialogue.errors import DataError
from trialogue.records import (
    Dialogue,
    Manifest,
    Preference,
    Record,
    Response,
    Score,
    Situation,
    Utterance,
    write_records,
)

HELLO, REPLY = Utterance(speaker="user", text="Hi"), Utterance(speaker="system", text="“Alien” 👽")
MIXED: tuple[Record, ...] = (
    Dialogue(id="d", utterances=(HELLO, REPLY), system="bot"),
    Situation(id="s", context=(HELLO,), reference=REPLY),
    Response(situation_id="s", system="bot", utterance=REPLY),
    Score(measure="length", level="dialogue", value=2, dialogue_id="d"),
    Preference(id="p", a="bot", b="bat", choice="tie"),
)


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.jsonl.zst"])
def test_any_mix_of_records_comes_back_in_order(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_records(path, MIXED)
    assert FORMAT.recognises(Head(path))
    assert tuple(FORMAT.read(path)) == MIXED


@pytest.mark.parametrize("record", MIXED)
def test_it_is_recognised_whatever_record_comes_first(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_records(path, [record])
    assert FORMAT.recognises(Head(path))


def test_a_manifest_is_no_conversation(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    write_records(path, [Manifest(command="evaluate")])
    assert not FORMAT.recognises(Head(path))
    with pytest.raises(DataError, match="this is a record of kind 'manifest'"):
        list(FORMAT.read(path))


@pytest.mark.parametrize("content", ['{"id": "x"}', '[{"kind": "dialogue"}]', '{"kind": "letter"}', "kind,dialogue"])
def test_other_lines_are_not_recognised(content: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    assert not FORMAT.recognises(Head(path))


def test_a_last_line_cut_short_is_left_out_with_a_note(tmp_path: Path) -> None:
    path, repairs = tmp_path / "x.jsonl", Repairs()
    write_records(path, MIXED)
    path.write_bytes(path.read_bytes()[:-10])
    assert tuple(FORMAT.read(path, note=repairs)) == MIXED[:-1]
    assert repairs.problems[0].line == 5


def test_mistakes_of_several_lines_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_records(path, MIXED)
    lines = path.read_text().splitlines()
    lines[1], lines[3] = "not json", '{"kind": "score", "measure": "length"}'
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError) as caught:
        list(FORMAT.read(path))
    assert {problem.line for problem in caught.value.problems} == {2, 4}
