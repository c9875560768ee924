"""Back up a study's database while it is in use: SQLite's own backup, or PostgreSQL's ``pg_dump``."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.study.databases import FILE, is_postgresql


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
