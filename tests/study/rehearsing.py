"""A backup is made, the study goes on, and the backup is restored: ``python -m tests.study.rehearsing FOLDER``; prints JSON.

The database is the folder's file, or that of DATABASE_URL.
"""

import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any


def command(*words: str) -> tuple[int, str]:
    """A command of the program in this process: its status, and what it says."""
    from typer.testing import CliRunner

    from trialogue.cli.app import app
    from trialogue.errors import TrialogueError

    done = CliRunner().invoke(app, ["study", *words])
    if isinstance(done.exception, TrialogueError):
        return 2, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def main(folder: Path) -> dict[str, Any]:
    """The rehearsal."""
    from trialogue.study.opening import open_study

    open_study(folder)
    from tests.study.walking import walk
    from trialogue.study.models import Study
    from trialogue.study.services import entering, leaving
    from trialogue.study.services.launching import set_state
    from trialogue.study.services.leaving import stored_about

    study = set_state(Study.objects.get(), "running", who="test")

    def come(name: str) -> Any:
        came = entering.enter(study, {"PROLIFIC_PID": name, "SESSION_ID": f"session-of-{name}"}).participant
        assert came is not None
        walk(came)
        return came

    first, second, third = come("p1"), come("p2"), come("p3")
    told = {"person": json.loads(command("export", str(folder), "--person", "p1")[1])}
    stored_then = stored_about(second)
    copy = folder.parent / "copy.dump"
    said = [command("backup", str(folder), "--out", str(copy))]
    come("p4")
    leaving.erase(study, "p1", who="test")
    leaving.withdraw(third)
    said += [command("restore", str(folder), str(copy))]
    said += [command("restore", str(folder), str(copy), "--replace")]
    again = Study.objects.get()
    told |= {
        "same": stored_about(again.participants.get(code=second.code)) == stored_then,
        "states": list(again.participants.order_by("number").values_list("state", flat=True)),
        "left": [stored_about(again.participants.get(number=n)) for n in (1, 3)],
        "codes": [first.code, third.code],
    }
    if not os.environ.get("DATABASE_URL"):
        with_server = sqlite3.connect(folder / "study.sqlite3")
        with_server.execute("select count(*) from study_study").fetchone()
        said += [command("restore", str(folder), str(copy), "--replace")]
        with_server.close()
        said += [command("restore", str(folder), str(folder / "study.yaml"), "--replace")]
        (folder / "study-before-restore.sqlite3").unlink()
        (folder / "study.sqlite3").write_bytes(b"damaged" * 1000)
        said += [command("restore", str(folder), str(copy)), command("restore", str(folder), str(copy), "--replace")]
        (folder / "study-before-restore.sqlite3").unlink()
        shutil.move(folder / "secret.key", folder.parent / "secret.key")
        said += [command("restore", str(folder), str(copy), "--replace")]
    return {**told, "said": said}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1])), default=str))
