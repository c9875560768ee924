"""What it takes to score more than one process measures; writes ``benchmarks/SCALE.md``.

    python -m benchmarks.scale [--utterances 100000 1000000]

Invented dialogues of ten utterances in shards, of two systems and of people who come ten times. One process, ``--jobs 2``
and a Dask cluster of two workers on this machine measure the same shards, one after the other; each command runs in a
process of its own. Wall time needs an idle machine; the page says what the load was.
"""

import argparse
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tables import table
from trialogue.datasets.conversion import shard
from trialogue.records import Dialogue, Utterance

HERE = Path(__file__).resolve().parent
TURNS, VISITS, SHARDS = 5, 10, 20
BY_HAND = "## What a client costs"
"""From here on, the page was written by hand."""
METRICS = ("distinct(n=2)", "length", "repetition")
WAYS: dict[str, Sequence[str]] = {
    "one process": (),
    "`--jobs 2`": ("--jobs", "2"),
    "`--cluster local --jobs 2`": ("--cluster", "local", "--jobs", "2"),
}


@dataclass(frozen=True)
class Spent:
    """What a command took."""

    wall_s: float
    cpu_s: float
    """Of the command and its processes."""
    output: str


def dialogue(number: int) -> Dialogue:
    """An invented dialogue whose words are as frequent as those of a language."""
    rng = random.Random(number)
    texts = [
        " ".join(f"w{int(rng.paretovariate(0.7)) % 20_000}" for _ in range(rng.randint(4, 20)))
        for _ in range(2 * TURNS)
    ]
    said = tuple(Utterance(speaker="system" if place % 2 else "user", text=text) for place, text in enumerate(texts))
    return Dialogue(id=str(number), system="ab"[number % 2], user=f"u{number // VISITS}", utterances=said)


def run(folder: Path, options: Sequence[str]) -> Spent:
    """Score a folder in a process of its own."""
    metrics = [word for name in METRICS for word in ("--metric", name)]
    command = [sys.executable, "-m", "trialogue", "score", str(folder), *metrics, "--json", "--quiet", *options]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return Spent(time.perf_counter() - start, cpu, done.stdout)


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--utterances", type=int, nargs="+", default=[100_000, 1_000_000])
    given = parser.parse_args()
    load = os.getloadavg()[0]
    rows, shares = [], []
    for utterances in given.utterances:
        folder = Path(tempfile.mkdtemp(prefix="scale-"))
        count = utterances // (2 * TURNS)
        shard(map(dialogue, range(count)), folder / "shards", size=-(-count // SHARDS))
        size = sum(path.stat().st_size for path in (folder / "shards").iterdir()) / 1e6
        spent = {name: run(folder / "shards", options) for name, options in WAYS.items()}
        assert len({each.output for each in spent.values()}) == 1, "the three ways differ"
        alone = spent["one process"]
        rows += [
            (
                f"{utterances:,}",
                f"{size:.0f}",
                name,
                f"{each.wall_s:.1f}",
                f"{each.cpu_s:.1f}",
                f"{alone.wall_s / each.wall_s:.2f}",
            )
            for name, each in spent.items()
        ]
        shares.append((utterances, alone.cpu_s))
        shutil.rmtree(folder)
    slope = (shares[-1][1] - shares[0][1]) / (shares[-1][0] - shares[0][0]) * 1e6 if len(shares) > 1 else 0.0
    measured = (
        f"Measured by `python -m benchmarks.scale` on {platform.machine()}, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, load {load:.1f} at the start. "
        f"Metrics: {', '.join(METRICS)}. Invented dialogues in {SHARDS} shards. CPU seconds are of a whole command with its "
        "processes and imports. The output of the three ways is the same bytes."
    )
    extrapolated = (
        f"One process takes {slope:.1f} CPU s for each further million utterances, so that a billion would take "
        f"{slope * 1000 / 3600:.1f} CPU hours on the workers (extrapolated, not measured). Merging in the client is "
        "serial and not in this figure: it is what keeps two processes from being twice as fast. What breaks first is the "
        "memory of the client, which holds the id of every dialogue and the sums of every person. The goal (1.7 times as "
        "fast on two workers at 10 million utterances) was not measured at that size."
    )
    heads = ["utterances", "MB", "way", "wall s", "CPU s", "times faster"]
    paragraphs = [textwrap.fill(each, 130) for each in (measured, extrapolated)]
    text = ["# Scoring more than one process measures", "", paragraphs[0], "", *table(heads, rows), paragraphs[1], ""]
    page = HERE / "SCALE.md"
    by_hand = page.read_text("utf-8").partition(BY_HAND)
    page.write_text("\n".join(text) + "\n" + "".join(by_hand[1:]), encoding="utf-8")


if __name__ == "__main__":
    main()
