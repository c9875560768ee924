"""Poll the platform's list of submissions, so that abandoned places are released automatically.

``python -m trialogue.study.recruiting.following FOLDER SECONDS PARENT`` does it beside a server until that ends. It is a
separate process because those of a server are forked, and a fork must not inherit a database connection.
"""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import TrialogueError

if TYPE_CHECKING:  # models, which are there only after Django was set up for the folder
    from trialogue.study.services.reconciliation import Reconciliation

MIN_S, USUAL_S = 30.0, 300.0  # between two questions
GLANCE_S = 2.0  # between two looks whether the server is still there
AGAIN_S = 10.0  # before a process that died is started again
WORK = "work"  # the argument of the process that does the work
_log = logging.getLogger("trialogue.study")


def follow(
    sync: "Callable[[], Reconciliation]", *, every_s: float, wait: Callable[[float], bool], tell: Callable[[str], None]
) -> None:
    """Sync, wait, sync, until the wait says stop.

    A platform that does not answer, a locked database, or another process at work is reported as a line, and the next try
    follows after the usual time; a line is not repeated while nothing changes.

    Args:
        sync: function such as ``Recruiter.sync``.
        every_s: seconds between the end of one and the beginning of the next.
        wait: waits for a number of seconds; returns False when to stop.
        tell: called with a line for each change.
    """
    from django.db import DatabaseError, InterfaceError, close_old_connections

    said = ""
    while True:
        close_old_connections()
        try:
            line = line_of(sync())
        except (TrialogueError, DatabaseError, InterfaceError) as error:
            line = f"Places could not be synchronised with Prolific: {error}"
        if line and line != said:
            tell(line)
        said = line
        if not wait(every_s):
            return


def line_of(found: "Reconciliation") -> str:
    """One-line summary; "" if nothing changed and nothing is due."""
    lines = []
    if found.freed or found.replaced:
        lines.append(
            f"Prolific: {len(found.freed)} returned, timed out or were rejected, and their places are free again; "
            f"{len(found.replaced)} completed and were rejected, and are replaced."
        )
    if found.paused:
        lines.append(
            "The study was paused on Prolific, too. Start it again with: trialogue study recruit FOLDER publish."
        )
    if found.places_due:
        lines.append(
            f"{found.places_due} more places are needed on Prolific. Open them with: trialogue study recruit FOLDER places"
        )
    return " ".join(lines)


def waiting_for(parent: int) -> Callable[[float], bool]:
    """Waits as long as a parent process is there."""

    def wait(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while os.getppid() == parent and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, GLANCE_S))
        return os.getppid() == parent

    return wait


def keep_alive(start: Callable[[], int], *, wait: Callable[[float], bool], tell: Callable[[str], None]) -> None:
    """Start a process, and again whenever it dies, until it ends normally or the wait says stop.

    Args:
        start: starts the process, waits for its end and returns its exit status, 0 for a normal end.
        wait: waits for a number of seconds; returns False when to stop.
        tell: called with a line for each abnormal end.
    """
    while (status := start()) != 0:
        tell(f"The process that synchronises with Prolific ended (exit status {status}); it is started again.")
        if not wait(AGAIN_S):
            return


def watch(folder: Path, every_s: float, parent: int) -> None:
    """Keep a process that follows a study alive until the parent process ends."""
    going_on = waiting_for(parent)
    below = [sys.executable, "-m", __spec__.name, str(folder), str(every_s), str(os.getpid()), WORK]

    def start() -> int:
        with subprocess.Popen(below, stdin=subprocess.DEVNULL) as process:
            try:
                while process.poll() is None:
                    if not going_on(GLANCE_S):
                        return 0
                return process.returncode
            finally:
                process.terminate()

    signal.signal(signal.SIGTERM, lambda *given: sys.exit(0))  # so that the process below is ended, too
    keep_alive(start, wait=going_on, tell=_log.error)


def main(folder: Path, every_s: float, parent: int) -> None:
    """Follow a study until the parent process ends."""
    from trialogue.study.opening import open_launched

    study = open_launched(folder)
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.prolific import Recruiter

    recruiter = Recruiter(study, Api(), who="sync")
    follow(recruiter.sync, every_s=every_s, wait=waiting_for(parent), tell=_log.info)


if __name__ == "__main__":
    try:
        (main if WORK in sys.argv[4:] else watch)(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    except KeyboardInterrupt:
        sys.exit(130)
