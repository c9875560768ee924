"""The processes of the server: gunicorn starts, watches and ends them; inside of each, waitress reads and answers.

A thread that reads a request by itself waits for as long as the client likes: twenty sockets that send half a header
occupy all threads of a server, and nobody else is answered. Here one loop reads from all sockets at once; a thread gets a
request when the last byte of it is there, and is free again when the answer is in the socket's buffer. Requests that do
not arrive within their time are dropped.

All processes hear of a new connection at once, and the one that is awake takes it: the busiest. It then gets busier, while
another one sleeps, and people who came to it wait for several times as long. Here a process steps back for as long as its
queue is; one that has nothing to do takes a connection at once.
"""

import logging
import os
import resource
import selectors
import time
from typing import Any

from gunicorn.workers.base import Worker
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

STEP_S, MOST_S = 0.0002, 0.005  # for each request that waits, and in all
HEADER_S = 10.0  # from the first byte of a request to the end of its header
REQUEST_S = 30.0  # from the first byte to the last
SILENT_S = 75  # between requests, or while an answer is not read; longer than proxies keep idle connections (nginx: 60)
SWEEP_S = 2  # between two looks for requests that are overdue
BEAT_S = 1.0  # within which gunicorn hears that the process is alive
CONNECTIONS = 8_000  # of a process, where the system allows it to have so many files
SPARE_FILES = 100  # for the database, its queue, and what Python opens
LARGEST_BODY = 2_000_000  # bytes; Django refuses a form above one million with a page of its own


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection, which knows since when its request has been coming in."""

    begun: float | None = None
    """When the first byte of a request that is not complete arrived (monotonic seconds); None: nothing is under way."""

    def received(self, data: bytes) -> bool:
        """Take bytes in; waitress calls this, so that the name is not ours to choose."""
        before = self.request
        taken = bool(super().received(data))
        if self.request is None:
            self.begun = None
        elif self.request is not before:
            self.begun = time.monotonic()
        return taken

    def overdue(self, now: float) -> bool:
        """Whether the client took too long for its header, or for the whole request."""
        request = self.request  # set and cleared by the loop alone, which asks
        if self.begun is None or request is None or self.requests:
            return False
        return now - self.begun > (REQUEST_S if request.headers_finished else HEADER_S)


class Watched(dict[int, Any]):
    """Sockets by file number, as waitress wants them, watched by the system's own means.

    waitress asks every socket at every turn what it waits for, which takes longer the more are open. What a socket waits
    for changes only after something happened to it, or while a thread works for it: here only those are asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changing: set[int] = set()
        """Those that have to be asked what they wait for."""
        self._selector = selectors.DefaultSelector()
        self._events: dict[int, int] = {}

    def __setitem__(self, number: int, watched: Any) -> None:
        super().__setitem__(number, watched)
        self.changing.add(number)

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        self.changing.discard(number)
        if self._events.pop(number, 0):
            self._selector.unregister(number)

    def turn(self, timeout: float) -> None:
        """Wait for something to happen, for so many seconds at most, and let the sockets deal with it."""
        for number in tuple(self.changing):
            self._ask(number)
        for key, events in self._selector.select(timeout):
            self.changing.add(key.fd)
            if (watched := self.get(key.fd)) is not None and events & selectors.EVENT_READ:
                _handle_event(watched, watched.handle_read_event)
            if (watched := self.get(key.fd)) is not None and events & selectors.EVENT_WRITE:
                _handle_event(watched, watched.handle_write_event)
        self.changing &= self.keys()

    def _ask(self, number: int) -> None:
        watched = self[number]
        wanted = selectors.EVENT_READ * bool(watched.readable())
        wanted |= selectors.EVENT_WRITE * bool(watched.writable() and not watched.accepting)
        had = self._events.get(number, 0)
        if wanted and not had:
            self._selector.register(number, wanted)
        elif had and not wanted:
            self._selector.unregister(number)
        elif wanted != had:
            self._selector.modify(number, wanted)
        self._events[number] = wanted
        if wanted == selectors.EVENT_READ and not watched.accepting and not getattr(watched, "requests", ()):
            self.changing.discard(number)  # nothing but an event changes it now


def _handle_event(watched: Any, handle: Any) -> None:
    """Deal with an event; a connection that cannot is closed, the others go on."""
    try:
        handle()
    except Exception:  # noqa: BLE001  # whatever one client causes must not end the loop for all
        watched.handle_error()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """What listens, and hands complete requests to threads."""

    channel_class = Channel

    def handle_accept(self) -> None:
        """Take a connection, if no other process did meanwhile."""
        waiting = len(self.task_dispatcher.queue)
        if waiting > 0:
            time.sleep(min(MOST_S, STEP_S * waiting))  # its threads have work for longer than that
        super().handle_accept()
        if len(self._map) >= self.adj.connection_limit:
            self._shed_connections(self.adj.connection_limit // 10)

    def maintenance(self, now: float) -> None:
        """Drop requests that are overdue, and connections that have been silent for long."""
        super().maintenance(now)
        at = time.monotonic()
        for channel in self.active_channels.values():
            if channel.overdue(at):
                channel.will_close = True
        self._map.changing.update(number for number, each in self.active_channels.items() if each.will_close)

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
        watched, threads = Watched(), ThreadedTaskDispatcher()
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
        while self.alive and self.ppid == os.getppid():
            watched.turn(BEAT_S)
            self.notify()
        self._finish(watched, servers)
        threads.shutdown()

    def _finish(self, watched: Watched, servers: list[Server]) -> None:
        """Take nobody in any more; answer those whose request is complete."""
        for each in servers:
            each.accepting = False
            watched.changing.add(each._fileno)
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(_is_busy(channel) for each in servers for channel in _open(each)):
            watched.turn(0.1)
            self.notify()


def _make_server(
    listener: Any, application: Any, watched: Watched, threads: ThreadedTaskDispatcher, limits: Adjustments
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
    """How many connections a process may have: as many as the system lets it, up to ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    else:
        most = wanted
    return max(SPARE_FILES, most - SPARE_FILES)
