"""What happens to files that are broken, cut short, huge or in another encoding."""

import gzip
from pathlib import Path

import pytest

from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Score, Situation, read_records, write_records
from trialogue.records.files import jsonl
from trialogue.records.files.jsonl import RepairWarning
from trialogue.records.files.opening import open_replacing

GOOD = '{"kind":"dialogue","v":1,"id":"a","utterances":[]}'


def read(path: Path) -> list[Dialogue]:
    return list(read_records(path, Dialogue))


def test_a_last_line_cut_short_by_a_crash_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(GOOD + "\n" + GOOD[:20])
    with pytest.warns(RepairWarning, match="line 2.*cut short"):
        assert [dialogue.id for dialogue in read(path)] == ["a"]


def test_a_broken_line_in_the_middle_is_an_error_that_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"{GOOD}\n{GOOD[:20]}\n{GOOD}\n")
    with pytest.raises(DataError, match=r"x\.jsonl, line 2: not valid JSON"):
        read(path)


def test_a_broken_last_line_that_was_written_to_its_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"{GOOD}\n{{broken}}\n")
    with pytest.raises(DataError, match="line 2"):
        read(path)


def test_all_mistakes_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = ["[]", GOOD, '{"kind":"dialog"}', '{"kind":"dialogue","id":1,"utterances":[{"speaker":"bot"}]}', "{}"]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4, 4, 4, 5]
    fields = [problem.field for problem in caught.value.problems]
    assert "utterances[0].speaker" in fields
    assert "utterances[0].text" in fields


def test_a_bare_text_in_place_of_an_utterance_is_answered_with_the_right_form(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"situation","id":"1","context":["hi"],"reference":"See Heat."}\n')
    with pytest.raises(DataError) as caught:
        list(read_records(path, Situation))
    hints = {problem.field: problem.hint for problem in caught.value.problems if problem.hint}
    assert hints == {
        "reference": 'Write it as {"speaker": "system", "text": "..."}.',
        "context[0]": 'Write it as {"speaker": "user" (or "system"), "text": "..."}.',
    }


def test_a_newer_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"dialogue","v":99,"id":"a","utterances":[]}\n')
    with pytest.raises(DataError, match=r"schema version 99.*upgrade"):
        read(path)


def test_bytes_that_are_not_utf8_are_named_with_the_command_that_helps(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOOD.encode() + b"\n" + "é".encode("latin1") + b"\n")
    with pytest.raises(DataError, match=r"line 2: byte 0 .*0xe9.*not UTF-8.*iconv"):
        read(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode() + b"\n")
    assert len(read(path)) == 1


def test_a_line_of_200_mb_is_refused_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as stream:
        stream.seek(200 << 20)  # a hole: one "line" of 200 MiB of zero bytes, which takes no disk
        stream.write(b"\n")
    with pytest.raises(DataError, match=r"line 1: this line is longer than 64 MiB"):
        read(path)


def test_a_compressed_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    whole = gzip.compress(
        "".join(f'{{"kind":"dialogue","v":1,"id":"{i}","utterances":[]}}\n' for i in range(9999)).encode()
    )
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.warns(RepairWarning, match="is truncated"):
        assert 0 < len(read(path)) < 9999


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: there is no such file"):
        read(tmp_path / "nowhere.jsonl")
    with pytest.raises(DataError, match="folder"):
        read(tmp_path)


def test_an_empty_file_holds_no_records(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("\n \n")
    assert read(tmp_path / "x.jsonl") == []


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("before")

    def fails() -> None:
        with open_replacing(path) as stream:
            stream.write(b"half")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fails()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_repairs_can_be_collected(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(GOOD + "\n{")
    notes: list[Problem] = []
    list(read_records(path, Dialogue, note=notes.append))
    assert [note.line for note in notes] == [2]


def test_a_file_of_many_broken_lines_is_given_up_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_PROBLEMS", 5)
    path = tmp_path / "x.jsonl"
    path.write_text("no\n" * 100)
    with pytest.raises(DataError) as caught:
        read(path)
    assert len(caught.value.problems) == 5


def test_the_wrong_kind_of_record_is_named(tmp_path: Path) -> None:
    write_records(tmp_path / "s.jsonl", [Score(measure="m", level="system", value=1.0)])
    with pytest.raises(DataError, match="kind 'score'; expected: dialogue"):
        read(tmp_path / "s.jsonl")


def test_half_of_a_surrogate_pair_is_no_character(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    whole = '{"kind":"dialogue","v":1,"id":"\\ud83d\\ude00","utterances":[]}\n'
    path.write_text(whole + '{"kind":"dialogue","v":1,"id":"\\ud83d","utterances":[]}\n')
    with pytest.raises(DataError, match="line 2: it contains half of a surrogate pair"):
        read(path)
