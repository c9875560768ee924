"""HTTP client with a total deadline, a response size limit and keep-alive connections.

The standard library's client, hardened: a request takes at most its timeout in total, however slowly
bytes arrive; a response has a maximum number of bytes; and a connection closed by the other side is noticed
before a message is sent on it, because a message sent twice would be processed twice. Threads may share a
``ConnectionPool``.

Why not urllib3: its total timeout does not bound a server that trickles (deadline 0.5 s, ended after 3.0 s, when the
server stopped), and without quick acknowledgements a request took 46 ms where ours took 0.4. With our deadline and
acknowledgements added to its connections both are fixed, but a request costs 1.8 times the processor time of ours
(``benchmarks/HTTP.md``), and the prototype, which did not yet distinguish some failures, was only 19 lines shorter.
"""

import errno
import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from email.message import Message
from types import FunctionType
from typing import Any, cast
from urllib.parse import urlsplit

from trialogue.errors import UsageError
from trialogue.transport.failures import AgentFailure, FailureKind, PassingFailure, UnreadableAnswer

MAX_BYTES = 8 << 20  # of an answer; the longest text in the longest escapes, and room for what stands around it
QUICK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Tells Linux to acknowledge at once what comes next. Many servers, Python's own among them, send headers and body one after
the other, and do not send the body before the headers are acknowledged: with the usual delay every turn took 40 ms more."""
NO_SOCKETS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.EADDRNOTAVAIL})
NO_NETWORK = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH})
MAX_HEADS = 256  # beginnings of requests that are kept
IDLE_KEPT = 64  # connections kept for later; more sessions than that at once open new ones


@dataclass(frozen=True)
class HttpResponse:
    """Server response."""

    status: int
    headers: Message
    body: bytes
    seconds: float
    """From sending the request to the last byte of the answer."""

    def text(self) -> str:
        """Body as text, in the charset of the headers, else UTF-8.

        Raises:
            AgentFailure: (malformed) it is not in that charset.
        """
        charset = self.headers.get_content_charset() or "utf-8"
        try:
            return self.body.decode(charset)
        except LookupError as error:
            raise UnreadableAnswer(f"the charset of its answer, {charset!r}, is unknown.", "") from error
        except UnicodeDecodeError as error:
            shown = self.body.decode(errors="backslashreplace")
            raise UnreadableAnswer(f"byte {error.start} of its answer is not {charset.upper()}.", shown) from error


class _Deadline:
    """A socket's bytes, until a time."""

    at = 0.0

    def seconds_left(self) -> float:
        seconds = self.at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds


class _BoundedReader(io.RawIOBase):
    """Socket reader whose every read is limited to the remaining time."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock, self._deadline = sock, deadline
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        self._sock.settimeout(self._deadline.seconds_left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _SocketFile:
    """The one thing that an HTTPResponse asks of a socket."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock, self._deadline = sock, deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self._sock, self._deadline))


class _Headers(http.client.HTTPMessage):
    """Headers by name, the first of each."""

    def __init__(self) -> None:
        super().__init__()
        self._first: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        self._headers.append((name, value))  # type: ignore[attr-defined]
        self._first.setdefault(name.lower(), value)

    def get(self, name: str, failobj: Any = None) -> Any:
        return self._first.get(name.lower(), failobj)


def _headers(stream: Any) -> http.client.HTTPMessage:
    """What ``http.client.parse_headers`` reads, in a tenth of the time where every header is a line of its own."""
    lines: list[bytes] = http.client._read_headers(stream)  # type: ignore[attr-defined]
    found = _Headers()
    for line in lines[:-1]:
        name, colon, value = line.decode("iso-8859-1").partition(":")
        if not (colon and name.isascii() and name.isprintable() and " " not in name):
            return http.client.parse_headers(io.BytesIO(b"".join(lines)))
        found.add(name, value.lstrip(" \t").rstrip("\r\n"))
    return found


class _Response(http.client.HTTPResponse):
    """An answer that is read until the deadline of its connection."""

    def __init__(self, sock: socket.socket, *, deadline: _Deadline, **more: Any) -> None:
        super().__init__(cast("socket.socket", _SocketFile(sock, deadline)), **more)

    # The library's own beginning of an answer, but for its parser of e-mail: a fifth of the time of dialogues over HTTP.
    begin = FunctionType(http.client.HTTPResponse.begin.__code__, {**vars(http.client), "parse_headers": _headers})


class _PlainConnection(http.client.HTTPConnection):
    """Sends headers and body in one go: one packet and one system call instead of two."""

    _held: list[bytes] | None = None

    def __init__(self, *where: Any, **options: Any) -> None:
        super().__init__(*where, **options)
        self._heads: dict[tuple[object, ...], tuple[bytes, bytes]] = {}

    def request_at_once(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> None:
        self.sock.sendall(self.request_bytes(method, target, body, headers))
        if QUICK is not None:
            self.sock.setsockopt(socket.IPPROTO_TCP, QUICK, 1)

    def request_bytes(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
        """A request as the library writes it; what is before and behind its length is kept for the next one."""
        key = (method, target, *headers.items())
        if body is not None and key in self._heads:
            before, behind = self._heads[key]
            return b"%b%d%b%b" % (before, len(body), behind, body)
        writer = copy(self)
        writer._held = []
        writer.request(method, target, body=body, headers=dict(headers))
        whole = b"".join(writer._held)
        if body is not None:
            before, length, behind = whole[: len(whole) - len(body)].partition(
                b"\r\nContent-Length: %d\r\n" % len(body)
            )
            if length:
                if len(self._heads) >= MAX_HEADS:
                    self._heads.clear()
                self._heads[key] = before + b"\r\nContent-Length: ", b"\r\n" + behind
        return whole

    def send(self, data: Any) -> None:
        if self._held is None:
            super().send(data)
        else:
            self._held.append(data)


class _SecureConnection(_PlainConnection, http.client.HTTPSConnection):
    """The same over TLS."""


class ConnectionPool:
    """Connections to one server."""

    def __init__(self, url: str, *, timeout_s: float, most_bytes: int = MAX_BYTES, proxy: bool = True) -> None:
        """Store the settings; nothing is connected yet.

        Args:
            url: where the server is; paths of requests are added to its path.
            timeout_s: seconds a request may take in all.
            most_bytes: length that the body of an answer may have.
            proxy: whether to go through the proxy of the environment, if it has one; never to this machine itself.

        Raises:
            UsageError: this is no address of a server.
        """
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError as error:
            raise UsageError(f"The address {url!r} has an invalid port: {error}. Give 1 to 65535.") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{url!r} is not the address of a server; expected something like http://localhost:5001.")
        if parts.username or parts.password:
            raise UsageError(
                "The address contains a password, which would end up in files. Put it in an environment variable "
                "and refer to it: headers: {Authorization: 'Basic {env:MY_SECRET}'}."
            )
        self.url = url
        self._host, self._tls = parts.hostname, parts.scheme == "https"
        self._port = port or (443 if self._tls else 80)
        self._path = parts.path.rstrip("/")
        self._query = f"?{parts.query}" if parts.query else ""
        self._timeout_s, self._most_bytes = timeout_s, most_bytes
        self._proxy = _proxy(parts.scheme, self._host) if proxy else None
        self._context = ssl.create_default_context() if self._tls else None
        self._idle: list[tuple[_PlainConnection, _Deadline]] = []
        self._lock = threading.Lock()
        self._has_answered = False

    def ask(self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str]) -> HttpResponse:
        """Send a request and return the response, whatever its status.

        Raises:
            AgentFailure: unreachable, timeout, error (it hung up), malformed (not HTTP, or too long). A ``PassingFailure``
                where the request may be made again without harm, for it was never taken.
        """
        start = time.monotonic()
        connection, deadline = self._connect(start + self._timeout_s)
        whole, response = False, None
        try:
            connection.request_at_once(method, self._target(path), body, headers)
            response = _Response(connection.sock, deadline=deadline, method=method)
            response.begin()
            # One byte more than allowed: an answer that is too long differs from one of just that length.
            read = response.read(self._most_bytes + 1)
            self._has_answered = True
            whole = self._is_reusable(response, read)
            return HttpResponse(response.status, response.headers, read, time.monotonic() - start)
        except TimeoutError as error:
            detail = f"{self.url} did not answer within {self._timeout_s:g} s (timeout_s)."
            raise PassingFailure("timeout", detail, heard=True) from error
        except http.client.RemoteDisconnected as error:
            detail = f"{self.url} closed the connection without an answer; did it crash?"
            raise PassingFailure("error", detail, heard=True) from error
        except http.client.IncompleteRead as error:
            detail = f"{self.url} closed the connection in the middle of its answer; did it crash?"
            raise PassingFailure("error", detail, heard=True) from error
        except http.client.HTTPException as error:
            detail = f"the server at {self.url} does not speak HTTP ({type(error).__name__}: {error})."
            raise AgentFailure("malformed", detail) from error
        except OSError as error:
            detail = f"the connection to {self.url} broke ({error}); did it crash?"
            raise PassingFailure("error", detail, heard=True) from error
        finally:
            if whole and response is not None and not response.will_close:
                self._keep(connection, deadline)
            else:
                connection.close()
                if response is not None:
                    response.close()

    def close(self) -> None:
        """Close idle connections; never raises."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _to_blame(self, error: OSError) -> FailureKind:
        """Whether the server or this machine is why no connection came about.

        A machine without sockets or ports left is to blame itself. One without a network is, too, if the server was there
        before: an address that never answered is taken for a wrong one, or for a server that does not run. A refused
        connection always is the server's: something reported that nothing listens there.
        """
        if error.errno in NO_SOCKETS:
            return "harness"
        lost_network = isinstance(error, socket.gaierror) or error.errno in NO_NETWORK
        return "harness" if lost_network and self._has_answered else "unreachable"

    def _is_reusable(self, response: http.client.HTTPResponse, read: bytes) -> bool:
        if len(read) > self._most_bytes:
            raise UnreadableAnswer(
                f"{self.url} answered with more than {self._most_bytes:,} bytes.",
                read[:10_000].decode(errors="replace"),
            )
        if response.length:  # fewer bytes came than were announced
            raise http.client.IncompleteRead(b"", response.length)
        return response.isclosed()

    def _target(self, path: str) -> str:
        target = (self._path + path or "/") + self._query
        return f"http://{self._authority()}{target}" if self._proxy and not self._tls else target

    def _authority(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{host}:{self._port}"

    def _connect(self, until: float) -> tuple[_PlainConnection, _Deadline]:
        if (waiting := self._take_idle()) is not None:
            connection, deadline = waiting
            deadline.at = until
            connection.sock.settimeout(deadline.seconds_left())
            return waiting
        connection, deadline = self._new(), _Deadline()
        deadline.at = until
        try:
            connection.connect()
        except TimeoutError as error:
            detail = f"{self.url} did not accept a connection within {self._timeout_s:g} s (timeout_s)."
            raise PassingFailure("timeout", detail, heard=False) from error
        except ssl.SSLError as error:
            raise AgentFailure("unreachable", f"{self.url} cannot be reached safely ({error}).") from error
        except OSError as error:
            detail = f"{self.url} cannot be reached ({error}). Is the server running, and is this its port?"
            raise PassingFailure(self._to_blame(error), detail, heard=False) from error
        return connection, deadline

    def _take_idle(self) -> tuple[_PlainConnection, _Deadline] | None:
        """A connection that waits and is still open; what can be read on one is that it was closed."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, deadline = self._idle.pop()
            # A server that closes an idle connection says so by an end that can be read; a request sent on it would be lost,
            # and nobody could tell whether it was taken.
            if connection.sock is not None and not _readable(connection.sock):
                return connection, deadline
            connection.close()

    def _new(self) -> _PlainConnection:
        host, port = self._proxy or (self._host, self._port)
        if not self._tls:
            return _PlainConnection(host, port, timeout=self._timeout_s)
        connection = _SecureConnection(host, port, timeout=self._timeout_s, context=self._context)
        if self._proxy:
            connection.set_tunnel(self._host, self._port)
        return connection

    def _keep(self, connection: _PlainConnection, deadline: _Deadline) -> None:
        with self._lock:
            if len(self._idle) < IDLE_KEPT:
                self._idle.append((connection, deadline))
                return
        connection.close()


def _readable(sock: socket.socket) -> bool:
    if not hasattr(select, "poll"):  # Windows, which has no limit on the numbers of sockets here
        return bool(select.select([sock], [], [], 0)[0])
    readable = select.poll()
    readable.register(sock, select.POLLIN)
    return bool(readable.poll(0))


def _proxy(scheme: str, host: str) -> tuple[str, int] | None:
    """(host, port) of the proxy that the environment names for a host; None for none, and for this machine."""
    if host == "localhost" or host.startswith("127.") or host == "::1":
        return None
    from urllib.request import getproxies, proxy_bypass

    address = getproxies().get(scheme)
    if not address or proxy_bypass(host):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.username or not parts.hostname:
        raise UsageError(
            "The proxy in the environment needs a password or has no host; only plain proxies are supported."
        )
    return parts.hostname, parts.port or 80
