"""``trialogue board`` from the outside."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.words import process, trialogue
from tests.subjects.board.commands.made import folder, share, simulated
from trialogue.subjects.board.records import BoardFindings
from trialogue.subjects.board.reported import rows_schema


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    root = tmp_path_factory.mktemp("runs")
    one, other = (folder(root / name, simulated("mine", share(part))) for name, part in (("v1", 0.5), ("v2", 0.9)))
    return str(one), str(other)


def test_terminal_page_tables_and_json_say_the_same(runs: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = trialogue("board", *runs, "--baseline", "v1", "-q", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "v2 is better than v1 by" in " ".join(done.stdout.split())
    assert f"Board: {out / 'board.html'}" in done.stdout
    printed = json.loads(trialogue("board", *runs, "--baseline", "v1", "-q", "--json").stdout)
    saved = json.loads((out / "board.json").read_text(encoding="utf-8"))
    assert printed == saved
    found = BoardFindings.model_validate({name: value for name, value in saved.items() if name not in ("kind", "v")})
    assert [row.name for row in found.rows] == ["v2", "v1"]
    rows = list(csv.DictReader((out / "leaderboard.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["row"], float(row["value"]), row["rank_low"]) for row in rows] == [("v2", 0.9, "1"), ("v1", 0.5, "2")]
    versions = list(csv.DictReader((out / "history.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["version"], row["verdict"]) for row in versions] == [("v1", ""), ("v2", "better")]
    assert float(versions[1]["difference"]) == pytest.approx(0.4)
    for name in ("leaderboard.md", "leaderboard.tex", "board.html"):
        text = (out / name).read_text(encoding="utf-8")
        assert "0.90" in text
        assert "0.50" in text


def test_the_schema_is_printed_without_runs() -> None:
    assert json.loads(trialogue("list", "schemas", "rows").stdout) == rows_schema()


def test_mistakes_end_with_two_and_no_traceback(runs: tuple[str, str], tmp_path: Path) -> None:
    done = process("board")
    assert (done.returncode, done.stdout) == (2, "")
    assert "runs" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "bad.json").write_text('{"format": "trialogue-board-rows", "v": 1, "rows": [{"system": 3}]}')
    wrong = trialogue("board", runs[0], "--rows", tmp_path / "bad.json")
    assert wrong.returncode == 2
    assert "field rows[0].system: row 1: expected a string, got 3." in wrong.stderr
