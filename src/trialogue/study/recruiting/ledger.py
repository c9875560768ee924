"""Write-ahead ledger of platform requests that spend money or decide: one line before each request, and one after.

A request without a second line may or may not have been sent: it is looked up at the platform, never simply repeated.
The file holds participants' codes and the platform's ids of studies and payments, no ids of people.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from trialogue.errors import UsageError

FILE = "recruiting.jsonl"


class Ledger:
    """The ledger of a study folder; one process at a time writes it.

    Args:
        folder: the study folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = FileLock(str(folder / f"{FILE}.lock"))

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """While this context is open, no other process pays.

        Raises:
            UsageError: another process holds the ledger.
        """
        try:
            with self._lock.acquire(timeout=0):
                yield
        except Timeout as error:
            raise UsageError(
                "Another process is using the platform for this study. Wait until it has finished."
            ) from error

    def intend(self, what: str, key: str, **detail: Any) -> None:
        """Record a request before it is sent."""
        self._write({"state": "intended", "what": what, "key": key, **detail})

    def settle(self, what: str, key: str, state: str = "done", **detail: Any) -> None:
        """Record the result of a request: ``done`` or ``refused``."""
        self._write({"state": state, "what": what, "key": key, **detail})

    def last_line(self, what: str, key: str) -> dict[str, Any] | None:
        """Last entry on a request; None if it was never sent."""
        return next((row for row in reversed(self.rows()) if (row["what"], row["key"]) == (what, key)), None)

    def rows(self) -> list[dict[str, Any]]:
        """Every line; a last one that was cut off by a crash is none."""
        if not self._path.is_file():
            return []
        found = []
        for line in self._path.read_text("utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def _write(self, row: dict[str, Any]) -> None:
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="seconds"), **row}, sort_keys=True)
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, b"\n" * self._cut() + line.encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)

    def _cut(self) -> bool:
        """Whether the last line has no end, since the process died while it wrote it."""
        size = self._path.stat().st_size
        with self._path.open("rb") as stream:
            stream.seek(max(0, size - 1))
            return stream.read(1) not in (b"", b"\n")
