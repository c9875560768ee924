"""Whether tests notice small faults. Plants seeded mutants in six rooms and writes ``benchmarks/MUTANTS.md``.

    python -m benchmarks.mutants --number 200        # draws and runs; goes on where it stopped
    python -m benchmarks.mutants --again             # survivors again, with the tests of now and more time
    python -m benchmarks.mutants --page              # only checks the tests that killed, and writes the page

Each mutant is a copy of the package (links, but for the changed module) in a temporary folder, tested in a process of
its own. The working tree is not touched, but it is read until the end: edit another one meanwhile. Lines are drawn by a
hash of seed and text, so that a change of the source replaces the mutants of the changed lines and no others. Results
are kept in ``benchmarks/mutants.jsonl``.
"""

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis  # noqa: F401  loaded before the fork: each mutant has a process, none imports these anew
import numpy as np  # noqa: F401
import pydantic  # noqa: F401
import pytest
import scipy.optimize
import scipy.special
import scipy.stats  # noqa: F401
import yaml  # noqa: F401

from benchmarks.mutants_operators import Mutant, mutants_of, planted
from benchmarks.mutants_page import PAGE, page
from benchmarks.mutants_tests import PACKAGE, ROOT, SRC, TESTS, tests_for

KEPT = Path(__file__).parent / "mutants.jsonl"
ROOMS = ("stats", "records", "metrics", "findings", "subjects", "simulation")
UNTOUCHED = {"pages", "commands"}  # of a subject: nothing is estimated there
MESSAGES = ("texts.py", "codes.py")  # what they hold are the texts of messages
RECORDS = ("dialogue", "estimate", "score")
KNOWN = (
    ("trialogue/stats/ranking/battles.py", ".std(ddof=1)", "0"),
    ("trialogue/records/base.py", "SCHEMA = ", "6"),
    ("trialogue/records/base.py", "SCHEMA = ", "4"),
    *(
        (f"trialogue/records/{name}.py", "ge=0, le=1)", end)
        for name in ("dialogue", "estimate", "score")
        for end in ("2", "-1")
    ),
    ("trialogue/study/services/entering.py", "language or file.language", "(language and file.language)"),
)
"""Module, part of the line, and what a piece of it becomes."""
SEED = 36
ONE_TEST_S = 45  # processor seconds; no test of these rooms takes half of it
BUDGET_S = {False: 15.0, True: 90.0}  # processor seconds of tests for a mutant, first and again
STALLED_S = 1200  # of the clock: what waits for something that will not come
APART = "not (atlas or reproduction or browser or service or pages)"


def drawn(number: int, seed: int = SEED) -> list[Mutant]:
    """Mutants of so many lines, each line of a room as likely as any other; more are the same and further ones."""
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for room in ROOMS:
        for source in sorted((SRC / PACKAGE / room).rglob("*.py")):
            if source.name not in MESSAGES and not (room == "subjects" and UNTOUCHED & set(source.parts)):
                for mutant in mutants_of(source, str(source.relative_to(SRC))):
                    lines.setdefault((mutant.path, mutant.line), []).append(mutant)
    chosen = [min(candidates, key=lambda one: _order(seed, one)) for candidates in lines.values()]
    return sorted(chosen, key=lambda one: _order(seed, one))[:number]


def known() -> list[Mutant]:
    """Survivors of the first version, in today's lines."""
    found = []
    for path, part, after in KNOWN:
        source = SRC / path
        lines = source.read_text(encoding="utf-8").splitlines()
        fitting = [one for one in mutants_of(source, path) if part in lines[one.start[0] - 1] and one.after == after]
        if not fitting:
            raise LookupError(f"{path} has no line with {part!r} that can become {after!r}: bring KNOWN up to date")
        found += fitting
    return found


def _order(seed: int, mutant: Mutant) -> str:
    return hashlib.sha256(f"{seed}|{mutant.key}".encode()).hexdigest()


def tested(mutant: Mutant, *, is_again: bool) -> dict[str, Any]:
    """What became of a mutant: killed (by which test), timeout, or survived (how many tests)."""
    source = SRC / mutant.path
    files = [str(path.relative_to(ROOT)) for path in tests_for(source)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        copy = Path(folder) / "src"
        _link(copy, mutant.path, planted(source, mutant))
        outcome = _in_batches(files, copy, Path(folder), BUDGET_S[is_again])
    return {**outcome, "wall_s": round(time.monotonic() - started, 1)}


def _in_batches(files: Sequence[str], copy: Path, folder: Path, budget_s: float) -> dict[str, Any]:
    """Likely tests first and alone, since pytest imports all files it is given before the first test."""
    total: dict[str, Any] = {"outcome": "survived", "tests": 0, "files": 0, "of_files": len(files), "cpu_s": 0.0}
    first, size = 0, 1
    while first < len(files) and total["cpu_s"] < budget_s:
        outcome = _in_a_process(files[first : first + size], copy, folder, budget_s - total["cpu_s"])
        sums = {name: round(total[name] + outcome[name], 1) for name in ("tests", "files", "cpu_s")}
        total = {**total, **outcome, **sums}
        if outcome["outcome"] != "survived":
            break
        first, size = first + size, min(8, 2 * size)
    return total


def _link(copy: Path, path: str, text: str) -> None:
    """The package in another folder: links to all files, but for the one with the fault.

    Folders are real, since tests that read sources do not look into linked ones; but those of compiled modules are linked,
    so that no mutant compiles the package anew. The fault's own neighbours are compiled, and what is compiled stays here.
    """
    for folder, folders, names in os.walk(SRC):
        here = copy / Path(folder).relative_to(SRC)
        here.mkdir(parents=True)
        if "__pycache__" in folders:
            folders.remove("__pycache__")
            names = [*names, *(["__pycache__"] if here != copy.joinpath(path).parent else [])]
        for name in names:
            if here / name != copy / path:
                (here / name).symlink_to(Path(folder) / name)
    copy.joinpath(path).write_text(text, encoding="utf-8")


def _in_a_process(
    files: Sequence[str], copy: Path, folder: Path, budget_s: float, *, stops: bool = True
) -> dict[str, Any]:
    heard = folder / "heard.json"
    heard.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        _run_tests(files, copy, folder, heard, budget_s, stops=stops)
    status = _waited(child)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    notes = json.loads(heard.read_text(encoding="utf-8")) if heard.exists() else {}
    said = {"tests": notes.get("tests", 0), "files": notes.get("files", 0), "cpu_s": round(cpu, 1)}
    if status is None or os.WIFSIGNALED(status):
        return {"outcome": "timeout", "by": notes.get("running", ""), **said}
    if os.WEXITSTATUS(status) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return {"outcome": "survived", **said}
    if not notes.get("failed"):
        raise RuntimeError("pytest did not run: " + (folder / "out.txt").read_text(encoding="utf-8")[-2000:])
    return {"outcome": "killed", "by": notes["failed"][0], "failed": notes["failed"], **said}


def _waited(child: int) -> int | None:
    """The status of a process; None where it had to be ended."""
    until = time.monotonic() + STALLED_S
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_tests(files: Sequence[str], copy: Path, folder: Path, heard: Path, budget_s: float, *, stops: bool) -> None:
    code = 70
    try:
        os.setsid()
        os.chdir(ROOT)
        sys.path.insert(0, str(copy))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])
        os.environ.pop("TRIALOGUE_DATA_MIRROR", None)  # real corpora take long, and are not everywhere
        out = os.open(folder / "out.txt", os.O_CREAT | os.O_WRONLY)
        os.dup2(out, 1)
        os.dup2(out, 2)
        loaded = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
        options = [
            "-q",
            "-m",
            APART,
            "-W",
            loaded,
            "-p",
            "no:cacheprovider",
            f"--basetemp={folder / 'tmp'}",
            *(["-x"] if copy else []),
        ]
        code = pytest.main([*options, *files], plugins=[Notes(heard, budget_s)])
    except BaseException:  # noqa: BLE001  a forked process says what went wrong and ends, whatever it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


class Notes:
    """Says which test runs and which failed, and stops when the budget is used."""

    def __init__(self, heard: Path, budget_s: float) -> None:
        self.heard, self.budget_s = heard, budget_s
        self.notes: dict[str, Any] = {"tests": 0, "files": 0, "failed": []}
        self.seen: set[str] = set()

    def _write(self) -> None:
        self.heard.write_text(json.dumps(self.notes), encoding="utf-8")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: item.get_closest_marker("slow") is not None)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.seen.add(nodeid.split("::")[0])
        self.notes.update(running=nodeid, files=len(self.seen))
        self._write()
        signal.setitimer(signal.ITIMER_PROF, ONE_TEST_S)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.notes["failed"].append(report.nodeid)
        if report.when == "call":
            self.notes["tests"] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.notes["failed"].append(report.nodeid)
            self._write()

    def pytest_runtest_logfinish(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._write()
        if time.process_time() > self.budget_s:
            os._exit(1 if self.notes["failed"] else 0)


def kept() -> dict[str, dict[str, Any]]:
    """What was found until now, by key; the last line of a key counts."""
    if not KEPT.exists():
        return {}
    rows = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]
    return {row["key"]: row for row in rows}


def run(mutants: Iterable[Mutant], *, is_again: bool, seconds: float) -> None:
    """Tests mutants one after another and keeps what is found."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    started, until = time.time(), time.monotonic() + seconds
    for mutant in mutants:
        if time.monotonic() > until:
            return
        outcome = tested(mutant, is_again=is_again)
        if changed := next((path for path in _sources() if path.stat().st_mtime > started), None):
            raise RuntimeError(f"{changed} was changed meanwhile: what a test notices may be that. Run on a copy.")
        row = {"key": mutant.key, "path": mutant.path, "line": mutant.line, "operator": mutant.operator}
        row |= {"before": mutant.before, "after": mutant.after, **outcome, "commit": commit.stdout.strip()}
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        by = outcome.get("by") or f"{outcome['tests']} tests"
        print(
            f"{outcome['outcome']:9} {mutant.path}:{mutant.line} {mutant.before!r} -> {mutant.after!r} ({by})",
            flush=True,
        )


def _sources() -> Iterator[Path]:
    return (path for folder in (SRC, TESTS) for path in folder.rglob("*.py"))


def failing_without(rows: Iterable[dict[str, Any]]) -> set[str]:
    """Tests that killed a mutant and fail without one, too: such a kill does not count."""
    tests = sorted({row["by"] for row in rows if row["outcome"] == "killed"})
    functions = sorted({test.partition("[")[0] for test in tests})  # some parameters exist only with the fault
    functions = [one for one in functions if (ROOT / one.partition("::")[0]).exists()]
    if not tests:
        return set()
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        copy, module = Path(folder) / "src", f"{PACKAGE}/errors.py"
        _link(copy, module, (SRC / module).read_text(encoding="utf-8"))  # no fault, but links: some tests read sources
        outcome = _in_a_process(functions, copy, Path(folder), float("inf"), stops=False)
    if outcome["outcome"] == "timeout":
        raise RuntimeError(f"without a mutant, {outcome['by']} does not end")
    failing = {test.partition("[")[0] for test in outcome.get("failed", [])}
    return {test for test in tests if test.partition("[")[0] in failing}


def _forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  as above
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200, help="mutants to draw")
    parser.add_argument("--again", action="store_true", help="only survivors, with more time for each")
    parser.add_argument("--page", action="store_true", help="run no mutants")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", nargs="*", default=(), help="keys of mutants to run again")
    options = parser.parse_args()
    mutants, rows = drawn(options.number), kept()
    if options.only:
        wanted = [one for one in (*known(), *mutants) if one.key in options.only]
    elif options.again:
        wanted = [one for one in mutants if rows.get(one.key, {}).get("outcome") == "survived"]
    else:
        wanted = [one for one in (*known(), *mutants) if one.key not in rows and not options.page]
    is_again = bool(options.only or options.again)
    shares = [
        partial(run, wanted[job :: options.jobs], is_again=is_again, seconds=options.seconds)
        for job in range(options.jobs)
    ]
    for child in [_forked(share) for share in shares]:
        os.waitpid(child, 0)
    if options.page:
        rows = kept()
        current = [(one, rows[one.key]) for one in mutants if one.key in rows]
        before = [(one, rows[one.key]) for one in known() if one.key in rows]
        failing = failing_without(row for _, row in (*current, *before))
        PAGE.write_text(page(current, before, failing, ROOMS, len(mutants)), encoding="utf-8")


if __name__ == "__main__":
    main()
