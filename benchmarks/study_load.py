"""A human study under load, and under ``kill -9``; writes ``benchmarks/STUDY.md``.

    python -m benchmarks.study_load                          # 30 workers, 60 s; 5 kills in another 60 s
    python -m benchmarks.study_load --workers 100 --kills 50 --kill-seconds 600
    python -m benchmarks.study_load --database postgresql    # writes STUDY_POSTGRESQL.md
    python -m benchmarks.study_load --beside ../earlier      # and the server of another checkout, in turns

A real server (`trialogue study serve`: waitress in gunicorn, 2 processes of 8 threads, SQLite: IMMEDIATE, WAL, FULL)
and scripted participants who never think: each reads a page, answers every question in it, sends its form and follows
the redirect, over one connection of its own; who is through is followed by the next. All of them are one process
beside those of the server. What was acknowledged to a participant (the form was answered with a redirect) is looked for
in the database afterwards, value by value. Meanwhile other clients hold connections open on which they sent half a
header or half a body, and come back when they are dropped. Then the same again while all processes of the server are
killed with SIGKILL at random moments and started anew; participants whose request failed send it again.

SIGKILL takes the processes, not the machine: what the disk does when the power fails is not measured here.
"""

import argparse
import json
import os
import platform
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from tests.study.slow import slow_clients

from benchmarks.study_crowd import Seen, crowd
from trialogue.study.opening import open_study

HERE = Path(__file__).resolve().parent
SYSTEMS = ("amber", "basalt", "cedar")
ITEMS, K, EACH = 400, 60, 9
SQLITE = "SQLite: IMMEDIATE, WAL, FULL"
PATIENCE_S = 90.0  # how long a participant tries again
STUDY = {
    "study": "load",
    "title": "Load",
    "type": "rating",
    "raters_per_item": K,
    "items_per_participant": EACH,
    "criteria": [
        {"name": "sense", "question": "How meaningful is it?", "scale": ["not", "hardly", "so-so", "quite", "very"]}
    ],
    "phases": ["consent", "tasks", "exit"],
    "consent": {"text": "You may leave at any time."},
    "seed": 1,
}


def made(folder: Path, *, opened: bool = True) -> Path:
    """A study folder, with a key and a database; or without them, for a server that makes its own."""
    (folder / "study.yaml").write_text(json.dumps(STUDY), "utf-8")  # JSON is YAML
    text = "The film that you look for may be one of those that were made after 1990, in a big city, at night."
    rows = [
        {
            "key": f"item{number}",
            "context": [
                {"speaker": ("user", "system")[turn % 2], "text": f"{turn} of {number}: {text}"} for turn in range(7)
            ],
            "responses": {system: f"{place} for {number}: {text}" for place, system in enumerate(SYSTEMS)},
        }
        for number in range(ITEMS)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    if opened:
        open_study(folder)  # here as well: what was saved is looked for afterwards
    return folder


class Server:
    """``trialogue study serve`` on a free port.

    Args:
        folder: of the study.
        checkout: whose code serves; None: this one's.
    """

    def __init__(self, folder: Path, checkout: Path | None = None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._folder, self._log = folder, folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._environment = {**os.environ, **({"PYTHONPATH": str(checkout.resolve() / "src")} if checkout else {})}
        if checkout:  # what opening a study set for this process
            self._environment.pop("TRIALOGUE_STUDY", None)

    def start(self) -> None:
        command = [sys.executable, "-m", "trialogue", "study", "serve", str(self._folder), "--port", str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env=self._environment, start_new_session=True
            )

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server: all of its processes, which are a group of their own."""
        if self._process is not None:
            os.killpg(self._process.pid, how)
            self._process.wait()

    def cpu(self) -> float | None:
        """CPU seconds that its processes have used; None where the system does not tell (it is not Linux)."""
        ticks, found = os.sysconf("SC_CLK_TCK"), None
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text("utf-8").rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            if self._process is not None and int(fields[2]) == self._process.pid:
                found = (found or 0.0) + (int(fields[11]) + int(fields[12])) / ticks
        return found

    def ready(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + PATIENCE_S
        while crowd(self.port, 1, 0.001, entrance="/load/", patience=1.0).walks["over"] != 1:
            if time.monotonic() > until:
                raise RuntimeError(self._log.read_text("utf-8", "replace"))


@contextmanager
def served(folder: Path, checkout: Path | None = None) -> Iterator[Server]:
    server = Server(folder, checkout)
    server.start()
    try:
        server.ready()
        yield server
    finally:
        server.end()


def load(server: Server, workers: int, seconds: float, kills: Sequence[float] = ()) -> tuple[Seen, float]:
    """What all participants saw, and how long it took; the server is killed at the given seconds and started again."""
    start = time.monotonic()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        running = pool.submit(crowd, server.port, workers, seconds, entrance="/load/", patience=PATIENCE_S)
        for moment in kills:
            time.sleep(max(0.0, start + moment - time.monotonic()))
            server.end(signal.SIGKILL)
            server.start()
        return running.result(), time.monotonic() - start


def lost(saved: Mapping[str, Mapping[str, str]]) -> int:
    """Acknowledged answers that are not in the database, or are there with another value."""
    from trialogue.study.models import Submission
    from trialogue.study.services.rows import read_token

    stored = {(row.participant_id, row.step): row.answers for row in Submission.objects.all()}
    missing = 0
    for token, sent in saved.items():
        page = read_token(token)
        answers = stored.get((page.participant, page.step), {}) if page is not None else {}
        missing += {name: str(value) for name, value in answers.items()} != dict(sent)
    return missing


def damage() -> list[str]:
    """What is wrong with the database itself: nothing, one hopes."""
    from django.db import connection

    def first(query: str) -> object:
        with connection.cursor() as cursor:
            cursor.execute(query)
            row: tuple[object, ...] = cursor.fetchone()
            return row[0]

    checked = first("PRAGMA integrity_check") if connection.vendor == "sqlite" else "ok"
    most = int(
        str(
            first(
                "SELECT coalesce(max(n), 0) FROM"  # 0: all were replaced
                " (SELECT count(*) AS n FROM study_assignment WHERE state IN ('leased', 'done')"
                " GROUP BY item_id) AS counts"
            )
        )
    )
    wrong = int(
        str(
            first(
                "SELECT count(*) FROM study_item AS i WHERE kind = 'task' AND taken !="
                " (SELECT count(*) FROM study_assignment AS a WHERE a.item_id = i.id AND a.state IN ('leased', 'done'))"
            )
        )
    )
    found = {f"integrity: {checked}": checked != "ok", f"{most} judgements of an item": most > K}
    found[f"{wrong} items counted wrongly"] = wrong > 0
    return [words for words, true in found.items() if true]


def rows(seen: Seen, took: float) -> list[str]:
    """What was measured, as rows of a table."""
    answered = [seconds for status, seconds in seen.requests if status]
    p50, p95, p99 = np.percentile(answered, [50, 95, 99]) * 1000
    statuses = Counter(status for status, _ in seen.requests)
    errors = sum(count for status, count in statuses.items() if status >= 500)
    walks = ", ".join(f"{count} {state}" for state, count in sorted(seen.walks.items()))
    return [
        f"| requests answered | {len(answered):,} in {took:.0f} s: {len(answered) / took:.0f} a second |",
        "| time of a request: median, 95 %, 99 %, longest |"
        f" {p50:.0f}, {p95:.0f}, {p99:.0f}, {max(answered) * 1000:.0f} ms |",
        f"| answers of 5xx | {errors} |",
        f"| answers of 429 | {statuses.get(429, 0)} |",
        f"| requests without an answer | {statuses.get(0, 0)} |",
        f"| participants | {walks} |",
        f"| acknowledged forms | {len(seen.saved):,} |",
        f"| of them lost or changed | {lost(seen.saved)} |",
        f"| damage to the database | {'; '.join(damage()) or 'none'} |",
    ]


def compare(checkout: Path, workers: int, seconds: float, slow: int, rounds: int) -> list[str]:
    """The server of this checkout and that of another, in turns; ``slow``: clients that hold connections open meanwhile.

    The other's may know no slow clients: it is measured without them.
    """
    lines = ["| round | server | slow clients | requests a second | 95 % within | CPU of the server for a request |"]
    lines.append("|---|---|---|---|---|---|")
    servers = ((commit_of(HERE), HERE.parent, slow), (commit_of(checkout), checkout, 0))
    cpu: dict[Path, list[float]] = {}
    for number in range(1, rounds + 1):
        for name, where, held in servers:
            with tempfile.TemporaryDirectory() as folder, served(made(Path(folder), opened=False), where) as server:
                begun = server.cpu() or 0.0
                with slow_clients(server.port, held):
                    seen, took = load(server, workers, seconds)
                answered = [each for status, each in seen.requests if status]
                each = ((server.cpu() or 0.0) - begun) / len(answered) * 1000
            cpu.setdefault(where, []).append(each)
            p95 = float(np.percentile(answered, 95)) * 1000
            lines.append(f"| {number} | {name} | {held} | {len(answered) / took:.0f} | {p95:.0f} ms | {each:.1f} ms |")
    ours, theirs = (float(np.mean(each)) for each in cpu.values())
    return [
        *lines,
        "",
        f"CPU time for a request, on average: {ours:.1f} against {theirs:.1f} ms: {ours / theirs:.2f} of it.",
    ]


def commit_of(where: Path) -> str:
    ran = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=where, check=False
    )
    return ran.stdout.strip() or "unknown"


def version_of(database: str) -> str:
    if database == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    from tests.study import postgres

    said = subprocess.run([postgres.program("postgres"), "--version"], capture_output=True, text=True, check=True)
    return said.stdout.strip().replace("postgres (PostgreSQL)", "PostgreSQL").partition(" (")[0]


def machine(database: str) -> str:
    import django

    return (
        f"commit {commit_of(HERE)}; {os.cpu_count()} cores, {platform.machine()}, "
        f"{platform.system()}, Python {platform.python_version()}, Django {django.get_version()}, "
        f"{version_of(database)}"
    )


def how(database: str) -> str:
    """What was done, in words."""
    words = (__doc__ or "").split("\n\n", 2)[2].strip()
    if database == "postgresql":
        words = words.replace(SQLITE, "PostgreSQL: forced onto the disk, on the same machine, its CPU time not counted")
    return words


def loads() -> str:
    return ", ".join(f"{each:.1f}" for each in os.getloadavg())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=30, help="participants at a time")
    parser.add_argument("--seconds", type=float, default=60.0, help="of load")
    parser.add_argument(
        "--slow", type=int, default=200, help="clients that send half a header or half a body meanwhile"
    )
    parser.add_argument("--kills", type=int, default=5, help="times that the server is killed")
    parser.add_argument("--kill-seconds", type=float, default=60.0, help="in which it is killed so often")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite", help="that holds the answers")
    parser.add_argument(
        "--out", type=Path, help="file for what was measured (benchmarks/STUDY.md, or STUDY_POSTGRESQL.md)"
    )
    parser.add_argument(
        "--beside", type=Path, help="another checkout, whose server is measured in turns with this one's"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of such turns")
    given = parser.parse_args()
    out = given.out or HERE / ("STUDY.md" if given.database == "sqlite" else "STUDY_POSTGRESQL.md")
    before, where = loads(), machine(given.database)
    with ExitStack() as stack:
        if given.database == "postgresql":
            from tests.study import postgres

            os.environ["DATABASE_URL"] = stack.enter_context(postgres.server(durable=True))
        folder = made(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        with served(folder) as server:
            begun = server.cpu()
            with slow_clients(server.port, given.slow) as returns:
                calm, calm_s = load(server, given.workers, given.seconds)
            ended = server.cpu()
            calm_rows = rows(calm, calm_s)
            if begun is not None and ended is not None:
                each = (ended - begun) / len(calm.requests) * 1000
                calm_rows.append(f"| CPU time of the server for a request, all processes | {each:.1f} ms |")
            calm_rows.append(
                f"| CPU time of the participants for a request | {calm.cpu / len(calm.requests) * 1000:.1f} ms |"
            )
            calm_rows.append(f"| slow clients that were dropped, and came back | {len(returns):,} |")
            rng = np.random.default_rng(secrets.randbits(64))
            moments = sorted(rng.uniform(2, max(3.0, given.kill_seconds), size=given.kills).tolist())
            hard_rows = rows(*load(server, given.workers, given.kill_seconds, moments)) if moments else []
    said = [
        "# A study under load, measured",
        "",
        f"Written by `python -m benchmarks.study_load` at {where}.",
        "The participants ran on the same machine as the server, and so did other work: its load average was",
        f"{before} before the server was started (1, 5, 15 minutes), and {loads()} after the last measurement.",
        f"Niceness of server and participants: {os.nice(0)}.",
        "",
        how(given.database),
        "",
        f"## {given.workers} participants at a time without think time, beside {given.slow} slow clients",
        "",
        "| | |\n|---|---|",
        *calm_rows,
        "",
    ]
    if hard_rows:
        said += [
            f"## The same, all processes killed {given.kills} times in {given.kill_seconds:.0f} s",
            "",
            "| | |\n|---|---|",
            *hard_rows,
            "",
        ]
    if given.beside:
        beside = compare(given.beside, given.workers, given.seconds, given.slow, given.rounds)
        said += ["## Beside the server of another checkout, in turns", "", *beside, ""]
    out.write_text("\n".join(said), "utf-8")
    print("\n".join(said))


if __name__ == "__main__":
    main()
