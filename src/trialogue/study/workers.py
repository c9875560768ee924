"""Server processes: gunicorn manages them; inside each, waitress reads requests and sends responses.

A thread that reads a request by itself waits for as long as the client likes: twenty sockets that send half a header
occupy all threads of a server, and nobody else is answered. Here one loop reads from all sockets at once; a thread gets a
request when its last byte has arrived, and is free again when the response is in the socket's buffer. Requests that do
not arrive in time are dropped.

All processes are notified of a new connection at once, and the one that is awake takes it: the busiest. It then gets busier,
while another one sleeps, and its clients wait several times as long. Here a process delays accepting by the length of its
queue; an idle one takes a connection at once.
"""

import logging
import os
import resource
import selectors
import threading
import time
from collections import deque
from typing import Any

from gunicorn.workers.base import Worker
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

STEP_S, MAX_S = 0.0002, 0.005  # for each request that waits, and in all
HEADER_S = 10.0  # from the first byte of a request to the end of its header
REQUEST_S = 30.0  # from the first byte to the last
SILENT_S = 75  # between requests, or while an answer is not read; longer than proxies keep idle connections (nginx: 60)
SWEEP_S = 2  # between two looks for requests that are overdue
BEAT_S = 1.0  # within which gunicorn hears that the process is alive
CONNECTIONS = 8_000  # of a process, where the system allows it to have so many files
SPARE_FILES = 100  # for the database, its queue, and what Python opens
LARGEST_BODY = 2_000_000  # bytes; Django refuses a form above one million with a page of its own


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the header; the name is waitress's.

        A request with both a length and chunks is read by its chunks, and the connection is closed after it (RFC 9112,
        6.1): a proxy in front may have taken the length, and would see another request's end.
        """
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            self.headers["CONNECTION"] = "close"


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection, which knows since when its request has been coming in."""

    parser_class = Parser
    begun: float | None = None
    """When the first byte of a request that is not complete arrived (monotonic seconds); None: nothing is under way."""
    parked = False
    """Whether the loop looks away from it until its request is answered: its client sends on meanwhile."""

    def received(self, data: bytes) -> bool:
        """Take bytes in; waitress calls this, so that the name is not ours to choose."""
        before = self.request
        taken = bool(super().received(data))
        if self.request is None:
            self.begun = None
        elif self.request is not before:
            self.begun = time.monotonic()
        return taken

    def service(self) -> None:
        """Process the request in a thread; the name is waitress's. The loop is notified if there is work left."""
        _serving.channel = self
        try:
            super().service()
        finally:
            _serving.channel = None

    def needs_loop(self) -> bool:
        """Whether the loop has work for this connection besides reading."""
        return bool(self.parked or self.total_outbufs_len or self.will_close or self.close_when_flushed)

    def overdue(self, now: float) -> bool:
        """Whether the client took too long for its header, or for the whole request."""
        request = self.request  # set and cleared by the loop alone, which asks
        if self.begun is None or request is None or self.requests:
            return False
        return now - self.begun > (REQUEST_S if request.headers_finished else HEADER_S)


_serving = threading.local()  # which channel a thread works for


class WatchedSockets(dict[int, Any]):
    """Sockets by file number, as waitress wants them, watched by the system's own means.

    waitress asks every socket at every turn what it waits for, which takes longer the more are open. What a socket waits
    for changes only after something happened to it, or when a thread says so: here only those are asked. A connection
    whose request is being answered is still read from, since its client hardly ever sends more before the answer: where
    it does, the connection is parked until then.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changed: deque[int] = deque()
        """Connections whose interests must be updated; threads may append."""
        self._listening: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._events: dict[int, int] = {}

    def __setitem__(self, number: int, watched: Any) -> None:
        super().__setitem__(number, watched)
        self.changed.append(number)
        if isinstance(watched, Server):
            self._listening.add(number)  # asked at every turn: that is when waitress looks after its connections

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        self._listening.discard(number)
        if self._events.pop(number, 0):
            self._selector.unregister(number)

    def turn(self, timeout: float) -> None:
        """Wait for events, at most the given number of seconds, and let the sockets handle them."""
        for number in self._listening:
            self._ask(number)
        while self.changed:
            self._ask(self.changed.popleft())
        for key, events in self._selector.select(timeout):
            number = key.fd
            if events & selectors.EVENT_READ and (watched := self.get(number)) is not None:
                _handle_event(watched, watched.handle_read_event if _may_read(watched) else _park)
            if events & selectors.EVENT_WRITE and (watched := self.get(number)) is not None:
                _handle_event(watched, watched.handle_write_event)
            self.changed.append(number)

    def _ask(self, number: int) -> None:
        if (watched := self.get(number)) is None:  # closed meanwhile
            return
        wanted = selectors.EVENT_READ * bool(_wants_reading(watched))
        wanted |= selectors.EVENT_WRITE * bool(watched.writable() and not watched.accepting)
        had = self._events.get(number, 0)
        if wanted == had:
            return
        if wanted and not had:
            self._selector.register(number, wanted)
        elif had and not wanted:
            self._selector.unregister(number)
        else:
            self._selector.modify(number, wanted)
        self._events[number] = wanted


def _wants_reading(watched: Any) -> bool:
    """Whether to hear of bytes that arrive: also while a request is being answered, unless the connection is parked."""
    if not isinstance(watched, Channel):
        return bool(watched.readable())
    if watched.parked and watched.readable():
        watched.parked = False
    return bool(watched.readable() or (watched.requests and not watched.needs_loop()))


def _may_read(watched: Any) -> bool:
    """Whether what has arrived may be read now. If not, the connection is parked, before it is asked again: its thread
    either sees that when it has answered, or has made room already."""
    if not isinstance(watched, Channel) or watched.readable():
        return True
    watched.parked = True
    if not watched.readable():
        return False
    watched.parked = False
    return True


def _park() -> None:
    """Read nothing; what has arrived stays in the system's buffer."""


def _handle_event(watched: Any, handle: Any) -> None:
    """Deal with an event; a connection that cannot is closed, the others go on."""
    try:
        handle()
    except Exception:  # noqa: BLE001  # whatever one client causes must not end the loop for all
        watched.handle_error()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Listens for requests, and hands complete ones to threads."""

    channel_class = Channel

    def handle_accept(self) -> None:
        """Take a connection, if no other process did meanwhile."""
        waiting = len(self.task_dispatcher.queue)
        if waiting > 0:
            time.sleep(min(MAX_S, STEP_S * waiting))  # its threads have work for longer than that
        super().handle_accept()
        if len(self._map) >= self.adj.connection_limit:
            self._shed_connections(self.adj.connection_limit // 10)

    def maintenance(self, now: float) -> None:
        """Drop requests that are overdue, and connections that have been silent for long."""
        super().maintenance(now)
        at = time.monotonic()
        for number, channel in self.active_channels.items():
            if channel.overdue(at):
                channel.will_close = True
            if channel.will_close:
                self._map.changed.append(number)

    def pull_trigger(self) -> None:
        """Wake the loop if it has work for this thread's connection; the name is waitress's."""
        channel: Channel | None = getattr(_serving, "channel", None)
        if channel is None:
            super().pull_trigger()
        elif channel.needs_loop() and (number := channel._fileno) is not None:
            self._map.changed.append(number)
            super().pull_trigger()

    def _shed_connections(self, count: int) -> None:
        """Make room: close the connections without a complete request that have been open for longest."""
        idle = [each for each in self.active_channels.values() if not each.requests and not each.total_outbufs_len]
        for channel in sorted(idle, key=lambda each: each.last_activity)[:count]:
            channel.handle_close()


class BufferingWorker(Worker):  # type: ignore[misc]
    """A process of the server."""

    def run(self) -> None:
        """Serve until the process is asked to end; then finish what has begun."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a queue is normal where everybody comes at once
        watched, threads = WatchedSockets(), ThreadedTaskDispatcher()
        threads.set_thread_count(self.cfg.threads)
        limits = Adjustments(
            ident=None,
            threads=self.cfg.threads,
            connection_limit=_connections(),
            channel_timeout=SILENT_S,
            cleanup_interval=SWEEP_S,
            max_request_body_size=LARGEST_BODY,
            clear_untrusted_proxy_headers=False,  # pages.client decides which to believe
        )
        servers = [_make_server(each.sock, self.wsgi, watched, threads, limits) for each in self.sockets]
        beat = 0.0
        while self.alive and self.ppid == os.getppid():
            watched.turn(BEAT_S)
            if time.monotonic() > beat + BEAT_S:
                self.notify()
                beat = time.monotonic()
        self._finish(watched, servers)
        threads.shutdown()

    def _finish(self, watched: WatchedSockets, servers: list[Server]) -> None:
        """Stop accepting connections, and answer complete requests."""
        for each in servers:
            each.accepting = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(_is_busy(channel) for each in servers for channel in _open(each)):
            watched.turn(0.1)
            self.notify()


def _make_server(
    listener: Any, application: Any, watched: WatchedSockets, threads: ThreadedTaskDispatcher, limits: Adjustments
) -> Server:
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        application, watched, True, listener, dispatcher=threads, adj=limits, bind_socket=False, sockinfo=address
    )


def _open(server: Server) -> list[Channel]:
    return list(server.active_channels.values())


def _is_busy(channel: Channel) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)


def _connections() -> int:
    """Maximum number of connections per process: the system's limit, up to ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    else:
        most = wanted
    return max(SPARE_FILES, most - SPARE_FILES)
