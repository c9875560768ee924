"""Django's SQLite backend, whose transactions of one process take turns before they ask for the database.

SQLite lets whoever finds it locked sleep and try again, the longer the more often it failed; under load some threads wait
for seconds while others pass by. Here at most one thread of a process asks at a time, and the others wait in a queue, which
costs nothing and is fair. Between processes SQLite's own way is good enough: there are as few of them as cores.
"""

import threading
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from trialogue.study.databases import PATIENCE_S

_turn = threading.Lock()  # of this process, which has one database


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that begins its transactions in turn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mine = False

    def _start_transaction_under_autocommit(self) -> None:
        if not _turn.acquire(timeout=PATIENCE_S):
            raise OperationalError("database is locked")
        self._mine = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._over()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._over()  # a commit that failed is rolled back, or the connection is closed

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._over()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._over()

    def _over(self) -> None:
        """The next one may ask."""
        if self._mine:
            self._mine = False
            _turn.release()
