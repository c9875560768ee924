"""The bar of reliability, in short: real processes, real databases, many people at once. The long form is a benchmark."""

import hashlib
import sqlite3
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.study.postgres import program, server
from tests.study.power import Acknowledged, Failures, Remembering, Snapshot, opened, torn
from tests.study.served import folder_of, free_port, kill, start, stop
from tests.study.visitor import Page, Visitor
from trialogue.study.databases import backup

K, ITEMS, EACH, PEOPLE = 2, 12, 3, 16  # 24 slots: 8 people of 3 items fill the study


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def everything(database: Path) -> dict[str, str]:
    """A hash of the rows of each table."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        found = {name: connection.execute(f'select * from "{name}" order by 1').fetchall() for name in names}
    return {name: hashlib.sha256(repr(each).encode()).hexdigest() for name, each in found.items()}


SLOTS = "select count(*), count(distinct slot_id) from study_assignment where state in ('leased', 'done')"
TAKEN = "select max(taken), max(needed) from study_item where kind = 'task'"


@dataclass
class Crowd:
    """What a crowd of people met, and what was copied meanwhile."""

    database: Path
    people: list[Remembering]
    ends: list[Page]
    snapshots: list[Snapshot]
    hot: Snapshot


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """Sixteen come for the places of eight, without a pause; meanwhile the power fails and a backup is made."""
    room = tmp_path_factory.mktemp("served")
    folder, port = folder_of(room / "study", items=ITEMS, raters_per_item=K), free_port()
    people = [Remembering(port, folder=folder) for _ in range(PEOPLE)]

    def messages() -> Acknowledged:
        return {key: answers for one in people for key, answers in list(one.acknowledged_answers.items())}

    process = start(folder, port)
    try:
        failures = Failures(process, folder, room, messages)
        failures.start()
        with ThreadPoolExecutor(PEOPLE) as pool:
            ends = [pool.submit(one.walk, "rating") for one in people]
            next(as_completed(ends))
            before, copy = messages(), room / "hot"
            copy.mkdir()
            backup(folder, copy / "study.sqlite3")
            met = [each.result() for each in ends]
        failures.ended.set()
        failures.join()
    finally:
        stop(process)
    return Crowd(folder / "study.sqlite3", people, met, failures.snapshots, Snapshot(copy, before))


def test_many_race_for_the_last_slots_and_none_is_given_twice(crowd: Crowd) -> None:
    statuses = Counter(status for one in crowd.people for status in one.statuses)
    assert not [status for status in statuses if status >= 500], statuses
    assert all(page.status in (200, 403) for page in crowd.ends)
    assert rows(crowd.database, SLOTS) == [(K * ITEMS, K * ITEMS)]  # every slot once: 8 people of 16 came in time
    assert rows(crowd.database, TAKEN) == [(K, K)]
    stored = rows(crowd.database, "select count(*) from study_submission")[0][0]
    assert stored == sum(one.acknowledged for one in crowd.people)


def test_after_a_power_failure_everything_that_was_acknowledged_is_there(crowd: Crowd) -> None:
    assert any(each.acknowledged for each in crowd.snapshots), "nobody had answered when the power failed"
    for each in crowd.snapshots:
        damage, stored = opened(each.folder)
        assert damage == []
        assert {key: stored.get(key) for key in each.acknowledged} == each.acknowledged


@pytest.mark.parametrize("rubbish", [b"", bytes(5000), bytes(range(256)) * 20], ids=["cut", "zeros", "rubbish"])
def test_what_the_disk_had_not_written_to_its_end_is_left_out_and_the_rest_is_whole(
    crowd: Crowd, rubbish: bytes, tmp_path: Path
) -> None:
    last = next(each for each in reversed(crowd.snapshots) if each.journal)
    _, whole = opened(last.folder)
    before: set[Any] = set()
    for place, share in enumerate(sorted(np.random.default_rng(0).uniform(size=8))):
        damage, stored = opened(torn(last, tmp_path / str(place), at=share, rubbish=rubbish))
        assert damage == []
        assert before <= set(stored) <= set(whole)  # from one cut to the next nothing that was there goes away
        before = set(stored)


def test_a_backup_that_is_made_while_people_answer_holds_what_was_acknowledged(crowd: Crowd) -> None:
    damage, stored = opened(crowd.hot.folder)
    assert damage == []
    assert crowd.hot.acknowledged
    assert {key: stored.get(key) for key in crowd.hot.acknowledged} == crowd.hot.acknowledged


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
    kill(process)
    database = folder / "study.sqlite3"
    assert rows(database, "pragma integrity_check") == [("ok",)]
    assert rows(database, "select count(*) from study_submission")[0][0] == 2  # the consent, and the first item
    copy = backup(folder, folder.parent / "copy.sqlite3")
    assert everything(copy) == everything(database)
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
@pytest.mark.service
def test_on_postgresql_thirty_people_at_once_lose_nothing_and_a_dump_brings_everything_back(tmp_path: Path) -> None:
    import psycopg

    folder, port = folder_of(tmp_path / "study", items=ITEMS, raters_per_item=K), free_port()
    with server() as url:
        process = start(folder, port, url=url)
        try:
            people = [Remembering(port, folder=folder) for _ in range(30)]
            with ThreadPoolExecutor(30) as pool:
                list(pool.map(lambda one: one.walk("rating"), people))
        finally:
            stop(process)
        with psycopg.connect(url) as connection:
            assert connection.execute(SLOTS).fetchall() == [(K * ITEMS, K * ITEMS)]
            assert connection.execute(TAKEN).fetchall() == [(K, K)]
            stored = connection.execute("select participant_id, step, answers from study_submission").fetchall()
        copy = backup(folder, tmp_path / "copy.dump", url=url)
        assert _restored(copy, url) == _all_rows(url)
    assert not [status for one in people for status in one.statuses if status >= 500]
    answers = {(who, step): {name: str(value) for name, value in messages.items()} for who, step, messages in stored}
    assert answers == {key: messages for one in people for key, messages in one.acknowledged_answers.items()}


def _all_rows(url: str) -> dict[str, str]:
    """As ``everything``, of PostgreSQL."""
    import psycopg

    with psycopg.connect(url) as connection:
        names = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
        found = {name: sorted(connection.execute(f'table "{name}"').fetchall(), key=repr) for (name,) in names}
    return {name: hashlib.sha256(repr(each).encode()).hexdigest() for name, each in found.items()}


def _restored(dump: Path, url: str) -> dict[str, str]:
    """The rows that a dump brings into an empty database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create database restored")
    again = url.rpartition("/")[0] + "/restored"
    subprocess.run([program("pg_restore"), "--no-owner", f"--dbname={again}", dump], check=True)
    return _all_rows(again)
