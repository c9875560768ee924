"""Recorded trials through two commands: ``evaluate`` and ``tasks score`` say the same about the same file."""

import json
from pathlib import Path
from typing import Any

from tests.datasets.formats.test_tau import bench
from trialogue import evaluate
from trialogue.workflows.tasks import score_tasks


def expected(task: int) -> tuple[list[Any], list[str], str]:
    """Actions, texts and state of the database: every fourth task expects that nothing is changed."""
    return ([{"name": "write"}], [], "s1") if task % 4 else ([], [], "s0")


def test_pass_1_is_the_mean_reward_that_evaluate_reports_with_the_same_interval(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    trials = [
        bench(task, trial, float((task + trial) % 3 > task % 2), *expected(task))
        for task in range(9)
        for trial in range(3)
    ]
    path.write_text(json.dumps(trials), encoding="utf-8")
    found = score_tasks(path)
    (score,) = [
        each
        for each in evaluate(path, resamples=100).scores
        if each.measure == "human:reward" and each.level == "system"
    ]
    first = found.systems[0].passes[0]
    assert (score.value, score.n, score.clusters) == (first.value, first.n, first.clusters) == (first.value, 27, 9)
    assert score.interval == first.interval
    assert found.baselines[0].passes[0].value == 3 / 9  # tasks 0, 4 and 8 expect nothing
    assert found.to_beat is not None
