"""Browsers of scripted participants: one within the process, one that speaks HTTP to a running server."""

import http.client
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlencode, urljoin, urlsplit

if TYPE_CHECKING:
    from django.http import HttpResponseBase

Fields = Sequence[tuple[str, str]]
FORM = "application/x-www-form-urlencoded"
REDIRECTS = 10  # followed before a browser gives up


@dataclass(frozen=True)
class Reply:
    """What a browser shows after a request, redirects followed."""

    status: int
    path: str
    """Where it is now, with the query."""
    html: str
    acknowledged: bool = False
    """Whether a form was answered with a redirect: what was sent is on the server's disk."""


class Browser(Protocol):
    """What a participant has in front of them."""

    def get(self, path: str) -> Reply:
        """Open a page."""
        ...

    def post(self, path: str, fields: Fields) -> Reply:
        """Send a form."""
        ...


class ClientBrowser:
    """Django's test client: every middleware and view, without a network. CSRF is checked."""

    def __init__(self, *, address: str = "127.0.0.1") -> None:
        from django.test import Client

        self._client = Client(enforce_csrf_checks=True, raise_request_exception=False, REMOTE_ADDR=address)

    def get(self, path: str) -> Reply:
        """Open a page."""
        return self._followed(path, self._client.get(path), posted=False)

    def post(self, path: str, fields: Fields) -> Reply:
        """Send a form."""
        sent = self._client.post(path, urlencode(list(fields)), content_type=FORM)
        return self._followed(path, sent, posted=True)

    def _followed(self, path: str, response: "HttpResponseBase", *, posted: bool) -> Reply:
        acknowledged = posted and response.status_code == 302
        for _ in range(REDIRECTS):
            if response.status_code not in (301, 302, 303):
                break
            path = urljoin(path, response.headers["Location"])
            response = self._client.get(path)
        content: bytes = getattr(response, "content", b"")
        return Reply(response.status_code, path, content.decode("utf-8", "replace"), acknowledged)


class HttpBrowser:
    """A browser with cookies over a connection that is kept; what fails on the way is tried again.

    Args:
        base: address of the server, such as ``http://127.0.0.1:8000``.
        patience: seconds that a request is tried again after the server went away, or said 5xx or 429; 0: not at all.
        seen: called after each request with its status (0: no answer) and seconds.
    """

    def __init__(
        self, base: str, *, patience: float = 0.0, seen: Callable[[int, float], None] = lambda status, seconds: None
    ) -> None:
        parts = urlsplit(base)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._patience, self._seen = patience, seen
        self._cookies: dict[str, str] = {}
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> Reply:
        """Open a page."""
        return self._followed("GET", path, b"")

    def post(self, path: str, fields: Fields) -> Reply:
        """Send a form."""
        return self._followed("POST", path, urlencode(list(fields)).encode())

    def _followed(self, method: str, path: str, body: bytes) -> Reply:
        status, location, html = self._patient(method, path, body)
        acknowledged = method == "POST" and status == 302
        for _ in range(REDIRECTS):
            if status not in (301, 302, 303):
                break
            path = urljoin(path, location)
            status, location, html = self._patient("GET", path, b"")
        return Reply(status, path, html, acknowledged)

    def _patient(self, method: str, path: str, body: bytes) -> tuple[int, str, str]:
        """One request, again and again until it is answered or patience is at its end."""
        until = time.monotonic() + self._patience
        while True:
            start = time.monotonic()
            kept = self._connection is not None
            try:
                found = self._once(method, path, body)
            except (OSError, http.client.HTTPException):
                self.close()
                if kept:  # the server closes connections that nobody uses; like every browser, ask on a new one
                    continue
                found = (0, "", "")
            self._seen(found[0], time.monotonic() - start)
            if (found[0] and found[0] < 500 and found[0] != 429) or time.monotonic() >= until:
                return found
            time.sleep(0.05 + 0.2 * random.random())  # retries are spread

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _once(self, method: str, path: str, body: bytes) -> tuple[int, str, str]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._host, self._port, timeout=60)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if body:
            headers["Content-Type"] = FORM
        self._connection.request(method, path, body or None, headers)
        response = self._connection.getresponse()
        html = response.read().decode("utf-8", "replace")
        for line in response.headers.get_all("Set-Cookie", []):
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        if response.will_close:
            self.close()
        return response.status, response.headers.get("Location", ""), html
