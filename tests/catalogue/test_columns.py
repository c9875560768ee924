"""Columns of numbers from files: every way of cutting a file gives the same rows and mistakes."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trialogue.datasets.corpora import movielens
from trialogue.datasets.corpora.movielens import number_blocks
from trialogue.errors import DataError, Problem

NAMES = ("a", "b")


def read(path: Path, *, separator: bytes = b",") -> tuple[list[list[float]], list[Problem]]:
    problems: list[Problem] = []
    found = list(number_blocks(path, names=NAMES, header=False, problems=problems, separator=separator))
    return [row for block in found for row in block.rows.tolist()], problems


@given(
    rows=st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from([0.5, 1.0, 4.5])), max_size=20),
    chunk=st.integers(1, 40),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_the_same_however_the_file_is_cut(rows: list[tuple[int, float]], chunk: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(movielens, "CHUNK", chunk)
        assert read(path) == ([[a, b] for a, b in rows], [])


def test_rows_that_make_up_for_each_other_are_not_taken_for_whole_ones(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1,2\n3\n4,5,6\n7,8\n")  # eight numbers on four lines
    rows, problems = read(path)
    assert rows == [[1, 2], [7, 8]]
    assert [(problem.line, problem.what) for problem in problems] == [
        (2, "this row has 1 fields; expected 2."),
        (3, "this row has 3 fields; expected 2."),
    ]


def test_long_separators_line_ends_and_compression_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "rows.dat.gz"
    path.write_bytes(gzip.compress(b"1::2\r\n3::4.5"))
    assert read(path, separator=b"::") == ([[1, 2], [3, 4.5]], [])


def test_blank_lines_at_the_end_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1,2\n\n\n")
    assert read(path) == ([[1, 2]], [])


def test_a_line_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movielens, "CHUNK", 10)
    monkeypatch.setattr(movielens, "LONGEST_LINE", 50)
    path = tmp_path / "rows.csv"
    path.write_text("1" * 100)
    with pytest.raises(DataError, match="a line is longer than"):
        read(path)


def test_reading_ends_where_mistakes_are_very_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movielens, "MAX_PROBLEMS", 3)
    path = tmp_path / "rows.csv"
    path.write_text("x\n" * 100)
    assert len(read(path)[1]) == 3


def test_codes_of_no_ids_are_none() -> None:
    names, codes = movielens.encode_ids(np.zeros(0, dtype=np.int32))
    assert names == ()
    assert len(codes) == 0
    assert movielens.code_table([]).tolist() == [-1, -1]
