"""The process beside a real server that asks Prolific which places come back: it does, and it ends with its server."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.study.prolific_api import TOKEN, serving
from tests.study.served import folder_of, free_port, start, stop
from tests.study.visitor import Visitor
from trialogue.study.recruiting import following

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
PATIENCE_S = 40.0


def until(true: Callable[[], bool]) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + PATIENCE_S
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return true()


def followers(folder: Path) -> list[int]:
    """Processes that follow a study."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile
            continue
        if b"trialogue.study.recruiting.following" in words and os.fsencode(folder) in words:
            found.append(int(path.parent.name))
    return found


def workers(folder: Path) -> list[int]:
    """Those of them that do the work."""
    found = []
    for each in followers(folder):
        try:
            words = Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [each] if following.WORK.encode() in words else []
    return found


def keep_draft(folder: Path, remote_id: str) -> None:
    """Note the platform's draft of the study, as its creation does."""
    row: dict[str, str | int] = {
        "kind": "draft",
        "key": "rating",
        "remote_id": remote_id,
        "state": "confirmed",
        "by": "test",
    }
    row |= {"amount_cents": 0, "batch": "", "settled_by": "answer", "sent_at": "2026-01-01 00:00:00"}
    with closing(sqlite3.connect(folder / "study.sqlite3", timeout=30)) as connection, connection:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        select = f"select id, {marks} from study_study"
        connection.execute(f"insert into study_platformrequest (study_id, {names}) {select}", tuple(row.values()))


def state_of_the_first(folder: Path) -> str:
    with closing(sqlite3.connect(f"file:{folder / 'study.sqlite3'}?mode=ro", uri=True, timeout=30)) as connection:
        return str(connection.execute("select state from study_participant").fetchone()[0])


def test_places_come_back_while_the_study_is_served_and_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "study",
        items=6,
        platform={"name": "prolific"},
        payment={"reward_cents": 200},
        replace_excluded=False,
    )
    port = free_port()
    with serving() as platform:
        platform.studies["s1"] = {"id": "s1", "status": "ACTIVE", "total_available_places": 4}
        environment = {"PROLIFIC_TOKEN": TOKEN, "TRIALOGUE_PROLIFIC_API": platform.address}
        server = start(folder, port, "--set", "sync_every=0", processes=1, **environment)
        try:
            keep_draft(folder, "s1")
            Visitor(port).enter("rating", "?PROLIFIC_PID=gone&SESSION_ID=e-gone")
            assert followers(folder) == []  # switched off
        finally:
            stop(server)
        assert state_of_the_first(folder) == "arrived"
        platform.submit("gone", "RETURNED")
        server = start(folder, port, processes=1, **environment)  # by itself, where the token is
        try:
            came_back = until(lambda: state_of_the_first(folder) == "returned")
            assert came_back, (folder / "log.txt").read_text("utf-8")
            assert len(followers(folder)) == 2  # one that works, and one that starts it again
            at_work = workers(folder)
            os.kill(at_work[0], signal.SIGKILL)
            assert until(lambda: workers(folder) not in ([], at_work)), (folder / "log.txt").read_text("utf-8")
            os.kill(server.pid, signal.SIGKILL)  # the parent alone: nobody is left to end its children
            server.wait(30)
            assert until(lambda: not followers(folder))
        finally:
            for each in followers(folder):
                os.kill(each, signal.SIGKILL)
            os.killpg(server.pid, signal.SIGKILL)
    assert TOKEN not in (folder / "log.txt").read_text("utf-8")


def test_a_process_that_dies_is_started_again_until_it_ends_as_it_should() -> None:
    ends = iter([-9, 1, 0])
    lines: list[str] = []
    following.keep_alive(lambda: next(ends), wait=lambda seconds: seconds == following.AGAIN_S, tell=lines.append)
    assert [line.partition("exit status ")[2] for line in lines] == [
        "-9); it is started again.",
        "1); it is started again.",
    ]
    assert list(ends) == []


def test_nothing_is_started_again_where_the_server_is_gone() -> None:
    starts: list[int] = []

    def start() -> int:
        starts.append(1)
        return 1

    following.keep_alive(start, wait=lambda seconds: False, tell=lambda line: None)
    assert starts == [1]
