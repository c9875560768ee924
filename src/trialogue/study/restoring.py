"""Restore a study's database from a backup. Who withdrew since then stays withdrawn."""

import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from trialogue.errors import TrialogueError, UsageError
from trialogue.study.databases import FILE, backup, is_postgresql, postgresql_program

KEPT = "study-before-restore"
TAILS = ("", "-wal", "-shm", "-journal")
IN_USE_S = 1.0


@dataclass(frozen=True)
class Restored:
    """What a restored database holds."""

    participants: int
    answers: int
    """Number of submitted steps."""
    latest: str
    """Time of the latest of those, ISO 8601; "" without answers."""
    erased_again: int
    """Participants who withdrew or were erased after the backup, whose data was deleted again."""
    kept: Path | None
    """Where the database that was there before is now; None: there was none."""
    knows_withdrawals: bool
    """Whether that database could be read, so that withdrawals after the backup are known."""


def restore(folder: Path, copy: Path, *, url: str = "", replace: bool = False) -> Restored:
    """Put a backup in the place of a study's database. The server must not be running.

    Args:
        folder: the study folder, with its study file and ``secret.key``.
        copy: a backup made by ``backup``.
        url: address of the PostgreSQL database, if the study uses one.
        replace: whether a database with participants may be replaced. It is kept beside the study.

    Raises:
        UsageError: no such backup, a damaged one or one of another release; a database in the way or in use; or the secret
            key is missing. The present database is left as it was.
    """
    if not copy.is_file():
        raise UsageError(f"{copy} does not exist. Give a copy made by trialogue study backup.")
    withdrawn = _withdrawals(folder, url)
    if withdrawn is not None and withdrawn.participants and not replace:
        raise UsageError(
            f"The database has {withdrawn.participants} participants. To put the backup in its place, add --replace; the "
            "current database is kept beside it."
        )
    numbers, known, keep = withdrawn.numbers if withdrawn else [], withdrawn is not None, withdrawn != _Present(0, [])
    if is_postgresql(url):
        kept = _restore_postgresql(folder, copy, url, keep=keep and known)
        return _finish(folder, numbers, kept, known=known)
    if (folder / FILE).exists() and not known and not replace:
        raise UsageError(f"{folder / FILE} exists and cannot be read. To put the backup in its place, add --replace.")
    kept = _restore_file(folder, copy, keep=keep)
    try:
        return _finish(folder, numbers, kept, known=known)
    except TrialogueError:
        _move(folder, f"{KEPT}.sqlite3", FILE)
        raise


@dataclass(frozen=True)
class _Present:
    participants: int
    numbers: list[int]
    """Numbers of participants who have withdrawn or were erased."""


def _withdrawals(folder: Path, url: str) -> _Present | None:
    """What the current database says; None where there is none, or it cannot be read."""
    if not is_postgresql(url) and not (folder / FILE).is_file():
        return None
    from django.db import DatabaseError, connections

    from trialogue.study.opening import open_launched

    try:
        people = open_launched(folder).participants
        numbers = people.filter(state="withdrew").values_list("number", flat=True)
        return _Present(people.count(), [*numbers])
    except (TrialogueError, DatabaseError):
        return None
    finally:
        connections.close_all()


def _move(folder: Path, name: str, to: str) -> None:
    """Rename a database with the files that belong to it; those of the new name are gone."""
    for tail in TAILS:
        (folder / f"{to}{tail}").unlink(missing_ok=True)
        if (folder / f"{name}{tail}").exists():
            (folder / f"{name}{tail}").replace(folder / f"{to}{tail}")


def _restore_file(folder: Path, copy: Path, *, keep: bool) -> Path | None:
    """Put a copy of the backup in the place of the file; where that file is now, if it is to be kept."""
    database, part = folder / FILE, folder / f".{FILE}.part"
    _check_copy(copy)
    _check_unused(database)
    kept = folder / f"{KEPT}.sqlite3"
    if kept.exists():
        raise UsageError(f"{kept} is kept from an earlier restoration. Move or delete it first.")
    part.unlink(missing_ok=True)
    backup(copy.parent, part, source=copy)
    keep = keep and database.exists()
    if keep:
        _move(folder, FILE, kept.name)
    _move(folder, part.name, FILE)
    return kept if keep else None


def _check_copy(copy: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as opened:
            tables = {name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")}
            found = opened.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.Error as error:
        raise UsageError(f"{copy} is no backup of an SQLite database: {error}.") from error
    if found != "ok" or "study_study" not in tables:
        raise UsageError(
            f"{copy} is {'damaged' if found != 'ok' else 'a database without a study'}. Choose another backup."
        )


def _check_unused(database: Path) -> None:
    """Raise UsageError if another process has the database open: leaving WAL needs it alone."""
    if not database.is_file():
        return
    try:
        with closing(sqlite3.connect(database, timeout=IN_USE_S)) as opened:
            opened.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise UsageError(f"{database} is in use. Stop the server first.") from error
    except sqlite3.DatabaseError:
        pass  # damaged: that may be why it is restored


def _restore_postgresql(folder: Path, copy: Path, url: str, *, keep: bool) -> Path | None:
    kept = backup(folder, folder / f"{KEPT}.dump", url=url) if keep else None
    command = [postgresql_program("pg_restore"), "--clean", "--if-exists", "--no-owner", "--single-transaction"]
    done = subprocess.run([*command, f"--dbname={url}", str(copy)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"pg_restore failed; the database is unchanged: {done.stderr.strip()}")
    return kept


def _finish(folder: Path, withdrawn: list[int], kept: Path | None, *, known: bool) -> Restored:
    """Open what was restored, and erase again."""
    from trialogue.study.opening import open_launched

    study = open_launched(folder)
    from django.db.models import Max

    from trialogue.study.models import Submission
    from trialogue.study.services.leaving import erase

    back = study.participants.filter(number__in=withdrawn).exclude(state="withdrew").values_list("code", flat=True)
    erased = sum(erase(study, code, who="restore") for code in [*back])
    answers = Submission.objects.filter(participant__study=study)
    latest = answers.aggregate(latest=Max("received_at"))["latest"]
    return Restored(
        participants=study.participants.count(),
        answers=answers.count(),
        latest="" if latest is None else latest.isoformat(timespec="seconds"),
        erased_again=erased,
        kept=kept,
        knows_withdrawals=known,
    )
