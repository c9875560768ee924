"""A study served by real processes, as ``trialogue study serve`` does it."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from tests.study.walking import FRAME, OF_TYPE, item
from trialogue.records.files.jsonl import to_line
from trialogue.study.design.items import BY_TYPE

PORTS = range(20_000, 32_000)
PATIENCE_S = 60.0  # until a server has begun, on a machine that is busy


def free_port() -> int:
    """A port that nobody has, below those that the system gives to clients.

    A server that is killed and started again at its port would else find a client of another test there, or be taken for
    started when a client's connection met itself.
    """
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"none of 100 ports of {PORTS} is free")


def folder_of(where: Path, kind: str = "rating", *, items: int, **more: Any) -> Path:
    """A study folder."""
    where.mkdir(parents=True, exist_ok=True)
    fields = {"study": kind, "type": kind, **FRAME, **OF_TYPE[kind], **more}
    (where / "study.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(fields))), encoding="utf-8")
    made = [BY_TYPE[kind].model_validate(item(kind, number)) for number in range(items)]
    (where / "items.jsonl").write_text("".join(to_line(each) + "\n" for each in made), encoding="utf-8")
    return where


def start(
    folder: Path, port: int, *given: str, url: str = "", processes: int = 2, **more: str
) -> subprocess.Popen[bytes]:
    """The server's parent process, when it answers; with further options and variables of the environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRIALOGUE_", "DJANGO"))}
    environment |= more | ({"DATABASE_URL": url} if url else {})
    command = [sys.executable, "-m", "trialogue", "study", "serve", str(folder), "--port", str(port)]
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--set", f"processes={processes}", *given],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
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


def kill(process: subprocess.Popen[bytes]) -> None:
    """``kill -9`` of a server and all its processes; none of them holds the port any more afterwards."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
    end = time.monotonic() + PATIENCE_S
    while set(states(process.pid)) - {"Z"} and time.monotonic() < end:
        time.sleep(0.01)


def states(group: int) -> list[str]:
    """What the processes of a group are doing, as /proc says; nothing where there is no /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _parent, its_group = path.read_text("utf-8").rpartition(")")[2].split()[:3]
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        if int(its_group) == group:
            found.append(state)
    return found
