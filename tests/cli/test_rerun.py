"""``trialogue rerun``: a number is reproduced by one command, or the difference is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.words import trialogue
from tests.records.runs.made import reseal
from tests.subjects.judging.commands.test_score_tables import files
from tests.subjects.people.commands.test_report import export
from tests.workflows.made import good_and_bad, written
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.judging.commands.judge import judge
from trialogue.subjects.judging.conclude import JudgeSettings
from trialogue.subjects.people.commands.report import study_findings
from trialogue.subjects.simulated_users.commands.passport import passport
from trialogue.subjects.simulated_users.commands.realism import realism
from trialogue.workflows.write_findings import write_findings


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, two runs made of them, and what each command makes of the runs."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "data").mkdir()
    data = written(folder / "data" / "d.jsonl", good_and_bad())
    for name, seed in (("one", 0), ("two", 1)):
        run = evaluate(f"{data}", metrics=["length", "distinct(n=2)"], resamples=100, seed=seed, title="Runs")
        run.write(folder / name)
    files(folder)
    return folder


MAKERS: dict[str, Callable[[Path, Path], object]] = {
    "evaluate": lambda world, out: evaluate(
        world / "data" / "d.jsonl", metrics=["length"], alpha=0.1, resamples=100, family="measures"
    ).write(out, explorer=False),
    "compare": lambda world, out: compare(
        world / "one", f"{world / 'two'}", systems=["good", "bad"], resamples=100
    ).write(out),
    "board": lambda world, out: board(f"a={world / 'one'}", resamples=100).write(out),
    "agree": lambda world, out: write_findings(agree(world / "one", resamples=10), out),
    "judge": lambda world, out: write_findings(
        judge(
            world / "talks.csv",
            scores=f"{world / 'judge.csv'}:gpt4o",
            settings=JudgeSettings(estimand=Estimand.THESE, family=("A",)),
        ),
        out,
    ),
    "agree --real --simulated": lambda world, out: write_findings(
        realism([str(world / "data" / "d.jsonl")], [f"x={world / 'talks.csv'}"], resamples=10), out
    ),
    "users passport": lambda world, out: write_findings(passport(str(world / "data" / "d.jsonl"), resamples=10), out),
    "study report": lambda world, out: write_findings(study_findings(export(world / "export"), seed=3), out),
}


@pytest.mark.parametrize("command", MAKERS)
def test_a_run_is_reproduced_to_the_byte_from_its_manifest(world: Path, tmp_path: Path, command: str) -> None:
    MAKERS[command](world, tmp_path / "run")
    done = trialogue("rerun", tmp_path / "run", "--data", world, "-q")
    assert done.stdout.startswith("Reproduced: all "), done.stdout + done.stderr
    assert done.returncode == 0
    text = (tmp_path / "run" / "manifest.json").read_text()
    assert str(tmp_path) not in text
    assert str(world) not in text


def test_what_a_command_added_to_a_run_is_run_again_too(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "one", tmp_path / "one")
    assert trialogue("agree", tmp_path / "one", "--set", "resamples=100", "-q").returncode == 0
    done = trialogue("rerun", tmp_path / "one", "--data", world / "data" / "d.jsonl", "-q")
    assert (done.returncode, done.stdout[:10]) == (0, "Reproduced"), done.stdout + done.stderr


def test_numbers_that_differ_are_named_by_file_with_the_largest_difference(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "one", tmp_path / "one")
    path = tmp_path / "one" / "summary.csv"
    path.write_text(path.read_text().replace("95", "195").replace("0.0", "0.5"))
    done = trialogue("rerun", reseal(tmp_path / "one"), "--data", world, "-q")
    assert done.returncode == 1
    assert "summary.csv: " in done.stdout
    assert "numbers differ, by at most" in done.stdout
    assert "1 files differ" in done.stdout


def test_data_that_are_missing_or_differ_are_named_all_at_once(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "one", tmp_path / "run")
    done = trialogue("rerun", tmp_path / "run", "-q")
    assert done.returncode == 2
    assert "d.jsonl: not found; the run read it (sha256 " in done.stderr
    assert "--data" in done.stderr
    (tmp_path / "d.jsonl").write_bytes((world / "data" / "d.jsonl").read_bytes() + b"\n")
    done = trialogue("rerun", tmp_path / "run", "-q")
    assert done.returncode == 2
    assert "d.jsonl: this file has changed: its sha256 is " in done.stderr


def test_a_run_of_data_in_memory_or_of_a_batch_says_that_it_cannot_be_run_again(world: Path, tmp_path: Path) -> None:
    talk = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a film"}], "system": "a"}
    run = evaluate([talk] * 4, metrics=["length"], resamples=100)
    run.write(tmp_path / "memory")
    done = trialogue("rerun", tmp_path / "memory")
    assert done.returncode == 2
    assert "the run read data in memory (list); it cannot be run again" in done.stderr
    assert "a film" not in (tmp_path / "memory" / "manifest.json").read_text()
    path = tmp_path / "memory" / "manifest.json"
    content = json.loads(path.read_text())
    content["command"] = "simulate"
    del content["seal"]
    path.write_text(json.dumps(content))
    done = trialogue("rerun", reseal(tmp_path / "memory"))
    assert done.returncode == 2
    assert "a run of trialogue simulate cannot be run again from its manifest" in done.stderr


def test_data_beside_the_results_are_found_from_anywhere(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the demo has them: its people lie in the folder of its report."""
    run = tmp_path / "run"
    evaluate(world / "data" / "d.jsonl", metrics=["length"], resamples=100).write(run, explorer=False)
    shutil.copy(world / "data" / "d.jsonl", run)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = trialogue("rerun", str(run))
    assert done.returncode == 0, done.stderr
    assert "Reproduced" in done.stdout
