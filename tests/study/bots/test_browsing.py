"""The browser that speaks HTTP: cookies, redirects, and a server that is away for a moment."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from trialogue.study.bots.browsing import HttpBrowser


class Handler(BaseHTTPRequestHandler):
    """Remembers what it was sent; ``/busy/`` is busy once."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str, str]]
    busy: int

    def answer(self, status: int, text: str = "", **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.seen.append(("GET", self.path, self.headers.get("Cookie", "")))
        if self.path == "/busy/" and type(self).busy:
            type(self).busy -= 1
            self.answer(503, "busy")
        elif self.path == "/dropped/" and type(self).busy:
            type(self).busy -= 1
            self.close_connection = True
        elif self.path == "/circle/":
            self.answer(302, Location="/circle/")
        else:
            self.answer(200, f"at {self.path}", Set_Cookie="who=me; Path=/; HttpOnly")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.seen.append(("POST", self.path, body))
        self.answer(302, Location="next/?a=1")

    def log_message(self, *given: Any) -> None:
        """Nothing is written."""


@pytest.fixture
def base() -> Iterator[str]:
    Handler.seen, Handler.busy = [], 1
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_form_is_acknowledged_by_a_redirect_which_is_followed(base: str) -> None:
    mine = HttpBrowser(base)
    reply = mine.post("/s/step/", [("a", "ä b"), ("a", "&")])
    mine.close()
    assert (reply.status, reply.path, reply.html, reply.acknowledged) == (
        200,
        "/s/step/next/?a=1",
        "at /s/step/next/?a=1",
        True,
    )
    assert Handler.seen[0] == ("POST", "/s/step/", "a=%C3%A4+b&a=%26")


def test_cookies_are_sent_back(base: str) -> None:
    mine = HttpBrowser(base)
    mine.get("/one/")
    mine.get("/two/")
    mine.close()
    assert [cookie for _, _, cookie in Handler.seen] == ["", "who=me"]


def test_a_page_is_no_acknowledgement(base: str) -> None:
    mine = HttpBrowser(base)
    assert mine.get("/one/").acknowledged is False
    mine.close()


def test_a_busy_server_is_asked_again_by_the_patient_only(base: str) -> None:
    seen: list[int] = []
    hasty = HttpBrowser(base, seen=lambda status, seconds: seen.append(status))
    assert hasty.get("/busy/").status == 503
    hasty.close()
    Handler.busy = 1
    patient = HttpBrowser(base, patience=30, seen=lambda status, seconds: seen.append(status))
    assert patient.get("/busy/").status == 200
    patient.close()
    assert seen == [503, 503, 200]


def test_a_connection_that_the_server_closed_is_opened_again(base: str) -> None:
    mine = HttpBrowser(base)
    mine.get("/one/")
    assert mine.get("/dropped/").status == 200
    mine.close()


def test_a_circle_of_redirects_ends(base: str) -> None:
    mine = HttpBrowser(base)
    assert mine.get("/circle/").status == 302
    mine.close()


def test_no_server_is_no_answer() -> None:
    assert HttpBrowser("http://127.0.0.1:9").get("/").status == 0
