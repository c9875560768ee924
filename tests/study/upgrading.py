"""Databases of other releases, in a process of their own.

``python -m tests.study.upgrading FOLDER OUT`` opens a study of any release with today's, exports it to ``OUT/now``,
brings it to a release that does not exist yet (``tests/study/later``), exports it to ``OUT/later``, and opens it with
today's again; prints as JSON what that said.

``python -m tests.study.upgrading --make FOLDER`` makes what is kept of each release in ``tests/data/study``: a study folder,
its database as SQL, and its export.
"""

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.study.databases import FILE
from trialogue.study.opening import open_study, set_up

SQL = "database.sql"
EXPORT = "export"


def opened(folder: Path, out: Path) -> dict[str, object]:
    """What came of it."""
    study = open_study(folder)
    from django.test.utils import override_settings

    from trialogue.study.databases import bring_up_to_date
    from trialogue.study.export import export_study

    state = study.state
    export_study(study, out / "now", who="test")
    with override_settings(MIGRATION_MODULES={"study": "tests.study.later.broken.migrations"}):
        broke = _said(lambda: bring_up_to_date(folder, where="it"))
    left = sorted(path.name for path in folder.glob("*.sqlite3"))
    export_study(study, out / "broken", who="test")
    with override_settings(MIGRATION_MODULES={"study": "tests.study.later.migrations"}):
        shutil.copyfile(folder / "study-before-9999_broken.sqlite3", out / "copy.sqlite3")
        (folder / "study-before-9999_broken.sqlite3").unlink()
        before = _applied()
        bring_up_to_date(folder, where="it")
        upgraded = _applied()
        bring_up_to_date(folder, where="it")
        applied, again = sorted(upgraded - before), sorted(_applied() - upgraded)
    export_study(study, out / "later", who="test")
    said = _said(lambda: open_study(folder))
    return {"state": state, "broke": broke, "left": left, "applied": applied, "again": again, "said": said}


def _applied() -> set[str]:
    """The migrations that made the tables what they are."""
    from django.db import connection
    from django.db.migrations.recorder import MigrationRecorder

    return {name for app, name in MigrationRecorder(connection).applied_migrations() if app == "study"}


def _said(work: Callable[[], object]) -> str:
    """The displayed reason why it does not work; "" where it does."""
    try:
        work()
    except UsageError as error:
        return str(error)
    return ""


def make(folder: Path) -> None:
    """A study in which most things have happened."""
    folder.mkdir()
    set_up(folder)
    from tests.study.served import folder_of

    asked = {"name": "films", "question": "How many films a month?", "number": {"low": 0}}
    folder_of(
        folder,
        items=4,
        phases=["consent", "before", "tasks", "exit"],
        before=[{"questions": [asked]}],
        attention={"checks": 1, "min_seconds_per_item": 0},
        platform={"name": "prolific"},
    )
    study = open_study(folder)
    from tests.study.walking import entered, walk
    from trialogue.study.export import export_study
    from trialogue.study.services import launching, leaving

    study = launching.set_state(study, "running", who="test")
    people = [entered(study, PROLIFIC_PID=f"p{place}", SESSION_ID=f"s{place}") for place in range(4)]
    for person in people[:2]:
        walk(person)
    walk(people[2], until="task")
    leaving.withdraw(people[1])
    export_study(study, folder / EXPORT, who="test")
    with closing(sqlite3.connect(folder / FILE)) as database:
        (folder / SQL).write_text("\n".join(database.iterdump()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--make":
        make(Path(sys.argv[2]))
    else:
        sys.stdout.write(json.dumps(opened(Path(sys.argv[1]), Path(sys.argv[2]))))
