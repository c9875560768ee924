"""``trialogue study`` from a new folder to a report, as somebody at a terminal does it: every command a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.words import trialogue


def ran(*given: str, code: int = 0) -> str:
    """What a command says."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRIALOGUE_", "DATABASE"))}
    done = subprocess.run(
        [sys.executable, "-m", "trialogue", "study", *given],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert "Traceback" not in said
    return said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study made from the demo corpus."""
    made = tmp_path_factory.mktemp("studies") / "mine"
    ran("new", "--template", "infact", "--set", "most=12", "--out", str(made))
    return made


def test_an_export_of_a_new_study_holds_nobody_and_says_how_to_go_on(folder: Path, tmp_path: Path) -> None:
    said = ran("export", str(folder), "--out", str(tmp_path / "export"))
    assert "participants.csv" in said
    assert "trialogue study report" in said
    assert (folder / "secret.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "export" / "scores.jsonl").read_text() == ""


def test_an_export_leaves_other_files_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert "thesis.txt" in ran("export", str(folder), "--out", str(tmp_path), code=2)


def test_power_reads_the_plan_from_the_study(folder: Path) -> None:
    said = ran(
        "power",
        str(folder),
        "--effects",
        "0,0,3",
        "--participants",
        "8",
        "--set",
        "simulations=10",
        "--set",
        "search=false",
    )
    assert "8 participants, 9 of 12 situations each (6.0 ratings per reply), 3 systems, 5 points" in said
    assert "system 1 and system 2 (no difference: false positives)" in said
    assert "every difference (power): " in said


@pytest.mark.parametrize("effects", ["", "much", "0", "0,nan"])
def test_effects_that_are_no_numbers_are_refused(effects: str) -> None:
    done = trialogue("study", "power", "--effects", effects, "--participants", "20")
    assert done.returncode == 2
    assert done.stderr.strip()


def test_a_folder_without_a_study_is_reported_with_what_to_do(tmp_path: Path) -> None:
    assert "trialogue study new" in ran("export", str(tmp_path / "nothing"), code=2)


def test_agents_are_for_conversations_and_have_names(tmp_path: Path) -> None:
    out = str(tmp_path / "study")
    assert "this one is of type rating" in ran("new", "--agent", "mine=my_bot:Bot", "--out", out, code=2)
    assert "must be NAME=AGENT" in ran("new", "--template", "chat", "--agent", "my_bot:Bot", "--out", out, code=2)
    assert not (tmp_path / "study").exists()
