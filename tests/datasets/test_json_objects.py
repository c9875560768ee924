"""JSON objects one a line, in a list, or one after the other."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets import Repairs
from trialogue.datasets.json_documents import ParseReport, first_object, read_objects
from trialogue.errors import DataError

values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
objects = st.lists(st.dictionaries(st.text(), values, max_size=3), min_size=1, max_size=5)


def read(path: Path) -> tuple[list[tuple[int, dict[str, Any]]], list[str], list[str]]:
    repairs = Repairs()
    report = ParseReport(str(path), repairs)
    found = list(read_objects(path, report))
    messages = [str(problem).removeprefix(str(path)) for problem in report.problems]
    mended = list(report.mended)
    return found, messages, mended


def write(folder: Path, text: str) -> Path:
    path = folder / "made.json"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@given(made=objects)
def test_every_layout_gives_the_same_objects(
    made: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("made")
    for ascii_only in (True, False):
        plain = [json.dumps(each, ensure_ascii=ascii_only) for each in made]
        whole = json.dumps(made, ensure_ascii=ascii_only, indent=1)
        for text in ("\n".join(plain), "\r\n".join(plain) + "\r\n", f"\ufeff{whole}\n", f"[{','.join(plain)}]"):
            found, messages, _ = read(write(folder, text))
            assert [each for _, each in found] == _whole(made)
            assert messages == []


def _whole(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same as it is after a trip through UTF-8; hypothesis makes no lone surrogates."""
    parsed: list[dict[str, Any]] = json.loads(json.dumps(made))
    return parsed


def test_lines_are_counted_in_every_layout(tmp_path: Path) -> None:
    assert [line for line, _ in read(write(tmp_path, '\n{"a": 1}\n\n{"b": 2}\n'))[0]] == [2, 4]
    assert [line for line, _ in read(write(tmp_path, '[\n {"a":\n 1},\n\n {"b": 2}\n]\n'))[0]] == [2, 5]
    assert [line for line, _ in read(write(tmp_path, '{\n"a": 1}\n{\n"b": 2}\n'))[0]] == [1, 3]


def test_every_broken_line_is_reported(tmp_path: Path) -> None:
    found, messages, _ = read(write(tmp_path, '{"a": 1}\n{"a": \n7\n"x"\nnull\n{"b": 2}\n'))
    assert [line for line, _ in found] == [1, 6]
    assert messages == [
        ", line 2: not valid JSON (Expecting value at column 1).",
        ", line 3: expected an object, got the number 7.",
        ", line 4: expected an object, got the text 'x'.",
        ", line 5: expected an object, got null.",
    ]


def test_a_crash_at_the_end_is_mended_unless_nothing_else_is_there(tmp_path: Path) -> None:
    assert read(write(tmp_path, '{"a": 1}\n{"b'))[1:] == (
        [],
        ["the last line is cut off (a crash while writing?) and was left out"],
    )
    assert read(write(tmp_path, '{"a": 1'))[1] != []


def test_a_number_too_long_to_read_is_a_mistake(tmp_path: Path) -> None:
    _, messages, _ = read(write(tmp_path, f'{{"a": {"9" * 5000}}}\n'))
    assert "not valid JSON" in messages[0]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    for text in ("", "\n \n", "\ufeff"):
        with pytest.raises(DataError, match="this file is empty"):
            read(write(tmp_path, text))


def test_the_first_object_is_seen_in_any_layout() -> None:
    assert first_object(' [ {"a": 1}, {"b"') == {"a": 1}
    assert first_object('\n{\n"a": 1}\n') == {"a": 1}
    assert first_object("[1]") is first_object("") is first_object("[" * 100_000) is first_object("[") is None
