"""Files read whole: hostile bytes get a message with a place and what to do, oddities a note."""

import gzip
import json
from pathlib import Path

import pytest

from trialogue.datasets import Repairs
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import (
    ParseReport,
    bare_stem,
    excerpt_of,
    files_like,
    kind_of,
    read_json,
)
from trialogue.errors import DataError
from trialogue.records import JsonValue


def loaded(folder: Path, content: str | bytes, repairs: Repairs | None = None, name: str = "x.json") -> JsonValue:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    report = ParseReport(str(path), repairs or Repairs())
    value = read_json(path, report)
    report.settle()
    return value


@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_an_empty_file_is_refused_with_a_hint(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.json: this file is empty\. Is the file complete"):
        loaded(tmp_path, content)


def test_truncated_json_is_refused_with_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2: not valid JSON: .* at column 8\. The file is cut off there. Is"):
        loaded(tmp_path, '[\n{"a": 1')


def test_json_cut_off_inside_a_text_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 1: .*unterminated string .* column 8\. The file is cut off there. Is"):
        loaded(tmp_path, '[{"a": "never en')


def test_broken_json_in_the_middle_is_not_called_cut_off(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 1: not valid JSON") as caught:
        loaded(tmp_path, '[{"a" 1}, {"b": 2}]')
    assert "is truncated" not in str(caught.value)


def test_bytes_that_are_not_utf8_are_refused_with_line_and_byte(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2: byte 6 \(0xe9\) is not UTF-8\. Convert it first.*iconv"):
        loaded(tmp_path, b'["a",\n\xe9"]')


def test_utf16_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not UTF-8"):
        loaded(tmp_path, '["a"]'.encode("utf-16"))


def test_bytes_of_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not valid JSON"):
        loaded(tmp_path, b"\x00" * 100)


def test_nuls_escaped_in_a_text_are_characters_like_others(tmp_path: Path) -> None:
    assert loaded(tmp_path, r'["a\u0000b"]') == ["a\0b"]


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"\xef\xbb\xbf[1]") == [1]


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nested too deeply"):
        loaded(tmp_path, "[" * 100_000)


def test_a_number_of_five_thousand_digits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="contains a number that cannot be read"):
        loaded(tmp_path, f"[{'9' * 5000}]")


def test_numbers_that_json_does_not_have_are_null_with_a_note(tmp_path: Path) -> None:
    repairs = Repairs()
    assert loaded(tmp_path, "[NaN, -Infinity, 1e999, 1.5]", repairs) == [None, None, None, 1.5]
    assert [problem.what for problem in repairs.problems] == [
        "a number that JSON does not allow (NaN or Infinity) was read as null (3 times, first here)."
    ]


def test_halves_of_characters_are_replaced_with_a_note_and_whole_ones_kept(tmp_path: Path) -> None:
    repairs = Repairs()
    content = json.dumps([{"half \ud83d": ["\udc00x"]}, "🎬"])  # escapes, as only they can say half a character
    assert loaded(tmp_path, content, repairs) == [{"half \ufffd": ["\ufffdx"]}, "🎬"]
    assert "(2 times" in repairs.problems[0].what


def test_a_key_given_twice_counts_once_with_a_note(tmp_path: Path) -> None:
    repairs = Repairs()
    assert loaded(tmp_path, '{"a": 1, "b": 2, "a": 3}', repairs) == {"a": 3, "b": 2}
    assert "the key 'a' occurs twice" in repairs.problems[0].what


def test_a_compressed_file_that_breaks_off_is_refused_with_what_to_do(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(list(range(1000))).encode())
    with pytest.raises(DataError, match=r"cannot be read to its end .* Download it again"):
        loaded(tmp_path, whole[: len(whole) // 2], name="x.json.gz")


def test_a_file_that_only_says_to_be_compressed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read to its end"):
        loaded(tmp_path, "[1]", name="x.json.gz")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        read_json(tmp_path / "none.json", ParseReport("none.json", Repairs()))


def test_mistakes_are_raised_together_and_repairs_reported_once_a_kind() -> None:
    repairs = Repairs()
    report = ParseReport("f", repairs)
    for index in range(3):
        report.mend("mended", f"[{index}]")
    report.settle()
    assert [str(problem) for problem in repairs.problems] == ["f, field [0]: mended (3 times, first here)."]
    report.wrong("one.", "[0]")
    report.wrong("two.", line=3, hint="Do this.")
    with pytest.raises(DataError, match=r"f, field \[0\]: one\.\nf, line 3: two\. Do this\."):
        report.settle()


def test_numbers_are_finite_and_never_booleans() -> None:
    values: list[object] = [1, 1.5, True, "1", None, 10**400, float("inf")]
    assert [as_number(value) for value in values] == [1.0, 1.5, *[None] * 5]


def test_values_are_named_for_messages() -> None:
    values: list[object] = ["x" * 40, 10**400, {}, False]
    names = [kind_of(value) for value in values]
    assert names == [f"the text '{'x' * 30}'…", "a huge number", "an object", "false"]


def test_long_values_are_cut_for_messages() -> None:
    assert excerpt_of(["é"]) == '["é"]'
    assert excerpt_of("x" * 50) == '"' + "x" * 39 + "…"


def test_files_of_a_folder_are_found_by_suffix_and_content_in_order_of_names(tmp_path: Path) -> None:
    for name, content in (("b.json", "[1]"), ("a.json", "[2]"), ("c.txt", "[3]"), ("d.json", "{}")):
        (tmp_path / name).write_text(content)
    (tmp_path / "e.json").mkdir()
    found = files_like(tmp_path, lambda head: head.text.startswith("["))
    assert [path.name for path in found] == ["a.json", "b.json"]
    assert list(files_like(tmp_path, lambda head: True, suffixes=(".txt",))) == [tmp_path / "c.txt"]


def test_the_bare_stem_has_neither_suffix_nor_compression() -> None:
    assert [bare_stem(Path(name)) for name in ("a/x.json", "x.json.gz", "x.y.json.zst")] == ["x", "x", "x.y"]
