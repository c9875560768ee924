"""Every record is the same after a trip through JSON and through a file."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.records import strategies as made
from trialogue.records import (
    Dialogue,
    Manifest,
    Preference,
    Record,
    Response,
    Score,
    Situation,
    read_records,
    write_records,
)

EVERY_KIND = (Dialogue, Situation, Response, Score, Preference, Manifest)
PARTS = st.one_of(
    made.slots,
    made.acts,
    made.labels,
    made.mentions,
    made.ratings,
    made.opinions,
    made.user,
    made.estimates,
    made.cards,
)


@given(record=made.lines | PARTS)
def test_a_record_is_the_same_after_a_trip_through_json(record: Record) -> None:
    assert type(record).model_validate(json.loads(json.dumps(record.to_json()))) == record


@settings(max_examples=30, deadline=None)
@given(records=st.lists(made.lines, max_size=4), suffix=st.sampled_from(["", ".gz", ".zst"]))
def test_records_are_the_same_after_a_trip_through_a_file(records: list[Record], suffix: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"records.jsonl{suffix}"
        assert write_records(path, records) == len(records)
        assert list(read_records(path, *EVERY_KIND)) == records


@settings(max_examples=10, deadline=None)
@given(records=st.lists(made.lines, min_size=1, max_size=3), suffix=st.sampled_from(["", ".gz", ".zst"]))
def test_writing_twice_gives_the_same_bytes(records: list[Record], suffix: str) -> None:
    with TemporaryDirectory() as folder:
        first, second = Path(folder) / f"a.jsonl{suffix}", Path(folder) / f"b.jsonl{suffix}"
        write_records(first, records)
        write_records(second, records)
        assert first.read_bytes() == second.read_bytes()


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    dialogue = Dialogue.model_validate({"id": "x", "utterances": [{"speaker": "user", "text": "a\u2028b\x85c\x0bd"}]})
    write_records(tmp_path / "x.jsonl", [dialogue])
    assert list(read_records(tmp_path / "x.jsonl", Dialogue)) == [dialogue]


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="extra"):
        Dialogue.model_validate({"id": "x", "utterances": [], "sytem": "typo"})


def test_records_cannot_be_changed() -> None:
    dialogue = Dialogue(id="x", utterances=())
    with pytest.raises(ValueError, match="frozen"):
        dialogue.id = "y"  # type: ignore[misc]
