"""What a power failure would leave behind: the files of a database, copied while every process of its server stands still.

The server is stopped (SIGSTOP) wherever it is, in the middle of a write as likely as not; the copy is what a disk would hold
that has everything that was handed to it. What came after the last sync may be missing or torn on a real disk, so
copies are also cut off at any byte and filled with rubbish from there.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.study.served import states
from tests.study.visitor import Page, Visitor
from trialogue.study.services.rows import read_token

Acknowledged = dict[tuple[int, str], dict[str, str]]
"""What was sent, by participant and step."""
NOT_ANSWERS = ("token", "events", "csrfmiddlewaretoken")
DATABASE = "study.sqlite3"


def owner_and_step(token: str, secret: str) -> tuple[int, str]:
    """What a page's token is about, which only the server's key tells."""
    found = read_token(token, secret=secret)
    assert found is not None
    return found.participant, found.step


@dataclass
class Remembering(Visitor):
    """A browser that notes which answers were acknowledged, the moment that they were."""

    acknowledged_answers: Acknowledged = field(default_factory=dict)
    folder: Path = Path()
    """The study's, which has the key."""

    def ask(self, method: str, path: str, form: Any = None) -> Page:
        """One request."""
        page = super().ask(method, path, form)
        if method == "POST" and page.status == 302 and form and "token" in form:
            kept = {name: value for name, value in form.items() if name not in NOT_ANSWERS}
            self.acknowledged_answers[owner_and_step(form["token"], self._secret())] = kept
        return page

    def _secret(self) -> str:
        return (self.folder / "secret.key").read_text("ascii").strip()


@dataclass(frozen=True)
class Snapshot:
    """A copy of a database, and what people had been told was saved before it was made."""

    folder: Path
    acknowledged: Acknowledged

    @property
    def journal(self) -> int:
        """Bytes that were not in the database's own file yet."""
        path = self.folder / f"{DATABASE}-wal"
        return path.stat().st_size if path.is_file() else 0


class Failures(threading.Thread):
    """Stops the server again and again, each time with a copy of what is on the disk, until it is asked to end."""

    def __init__(self, server: subprocess.Popen[bytes], folder: Path, room: Path, messages: Callable[[], Acknowledged]):
        super().__init__()
        self._server, self._folder, self._room, self._reported = server, folder, room, messages
        self.ended = threading.Event()
        self.snapshots: list[Snapshot] = []

    def run(self) -> None:
        """Copies, a little apart."""
        while not self.ended.wait(0.2):
            self.snapshots.append(self._copy())

    def _copy(self) -> Snapshot:
        where = self._room / f"copy-{len(self.snapshots)}"
        where.mkdir()
        messages = self._reported()
        os.killpg(self._server.pid, signal.SIGSTOP)
        try:
            _wait_until_all_stand_still(self._server.pid)
            for path in self._folder.glob(f"{DATABASE}*"):
                if not path.name.endswith("-shm"):  # memory that is shared; it would not be there after a failure
                    shutil.copyfile(path, where / path.name)
        finally:
            os.killpg(self._server.pid, signal.SIGCONT)
        return Snapshot(where, messages)


def _wait_until_all_stand_still(group: int) -> None:
    """Until no process of a group runs any more; where the system does not tell (it is not Linux), a moment."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = states(group)
        if found and set(found) <= {"T", "t", "Z"}:
            return
        time.sleep(0.002)
    assert not Path("/proc/self/stat").is_file(), "the server does not stop"


def opened(folder: Path) -> tuple[list[str], Acknowledged]:
    """What is wrong with a database, and the answers that it holds; looked at in a copy, since opening it mends it."""
    with TemporaryDirectory() as room:
        copy = shutil.copytree(folder, Path(room) / "copy")
        return _opened(copy / DATABASE)


def _opened(path: Path) -> tuple[list[str], Acknowledged]:
    with closing(sqlite3.connect(path)) as database:
        damage = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        damage += [f"a row of {row[0]} refers to nothing" for row in database.execute("PRAGMA foreign_key_check")]
        rows = database.execute("SELECT participant_id, step, answers FROM study_submission").fetchall()
    return damage, {(who, step): {k: str(v) for k, v in json.loads(messages).items()} for who, step, messages in rows}


def torn(snapshot: Snapshot, room: Path, *, at: float, rubbish: bytes) -> Path:
    """A snapshot whose journal ends at a share of its length, and goes on with rubbish."""
    shutil.copytree(snapshot.folder, room)
    journal = room / f"{DATABASE}-wal"
    held = journal.read_bytes()
    journal.write_bytes(held[: int(at * len(held))] + rubbish)
    return room
