"""The platform's list, asked for again and again, so that places come back by themselves.

``python -m trialogue.study.recruiting.following FOLDER SECONDS PARENT`` does it beside a server until that ends. It is a
process of its own since those of a server are forked, and a fork must not take a connection to the database along.
"""

import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import TrialogueError

if TYPE_CHECKING:  # models, which are there only after Django was set up for the folder
    from trialogue.study.services.management.reconciliation import Reconciled

LEAST_S, USUAL_S = 30.0, 300.0  # between two questions
GLANCE_S = 2.0  # between two looks whether the server is still there
_log = logging.getLogger("trialogue.study")


def follow(
    sync: "Callable[[], Reconciled]", *, every_s: float, wait: Callable[[float], bool], tell: Callable[[str], None]
) -> None:
    """Sync, wait, sync, until the wait says that it is over.

    A platform that does not answer, a database that is locked or another process at it are a line, and the next try is as
    far away as ever; a line is not repeated while nothing changes.

    Args:
        sync: as ``Recruiter.sync``.
        every_s: seconds between the end of one and the beginning of the next.
        wait: waits so many seconds; False: it is over.
        tell: called with a line for whatever changed.
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


def line_of(found: "Reconciled") -> str:
    """What came of it, in a line; "" if nothing changed."""
    if not found.freed and not found.replaced:
        return ""
    return (
        f"Prolific: {len(found.freed)} returned, timed out or were rejected, and their places are free again; "
        f"{len(found.replaced)} completed and were rejected, and are replaced."
    )


def waiting_for(parent: int) -> Callable[[float], bool]:
    """Waits as long as a parent process is there."""

    def wait(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while os.getppid() == parent and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, GLANCE_S))
        return os.getppid() == parent

    return wait


def main(folder: Path, every_s: float, parent: int) -> None:
    """Follow a study until the parent process ends."""
    from trialogue.study.opening import open_study

    study = open_study(folder)
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.prolific import Recruiter

    recruiter = Recruiter(study, folder, Api(), who="sync")
    follow(recruiter.sync, every_s=every_s, wait=waiting_for(parent), tell=_log.info)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    except KeyboardInterrupt:
        sys.exit(130)
