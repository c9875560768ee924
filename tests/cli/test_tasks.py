"""``trialogue tasks`` from the outside."""

import json
from pathlib import Path

from tests.cli.words import trialogue
from trialogue.records import write_records
from trialogue.tasks import Trial, read_task_set
from trialogue.tasks.scores import TrialScores


def test_baselines_of_the_bundled_tasks_are_printed_and_written_as_json() -> None:
    done = trialogue("tasks", "--tasks", "demo")
    assert done.returncode == 0, done.stderr
    lines = {line[:20].strip(): line.split()[-1] for line in done.stdout.splitlines() if line.strip()}
    assert (lines["asks nothing"], lines["asks everything"], lines["knows everything"]) == (
        "0.5412",
        "0.8538",
        "1.0000",
    )
    printed = json.loads(trialogue("tasks", "--tasks", "demo", "--ends", "accepted", "--json").stdout)
    found = TrialScores.model_validate({name: value for name, value in printed.items() if name not in ("kind", "v")})
    assert found.measures == ("pass(k=1)@accepted|v1",)
    assert found.baselines[3].passes[0].value != 0.5412


def test_trials_are_scored_from_a_file_of_dialogues(tmp_path: Path) -> None:
    tasks = read_task_set("demo")
    played = []
    for task in tasks.tasks:
        trial = Trial(task, tasks.catalogue)
        trial.call("recommend", {"item_id": None})
        played.append(trial.dialogue("quiet"))
    path = tmp_path / "trials.jsonl"
    write_records(path, played)
    done = trialogue("tasks", path, "--tasks", "demo")
    assert done.returncode == 0, done.stderr
    assert "quiet is not significantly above an agent that asks nothing (0.54)" in " ".join(done.stdout.split())
    evaluated = trialogue("evaluate", path, "-o", tmp_path / "run", "-q", "-m", "turns")
    assert evaluated.returncode == 0, evaluated.stderr


def test_mistakes_are_said_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"id": "t", "wishes": [{"field": "yaer", "op": "<=", "value": 3}]}\n', encoding="utf-8")
    films = tmp_path / "catalogue.json"
    films.write_text('[{"id": "a", "year": 1990}]', encoding="utf-8")
    for words, said in (
        (("--tasks", path), "no item has the field 'yaer'"),
        (("--tasks", tmp_path / "none"), "no tasks here"),
        (("--tasks", "demo", "--ends", "never"), "accepted, recommend"),
        ((path, "--ends", "accepted"), "add --tasks"),
    ):
        done = trialogue("tasks", *words)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
