"""``python -m benchmarks.study_schedules``: what counts and what is paid, after random histories with faults.

Writes ``benchmarks/STUDY_SCHEDULES.md``. A sample of the same schedules runs in the test suite. ``--histories``,
``--strata``, ``--payers`` (rounded up to parts of 125) and ``--kills`` set how many schedules run.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
HISTORIES, STRATIFIED, PAYERS, KILLS, PART = 2_000, 500, 10_000, 300, 125
STRATA = 100_000  # seed of the first history with strata


def _set_up() -> None:
    os.environ.update({"DJANGO_SETTINGS_MODULE": "trialogue.study.settings", "PROLIFIC_TOKEN": "secret-token"})
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def histories(first: int, *, strata: bool = False) -> dict[str, Any]:
    """A part of the histories of studies, in a database of its own."""
    _set_up()
    from tests.study.counting_schedules import failures

    start = time.process_time()
    wrong = failures(range(first, first + PART), strata=strata)
    return {"wrong": wrong, "seconds": time.process_time() - start}


def stratified(first: int) -> dict[str, Any]:
    """The same of studies with strata."""
    return histories(first, strata=True)


def payers(first: int) -> dict[str, Any]:
    """A part of the schedules of payers in one process."""
    _set_up()
    from tests.study.money_schedules import failures
    from tests.study.test_recruiting import PAID, person
    from tests.study.walking import running, walk

    study = running(items=6, name=f"part-{first}", **PAID)
    for number in range(1, 4):
        walk(person(study, f"p{number}"))
    start = time.process_time()
    return {"wrong": failures(study, range(first, first + PART)), "seconds": time.process_time() - start}


def kills(count: int) -> dict[str, Any]:
    """Schedules of payers that are killed."""
    _set_up()
    from tests.study.prolific_api import TOKEN, serving
    from tests.study.test_money import killed_schedules

    with TemporaryDirectory() as room, serving() as there:
        os.environ.update({"TRIALOGUE_PROLIFIC_API": there.address, "PROLIFIC_TOKEN": TOKEN})
        return killed_schedules(there, Path(room) / "study", count=count, seed=0)


def main() -> None:
    """Run everything and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--histories", type=int, default=HISTORIES)
    parser.add_argument("--strata", type=int, default=STRATIFIED)
    parser.add_argument("--payers", type=int, default=PAYERS)
    parser.add_argument("--kills", type=int, default=KILLS)
    asked = parser.parse_args()
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        counting = pool.map(histories, range(0, asked.histories, PART))
        in_strata = pool.map(stratified, range(STRATA, STRATA + asked.strata, PART))
        paying = pool.map(payers, range(0, asked.payers, PART))
        killing = pool.submit(kills, asked.kills)
        counted, by_stratum, paid, killed = list(counting), list(in_strata), list(paying), killing.result()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    places = killed["killed"]
    lines = [
        "# What counts and what is paid, after random histories",
        "",
        f"Written by `python -m benchmarks.study_schedules` at commit {commit.stdout.strip() or 'unknown'}; Python "
        f"{platform.python_version()}, SQLite in memory (a file for the last row). Faults are described in",
        "`tests/study/counting_schedules.py`, `money_schedules.py` and `money_kills.py`; a sample runs in the test suite.",
        "",
        "| schedules | number | wrong at the end | CPU seconds each |",
        "|---|---|---|---|",
        _row(
            "histories of a study: database, staff page, export, report agree; k answers that count",
            counted,
        ),
        _row(
            "the same of studies with two strata: k answers of each that count, positions balanced in each",
            by_stratum,
        ),
        _row("payers with a fault at an arrow, in one process: everybody is paid once", paid),
        f"| three payers, one of them killed with SIGKILL, each kill effective (before or after each of 13 arrows, "
        f"{min(places.values())} to {max(places.values())} at each of {len(places)} places): everybody is paid once "
        f"| {asked.kills:,} | {len(killed['wrong'])} | |",
        "",
        *_failed(counted, by_stratum, paid),
    ]
    (HERE / "STUDY_SCHEDULES.md").write_text("\n".join(lines), "utf-8")
    sys.stdout.write("\n".join(lines))


def _failed(*kinds: list[dict[str, Any]]) -> list[str]:
    """What was wrong, by seed."""
    return [
        f"- seed {seed}: {'; '.join(why)}" for parts in kinds for part in parts for seed, why in part["wrong"].items()
    ]


def _row(name: str, parts: list[dict[str, Any]]) -> str:
    number = PART * len(parts)
    wrong = sum(len(part["wrong"]) for part in parts)
    return f"| {name} | {number:,} | {wrong} | {sum(part['seconds'] for part in parts) / number:.2f} |"


if __name__ == "__main__":
    main()
