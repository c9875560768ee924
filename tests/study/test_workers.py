"""A process of the server: reads from everybody at once, drops what does not arrive, leaves people to idle processes."""

import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("gunicorn")

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from trialogue.study import workers

HALF_A_HEADER = b"GET / HTTP/1.1\r\nHost: study\r\nX-Half: "
HALF_A_BODY = b"POST / HTTP/1.1\r\nHost: study\r\nContent-Length: 10\r\n\r\nhalf"
WHOLE = b"POST / HTTP/1.1\r\nHost: study\r\nContent-Length: 4\r\n\r\nbody"
SOON_S = 20.0


def echo(environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@contextmanager
def serving(*, connections: int = 100, threads: int = 1, application: Any = echo) -> Iterator[int]:
    """The loop of one process in a thread; its port."""
    watched, dispatcher, over = workers.WatchedSockets(), ThreadedTaskDispatcher(), threading.Event()
    dispatcher.set_thread_count(threads)
    limits = Adjustments(cleanup_interval=0, channel_timeout=1000, connection_limit=connections)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        workers._make_server(listener, application, watched, dispatcher, limits)

        def turn() -> None:
            while not over.is_set():
                watched.turn(0.02)

        loop = threading.Thread(target=turn)
        loop.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            loop.join()
            for each in list(watched.values()):
                each.close()
            dispatcher.shutdown()


def sent(port: int, data: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=SOON_S)
    made.sendall(data)
    return made


def body_of(connection: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"body"):
        more = connection.recv(4096)
        assert more, answer
        answer += more
    return answer.partition(b"\r\n\r\n")[2]


def test_one_thread_answers_while_others_have_sent_half_a_header_or_half_a_body() -> None:
    with serving() as port:
        slow = [sent(port, half) for half in (HALF_A_HEADER, HALF_A_BODY) * 20]
        with sent(port, WHOLE) as quick:
            assert body_of(quick) == b"body"
            quick.sendall(WHOLE)  # and again over the same connection
            assert body_of(quick) == b"body"
        for each in slow[1::2]:
            each.sendall(b"+ body")  # slow, and in time
        assert all(body_of(each).endswith(b"half+ body") for each in slow[1::2])
        for each in slow:
            each.close()


@pytest.mark.parametrize(
    ("half", "limit", "other"),
    [(HALF_A_HEADER, "HEADER_S", "REQUEST_S"), (HALF_A_BODY, "REQUEST_S", "HEADER_S")],
)
def test_a_request_that_does_not_arrive_in_time_is_dropped_though_bytes_keep_coming(
    monkeypatch: pytest.MonkeyPatch, half: bytes, limit: str, other: str
) -> None:
    monkeypatch.setattr(workers, other, 1000.0)
    monkeypatch.setattr(workers, limit, 0.3)
    with serving() as port, sent(port, half) as slow, sent(port, b"") as silent:
        begun = time.monotonic()
        with pytest.raises(OSError):  # noqa: PT012  # closed by the server; which of both meets it is a race
            while time.monotonic() < begun + SOON_S:
                slow.sendall(b"x" if limit == "HEADER_S" else b"")
                slow.settimeout(0.05)
                try:
                    if slow.recv(1) == b"":
                        raise ConnectionResetError
                except TimeoutError:
                    pass
        assert time.monotonic() - begun > 0.3
        silent.sendall(WHOLE)  # who has not begun is not late
        assert body_of(silent) == b"body"


def test_where_all_places_for_connections_are_taken_the_oldest_idle_ones_make_room() -> None:
    with serving(connections=40) as port:
        slow = [sent(port, HALF_A_HEADER) for _ in range(200)]
        with sent(port, WHOLE) as quick:
            assert body_of(quick) == b"body"
        for each in slow:
            each.close()


def test_who_sends_on_before_the_answer_is_parked_until_then_and_costs_no_turns_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, answer = threading.Event(), threading.Event()
    asked: list[int] = []

    def slow_echo(environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
        begun.set()
        assert answer.wait(SOON_S)
        return echo(environ, start)

    turn = workers.WatchedSockets.turn

    def counted(watched: workers.WatchedSockets, timeout: float) -> None:
        asked.append(1)
        turn(watched, 5.0)

    monkeypatch.setattr(workers.WatchedSockets, "turn", counted)
    with serving(application=slow_echo) as port, sent(port, WHOLE) as hasty:
        assert begun.wait(SOON_S)
        hasty.sendall(WHOLE)
        time.sleep(0.3)  # bytes that nobody reads yet must not wake the loop again and again
        turns = len(asked)
        time.sleep(0.3)
        assert len(asked) == turns
        answer.set()
        got = b""
        while got.count(b"body") < 2:
            more = hasty.recv(4096)
            assert more, got
            got += more
        with sent(port, b""):  # wakes the loop, which is over now
            pass


def test_who_closes_their_side_while_they_wait_is_answered_and_does_not_keep_the_loop_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, answer = threading.Event(), threading.Event()
    turns: list[int] = []

    def slow_echo(environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
        begun.set()
        assert answer.wait(SOON_S)
        return echo(environ, start)

    turn = workers.WatchedSockets.turn

    def counted(watched: workers.WatchedSockets, timeout: float) -> None:
        turns.append(1)
        turn(watched, 0.05)

    monkeypatch.setattr(workers.WatchedSockets, "turn", counted)
    with serving(application=slow_echo) as port, sent(port, WHOLE) as gone:
        assert begun.wait(SOON_S)
        gone.shutdown(socket.SHUT_WR)
        before = len(turns)
        time.sleep(0.5)
        assert len(turns) - before < 30  # ten, and not thousands
        answer.set()
        assert body_of(gone) == b"body"


@pytest.mark.parametrize(
    ("state", "woken"),
    [
        ({}, False),  # its thread sent all of it
        ({"total_outbufs_len": 5}, True),
        ({"close_when_flushed": True}, True),
        ({"will_close": True}, True),
        ({"parked": True}, True),
    ],
)
def test_a_thread_wakes_the_loop_where_something_is_left_to_do(
    monkeypatch: pytest.MonkeyPatch, state: dict[str, object], woken: bool
) -> None:
    pulled: list[object] = []
    monkeypatch.setattr(TcpWSGIServer, "pull_trigger", lambda server: pulled.append(server))
    server: Any = object.__new__(workers.Server)
    server._map = workers.WatchedSockets()
    channel: Any = object.__new__(workers.Channel)
    vars(channel).update(state, server=server, _fileno=7)
    monkeypatch.setattr(HTTPChannel, "service", lambda channel: channel.server.pull_trigger())
    channel.service()
    assert (len(pulled), list(server._map.changed)) == ((1, [7]) if woken else (0, []))
    server.pull_trigger()  # in a thread that works for nobody
    assert len(pulled) == 1 + woken


def test_an_error_of_one_connection_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read = workers.Channel.handle_read

    def broken(channel: workers.Channel) -> None:
        if channel.addr[1] == bad.getsockname()[1]:
            raise RuntimeError("broken")
        read(channel)

    with serving() as port, sent(port, b"") as bad:
        monkeypatch.setattr(workers.Channel, "handle_read", broken)
        bad.sendall(WHOLE)
        with contextlib.suppress(ConnectionResetError):
            assert bad.recv(100) == b""  # closed, with an error or without
        with sent(port, WHOLE) as good:
            assert body_of(good) == b"body"


@pytest.mark.parametrize(
    ("waiting", "stepped_back"),
    [
        (0, []),  # a thread is free, or about to be
        (10, [10 * workers.STEP_S]),
        (500, [workers.MAX_S]),
    ],
)
def test_it_steps_back_for_as_long_as_its_queue_is(
    monkeypatch: pytest.MonkeyPatch, waiting: int, stepped_back: list[float]
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(workers, "time", SimpleNamespace(sleep=slept.append))
    monkeypatch.setattr(TcpWSGIServer, "handle_accept", lambda server: None)  # another process was quicker
    server: Any = object.__new__(workers.Server)
    server.task_dispatcher = SimpleNamespace(queue=deque(range(waiting)))
    server.adj, server._map = SimpleNamespace(connection_limit=100), {}
    server.handle_accept()
    assert slept == pytest.approx(stepped_back)
