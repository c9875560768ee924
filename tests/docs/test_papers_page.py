"""The command of each row of the page about the three papers shows what the row says."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.words import process
from tests.docs.test_code_blocks import run_command

from trialogue.records.files.jsonl import RepairWarning

ROOT = Path(__file__).parents[2]
PAPERS: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "docs" / "background" / "papers.yaml").read_text(encoding="utf-8")
)
ROWS = [row for paper in PAPERS for row in paper["items"]]
SHORT = {
    "reproduce kdd2020": ["-n", "2", "--catalogue", "demo"],
    "reproduce behavior-alignment": ["--set", "resamples=100"],
}
"""Words that make a command quick, after those that it begins with."""


def test_every_table_and_figure_of_the_papers_has_a_row() -> None:
    expected = {
        "kdd2020": (
            *("Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Table 7"),
            *("Figure 1", "Figures 2 and 3", "Figure 4", "Figure 5", "Figure 6", "Eq. 1 and 2"),
        ),
        "behavior-alignment": (
            *("Table 1", "Table 2", "Tables 3 and 4", "Table 5", "Figure 1", "Figure 2", "Figure 3", "Eq. 1", "Eq. 2"),
        ),
        "infact": ("Table 1", "Table 2", "Figure 1", "Figure 2"),
    }
    for paper in PAPERS:
        for item in expected[paper["name"]]:
            assert any(row["item"].startswith(item) for row in paper["items"]), (paper["name"], item)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["item"][:40])
def test_a_row_says_how_it_deviates_or_why_it_is_missing_and_what_shows_it(row: dict[str, Any]) -> None:
    assert row["status"] in ("exact", "within error", "deviates", "not attempted", "impossible")
    assert row["how"] or row["status"] in ("exact", "within error")
    assert ("command" in row) == ("shows" in row)
    assert "command" in row or row["status"] == "impossible"


NEW = "trialogue study new --template infact --out infact"
_outputs: dict[str, str] = {}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study that rows about INFACT look into."""
    folder = tmp_path_factory.mktemp("papers")
    done = process("study", "new", "--template", "infact", "--out", str(folder / "infact"))
    assert done.returncode == 0, done.stderr
    _outputs[NEW] = done.stdout.replace(str(folder) + "/", "")
    return folder


@pytest.mark.pages
@pytest.mark.filterwarnings(f"ignore::{RepairWarning.__module__}.{RepairWarning.__name__}")
@pytest.mark.parametrize("row", [row for row in ROWS if "command" in row], ids=lambda row: row["item"][:40])
def test_the_command_of_a_row_shows_it(row: dict[str, Any], workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if row.get("needs") and "TRIALOGUE_DATA_MIRROR" not in os.environ:
        pytest.skip(f"needs {', '.join(row['needs'])}")
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("COLUMNS", "120")
    if not row.get("needs"):
        monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    command = row["command"]
    if command not in _outputs:
        done = _run(shlex.split(command), _short(command))
        assert done.returncode == 0, done.stderr
        _outputs[command] = done.stdout
    assert row["shows"] in _outputs[command]


def _run(words: list[str], more: list[str]) -> "subprocess.CompletedProcess[str]":
    if words[0] == "trialogue":
        return run_command([*words[1:], *more])
    program = sys.executable if words[0] == "python" else words[0]
    return subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)


def _short(command: str) -> list[str]:
    if command.endswith(("--help", "--published")):
        return []
    return next((words for start, words in SHORT.items() if command.startswith(f"trialogue {start}")), [])
