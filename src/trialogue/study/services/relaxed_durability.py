"""Transactions that do not wait for the disk, for data whose storage is not acknowledged, such as page views."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def relaxed_commit() -> Iterator[None]:
    """A transaction that outlives its process as every other does, but perhaps not a failure of power right after it.

    Whatever is committed later in the usual way takes it to the disk, too: a database never has the later without the
    earlier. Within another transaction it is a part of that.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=NORMAL")
            try:
                with transaction.atomic():
                    yield
            finally:
                cursor.execute("PRAGMA synchronous=FULL")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL synchronous_commit TO OFF")
            yield
