"""Our HTTP client against urllib3, over loopback; writes ``benchmarks/HTTP.md``.

    python -m benchmarks.http_client        # needs urllib3 (pip install urllib3)

A server in a process of its own answers each POST of 200 bytes with 300 bytes, over connections that are kept: at
once, or, as many servers do, headers first and the body when those are acknowledged. Rounds of the clients are interleaved.
CPU seconds are of the client's process; they depend less than the clock on what else the machine does.
"""

import importlib.metadata
import platform
import socket
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection

from benchmarks.tables import table
from trialogue.transport.failures import AgentFailure
from trialogue.transport.http import MAX_BYTES, QUICK, ConnectionPool, _Deadline, _Response

HERE = Path(__file__).resolve().parent
ROUNDS, REQUESTS = 15, 200
DEADLINE_S = 0.5
TRICKLE_S = 3.0  # how long the server goes on sending a byte now and then
SENT, ANSWERED = b"x" * 200, b"y" * 300
HEADERS = {"Content-Type": "application/json"}
Client = Callable[[str], object]


class Handler(BaseHTTPRequestHandler):
    """Answers in one piece, in two, or a byte at a time."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer by path."""
        self.rfile.read(int(self.headers["Content-Length"]))
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(ANSWERED)}\r\n".encode()
        {"/whole": self.whole, "/parts": self.parts, "/headers": self.headers_slowly, "/body": self.body_slowly}[
            self.path
        ](head)

    def whole(self, head: bytes) -> None:
        """One packet."""
        self.wfile.write(head + b"\r\n" + ANSWERED)

    def parts(self, head: bytes) -> None:
        """Two packets; Nagle's algorithm holds the second until the first is acknowledged."""
        self.wfile.write(head + b"\r\n")
        self.wfile.write(ANSWERED)

    def headers_slowly(self, head: bytes) -> None:
        """More and more headers."""
        self.wfile.write(head)
        self.slowly(b"X-More: yes\r\n")

    def body_slowly(self, head: bytes) -> None:
        """The body, byte by byte."""
        self.wfile.write(head + b"\r\n")
        self.slowly(b" ")

    def slowly(self, piece: bytes) -> None:
        """Send a piece every 50 ms."""
        self.close_connection = True
        until = time.monotonic() + TRICKLE_S
        try:
            while time.monotonic() < until:
                self.wfile.write(piece)
                time.sleep(0.05)
        except OSError:
            pass  # the client has gone: what is measured

    def log_message(self, *_: object) -> None:
        """Nothing."""


def serve(port: Connection) -> None:
    """Serve until killed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_port)
    server.serve_forever()


class Safe(HTTPConnection):
    """urllib3's connection with what ours adds: one deadline, one packet, acknowledgements at once."""

    def connect(self) -> None:
        """Connect, with a deadline for what is read."""
        super().connect()
        self.deadline = _Deadline()
        self.response_class = partial(_Response, deadline=self.deadline)  # type: ignore[assignment]

    def request(self, *args: Any, **options: Any) -> None:
        """Send headers and body at once."""
        if self.sock is None:
            self.connect()
        self.held: list[bytes] = []
        super().request(*args, **options)
        whole = b"".join(self.held)
        del self.held
        self.sock.sendall(whole)
        if QUICK is not None:
            self.sock.setsockopt(socket.IPPROTO_TCP, QUICK, 1)

    def send(self, data: Any) -> None:
        """Keep it until the request is whole."""
        if hasattr(self, "held"):
            self.held.append(data)
        else:
            super().send(data)

    def getresponse(self) -> Any:
        """Read until the deadline: what is left of the total."""
        self.deadline.at = time.monotonic() + (self.timeout or 0.0)
        return super().getresponse()


def through_urllib3(url: str, connection: type[HTTPConnection], timeout_s: float) -> Client:
    """One request by a pool, never repeated, with a limit on the answer."""
    address = urllib3.util.parse_url(url)
    pool = urllib3.HTTPConnectionPool(str(address.host), address.port, maxsize=64)
    pool.ConnectionCls = connection
    timeout = urllib3.Timeout(total=timeout_s)

    def ask(path: str) -> object:
        answer = pool.urlopen(
            "POST", path, SENT, HEADERS, retries=False, redirect=False, timeout=timeout, preload_content=False
        )
        return answer.read(MAX_BYTES + 1)

    return ask


def through_ours(url: str, timeout_s: float) -> Client:
    """One request by our client."""
    wire = ConnectionPool(url, timeout_s=timeout_s)
    return lambda path: wire.ask("POST", path, body=SENT, headers=HEADERS).body


def clients(url: str, timeout_s: float = 30.0) -> dict[str, Client]:
    """All that are compared."""
    return {
        "ours": through_ours(url, timeout_s),
        "urllib3": through_urllib3(url, HTTPConnection, timeout_s),
        "urllib3 with our connection": through_urllib3(url, Safe, timeout_s),
    }


@dataclass(frozen=True)
class Cost:
    """Of a round."""

    cpu_s: float
    """Per 1,000 requests."""
    latency_ms: float
    """Median of a request."""


def cost(client: Client, path: str, requests: int) -> Cost:
    """One round."""
    seconds = []
    start = time.process_time()
    for _ in range(requests):
        before = time.perf_counter()
        client(path)
        seconds.append(time.perf_counter() - before)
    return Cost((time.process_time() - start) * 1000 / requests, statistics.median(seconds) * 1000)


def costs(url: str) -> Iterator[list[str]]:
    """A row a client and kind of server: medians over rounds."""
    for path, requests in (("/whole", REQUESTS), ("/parts", REQUESTS // 10)):
        compared = clients(url)
        rounds = [{name: cost(client, path, requests) for name, client in compared.items()} for _ in range(ROUNDS + 1)]
        for name in compared:
            runs = [one[name] for one in rounds[1:]]  # the first round connects
            ratios = [one[name].cpu_s / one["ours"].cpu_s for one in rounds[1:]]
            yield [
                name,
                "in one piece" if path == "/whole" else "headers, then body",
                f"{statistics.median(one.cpu_s for one in runs):.3f}",
                f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
                f"{statistics.median(one.latency_ms for one in runs):.2f}",
            ]


def overruns(url: str) -> Iterator[list[str]]:
    """A row a client: seconds until it gives up on a server that trickles."""
    for name, client in clients(url, DEADLINE_S).items():
        yield [name, *(f"{given_up(client, path):.2f}" for path in ("/headers", "/body"))]


def given_up(client: Client, path: str) -> float:
    """Seconds until a request ended, one way or another."""
    start = time.perf_counter()
    with suppress(AgentFailure, urllib3.exceptions.HTTPError, OSError):
        client(path)
    return time.perf_counter() - start


def main() -> None:
    """Measure and write the page."""
    ours, theirs = get_context("spawn").Pipe()
    server = get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    try:
        lines = [
            *head(),
            *table(["client", "server sends", "CPU s per 1,000", "ratio to ours (rounds)", "ms"], costs(url)),
        ]
        lines += [
            "",
            "## A server that trickles",
            "",
            f"Seconds until a request with a deadline of {DEADLINE_S} s ends.",
        ]
        lines += ["", *table(["client", "trickled headers", "trickled body"], overruns(url))]
    finally:
        server.terminate()
    (HERE / "HTTP.md").write_text("\n".join(lines) + "\n", "utf-8")


def head() -> Iterator[str]:
    """What this is, on what machine."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
    )
    yield from (
        "# HTTP clients over loopback",
        "",
        f"Written by `python -m benchmarks.http_client` at commit {commit.stdout.strip()}; Python "
        f"{platform.python_version()}, urllib3 {importlib.metadata.version('urllib3')}, {platform.machine()}, a shared "
        "machine.",
        "",
        "*urllib3*: a pool, no retries, `Timeout(total=...)`, an answer read up to our limit. *urllib3 with our "
        "connection*: the same with our deadline, one packet a request and acknowledgements at once, "
        "which it needs a subclass of its "
        "connection for.",
        "",
        f"Medians of {ROUNDS} interleaved rounds of {REQUESTS} requests ({REQUESTS // 10} where headers come first); ms: "
        "median time of a request.",
        "",
    )


if __name__ == "__main__":
    main()
