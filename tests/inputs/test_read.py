"""``trialogue.read``: whatever a command takes, as records."""

from collections.abc import Iterable
from pathlib import Path

import pytest

import trialogue
from trialogue.datasets import AnyRecord
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue

TURNS = "session,who,what\na,user,hi\na,bot,hello\n"
COLUMNS = {"dialogue": "session", "speaker": "who", "text": "what"}


def systems(records: Iterable[AnyRecord]) -> set[str | None]:
    return {each.system for each in records if isinstance(each, Dialogue)}


def test_a_corpus_is_read_by_its_name_as_the_commands_read_it() -> None:
    material = gather(["demo"])
    kinds = [each.kind for each in trialogue.read("demo")]
    assert kinds.count("dialogue") == len(material.dialogues)
    assert kinds.count("situation") == len(material.situations)


def test_tables_are_read_by_a_mapping_and_a_file_is_given_a_system(tmp_path: Path) -> None:
    (tmp_path / "turns.csv").write_text(TURNS)
    (dialogue,) = trialogue.read(f"mine={tmp_path / 'turns.csv'}", mapping=COLUMNS)
    assert isinstance(dialogue, Dialogue)
    assert (dialogue.system, [said.text for said in dialogue.utterances]) == ("mine", ["hi", "hello"])


def test_plain_headings_are_guessed_and_how_is_noted(tmp_path: Path) -> None:
    (tmp_path / "turns.csv").write_text("dialogue_id,speaker,text\na,user,hi\na,system,hello\n")
    notes: list[Problem] = []
    (dialogue,) = trialogue.read(tmp_path / "turns.csv", note=notes.append)
    assert isinstance(dialogue, Dialogue)
    assert dialogue.system == "turns"
    assert "columns were guessed" in notes[0].what


def test_the_files_of_a_folder_are_read_one_by_one(tmp_path: Path) -> None:
    for name in ("aria", "bolt"):
        line = '{"id": "1", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}'
        (tmp_path / f"{name}.jsonl").write_text(line + "\n")
    assert systems(trialogue.read(tmp_path)) == {"aria", "bolt"}


def test_what_is_not_there_is_refused_at_once_and_what_cannot_be_read_when_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'demo'"):
        trialogue.read("demoo")
    (tmp_path / "odd.txt").write_text("nothing of ours\n")
    records = trialogue.read(tmp_path / "odd.txt")
    with pytest.raises(DataError, match="unknown format"):
        list(records)
