"""Database settings of a study: SQLite configured for concurrent writers, or PostgreSQL."""

from pathlib import Path
from typing import Any

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
