"""Serve any agent over HTTP, or over stdin and stdout, in the protocols of ``trialogue.agents``.

For testing clients, for putting a reference recommender where another tool expects a system, and for tests. Not for the open
internet: it listens on localhost by default and has no authentication.
"""

import json
import threading
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from trialogue.agents.base import Agent
from trialogue.agents.protocols.protocol import object_of
from trialogue.agents.serving.conversations import PROTOCOLS, ConversationStore, Service
from trialogue.errors import UnknownNameError, UsageError
from trialogue.transport.failures import AgentFailure

LONGEST_BODY = 32 << 20  # bytes of a request; a dialogue of a thousand long turns
COOKIE = "trialogue"


class AgentServer:
    """HTTP server for one agent. As a context manager it closes itself on exit; the agent is not closed."""

    def __init__(self, agent: Agent, *, protocol: str, host: str = "127.0.0.1", port: int = 0, seed: int = 0) -> None:
        """Bind the port; requests are answered once ``run`` or ``start`` is called.

        Args:
            agent: who answers.
            protocol: one of ``PROTOCOLS``, or ``socketio``.
            host: the address to listen on; ``0.0.0.0`` for all networks.
            port: where; 0: any free one.
            seed: seed from which each dialogue's seed follows, where the protocol knows none.

        Raises:
            UnknownNameError: there is no such protocol.
            UsageError: the port is taken.
        """
        try:
            self._server = _open_server(agent, protocol, host, port, seed)
        except OSError as error:
            raise UsageError(
                f"cannot listen on {host}:{port} ({error.strerror or error}). Choose another port."
            ) from error
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """URL of the server."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def run(self) -> None:
        """Serve until ``close`` is called from another thread, or a KeyboardInterrupt."""
        self._server.serve_forever(poll_interval=0.05)

    def start(self) -> Self:
        """Serve in a background thread."""
        self._thread = threading.Thread(target=self.run, daemon=True, name="agent server")
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving and release the port."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    def __enter__(self) -> Self:
        """Start serving in a background thread and return the server."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the server."""
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def _open_server(agent: Agent, protocol: str, host: str, port: int, seed: int) -> HTTPServer:
    if protocol == "socketio":
        from trialogue.agents.serving.socketio_server import open_server

        return open_server(agent, host, port, seed)
    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol to serve", protocol, [*PROTOCOLS, "socketio"])
    service = PROTOCOLS[protocol](ConversationStore(agent, seed=seed))
    return _Server((host, port), _handler(service))


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # headers and body go together

        def do_GET(self) -> None:
            self._answer(200, service.answer_get(self.path))

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "0")
            if not length.isdecimal() or int(length) > LONGEST_BODY:
                self.close_connection = True
                self._answer(413, {"error": f"the body must have at most {LONGEST_BODY} bytes"})
                return
            cookie = _cookie(self.headers.get("Cookie", ""))
            try:
                answer = service.answer_post(object_of(self.rfile.read(int(length))), cookie)
            except AgentFailure as failure:
                status = 400 if failure.kind == "malformed" else 500
                self._answer(status, {"type": "error", "error": failure.kind, "message": failure.detail})
                return
            self._answer(answer.status, answer.body, answer.cookie)

        def _answer(self, status: int, body: Mapping[str, object] | str, cookie: str | None = None) -> None:
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header(
                "Content-Type", "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
            )
            self.send_header("Content-Length", str(len(raw)))
            if cookie is not None:
                self.send_header("Set-Cookie", f"{COOKIE}={cookie}; Path=/; HttpOnly")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_words: object) -> None:
            """Log nothing: conversations are the caller's data."""

    return Handler


def _cookie(header: str) -> str | None:
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None
