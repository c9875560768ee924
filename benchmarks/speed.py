"""CPU seconds, memory and bytes of measuring much, here and at an earlier commit in the same run: ``benchmarks/SPEED.md``.

``python benchmarks/speed.py [--against COMMIT] [--scale 0.3]``. Every measurement is a command of its own, started anew; its
CPU seconds (user and system) and peak memory are what the operating system says of it, interpreter and imports included.
The two commits take turns, so that a busy machine slows both. Dialogues are those of simulated users with the reference
agents, the short ones (10 utterances on average), repeated under other ids and users.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.material import write_dialogues, write_offline  # noqa: E402  # run as a script
from benchmarks.run import TEXT_METRICS  # noqa: E402

RESPONSES, UTTERANCES, DIALOGUES = 100_000, 1_000_000, 30_000
MEAN_UTTERANCES = 10.17
SIMULATED = 500  # of each agent
KEPT = ("kind", "utterances", "system", "source", "ended_by")  # fields of a dialogue that earlier commits know, too


@dataclass(frozen=True)
class Used:
    """What a command took."""

    cpu_s: float
    peak_mb: float
    written_mb: float | None = None


def main() -> None:
    """Measure, and write the page."""
    options = argparse.ArgumentParser()
    options.add_argument("--against", help="a commit to measure, too")
    options.add_argument("--scale", type=float, default=1.0, help="of the full sizes")
    options.add_argument("--only", default="", help="measurements whose names hold this text")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name, trees(given.against, Path(name)) as paths:
        rows = list(measured(paths, Path(name), given.scale, given.only))
    (HERE / "SPEED.md").write_text(page(rows, list(paths), given.scale), encoding="utf-8")


@contextmanager
def trees(against: str | None, folder: Path) -> Iterator[dict[str, str]]:
    """PYTHONPATH by name of the commit."""
    here = {commit(): search_path(HERE.parent, folder / "here")}
    if against is None:
        yield here
        return
    tree = folder / "tree"
    subprocess.run(["git", "worktree", "add", "-q", "--detach", str(tree), against], check=True, cwd=HERE)
    try:
        yield {against: search_path(tree, folder / "there"), **here}
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(tree)], check=True, cwd=HERE)


def search_path(tree: Path, folder: Path) -> str:
    """Where Python finds a tree, with its own table of entry points: what is installed may have another."""
    about = folder / "trialogue-0.1.0.dist-info"
    about.mkdir(parents=True)
    project = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: trialogue\nVersion: 0.1.0\n")
    return f"{folder}{os.pathsep}{tree / 'src'}"


def measured(paths: dict[str, str], folder: Path, scale: float, only: str) -> Iterator[tuple[str, list[Used]]]:
    """Each measurement, at every commit."""
    responses, utterances, dialogues = (int(size * scale) for size in (RESPONSES, UTTERANCES, DIALOGUES))
    write_offline(folder / "offline.jsonl", responses)
    write_dialogues(folder / "dialogues.jsonl", utterances)
    held = write_simulated(folder / "simulated.jsonl", dialogues, folder, list(paths.values())[-1])
    metrics = [word for name in TEXT_METRICS for word in ("-m", name)]
    jobs: dict[str, Sequence[str]] = {
        f"`score`: {len(TEXT_METRICS)} text metrics over {responses:,} responses": (
            "score", str(folder / "offline.jsonl"), *metrics,
        ),
        f"`score`: distinct-2 of {utterances:,} utterances": (
            "score", str(folder / "dialogues.jsonl"), "-m", "distinct(n=2)@ratio",
        ),
        f"`evaluate`: {dialogues:,} simulated dialogues, {held:,} utterances": (
            "evaluate", str(folder / "simulated.jsonl"), "-q", "--out", str(folder / "run"),
        ),
    }  # fmt: skip
    if os.environ.get("TRIALOGUE_DATA_MIRROR"):
        jobs["`evaluate crsarena-dial`"] = ("evaluate", "crsarena-dial", "-q", "--out", str(folder / "run"))
    for what, words in jobs.items():
        found: list[Used] = []
        if only not in what:
            continue
        for name, path in paths.items():
            found.append(used(words, path, folder / "run" / "scores.jsonl"))
            print(f"{what}, {name}: {found[-1]}", flush=True)
        yield what, found


def used(words: Sequence[str], path: str, written: Path) -> Used:
    """What one command takes; its output is thrown away."""
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    written.unlink(missing_ok=True)
    with subprocess.Popen(
        [sys.executable, "-m", "trialogue", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"trialogue {' '.join(words)} ended with {process.returncode}:\n{errors}")
    size = written.stat().st_size / 1e6 if written.is_file() else None
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, size)


def write_simulated(path: Path, dialogues: int, folder: Path, source: str) -> int:
    """Simulated dialogues in a form that both commits read; how many utterances they have."""
    agents = ("--agent", "reference:guided", "--agent", "reference:popular")
    used(
        ("simulate", *agents, "--users", "cir6-pkg", "-n", str(SIMULATED), "--out", str(folder / "talks")), source, path
    )
    lines = [json.loads(line) for line in (folder / "talks" / "dialogues.jsonl").read_text("utf-8").splitlines()]
    lines.sort(key=lambda line: len(line["utterances"]))
    while sum(len(line["utterances"]) for line in lines) / len(lines) > MEAN_UTTERANCES:
        lines.pop()
    held = 0
    with path.open("w", encoding="utf-8") as stream:
        for number in range(dialogues):
            line, turn = lines[number % len(lines)], number // len(lines)
            changed = {"v": 2, "id": f"{line['id']}-{turn}", "user": f"{line['id']}-{turn}"}
            kept = {name: value for name, value in line.items() if name in KEPT}
            stream.write(json.dumps({**kept, **changed}, ensure_ascii=False, separators=(",", ":")) + "\n")
            held += len(line["utterances"])
    return held


def commit() -> str:
    """Of this tree."""
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], check=True, cwd=HERE, capture_output=True, text=True
    ).stdout.strip()


def page(rows: Sequence[tuple[str, list[Used]]], names: Sequence[str], scale: float) -> str:
    """The table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    lines = [
        "# What measuring much takes",
        "",
        f"Written by `benchmarks/speed.py`: commits {' and '.join(names)} in turns, {scale:g} of the full sizes,",
        f"{os.cpu_count()} cores, load at the end {load}. CPU seconds are of a whole command, user and system, imports",
        "included. On a busy machine a CPU second holds less work; compare within a row.",
        "",
        "| what | " + " | ".join(f"CPU s, {name} | peak MB, {name}" for name in names) + " | times less CPU |",
        "|---|" + "---|" * (2 * len(names) + 1),
    ]
    for what, found in rows:
        cells = " | ".join(f"{each.cpu_s:.1f} | {each.peak_mb:,.0f}" for each in found)
        lines.append(f"| {what} | {cells} | {found[0].cpu_s / found[-1].cpu_s:.1f} |")
    for what, found in rows:
        if found[0].written_mb is not None and found[-1].written_mb is not None:
            sizes = ", ".join(f"{each.written_mb:,.1f} MB ({name})" for each, name in zip(found, names, strict=True))
            lines += ["", f"`scores.jsonl` of {what}: {sizes}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
