"""A real SQLite file that cannot be written: ``python -m tests.study.broken``; prints as JSON what people were shown.

The study folder is that of the environment (``TRIALOGUE_STUDY``). Full: the file may have no more pages. Read-only: the
connection may not write. Locked: somebody else holds the write lock for longer than we wait.
"""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any


def main() -> None:
    """Each of the three befalls somebody who sends a form; then they send the page that they got in answer."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "trialogue.study.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    befalling: dict[str, Callable[[Any], Any]] = {"full": full, "read-only": read_only, "locked": locked}
    found = {name: sent_while(happens, place) for place, (name, happens) in enumerate(befalling.items())}
    with connection.cursor() as cursor:
        safety = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    sys.stdout.write(json.dumps({**found, "safety": safety}))


def sent_while(happens: Callable[[Any], Any], place: int) -> dict[str, Any]:
    """What was said, and how many rows there were before, after, and after a second attempt."""
    from django.db import connection
    from django.test import Client

    from tests.study.pages.studies import entered, running, sent, source
    from trialogue.study.models import Submission

    study, client = running(study=f"study-{place}"), Client(raise_request_exception=False)
    page = entered(client, study)
    with happens(connection):
        answer = sent(client, page)
    rows = Submission.objects.filter(participant__study=study, step="consent")
    at_first = rows.count()
    again = sent(client, answer)
    return {
        "status": answer.status_code,
        "messages": "Not saved yet" in source(answer),
        "rows": [at_first, rows.count()],
        "again": again.status_code,
    }


@contextmanager
def full(connection: Any) -> Iterator[None]:
    """No page can be added to the file; the free ones are used up."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count={pages}")
        _fill(cursor)
        yield
        cursor.execute("PRAGMA max_page_count=1000000")


def _fill(cursor: Any) -> None:
    """Use what is left of pages that the tables have already."""
    from django.db import DatabaseError, transaction

    some = "hex(randomblob(9)), '{}', '2026-01-01' FROM study_participant LIMIT 1"
    for table, row in (
        ("study_submission", f"(participant_id, step, answers, received_at) SELECT id, {some}"),
        ("study_audit", f"(study_id, who, what, detail, at) SELECT study_id, '', {some}"),
    ):
        for _ in range(5_000):
            try:
                with transaction.atomic():
                    cursor.execute(f"INSERT INTO {table} {row}")
            except DatabaseError:
                break


@contextmanager
def read_only(connection: Any) -> Iterator[None]:
    """As on a disk that was mounted again after an error."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only=ON")
        yield
        cursor.execute("PRAGMA query_only=OFF")


@contextmanager
def locked(connection: Any) -> Iterator[None]:
    """Another process writes, and does not end."""
    with connection.cursor() as cursor, closing(sqlite3.connect(_database())) as other:
        cursor.execute("PRAGMA busy_timeout=50")
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()
        cursor.execute("PRAGMA busy_timeout=20000")


def _database() -> Path:
    return Path(os.environ["TRIALOGUE_STUDY"]) / "study.sqlite3"


if __name__ == "__main__":
    main()
