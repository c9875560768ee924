"""An HTTP server that answers as badly as the path says. Prints its address, and runs until it is ended.

``POST /NAME`` for the faults of ``FAULTS``; ``/status/500`` answers with a status; ``/first/429/2/KEY`` fails so often, by
KEY, before it echoes. Whatever is POSTed is expected to be ``{"text": ...}`` and echoed as ``{"reply": ...}``.
"""

import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG_S = 30.0  # far longer than any time-out of the tests, even on a loaded machine; the server is ended before
failed: Counter[str] = Counter()
heard: Counter[str] = Counter()


class Faulty(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/heard":
            self.send(200, json.dumps(heard).encode())
        elif self.path.startswith("/status/"):
            self.send(int(self.path.rsplit("/", 1)[1]), b"{}")
        else:
            self.send(200, b"fine", kind="text/plain")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        heard[self.path] += 1
        name, *words = self.path.strip("/").split("/")
        if name == "status":
            self.send(int(words[0]), b'{"error": "as asked"}', **({"Location": "/there"} if words[0] == "302" else {}))
        elif name == "first":
            self.first(int(words[0]), int(words[1]), raw, words[2:])
        elif name == "headers":
            self.send(500, f"the header was {self.headers['Authorization']}".encode())
        elif name == "cookie":
            count = int((self.headers.get("Cookie") or "n=0").split("=")[1]) + 1
            self.send(200, json.dumps({"reply": f"visit {count}"}).encode(), **{"Set-Cookie": f"n={count}; Path=/"})
        else:
            FAULTS[name](self, json.loads(raw or b"{}").get("text", ""))

    def first(self, status: int, times: int, raw: bytes, rest: list[str]) -> None:
        """Fail so often, then echo; a third word is what Retry-After says, if it is a number."""
        failed[self.path] += 1
        if failed[self.path] <= times:
            after = {"Retry-After": rest[1]} if len(rest) > 1 else {}
            self.send(status, b'{"error": "not yet"}', **after)
        else:
            self.echo(json.loads(raw)["text"])

    def echo(self, text: str) -> None:
        self.send(200, json.dumps({"reply": text}).encode())

    def send(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hang(self, _text: str) -> None:
        time.sleep(HANG_S)

    def trickle(self, _text: str) -> None:
        """Bytes come often enough for each read, and never end."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        until = time.monotonic() + HANG_S
        while time.monotonic() < until:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.02)

    def trickle_headers(self, _text: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        until = time.monotonic() + HANG_S
        while time.monotonic() < until:
            self.wfile.write(b"X-More: yes\r\n")
            time.sleep(0.05)

    def drop(self, _text: str) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def cut(self, _text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"reply": "I was about to')
        self.close_connection = True

    def no_http(self, _text: str) -> None:
        self.wfile.write(b"220 mail ready\r\n")
        self.close_connection = True

    def once(self, text: str) -> None:
        """Answers, and closes a connection that it had promised to keep."""
        self.echo(text)
        self.close_connection = True

    def chunked(self, text: str) -> None:
        body = json.dumps({"reply": text}).encode()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for byte in body:
            self.wfile.write(b"1\r\n" + bytes([byte]) + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_words: object) -> None:
        pass


def body(raw: bytes, kind: str = "application/json") -> Callable[[Faulty, str], None]:
    return lambda server, _text: server.send(200, raw, kind)


FAULTS: dict[str, Callable[[Faulty, str], None]] = {
    "echo": Faulty.echo,
    "hang": Faulty.hang,
    "trickle": Faulty.trickle,
    "trickle_headers": Faulty.trickle_headers,
    "drop": Faulty.drop,
    "cut": Faulty.cut,
    "no_http": Faulty.no_http,
    "once": Faulty.once,
    "chunked": Faulty.chunked,
    "html": body(b"<!DOCTYPE html><html><body>Welcome to nginx!</body></html>", "text/html"),
    "html_as_json": body(b"<html><body>Welcome!</body></html>"),
    "empty": body(b'{"reply": ""}'),
    "nothing": body(b""),
    "broken": body(b'{"reply": "Hel'),
    "list": body(b'["Hello"]'),
    "number": body(b'{"reply": 7}'),
    "schema": body(b'{"version": 3, "output": {"content": "Hello"}}'),
    "long": body(json.dumps({"reply": "a" * (1 << 20)}).encode()),
    "huge": body(b" " * (9 << 20)),
    "latin1": body('{"reply": "caf\u00e9"}'.encode("latin-1")),
    "declared_latin1": body('{"reply": "caf\u00e9"}'.encode("latin-1"), "application/json; charset=latin-1"),
    "odd_charset": body(b'{"reply": "x"}', "application/json; charset=klingon"),
    "surrogate": body(b'{"reply": "half \\ud83d"}'),
    "deep": body(b"[" * 100_000),
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_words: object) -> None:
        """Clients hang up when their time is over; that is what is tested."""


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Faulty) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
