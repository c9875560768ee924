"""Databases of a study: settings for SQLite with concurrent writers or PostgreSQL, backup, and migrations."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from trialogue.errors import UsageError

PATIENCE_S = 20  # for which a transaction waits for its turn
ENGINE = "trialogue.study.sqlite"
# With SQLite's defaults 99 of 100 simultaneous workers met "database is locked". IMMEDIATE takes the write lock when a
# transaction begins; WAL lets readers read meanwhile; FULL has every acknowledged answer on the disk, not in its cache.
# SECURE_DELETE overwrites what is erased.
SQLITE_OPTIONS = {
    "timeout": PATIENCE_S,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    f"PRAGMA busy_timeout={PATIENCE_S * 1000}; PRAGMA secure_delete=ON;",
}
FILE = "study.sqlite3"


def is_postgresql(url: str) -> bool:
    """Whether an address is of a server's database rather than a file."""
    return bool(url) and not url.startswith("sqlite")


def database(url: str, folder: Path | None) -> dict[str, Any]:
    """Django's settings of the database.

    Args:
        url: address of PostgreSQL (``postgresql://user:password@host/name``) or an SQLite file; "": the folder's own file.
        folder: the study folder; None: a database in memory.
    """
    if url:
        import dj_database_url

        found: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)}
        return {**found, "ENGINE": ENGINE, "OPTIONS": SQLITE_OPTIONS} if found["ENGINE"].endswith("sqlite3") else found
    if folder is None:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    return {
        "ENGINE": ENGINE,
        "NAME": folder / FILE,
        "OPTIONS": SQLITE_OPTIONS,
        "CONN_MAX_AGE": 60,
    }


def backup(folder: Path, out: Path, *, url: str = "", source: Path | None = None) -> Path:
    """Write a backup of the database; it appears whole or not at all, and only its owner may read it.

    Args:
        folder: the study folder.
        out: the backup file; must not exist yet.
        url: address of the PostgreSQL database, if the study uses one.
        source: another SQLite file than the folder's.

    Raises:
        UsageError: no database, a file in the way, or ``pg_dump`` is missing or fails.
    """
    if out.exists():
        raise UsageError(f"{out} already exists, and a backup never overwrites a file. Choose another name.")
    part = out.with_name(f".{out.name}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}.") from error
    os.close(handle)
    try:
        if is_postgresql(url):
            _dump(url, part)
        else:
            _copy(source or folder / FILE, part)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return out


def _copy(database: Path, out: Path) -> None:
    if not database.is_file():
        raise UsageError(f"{database} does not exist: this study has not been served yet.")
    try:
        with (
            closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as source,
            closing(sqlite3.connect(out)) as copy,
        ):
            source.backup(copy)
            found = copy.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.Error as error:
        raise UsageError(f"{database} cannot be copied: {error}.") from error
    if found != "ok":
        raise UsageError(f"The copy of {database} is damaged ({found}). Leave the folder unchanged and ask for help.")


def _dump(url: str, out: Path) -> None:
    command = postgresql_program("pg_dump")
    done = subprocess.run(
        [command, "--format=custom", f"--file={out}", url], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise UsageError(f"pg_dump failed: {done.stderr.strip()}")


def postgresql_program(name: str) -> str:
    """The path of one of PostgreSQL's client programs.

    Raises:
        UsageError: it is not installed.
    """
    found = shutil.which(name) or next(map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), "")
    if not found:
        raise UsageError(f"{name} was not found. Install the PostgreSQL client programs, such as postgresql-client.")
    return found


APP = "study"


def bring_up_to_date(folder: Path, *, where: str) -> None:
    """Apply the migrations that a database lacks. Every row stays.

    An SQLite file with tables of an older release is copied first, to ``study-before-MIGRATION.sqlite3`` beside it. The
    copy is deleted when all went well: it would hold what people may erase later. Of PostgreSQL make a dump before
    upgrading (``trialogue study backup``).

    Args:
        folder: the study folder.
        where: name of the database in messages.

    Raises:
        UsageError: a newer release made it, or it cannot be brought up to date; then it is as it was.
    """
    from django.core.management import call_command
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    known, applied = executor.loader.disk_migrations, executor.loader.applied_migrations
    if newer := sorted(name for app, name in applied if app == APP and (app, name) not in known):
        raise UsageError(
            f"The database {where} was written by a newer Trialogue (migration {newer[-1]}). "
            "Install that release, or restore an earlier backup."
        )
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    missing = [each.name for each, _ in plan if each.app_label == APP]
    older = bool(missing) and any(app == APP for app, _ in applied)
    copy = folder / f"study-before-{missing[0]}.sqlite3" if older else None
    if copy is not None and connection.vendor == "sqlite" and (folder / FILE).is_file():
        copy.unlink(missing_ok=True)  # of an upgrade that broke off: the database is what it was
        backup(folder, copy)
    try:
        call_command("migrate", verbosity=0)
    except DatabaseError as error:
        if copy is None or not copy.is_file():
            raise
        raise UsageError(
            f"The database {where} could not be upgraded: {error}. "
            f"A copy made before the upgrade is in {copy}: continue with the earlier release, and report this error."
        ) from error
    if copy is not None:
        copy.unlink(missing_ok=True)
