"""Chunks are scripts that hold JSON and nothing else, whatever the JSON holds."""

from pathlib import Path

import pytest

from tests.render.explorer.made import HOSTILE, read_chunk
from trialogue.records.base import JsonValue
from trialogue.render.explorer.chunks import (
    chunk_text,
    plain,
    shown_json,
    texts_to_json,
    to_json,
    utf16_place,
    write_chunk,
)

TEXTS = [
    HOSTILE,
    "it's",
    "\\",
    "\\'",
    "'",
    "\n\r\t",
    "</ScRiPt>",
    "\u2028",
    "__proto__",
    "a\\u2028b",
    "\\x3c",
    "日本 😀",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_comes_back_as_it_is_shown(text: str, tmp_path: Path) -> None:
    write_chunk(tmp_path, "text-0", [plain(text)])
    assert read_chunk(tmp_path / "text-0.js") == [plain(text)]


def test_the_fast_ways_to_write_json_write_what_the_usual_one_does() -> None:
    texts = [*TEXTS, "", *map(chr, range(0x3000)), *(f"a{chr(code)}" for code in range(0xFD00, 0x10400))]
    assert [shown_json(text) for text in texts] == [to_json(plain(text)) for text in texts]
    content: JsonValue = {"a": [[*map(plain, texts)], [None, 0, -1, 1 << 40, True]], "b": {}, "c": []}
    assert texts_to_json(content) == to_json(content)


def test_nothing_in_a_chunk_ends_a_script_or_a_line() -> None:
    text = chunk_text("text-0", [plain(HOSTILE), {"a": plain(HOSTILE)}])
    assert "<" not in text
    assert text.count("\n") == 1
    assert not set(text) & {"\u2028", "\u2029", "\r", "\x00"}
    assert text.encode("utf-8")  # no half of a pair is left


def test_numbers_that_json_does_not_know_are_refused() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        chunk_text("measure-0", [float("nan")])


def test_a_text_that_is_shown_has_the_length_of_the_original() -> None:
    for text in (HOSTILE, "plain", "\x1b[31m", "a\u202eb", "tab\tand\nline"):
        assert len(plain(text)) == len(text)
    assert plain("tab\tand\nline") == "tab\tand\nline"


def test_places_are_counted_as_javascript_counts() -> None:
    text = "a😀é😀b"
    for place in range(len(text) + 1):
        assert utf16_place(text, place) == len(text[:place].encode("utf-16-le")) // 2
