"""Rows that others report: listed, never ranked, and validated with every mistake at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.subjects.board.commands.made import NEED_MET, folder, share, simulated
from trialogue.errors import DataError
from trialogue.records import ReasonCode
from trialogue.subjects.board.commands.board import Board, board
from trialogue.subjects.board.records import RowOrigin
from trialogue.subjects.board.reported import ReportedRows, rows_schema


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("runs")
    return [folder(root / name, simulated("mine", share(part))) for name, part in (("v1", 0.5), ("v2", 0.6))]


def rows_file(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"format": "trialogue-board-rows", "v": 1, "rows": rows}))
    return path


def row(system: str = "Super", **value: Any) -> dict[str, Any]:
    return {
        "system": system,
        "source": "Doe 2026",
        "values": [{"measure": NEED_MET, "users": "sim", "value": 1.0, **value}],
    }


def codes(made: Board, name: str) -> list[ReasonCode]:
    return [reason.code for reason in made.findings.columns[0].cell(name).why]


def test_a_perfect_row_without_a_signature_is_listed_last_and_never_ranked(runs: list[Path], tmp_path: Path) -> None:
    given = rows_file(tmp_path / "others.json", row(low=0.999, high=1.0, n=100_000))
    made = board(*runs, rows=[given])
    assert [each.name for each in made.findings.rows] == ["v2", "v1", "Super"]
    assert made.findings.rows[-1].origin is RowOrigin.REPORTED
    cell = made.findings.columns[0].cell("Super")
    assert (cell.rank_low, cell.group) == (None, None)
    assert codes(made, "Super") == [ReasonCode.BOARD_REPORTED_UNSIGNED]
    assert cell.estimate.value == 1.0
    assert [standing.system for standing in made.findings.columns[0].leagues[0].standings] == ["v2", "v1"]
    assert "Super" not in str(made.findings.answer[0])


def test_a_copied_signature_ranks_nothing_either(runs: list[Path], tmp_path: Path) -> None:
    own = board(*runs).findings.columns[0].cells[0]
    assert own.conditions is not None
    given = rows_file(
        tmp_path / "others.json",
        row("Same", signature=own.signature, key=own.conditions.key),
        row("Other", signature="x"),
    )
    made = board(*runs, rows=[given])
    assert codes(made, "Same") == [ReasonCode.BOARD_REPORTED]
    assert codes(made, "Other") == [ReasonCode.BOARD_REPORTED_DIFFERS]
    assert made.findings.columns[0].cell("Same").rank_low is None


def test_a_reported_row_with_the_name_of_ours_keeps_its_file_in_its_name(runs: list[Path], tmp_path: Path) -> None:
    given = rows_file(tmp_path / "others.json", row("v1"), row("v1"))
    made = board(*runs, rows=[given])
    assert [each.name for each in made.findings.rows] == ["v2", "v1", "v1 [others]", "v1 [others #2]"]


def test_a_row_on_another_measure_has_no_value_here(runs: list[Path], tmp_path: Path) -> None:
    other = {"system": "Super", "source": "x", "values": [{"measure": "bleu", "value": 3}]}
    made = board(*runs, rows=[rows_file(tmp_path / "others.json", other)])
    assert str(made.findings.columns[0].cell("Super").estimate.why) == "it was not reported"


def test_a_board_reads_the_rows_of_another_board(runs: list[Path], tmp_path: Path) -> None:
    board(*runs).write(tmp_path / "one")
    ReportedRows.model_validate_json((tmp_path / "one" / "rows.json").read_text())
    made = board(runs[0], rows=[tmp_path / "one" / "rows.json"])
    reported = [each.name for each in made.findings.rows if each.origin is RowOrigin.REPORTED]
    assert reported == ["mine (v2)", "mine (v1)"]
    assert codes(made, "mine (v1)") == [ReasonCode.BOARD_REPORTED]
    assert made.findings.columns[0].cell("mine (v2)").estimate.value == pytest.approx(0.6)


def test_every_mistake_is_named_with_file_row_and_field(runs: list[Path], tmp_path: Path) -> None:
    bad = rows_file(
        tmp_path / "bad.json",
        {"system": "A", "values": [{"measure": NEED_MET, "value": "high", "lo": 1}]},
        row("B", low=0.1, high=0.2),
        row("C", low=0.1),
        {"system": "D", "source": "x", "values": [{"measure": "m", "value": 1}, {"measure": "m", "value": 2}]},
    )
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "trialogue-board-rows",\n "v": 1, "rows": [}')
    with pytest.raises(DataError) as caught:
        board(*runs, rows=[bad, broken])
    text = str(caught.value)
    assert f"{bad}, field rows[0].source: row 1 (A): this field is required." in text
    assert "field rows[0].values[0].value: row 1 (A): expected a number, got 'high'." in text
    assert "There is no field 'lo'. Did you mean 'low'?" in text
    assert "field rows[1].values[0]: row 2 (B): the value 1 is not between low 0.1 and high 0.2." in text
    assert "row 3 (C): an interval needs both ends" in text
    assert "row 4 (D): the measure 'm' has several values." in text
    assert f"{broken}, line 2: not valid JSON" in text
    assert "trialogue list schemas rows prints the schema." in text


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            '{"format": "trialogue-board-rows", "v": 1, "rows": [{"system": "A", "system": "B"}]}',
            "'system' is given twice",
        ),
        ('{"value": NaN}', "NaN is not a number in JSON"),
        ('{"format": "trialogue-board-rows", "v": 1, "rows": []}', "expected at least 1 entry, got none"),
        ("[]", "expected fields"),
    ],
)
def test_files_that_are_no_rows_are_refused(runs: list[Path], tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "rows.json").write_text(content)
    with pytest.raises(DataError, match=problem):
        board(*runs, rows=[tmp_path / "rows.json"])


def test_a_file_that_is_not_there_or_not_text_is_refused(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"system": "\xe9"}')
    with pytest.raises(DataError) as caught:
        board(*runs, rows=[tmp_path / "latin.json", tmp_path / "none.json"])
    assert [problem.what for problem in caught.value.problems] == [
        "this file is not UTF-8. Save it as UTF-8.",
        "there is no such file.",
    ]


def test_the_schema_describes_every_field() -> None:
    schema = rows_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for name in ("ReportedRow", "ReportedValue"):
        assert all("description" in field for field in schema["$defs"][name]["properties"].values())


def test_mistakes_in_folders_and_in_files_of_rows_come_together(runs: list[Path], tmp_path: Path) -> None:
    wrong = rows_file(tmp_path / "wrong.json", {**row(), "source": 3})
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError) as caught:
        board(runs[0], tmp_path / "empty", rows=[wrong])
    assert [Path(each.file or "").name for each in caught.value.problems] == ["empty", "wrong.json"]
