"""Writers take turns at SQLite, and what is acknowledged waits for the disk."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from trialogue.study.databases import FILE, database
from trialogue.study.sqlite import base


@pytest.fixture
def handler(tmp_path: Path) -> Iterator[Any]:
    """Connections to a study's database, one for each thread."""
    with closing(sqlite3.connect(tmp_path / FILE)) as made:
        made.execute("CREATE TABLE counted (n INTEGER)")
        made.execute("INSERT INTO counted VALUES (0)")
        made.commit()
    handler = ConnectionHandler({"default": database("", tmp_path)})
    yield handler
    handler.close_all()
    assert not base._turn.locked()


def begin(handler: Any) -> Any:
    found = handler["default"]
    found.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    return found


def end(found: Any, *, commit: bool = True) -> None:
    found.commit() if commit else found.rollback()
    found.set_autocommit(True)


def test_many_threads_write_and_none_reads_that_the_database_is_locked(handler: Any) -> None:
    def write() -> None:
        for _ in range(20):
            found = begin(handler)
            with found.cursor() as cursor:
                cursor.execute("SELECT n FROM counted")
                before = cursor.fetchone()[0]
                cursor.execute("UPDATE counted SET n = %s", [before + 1])
            end(found)
        handler.close_all()

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with handler["default"].cursor() as cursor:
        assert cursor.execute("SELECT n FROM counted").fetchone() == (160,)  # 8 threads, 20 times


@pytest.mark.parametrize("how", ["commit", "rollback", "close"])
def test_a_turn_is_over_with_the_transaction_however_that_ends(handler: Any, how: str) -> None:
    found = begin(handler)
    assert base._turn.locked()
    if how == "close":
        found.close()
    else:
        end(found, commit=how == "commit")
    assert not base._turn.locked()


def test_a_transaction_that_cannot_begin_gives_its_turn_back(handler: Any, tmp_path: Path) -> None:
    with handler["default"].cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=1")
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"):
            begin(handler)
    assert not base._turn.locked()
    end(begin(handler))


def test_who_waits_too_long_for_a_turn_reads_that_the_database_is_locked(
    handler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PATIENCE_S", 0.01)
    with base._turn, pytest.raises(OperationalError, match="database is locked"):
        begin(handler)


HOLDING = """
import sys
from pathlib import Path
from django.conf import settings
settings.configure()
from django.db.utils import ConnectionHandler
from trialogue.study.databases import database
found = ConnectionHandler({"default": database("", Path(sys.argv[1]))})["default"]
found.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
found.cursor().execute("UPDATE counted SET n = 7")
print("holds", flush=True)
sys.stdin.read()
"""


def test_another_process_waits_for_its_turn_and_one_that_is_killed_leaves_the_queue(
    handler: Any, tmp_path: Path
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"holds\n"
    began: list[str] = []

    def write() -> None:
        end(begin(handler))
        began.append("after")
        handler.close_all()

    waiting = threading.Thread(target=write)
    waiting.start()
    waiting.join(0.2)
    assert began == []
    holder.kill()
    waiting.join(30)
    assert began == ["after"]
    holder.communicate()
    with handler["default"].cursor() as cursor:
        assert cursor.execute("SELECT n FROM counted").fetchone() == (0,)
    assert (tmp_path / "study.turns").stat().st_mode & 0o077 == 0
