"""Lines of every version of the file format, as they were written, still read."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.records import Dialogue, Response, Score, Situation, read_records
from trialogue.records.base import SCHEMA
from trialogue.records.jsonl import to_line

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = range(1, SCHEMA + 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_has_golden_lines(version: int) -> None:
    assert (GOLDEN / f"v{version}.jsonl").is_file()


@pytest.mark.parametrize("version", VERSIONS)
def test_golden_lines_of_each_version_read_as_the_same_records(version: int) -> None:
    """What today's version says of the same things is in the newest file."""
    kinds = (Dialogue, Situation, Response, Score)
    old = list(read_records(GOLDEN / f"v{version}.jsonl", *kinds))
    new = list(read_records(GOLDEN / f"v{SCHEMA}.jsonl", *kinds))
    assert old == new


def test_todays_lines_are_written_as_the_newest_golden_file_has_them() -> None:
    path = GOLDEN / f"v{SCHEMA}.jsonl"
    records = read_records(path, Dialogue, Situation, Response, Score)
    assert [to_line(record) for record in records] == path.read_text(encoding="utf-8").splitlines()


def test_a_version_below_the_first_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"dialogue","v":0,"id":"a","utterances":[]}\n')
    with pytest.raises(DataError, match="schema version 0"):
        list(read_records(path, Dialogue))
