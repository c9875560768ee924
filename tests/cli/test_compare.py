"""``trialogue compare``, as a gate in CI."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.subjects.evaluation.commands.evaluate import evaluate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run over the bundled conversations."""
    folder = tmp_path_factory.mktemp("run")
    evaluate("demo", metrics=["length@words"], resamples=200).write(folder)
    return str(folder)


def test_a_worse_version_fails_the_gate(folder: str, tmp_path: Path) -> None:
    words = ["compare", folder, folder, "--system", "aria", "--system", "chip", "--set", "resamples=200"]
    result = CliRunner().invoke(app, [*words, "--fail-if-worse", "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "RED: worse\nchip is significantly worse than aria on Satisfaction (invented people)."
    )
    assert (tmp_path / "out" / "report.html").exists()
    assert CliRunner().invoke(app, words).exit_code == 0


def test_the_other_way_round_it_passes(folder: str) -> None:
    words = [
        "compare",
        folder,
        folder,
        "--system",
        "chip",
        "--system",
        "aria",
        "--set",
        "resamples=200",
        "--fail-if-worse",
    ]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, result.stdout.split("\n")[0]) == (0, "YELLOW: better, conditionally")
    assert "but the ratings are invented" in result.stdout


def test_p_values_of_several_measures_are_said_to_be_corrected_and_intervals_not(tmp_path: Path) -> None:
    metrics = ["length@words", "distinct(n=1)@ratio", "distinct(n=2)@ratio"]
    evaluate("demo", metrics=metrics, resamples=200).write(tmp_path / "run")
    words = [
        "compare",
        str(tmp_path / "run"),
        str(tmp_path / "run"),
        "-s",
        "aria",
        "-s",
        "bolt",
        "--set",
        "resamples=200",
    ]
    said = CliRunner().invoke(app, words).stdout.splitlines()
    assert "Deciding measures (bolt minus aria):" in said  # one
    assert "Others (bolt minus aria):" in said


def test_json_is_one_record(folder: str) -> None:
    words = ["compare", folder, folder, "--system", "aria", "--system", "bolt", "--set", "resamples=200", "--json"]
    record = json.loads(CliRunner().invoke(app, words).stdout)
    assert (record["kind"], record["light"]) == ("comparison", "inconclusive")


@pytest.mark.parametrize(("form", "start"), [("github", "::error title="), ("junit", "<?xml"), ("markdown", "## ")])
def test_what_is_printed_for_a_pull_request_changes_no_exit_code(
    folder: str, tmp_path: Path, form: str, start: str
) -> None:
    words = ["compare", folder, folder, "-s", "aria", "-s", "chip", "--set", "resamples=200", "--format", form]
    result = CliRunner().invoke(app, [*words, "--fail-if-worse", "--out", str(tmp_path / "out")])
    assert (result.exit_code, result.stdout[: len(start)]) == (1, start)
    assert "Report:" not in result.stdout


def test_two_forms_at_once_are_refused(folder: str) -> None:
    result = CliRunner().invoke(app, ["compare", folder, folder, "--json", "--format", "junit"])
    assert result.exit_code != 0
