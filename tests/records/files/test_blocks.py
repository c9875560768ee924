"""Files read in blocks of lines: the same records and the same mistakes as line by line, wherever the blocks end."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import DataError, Problem
from trialogue.records.files import blocks, jsonl
from trialogue.records.files.blocks import read_blocks
from trialogue.records.files.jsonl import Part, read_parsed

LINES = st.lists(
    st.sampled_from(["1", "22", '"\u00e9"', "[3]", "", " ", "{broken", "x" * 70, '"cut', "4 5", "[6,\n7]", "\ufeff8"]),
    max_size=8,
)


def block_of(lines: bytes) -> list[object] | None:
    """Whole numbers only, one a line."""
    parts = lines.split(b"\n")[: -1 if lines.endswith(b"\n") else None]
    return [json.loads(part) for part in parts] if all(part.isdigit() for part in parts) else None


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blocks") / "x.jsonl"


def outcome(read: Iterable[list[object]]) -> tuple[list[object], list[Problem]]:
    """All that is read, or the problems."""
    try:
        return [each for some in read for each in some], []
    except DataError as error:
        return [], list(error.problems)


@given(lines=LINES, size=st.integers(1, 20), is_ended=st.booleans(), skipped=st.integers(0, 2))
def test_blocks_hold_what_lines_hold(path: Path, lines: list[str], size: int, is_ended: bool, skipped: int) -> None:
    whole = ("\n".join(lines) + ("\n" if is_ended else "")).encode()
    path.write_bytes(whole)
    starts = [0, *(place + 1 for place, byte in enumerate(whole) if byte == ord("\n"))]
    first = min(skipped, len(starts) - 1)
    part = Part(starts[first], len(whole), first) if starts[first] < len(whole) else None
    notes: list[list[Problem]] = [[], []]
    singly = ([each] for each in read_parsed(path, json.loads, note=notes[0].append, part=part))
    by_lines = outcome(singly)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        by_blocks = outcome(map(list, read_blocks(path, block_of, json.loads, note=notes[1].append, part=part)))
    assert by_blocks == by_lines
    assert by_lines[1] or notes[0] == notes[1]


def test_a_line_that_is_too_long_ends_the_reading(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (blocks, jsonl):
        monkeypatch.setattr(module, "LONGEST_LINE", 100)
    monkeypatch.setattr(blocks, "BLOCK", 30)
    path.write_text("1\n" + "2" * 1000 + "\n{broken\n")
    with pytest.raises(DataError) as caught:
        list(read_blocks(path, block_of, json.loads, note=print))
    assert [(each.line, "longer than" in each.what) for each in caught.value.problems] == [(2, True)]


def test_a_compressed_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(b"%d\n" % number for number in range(100_000)))[:-20_000])
    notes: list[Problem] = []
    found = [each for some in read_blocks(path, block_of, json.loads, note=notes.append) for each in some]
    assert found == list(range(len(found)))
    assert len(found) > 1000
    assert len(notes) == 1
