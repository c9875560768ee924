"""Django's SQLite backend with fair queuing of write transactions.

SQLite lets a writer that finds it locked sleep and retry with growing delays: under load some wait for
seconds while others pass, and the database is idle while they sleep. Here at most one thread of a process asks at a time,
and at most one process of a machine; the others wait in a system queue, which wakes the next one at once. A process
that dies leaves the queue. Correctness is SQLite's as before: a writer outside the queue (a backup, another program) is
waited for. If a process stalls while it holds the database, the others report, as before, that it is locked, except for one
request each that continues to wait.
"""

import os
import threading
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from trialogue.records.files.locks import lock, unlock
from trialogue.study.databases import PATIENCE_S

_turn = threading.Lock()  # of this process, which has one database
_queues: dict[tuple[int, str], int] = {}
"""Files that processes queue at, by process and name: a file that was opened before a fork would let both in."""


def _queue(database: str) -> int | None:
    """The file that processes queue at; None where nothing can be written: SQLite's own way is enough for few processes."""
    known = (os.getpid(), str(Path(database).with_suffix(".turns")))
    if known not in _queues:
        try:
            _queues[known] = os.open(known[1], os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
    return _queues[known]


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that begins its transactions in turn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mine = False
        self._queued_at: int | None = None

    def _start_transaction_under_autocommit(self) -> None:
        # First threads, then processes: a lock on a file belongs to the process, so its threads would not wait.
        if not _turn.acquire(timeout=PATIENCE_S):
            raise OperationalError("database is locked")
        self._mine = True
        try:
            self._queued_at = _queue(str(self.settings_dict["NAME"]))
            if self._queued_at is not None:
                lock(self._queued_at)
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        # Also on KeyboardInterrupt and SystemExit: a turn that is not given back stalls every other thread for good.
        except BaseException:
            self._release()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._release()  # a commit that failed is rolled back, or the connection is closed

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._release()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._release()

    def _release(self) -> None:
        """The next one may ask."""
        if not self._mine:
            return
        self._mine = False
        try:
            if self._queued_at is not None:
                unlock(self._queued_at)
        finally:
            _turn.release()
