"""Counters shared by the server's processes, in a small file of the study folder, without any other service.

The file holds no names: a counter is identified by a keyed hash, and expires. Each bucket has room for
eight counters; if more fall into one, the smallest is dropped, so that limits err on the side of admitting people.
"""

import hashlib
import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from trialogue.records.files.locks import file_lock

FILE = "rates"
ENTRY = struct.Struct("<QII")  # hash, end of its time in seconds since 1970, count
PLACES, BUCKETS = 8, 4_096
MAX_COUNT = 2**32 - 1
Entry = tuple[int, int, int]


class Counts(Protocol):
    """Numbers by name, each for some time."""

    def add(self, name: str, *, now: float, until: float) -> int:
        """One more; how many there are."""
        ...

    def count(self, name: str, *, now: float) -> int:
        """Current count."""
        ...


class SharedCounts:
    """Counts in a file, which each process opens for itself.

    Args:
        path: the file; created if it does not exist.
        key: secret key, without which nobody can tell whose count it is.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, *, key: str) -> None:
        self._key = hashlib.sha256(key.encode()).digest()
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def add(self, name: str, *, now: float, until: float) -> int:
        """One more; how many there are. Where nothing can be written (the disk is full), none are counted."""
        known, offset = self._place(name)
        with self._exclusive():
            entries = [each for each in self._entries(offset) if each[1] > now]
            count = next((count for hashed, _, count in entries if hashed == known), 0) + 1
            # A full bucket loses its smallest count: new names cannot push out an address that is slowed down.
            others = sorted((each for each in entries if each[0] != known), key=lambda each: -each[2])
            kept = [(known, int(until), min(count, MAX_COUNT)), *others[: PLACES - 1]]
            packed = b"".join(ENTRY.pack(*each) for each in kept).ljust(PLACES * ENTRY.size, b"\0")
            try:
                os.pwrite(self._file, packed, offset)
            # Rather no limit than no study: a full disk must not lock everybody out.
            except OSError:
                return 0
        return count

    def count(self, name: str, *, now: float) -> int:
        """Current count."""
        known, offset = self._place(name)
        found = (count for hashed, until, count in self._entries(offset) if hashed == known and until > now)
        return next(found, 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _place(self, name: str) -> tuple[int, int]:
        digest = hashlib.blake2b(name.encode("utf-8", "replace"), key=self._key, digest_size=16).digest()
        bucket = int.from_bytes(digest[8:], "little") % BUCKETS
        return int.from_bytes(digest[:8], "little"), bucket * PLACES * ENTRY.size

    def _entries(self, offset: int) -> list[Entry]:
        read = os.pread(self._file, PLACES * ENTRY.size, offset).ljust(PLACES * ENTRY.size, b"\0")
        return [(hashed, until, count) for hashed, until, count in ENTRY.iter_unpack(read)]

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Exclusive access: no other thread and (except on Windows, with one process) no other process writes."""
        with self._lock, file_lock(self._file):
            yield
