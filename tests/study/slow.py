"""Clients that hold a server up: they send half a header, or half a body, and then nothing, or a byte now and then."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

HALF_A_HEADER = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "
HALF_A_BODY = (  # with a cookie, so that the form is read before the request is refused
    b"POST /staff/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Cookie: csrftoken=" + b"a" * 32 + b"\r\nContent-Length: 1000\r\n\r\nname="
)


def _opened(port: int, number: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.sendall(HALF_A_BODY if number % 2 else HALF_A_HEADER)
    made.setblocking(False)
    return made


def _dropped(connection: socket.socket, *, dribble: bool) -> bool:
    try:
        if dribble:
            connection.send(b"x")
        connection.recv(4096)  # an answer, or the end
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def slow_clients(port: int, count: int) -> Iterator[list[int]]:
    """So many clients until the end; whom the server drops comes back. Gives a list with a number for each return."""
    held, over = [_opened(port, number) for number in range(count)], threading.Event()
    returns: list[int] = []

    def hold() -> None:
        while not over.wait(0.5):
            for number, each in enumerate(held):
                if _dropped(each, dribble=number % 10 == 0):
                    each.close()
                    try:
                        held[number] = _opened(port, number)
                    except OSError:
                        continue  # next time
                    returns.append(number)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield returns
    finally:
        over.set()
        thread.join()
        for each in held:
            each.close()
