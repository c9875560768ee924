"""``trialogue judge`` from the outside."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.workflows.judging.test_judge import World
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.findings.judging.records import PlannedLabel
from trialogue.records import read_records

RUN = CliRunner()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return World(tmp_path).files()


def words(files: dict[str, str], *more: str) -> list[str]:
    return ["judge", files["dialogues"], "--scores", files["scores"], "--aspect", "overall", "-q", *more]


def test_terminal_page_table_and_json_say_the_same(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = words(files, "--labels", files["labels"], "--low", "0", "--high", "4", "-o", str(out))
    found = RUN.invoke(app, given)
    assert found.exit_code == 0, found.output
    assert "good is significantly better than poor" in " ".join(found.output.split())
    assert "Judge alone" in found.output
    assert f"Page: {out / 'judging.html'}" in found.output
    printed = json.loads(RUN.invoke(app, [*given, "--json"]).stdout)
    assert printed["kind"] == "judging"
    assert printed == json.loads((out / "judging.json").read_text(encoding="utf-8"))
    assert printed["answer"][0] in " ".join(found.output.split("\n"))


def test_a_plan_is_printed_and_written(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = RUN.invoke(app, words(files, "--plan", "--width", "0.5", "-o", str(out)))
    assert found.exit_code == 0, found.output
    assert "The judge's errors are still unknown" in found.output
    assert "good: 10 labels of 40." in found.output
    assert len(list(read_records(out / "label_plan.jsonl", PlannedLabel))) == 20
    again = RUN.invoke(app, words(files, "--labels", files["labels"], "--plan", "--width", "0.8", "-o", str(out)))
    assert "For intervals of differences with a total width of 0.8" in again.output
    assert "12 exist" in again.output


def test_a_plan_becomes_a_study_in_the_same_command(files: dict[str, str], tmp_path: Path) -> None:
    given = words(files, "--plan", "--width", "0.5", "-o", str(tmp_path / "out"))
    found = RUN.invoke(app, [*given, "--study", str(tmp_path / "study")])
    assert found.exit_code == 0, found.output
    assert "20 items on a scale from 0 to 4" in found.output
    assert "--chances" in found.output
    plan = (tmp_path / "out" / "label_plan.jsonl").read_bytes()
    assert (tmp_path / "study" / "label_plan.jsonl").read_bytes() == plan


@pytest.mark.parametrize(
    ("more", "parts"),
    [
        (["--labels", "x", "--study", "y"], ["--study writes the study of a plan"]),
        ([], ["--labels, or --plan"]),
        (["--plan"], ["must be given together"]),
        (["--width", "1", "--labels", "x"], ["must be given together"]),
        (["--plan", "--width", "1", "--json", "--chances", "x"], ["--json prints findings", "--chances applies to"]),
        (["--labels", "x", "--confidence", "2", "--low", "3", "--high", "1"], ["--confidence must", "--low must"]),
        (["--labels", "x", "--estimand", "all", "--raters", "y"], ["--estimand must be", "--raters must be"]),
    ],
)
def test_what_does_not_go_together_is_said_all_at_once(
    files: dict[str, str], more: list[str], parts: list[str]
) -> None:
    found = RUN.invoke(app, words(files, *more))
    assert isinstance(found.exception, UsageError)
    assert all(part in str(found.exception) for part in parts)
