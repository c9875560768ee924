"""A study served by real processes, as ``trialogue study serve`` does it; and a private PostgreSQL, where there is one."""

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.study.walking import FRAME, OF_TYPE, item
from trialogue.records.jsonl import to_line
from trialogue.study.design.items import BY_TYPE

PATIENCE_S = 60.0  # until a server has begun, on a machine that is busy


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def folder_of(where: Path, kind: str = "rating", *, items: int, **more: Any) -> Path:
    """A study folder."""
    where.mkdir(parents=True, exist_ok=True)
    fields = {"study": kind, "type": kind, **FRAME, **OF_TYPE[kind], **more}
    (where / "study.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(fields))), encoding="utf-8")
    made = [BY_TYPE[kind].model_validate(item(kind, number)) for number in range(items)]
    (where / "items.jsonl").write_text("".join(to_line(each) + "\n" for each in made), encoding="utf-8")
    return where


def start(folder: Path, port: int, *, url: str = "", processes: int = 2) -> subprocess.Popen[bytes]:
    """The server's parent process, when it answers."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRIALOGUE_", "DJANGO"))}
    environment |= {"DATABASE_URL": url} if url else {}
    command = [sys.executable, "-m", "trialogue", "study", "serve", str(folder), "--port", str(port)]
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--processes", str(processes)], env=environment, stdout=log, stderr=log, start_new_session=True
        )
    _wait(port, process, folder)
    return process


def _wait(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"no server: {(folder / 'log.txt').read_text()}")


def stop(process: subprocess.Popen[bytes], how: signal.Signals = signal.SIGTERM) -> None:
    """End a server and all its processes (they are a session of their own)."""
    if process.poll() is None:
        os.killpg(process.pid, how)
    process.wait(30)


@contextmanager
def postgres() -> Iterator[str]:
    """Address of a PostgreSQL that nobody else uses; its files are deleted afterwards.

    The test is skipped, saying so, where PostgreSQL is not installed.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    binaries = programs[-1].parent
    user = _unprivileged()
    with tempfile.TemporaryDirectory(prefix="trialogue-pg-", ignore_cleanup_errors=True) as room:
        data, port = Path(room) / "data", free_port()
        if user is not None:
            os.chown(room, user, -1)
        who: Mapping[str, Any] = {"user": user} if user is not None else {}
        run: dict[str, Any] = {"check": True, "capture_output": True, "cwd": room, **who}
        subprocess.run(
            [binaries / "initdb", "-D", data, "-A", "trust", "-U", "study", "-E", "UTF8", "--no-sync"], **run
        )
        options = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=80"
        )
        control = [str(binaries / "pg_ctl"), "-D", str(data), "-w"]
        subprocess.run([*control, "-l", f"{room}/log", "-o", options, "start"], **run)
        try:
            yield f"postgresql://study@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **run)


def _unprivileged() -> int | None:
    """Somebody who is not root, whom initdb insists on; None if we are not root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is nobody else")
