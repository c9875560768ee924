"""``trialogue agree`` from the outside."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.workflows.made import good_and_bad, written
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.subjects.evaluation.commands.evaluate import evaluate

RUN = CliRunner()


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli-agree")
    data = written(folder / "d.jsonl", good_and_bad())
    evaluate(data, metrics=["length"], resamples=100).write(folder / "run")
    return folder / "run"


def test_a_run_gets_a_page_and_a_table(run_folder: Path) -> None:
    found = RUN.invoke(app, ["agree", str(run_folder), "--set", "resamples=100", "-q"])
    assert found.exit_code == 0, found.output
    assert "Satisfaction (dialogues)" in found.output
    assert (run_folder / "agreement.html").is_file()
    assert (run_folder / "report.html").is_file()  # the run's own report stays


def test_json_is_one_line_of_findings(run_folder: Path, tmp_path: Path) -> None:
    found = RUN.invoke(
        app, ["agree", str(run_folder), "--set", "resamples=100", "--json", "-q", "-o", str(tmp_path / "x")]
    )
    assert json.loads(found.stdout)["kind"] == "agreement"
    assert (tmp_path / "x" / "validity.json").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ["give the folder"]),
        (["x", "--real", "a"], ["are mutually exclusive", "must be given together"]),
        (["--benchmark", "crsarena-eval"], ["a file of predictions with --benchmark"]),
        (["--real", "a", "--set", "group=g=*"], ["--simulated must be given together", "--set group requires"]),
        (["x", "--set", "tie_margin=-1"], ["tie_margin must be a number at least 0 or 'matched'"]),
    ],
)
def test_what_does_not_go_together_is_said_all_at_once(words: list[str], said: list[str]) -> None:
    found = RUN.invoke(app, ["agree", *words])
    assert isinstance(found.exception, UsageError)
    assert all(part in str(found.exception) for part in said)


def test_a_metric_s_card_says_what_is_known_of_it() -> None:
    found = RUN.invoke(app, ["list", "metrics", "satisfaction"])
    assert "against people's satisfaction (dialogues), CRSArena-Dial" in found.output
    assert "AUC within systems" in found.output
