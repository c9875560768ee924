"""Locks on files, which keep other processes out. A process that dies lets go, and so does whoever closes the file.

``flock`` and not ``lockf``: with that, threads of two processes that wait for two files look like a deadlock. A lock
belongs to a file that was opened, so two openings of one file by one process keep each other out, too. Where the system
knows no such locks (Windows: nothing of the kind comes with Python's files) everybody is let in, and ``CAN_LOCK`` says so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

CAN_LOCK: bool = fcntl is not None
"""Whether this system knows locks on files."""
File = IO[bytes] | int
"""An open file, or its descriptor."""


def lock(file: File) -> None:
    """Wait until nobody else holds the file, then hold it."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def try_lock(file: File) -> bool:
    """Hold the file, if nobody else does; whether that is so."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def unlock(file: File) -> None:
    """Let go of the file."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def locked(file: File) -> Iterator[None]:
    """Wait until nobody else holds the file, and hold it until the block ends."""
    lock(file)
    try:
        yield
    finally:
        unlock(file)
