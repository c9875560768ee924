"""A PostgreSQL server of one's own, from the binaries of this machine, without a network."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/bin", "/opt/homebrew/bin")
USERS = ("postgres", "nobody")  # initdb refuses to be run by root


def binaries() -> Path:
    """The folder with ``initdb``; the test is skipped, saying so, where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += [folder for place in PLACES for folder in sorted(Path("/").glob(place[1:]), reverse=True)]
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    pytest.skip("PostgreSQL's initdb is not installed (Debian: apt-get install postgresql)")


def program(name: str) -> Path:
    """One of PostgreSQL's own programs, such as ``pg_restore``."""
    folders = [binaries(), *(folder for place in PLACES for folder in sorted(Path("/").glob(place[1:]), reverse=True))]
    return next(folder / name for folder in folders if (folder / name).is_file())


def owner() -> str | None:
    """The user that the server is run by: another one where we are root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in USERS:
        if name in known:
            return name
    pytest.skip("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """The address of an empty database, as DATABASE_URL; the server is gone afterwards.

    Args:
        durable: whether what it acknowledges is forced onto the disk, as in earnest.
    """
    folder, user = binaries(), owner()
    room = Path(tempfile.mkdtemp(prefix="pg-"))
    if user:
        shutil.chown(room, user)
    data = room / "data"

    def run(command: str, *given: str) -> None:
        subprocess.run(
            [str(folder / command), *given],
            check=True,
            user=user,
            cwd=room,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "HOME": str(room)},
        )

    try:
        run("initdb", "-D", str(data), "-U", "study", "-A", "trust", "-E", "UTF8", "--no-sync")
        settings = f"-c listen_addresses='' -k {room} -c max_connections=60{'' if durable else ' -c fsync=off'}"
        run("pg_ctl", "-D", str(data), "-w", "-l", str(room / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://study@{quote(str(room), safe='')}/postgres"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(room, ignore_errors=True)
