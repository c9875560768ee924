"""No spreadsheet takes a cell for a formula, and every cell comes back as it was."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.records.files.cells import BEGINNINGS, csv_text, guard_cell, unguard_cell


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-cmd|x", "@x", "\t=1", " =1", '"=1', "a\n=1", "＝1", "-", "\r=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    assert guard_cell(text) == "'" + text


@pytest.mark.parametrize("cell", [None, 3, -3, -2.5, -1e-9, "-3", "0.5", "P0001", "a=b", "5f3c", "a\nb", "it's", "—"])
def test_other_cells_stay_as_they_are(cell: object) -> None:
    assert guard_cell(cell) == ("" if cell is None else str(cell))


@given(st.text(alphabet=st.sampled_from([*BEGINNINGS, "'", '"', " ", "a", "1", "."])) | st.text())
def test_what_was_guarded_comes_back_as_it_was(text: str) -> None:
    assert unguard_cell(guard_cell(text)) == text


@pytest.mark.parametrize("text", ["'-3", "'=d", "'@ann"])
def test_what_others_guarded_comes_back_too(text: str) -> None:
    assert unguard_cell(text) == text[1:]


def test_a_table_has_every_cell_guarded_and_quoted_where_that_is_needed() -> None:
    text = csv_text(["=head", "b"], [["x,y", -0.5], ["=1", None]])
    assert list(csv.reader(io.StringIO(text))) == [["=head", "b"], ["x,y", "-0.5"], ["'=1", ""]]
    assert csv_text(["a"], [], line_end="\r\n") == "a\r\n"
