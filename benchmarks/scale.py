"""What it takes to measure by more than one process; writes ``benchmarks/SCALE.md`` down to what was written by hand.

    python -m benchmarks.scale [--utterances 100000 1000000] [--jobs 2] [--workers 2] [--dialogues 1000]

Invented dialogues of ten utterances in shards, of two systems and of people who come ten times, are scored by one process,
by several (``--jobs``) and by a Dask cluster on this machine (``--workers``); simulated dialogues are evaluated. Every
command runs in a process of its own, one after the other. Wall time needs an idle machine; the page says what the load was.
"""

import argparse
import hashlib
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.tables import table
from trialogue.records import Dialogue, Utterance, write_records

HERE = Path(__file__).resolve().parent
TURNS, VISITS, SHARDS = 5, 10, 64
BY_HAND = "## What a client costs"
"""From here on, the page was written by hand."""
METRICS = ("distinct(n=2)", "length", "repetition")


@dataclass(frozen=True)
class Spent:
    """What a command took."""

    wall_s: float
    cpu_s: float
    """Of the command and its processes."""
    peak_mb: float
    """Largest process of all so far."""
    output: str
    """Hash of what it wrote."""


def dialogue(number: int) -> Dialogue:
    """An invented dialogue whose words are as frequent as those of a language."""
    rng = random.Random(number)
    texts = [
        " ".join(f"w{int(rng.paretovariate(0.7)) % 20_000}" for _ in range(rng.randint(4, 20)))
        for _ in range(2 * TURNS)
    ]
    said = tuple(Utterance(speaker="system" if place % 2 else "user", text=text) for place, text in enumerate(texts))
    return Dialogue(id=str(number), system="ab"[number % 2], user=f"u{number // VISITS}", utterances=said)


def write_shard(path: Path, start: int, stop: int) -> None:
    """Write the invented dialogues of a range of numbers."""
    write_records(path, map(dialogue, range(start, stop)))


def run(*words: object) -> Spent:
    """Run a command of trialogue in a process of its own."""
    command = [sys.executable, "-m", "trialogue", *map(str, words)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    output = hashlib.sha256(done.stdout).hexdigest()
    return Spent(time.perf_counter() - start, cpu, after.ru_maxrss / 1024, output)


def ways(jobs: Sequence[int], workers: Sequence[int]) -> dict[str, list[object]]:
    """Options of one process and of several, by name."""
    found: dict[str, list[object]] = {"one process": []}
    found |= {f"`--jobs {count}`": ["--jobs", count] for count in jobs}
    return found | {f"`--jobs local:{count}`": ["--jobs", f"local:{count}"] for count in workers}


def rows_of(spent: Mapping[str, Spent], *heads: object) -> list[tuple[str, ...]]:
    """Rows of a table of ways, the first of which is one process; all must have written the same.

    Raises:
        RuntimeError: two ways wrote different things.
    """
    if len({each.output for each in spent.values()}) != 1:
        raise RuntimeError(f"different outputs: { {name: each.output for name, each in spent.items()} }")
    alone = next(iter(spent.values())).wall_s
    return [
        (*map(str, heads), name, f"{e.wall_s:.1f}", f"{e.cpu_s:.1f}", f"{e.peak_mb:,.0f}", f"{alone / e.wall_s:.2f}")
        for name, e in spent.items()
    ]


def scored(folder: Path, utterances: int, given: argparse.Namespace) -> list[tuple[str, ...]]:
    """Score so many utterances in each way."""
    count = utterances // (2 * TURNS)
    shards = folder / f"shards-{utterances}"
    shards.mkdir()
    edges = [count * place // SHARDS for place in range(SHARDS + 1)]
    Parallel(n_jobs=os.cpu_count())(
        delayed(write_shard)(shards / f"{place:03}.jsonl", start, stop)
        for place, (start, stop) in enumerate(pairwise(edges))
    )
    size = sum(path.stat().st_size for path in shards.iterdir()) / 1e6
    metrics = [word for name in METRICS for word in ("--metric", name)]
    spent = {}
    for name, options in ways(given.jobs, given.workers).items():
        spent[name] = run("score", shards, *metrics, "--json", "--quiet", *options)
        print(utterances, name, spent[name], flush=True)
    shutil.rmtree(shards)
    return rows_of(spent, f"{utterances:,}", f"{size:,.0f}")


def evaluated(folder: Path, dialogues: int, given: argparse.Namespace) -> list[tuple[str, ...]]:
    """Evaluate so many simulated dialogues in each way."""
    run("simulate", "-a", "reference:guided", "-n", dialogues, "--out", folder / "run", "--jobs", os.cpu_count() or 1)
    spent = {}
    for name, options in ways(given.jobs, []).items():
        out = folder / "report"
        took = run("evaluate", folder / "run", "--set", "explorer=false", "--quiet", "--out", out, *options)
        files = b"".join(path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file())
        spent[name] = replace(took, output=hashlib.sha256(files).hexdigest())
        print(dialogues, name, spent[name], flush=True)
        shutil.rmtree(out)
    shutil.rmtree(folder / "run")
    return rows_of(spent, f"{dialogues:,}")


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--utterances", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--dialogues", type=int, nargs="*", default=[1_000])
    parser.add_argument("--jobs", type=int, nargs="+", default=[2])
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--page", type=Path, default=HERE / "SCALE.md")
    given = parser.parse_args()
    measured = (
        f"Measured by `python -m benchmarks.scale {' '.join(sys.argv[1:])}` on {platform.machine()}, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start. CPU seconds are "
        "of a whole command with its processes and imports; the largest process is that of this row or of one above. The "
        "output of all ways is the same bytes."
    )
    folder = Path(tempfile.mkdtemp(prefix="scale-"))
    costs = "wall s", "CPU s", "largest process, MB", "times faster"
    text = ["# Measuring by more than one process", "", textwrap.fill(measured, 130), ""]
    if given.utterances:
        rows = [row for utterances in given.utterances for row in scored(folder, utterances, given)]
        what = f"`score` of invented dialogues in {SHARDS} shards; metrics: {', '.join(METRICS)}."
        text += [what, "", *table(["utterances", "MB", "way", *costs], rows)]
    if given.dialogues:
        rows = [row for dialogues in given.dialogues for row in evaluated(folder, dialogues, given)]
        what = "`evaluate` (no explorer) of `simulate -a reference:guided -n N`, which adds 600 dialogues of baselines."
        text += [what, "", *table(["N", "way", *costs], rows)]
    by_hand = given.page.read_text("utf-8").partition(BY_HAND) if given.page.exists() else ()
    given.page.write_text("\n".join(text) + "\n" + "".join(by_hand[1:]), encoding="utf-8")


if __name__ == "__main__":
    main()
