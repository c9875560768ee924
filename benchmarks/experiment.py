"""How long the stages of an experiment take, by how much data they read; writes ``benchmarks/EXPERIMENT.md``.

    python -m benchmarks.experiment [MIRROR]       # the corpora as in TRIALOGUE_DATA_MIRROR: one more, larger point

Experiments on what is bundled, with 10, 60 and 300 simulated dialogues of each of three recommenders. The lines through
the points are what ``trialogue run --dry-run`` estimates by where it has nothing better: ``rates.py`` holds them.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from trialogue.subjects.evaluation.pages.write import write_report
from trialogue.workflows.experiment import experiment_of
from trialogue.workflows.experiment.combined_findings import join_findings
from trialogue.workflows.experiment.estimate.pace import AgentDuration, StageDuration, read_measurements
from trialogue.workflows.experiment.estimate.total import REPORT, megabytes
from trialogue.workflows.experiment.stages import plan_of

HERE = Path(__file__).resolve().parent
SIZES = (10, 60, 300)
AGENTS = {shape: f"reference:{shape}" for shape in ("guided", "item-centred", "genre-led")}
TEXT = """# How long the stages of an experiment take

Written by `benchmarks/experiment.py`. Commit {commit}, Python {python}, {cores} cores, {machine}. CPU seconds of one
process, 10,000 resamples (agreement and realism: 2,000). The lines are least squares through the points below, none of
their numbers under nothing (where all points are of one size, half of the seconds are taken for each column); data is
what a stage reads itself and what the stages before it read.

| stage | seconds whatever it is given | seconds a megabyte | points |
|---|---|---|---|
{lines}

A simulated dialogue with annotations takes {kilobytes:.1f} kB. How fast simulated users talk is in
[SIMULATION.md](SIMULATION.md).

`trialogue run --dry-run` takes these lines where no earlier run in the same folder measured the stage: half of them to
three times as much, since another machine and other data are slower or faster. What it measured itself goes before.

## Points

| stage | megabytes | seconds |
|---|---|---|
{points}
"""


def main(mirror: str | None) -> None:
    """Measure, and write it down."""
    if mirror:
        os.environ["TRIALOGUE_DATA_MIRROR"] = mirror
    with tempfile.TemporaryDirectory() as folder:
        measured = [each for given in _experiments(Path(folder), mirror) for each in _run(given)]
    stages = [each for each in measured if isinstance(each, StageDuration) and each.stage != "simulate"]
    kilobytes = [each.kilobytes for each in measured if isinstance(each, AgentDuration)]
    (HERE / "EXPERIMENT.md").write_text(_text(stages, float(np.mean(kilobytes))), encoding="utf-8")


def _experiments(folder: Path, mirror: str | None) -> Iterable[dict[str, Any]]:
    for n in SIZES:
        simulate = {"agents": AGENTS, "users": ["cir6-pkg"], "n": n}
        align = {"situations": ["demo"]}
        yield {
            "out": str(folder / str(n)),
            "simulate": simulate,
            "dialogues": ["demo"],
            "label": "default",
            "align": align,
        }
    if mirror:
        yield {"out": str(folder / "arena"), "dialogues": ["crsarena-dial"], "label": "default"}


def _run(given: dict[str, Any]) -> list[StageDuration | AgentDuration]:
    """CPU seconds of each stage and of the report, and what the simulation kept of its agents."""
    experiment = experiment_of(given)
    plan, took, last = plan_of(experiment), list[StageDuration](), [time.process_time()]

    def measure(name: str, _seconds: float) -> None:
        now = time.process_time()
        sizes = megabytes(plan, experiment.study, read_measurements(plan.out / "stages"))
        took.append(StageDuration(stage=name, megabytes=sizes[name], seconds=now - last[0]))
        last[0] = time.process_time()

    plan.run(lambda line: print(line, flush=True), took=measure)
    write_report(join_findings(experiment, plan), plan.out)
    measure(REPORT, 0)
    return [*took, *(each for each in read_measurements(plan.out / "stages") if isinstance(each, AgentDuration))]


def _text(stages: list[StageDuration], kilobytes: float) -> str:
    points: dict[str, list[tuple[float, float]]] = {}
    for each in stages:
        points.setdefault(each.stage.partition("-")[0], []).append((each.megabytes, each.seconds))
    lines = []
    for stage, found in points.items():
        fixed, per_megabyte = line_through(found)
        lines.append(f"| `{stage}` | {fixed:.1f} | {per_megabyte:.2f} | {len(found)} |")
    listed = [
        f"| `{stage}` | {size:.2f} | {took:.1f} |" for stage, found in points.items() for size, took in sorted(found)
    ]
    return TEXT.format(
        commit=subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip(),
        python=platform.python_version(),
        cores=os.cpu_count(),
        machine=_machine(),
        lines="\n".join(lines),
        points="\n".join(listed),
        kilobytes=kilobytes,
    )


def line_through(points: list[tuple[float, float]]) -> tuple[float, float]:
    """(seconds at nothing, seconds a megabyte) of the least-squares line, neither below nothing.

    Points of one size leave that open: half of the seconds are then taken for each.

    >>> fixed, slope = line_through([(1, 3), (2, 5), (3, 7)])
    >>> round(fixed, 6), round(slope, 6)
    (1.0, 2.0)
    """
    from scipy.optimize import nnls

    sizes, took = np.array(points, dtype=float).T
    if np.ptp(sizes) == 0:
        return float(took.mean() / 2), float(took.mean() / 2 / sizes[0])
    (fixed, slope), _ = nnls(np.stack([np.ones_like(sizes), sizes], axis=1), took)
    return float(fixed), float(slope)


def _machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
