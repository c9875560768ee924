"""The bar of reliability, in short: real processes, real databases, many people at once. The long form is a benchmark."""

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.study.postgres import server
from tests.study.served import folder_of, free_port, start, stop
from tests.study.visitor import Page, Visitor
from trialogue.study.backup import backup

K, ITEMS, EACH = 2, 6, 3  # 12 slots: 4 people of 3 items fill the study


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


SLOTS = "select count(*), count(distinct slot_id) from study_assignment where state in ('leased', 'done')"
TAKEN = "select max(taken), max(needed) from study_item where kind = 'task'"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """A study with room for 4, served by two processes."""
    folder = folder_of(tmp_path_factory.mktemp("served") / "study", items=ITEMS)
    port = free_port()
    process = start(folder, port)
    yield folder, port
    stop(process)


def test_many_race_for_the_last_slots_and_none_is_given_twice(served: tuple[Path, int]) -> None:
    folder, port = served
    people = [Visitor(port) for _ in range(12)]
    with ThreadPoolExecutor(12) as pool:
        ends = list(pool.map(lambda one: one.walk("rating"), people))
    statuses = Counter(status for one in people for status in one.statuses)
    assert not [status for status in statuses if status >= 500], statuses
    assert all(page.status in (200, 403) for page in ends)
    database = folder / "study.sqlite3"
    assert rows(database, SLOTS) == [(K * ITEMS, K * ITEMS)]  # every slot once: 4 people of 12 came in time
    assert rows(database, TAKEN) == [(K, K)]
    stored = rows(database, "select count(*) from study_submission")[0][0]
    assert stored == sum(one.acknowledged for one in people)


def test_one_form_sent_many_times_at_once_is_one_row(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=ITEMS)
    port = free_port()
    process = start(folder, port)
    try:
        one = Visitor(port)
        page = one.enter("rating")
        with ThreadPoolExecutor(10) as pool:
            again = [Visitor(port, dict(one.cookies)) for _ in range(20)]
            answers = list(pool.map(lambda each: each.ask("POST", page.url, page.form()), again))
        assert {answer.status for answer in answers} == {302}
        assert rows(folder / "study.sqlite3", "select step, count(*) from study_submission group by step") == [
            ("consent", 1)
        ]
        _killed_and_back(folder, port, process, one)
    finally:
        stop(process)


def _killed_and_back(folder: Path, port: int, process: Any, one: Visitor) -> None:
    """All processes end without a word; what was acknowledged is there, and people go on where they were."""
    page = one.send(one.go("GET", "/rating/step/"), 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
    database = folder / "study.sqlite3"
    assert rows(database, "pragma integrity_check") == [("ok",)]
    assert rows(database, "select count(*) from study_submission")[0][0] == 2  # the consent, and the first item
    copy = backup(folder, folder.parent / "copy.sqlite3")
    assert rows(copy, "select * from study_submission") == rows(database, "select * from study_submission")
    assert copy.stat().st_mode & 0o077 == 0
    revived = start(folder, port)
    try:
        back = one.go("GET", "/rating/step/")
        assert back.token == page.token or _place(back) == _place(page)
        assert one.send(back, 2).status == 200
    finally:
        stop(revived)


def _place(page: Page) -> str:
    return page.body.partition("Page ")[2][:7]


@pytest.mark.slow
def test_on_postgresql_too_nobody_gets_a_slot_that_another_has(tmp_path: Path) -> None:
    import psycopg

    folder, port = folder_of(tmp_path / "study", items=ITEMS), free_port()
    with server() as url:
        process = start(folder, port, url=url)
        try:
            people = [Visitor(port) for _ in range(12)]
            with ThreadPoolExecutor(12) as pool:
                list(pool.map(lambda one: one.walk("rating"), people))
        finally:
            stop(process)
        with psycopg.connect(url) as connection:
            assert connection.execute(SLOTS).fetchall() == [(K * ITEMS, K * ITEMS)]
            assert connection.execute(TAKEN).fetchall() == [(K, K)]
            stored = connection.execute("select count(*) from study_submission").fetchall()
        copy = backup(folder, tmp_path / "copy.dump", url=url)
        dumped = copy.read_bytes()
    assert dumped.startswith(b"PGDMP")
    assert b"study_submission" in dumped
    assert stored == [(sum(one.acknowledged for one in people),)]
    assert not [status for one in people for status in one.statuses if status >= 500]
