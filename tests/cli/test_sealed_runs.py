"""A run that was forged, cut, swapped or mixed is refused by every command that reads runs: exit 2, and no traceback."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.words import trialogue
from trialogue.subjects.evaluation.commands.evaluate import evaluate

READERS: dict[str, Callable[[Path, Path], list[str | Path]]] = {
    "compare": lambda run, other: ["compare", run, other, "--system", "aria", "--set", "resamples=100"],
    "compare, as the new one": lambda run, other: ["compare", other, run, "--system", "aria", "--set", "resamples=100"],
    "board": lambda run, other: ["board", run, other, "--out", other.parent / "board", "--set", "resamples=100"],
    "agree": lambda run, other: ["agree", run, "--set", "resamples=100"],
    "judge": lambda run, other: ["judge", run, "--aspect", "length", "--out", other.parent / "judge"],
    "report": lambda run, other: ["report", run],
    "view": lambda run, other: ["view", run, "--no-open"],
    "rerun": lambda run, other: ["rerun", run],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name, seed in (("one", 0), ("two", 1)):
        evaluate("demo", metrics=["length", "distinct(n=2)"], resamples=100, seed=seed).write(folder / name)
    return folder / "one", folder / "two"


def flip(path: Path, other: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1
    path.write_bytes(content)


def cut(path: Path, other: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def delete(path: Path, other: Path, rng: random.Random) -> None:
    path.unlink()


def swap(path: Path, other: Path, rng: random.Random) -> None:
    shutil.copy(other, path)


def empty(path: Path, other: Path, rng: random.Random) -> None:
    path.write_bytes(b"")


FORGERIES = (flip, cut, delete, swap, empty)


def test_of_a_hundred_forgeries_each_is_refused_by_each_command_that_reads_it(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    rng = random.Random(29)
    one, two = runs
    names = sorted(
        path.relative_to(one).as_posix()
        for path in one.rglob("*")
        if path.is_file() and (two / path.relative_to(one)).read_bytes() != path.read_bytes()
    )
    assert {"findings.json", "scores.jsonl", "manifest.json", "report.html"} <= set(names)
    readers = list(READERS.items())
    wrong = []
    for number in range(100):
        folder = tmp_path / str(number)
        shutil.copytree(one, folder)
        forge, name = FORGERIES[number % 5], names[number % len(names)]
        forge(folder / name, two / name, rng)
        command, words = readers[number % len(readers)]
        done = trialogue(*words(folder, two))
        named = name in done.stderr or (name, forge) == ("manifest.json", swap)  # then all others differ from it
        if done.returncode != 2 or not named or "Traceback" in done.stderr:
            wrong.append((command, forge.__name__, name, done.returncode, done.stderr[-300:]))
        shutil.rmtree(folder)
    assert wrong == []


@pytest.mark.parametrize("command", READERS)
def test_a_run_without_its_manifest_or_with_that_of_another_is_refused(
    runs: tuple[Path, Path], tmp_path: Path, command: str
) -> None:
    one, two = runs
    for number, manifest in enumerate((None, two / "manifest.json")):
        folder = tmp_path / str(number)
        shutil.copytree(one, folder)
        (folder / "manifest.json").unlink()
        if manifest is not None:
            shutil.copy(manifest, folder)
        done = trialogue(*READERS[command](folder, two))
        assert done.returncode == 2, (command, done.stderr)
        assert "Traceback" not in done.stderr


def test_a_run_without_findings_and_with_a_broken_manifest_does_not_pass_for_scores(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    (tmp_path / "run" / "findings.json").unlink()
    (tmp_path / "run" / "manifest.json").write_text("{}")
    done = trialogue(*READERS["agree"](tmp_path / "run", runs[1]))
    assert (done.returncode, "is not the manifest of a run" in done.stderr) == (2, True), done.stderr


def test_a_file_of_another_run_beside_a_run_is_refused(runs: tuple[Path, Path], tmp_path: Path) -> None:
    name = "scores.parquet"
    shutil.copytree(runs[0], tmp_path / "run")
    shutil.copy(runs[1] / "scores.jsonl", tmp_path / "run" / name)
    done = trialogue(*READERS["compare"](tmp_path / "run", runs[1]))
    assert done.returncode == 2
    assert f"{name}: this file does not belong to the run" in done.stderr


def test_a_report_is_not_drawn_from_changed_findings_and_redrawing_gives_the_same_bytes(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    before = (tmp_path / "run" / "manifest.json").read_bytes()
    assert trialogue("report", tmp_path / "run").returncode == 0
    again = (tmp_path / "run" / "manifest.json").read_bytes()
    assert trialogue("report", tmp_path / "run").returncode == 0
    assert (tmp_path / "run" / "manifest.json").read_bytes() == again
    assert b"explorer.html" in before
    assert b"explorer.html" in again
    assert b"scores.jsonl" in again
