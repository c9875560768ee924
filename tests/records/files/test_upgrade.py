"""Lines of the file format, as they were written, still read; lines of an earlier version are upgraded."""

import json
from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.records import Dialogue, Response, Score, Situation, read_records
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.upgrade import upgrade

GOLDEN = Path(__file__).parent.parent / "golden"


def test_todays_lines_are_written_as_the_newest_golden_file_has_them() -> None:
    path = GOLDEN / f"v{SCHEMA}.jsonl"
    records = read_records(path, Dialogue, Situation, Response, Score)
    assert [to_line(record) for record in records] == path.read_text(encoding="utf-8").splitlines()


def test_a_version_below_the_first_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"dialogue","v":0,"id":"a","utterances":[]}\n')
    with pytest.raises(DataError, match="schema version 0"):
        list(read_records(path, Dialogue))


def test_a_line_of_an_earlier_version_passes_through_the_steps_after_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mechanism; no released format needs a step yet."""
    steps = {past: {"dialogue": lambda fields, past=past: fields["met"].append(past)} for past in range(1, SCHEMA)}
    monkeypatch.setattr("trialogue.records.files.upgrade.STEPS", steps)
    for version in range(1, SCHEMA + 1):
        fields: dict[str, list[int]] = {"met": []}
        upgrade("dialogue", fields, version)
        upgrade("score", fields, version)
        assert fields == {"met": list(range(version, SCHEMA))}


@pytest.mark.parametrize("word", ["crashed", "bored", "Timeout", ""])
def test_an_unknown_ending_is_refused_whatever_version_the_line_says(tmp_path: Path, word: str) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": 1, "id": "d", "utterances": [], "ended_by": word}) + "\n")
    with pytest.raises(DataError, match="ended_by"):
        list(read_records(path, Dialogue))


def test_the_old_name_of_a_calibration_in_a_line_of_today_is_refused_by_its_field(tmp_path: Path) -> None:
    belief = {"origin": "m", "probabilities": {"similarity": 1.0}, "same": [2.0, 0.5]}
    said = {"speaker": "system", "text": "x", "strategy_distribution": belief}
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": SCHEMA, "id": "d", "utterances": [said]}) + "\n")
    with pytest.raises(DataError, match=r"strategy_distribution\.same"):
        list(read_records(path, Dialogue))
