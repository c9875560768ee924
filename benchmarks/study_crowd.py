"""Many participants in one process: each reads pages, fills in forms and follows redirects over a connection of its own.

What they do is written as generators, and one loop over all sockets serves them, so that the machine's time goes to the
server that is measured. Pages are read with regular expressions; nothing that a page asks for is left out.
"""

import heapq
import random
import re
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode, urljoin

FORM = re.compile(r'<form method="post" action="([^"]*)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
RADIO = re.compile(r'<input id="[^"]*" name="([^"]+)" value="([^"]*)" type="radio"')
TEXT = re.compile(r'<(?:textarea|input) class="field[^"]*" id="[^"]*" name="([^"]+)"')
BUTTON = re.compile(r'<button class="[^"]*" type="submit" name="([^"]+)" value="([^"]*)"')
NOT_ANSWERS = frozenset({"csrfmiddlewaretoken", "events", "token"})
REDIRECTS, MAX_PAGES = 10, 500  # of one participant; more is a circle
SILENT_S = 60.0  # of the server, after which a request is given up


@dataclass
class Seen:
    """What participants saw."""

    requests: list[tuple[int, float]] = field(default_factory=list)
    """(status, seconds); 0: no answer."""
    saved: dict[str, dict[str, str]] = field(default_factory=dict)
    """By token of a page: what was sent from it, and acknowledged."""
    walks: Counter[str] = field(default_factory=Counter)
    """Participants by how their way ended."""
    cpu: float = 0.0
    """Seconds of the processor that the participants used themselves."""


@dataclass(frozen=True)
class Request:
    """What a participant sends."""

    method: str
    path: str
    body: bytes = b""


@dataclass(frozen=True)
class Reply:
    """What comes back."""

    status: int
    location: str
    html: str


Way = Generator[Request, Reply, str]
"""A participant: requests out, replies in, and how it ended."""


def way(entrance: str, rng: random.Random, seen: Seen) -> Way:
    """One participant, from the first page to the last: ``over``, ``turned_away`` or ``stuck``."""
    path, reply, _ = yield from _followed(Request("GET", entrance))
    sent = 0
    for _ in range(MAX_PAGES):
        form = FORM.search(reply.html)
        if reply.status != 200:
            return "stuck"
        if form is None:
            return "over" if sent else "turned_away"
        action, fields = unescape(form.group(1)), filled(reply.html, rng)
        body = urlencode(fields).encode()
        path, reply, acknowledged = yield from _followed(Request("POST", urljoin(path, action), body))
        sent += acknowledged
        if acknowledged and "token" in fields:
            seen.saved[fields["token"]] = {name: value for name, value in fields.items() if name not in NOT_ANSWERS}
    return "stuck"


def filled(html: str, rng: random.Random) -> dict[str, str]:
    """A page's form with an answer to every question: any point, a sentence, and the first button that has a name."""
    fields = {name: unescape(value) for name, value in HIDDEN.findall(html)}
    options: dict[str, list[str]] = {}
    for name, value in RADIO.findall(html):
        options.setdefault(name, []).append(value)
    fields |= {name: unescape(rng.choice(values)) for name, values in options.items()}
    fields |= dict.fromkeys(TEXT.findall(html), "Because it fits.")
    return fields | dict(BUTTON.findall(html)[:1])


def _followed(request: Request) -> Generator[Request, Reply, tuple[str, Reply, bool]]:
    """Path, reply, and whether a form was acknowledged: answered with a redirect, which is followed."""
    reply = yield request
    acknowledged = request.method == "POST" and reply.status == 302
    path = request.path
    for _ in range(REDIRECTS):
        if reply.status not in (301, 302, 303):
            break
        path = urljoin(path, reply.location)
        reply = yield Request("GET", path)
    return path, reply, acknowledged


class Browser:
    """A connection, cookies, and the request that is under way."""

    def __init__(self, crowd: "Crowd", place: int) -> None:
        self._crowd, self._place = crowd, place
        self._socket: socket.socket | None = None
        self._got, self._since, self._until, self._kept = b"", 0.0, 0.0, False
        self._next()

    def _next(self) -> None:
        """Somebody new sits down."""
        self._cookies: dict[str, str] = {}
        self.close()
        self._way = self._crowd.somebody(self._place)
        if self._way is not None:
            self._ask(next(self._way))

    def _ask(self, request: Request) -> None:
        self._request, self._until = request, time.monotonic() + self._crowd.patience
        self.send()

    def send(self) -> None:
        """Send what is under way, for the first time or again."""
        self._since, self._got, self._kept = time.monotonic(), b"", self._socket is not None
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        about = f"Cookie: {cookies}\r\n" if cookies else ""
        body = self._request.body
        if body:
            about += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        head = f"{self._request.method} {self._request.path} HTTP/1.1\r\nHost: {self._crowd.host}\r\n{about}\r\n"
        try:
            if self._socket is None:
                self._socket = socket.create_connection(self._crowd.address, timeout=5)
                self._crowd.selector.register(self._socket, selectors.EVENT_READ, self)
            self._socket.sendall(head.encode() + body)
        except OSError:
            self.failed()

    def failed(self) -> None:
        """No answer. The server closes connections that nobody uses; like every browser, ask on a new one at once."""
        kept = self._kept
        self.close()
        if kept:
            self.send()
        else:
            self._answered(Reply(0, "", ""))

    def close(self) -> None:
        if self._socket is not None:
            self._crowd.selector.unregister(self._socket)
            self._socket.close()
        self._socket = None

    def readable(self) -> None:
        """Something came, or the server hung up."""
        assert self._socket is not None
        try:
            more = self._socket.recv(1 << 18)
        except OSError:
            more = b""
        if not more:
            self.failed()
            return
        self._got += more
        head, end, body = self._got.partition(b"\r\n\r\n")
        if end and (reply := self._read(head.decode("latin-1"), body)) is not None:
            self._answered(reply)

    def _read(self, head: str, body: bytes) -> Reply | None:
        """The reply, if all of it is there."""
        first, *lines = head.split("\r\n")
        length, location, closes, cookies = 0, "", False, {}
        for line in lines:
            name, _, value = line.partition(": ")
            match name.lower():
                case "content-length":
                    length = int(value)
                case "location":
                    location = value
                case "connection":
                    closes = value.lower() == "close"
                case "set-cookie":
                    cookie, _, given = value.partition(";")[0].partition("=")
                    cookies[cookie] = given
        if len(body) < length:
            return None
        self._cookies |= cookies
        if closes:
            self.close()
        return Reply(int(first.split(" ", 2)[1]), location, body.decode("utf-8"))

    def silent(self, now: float) -> bool:
        """Whether the server has let the request lie for too long."""
        return self._socket is not None and now - self._since > SILENT_S

    def _answered(self, reply: Reply) -> None:
        now = time.monotonic()
        self._crowd.seen.requests.append((reply.status, now - self._since))
        if (reply.status == 0 or reply.status >= 500 or reply.status == 429) and now < self._until:
            self._crowd.later(self, 0.05 + 0.2 * random.random())  # retries are spread
            return
        assert self._way is not None
        try:
            following = self._way.send(reply)
        except StopIteration as ended:
            self._crowd.seen.walks[str(ended.value)] += 1
            self._next()
        else:
            self._ask(following)


class Crowd:
    """So many participants at a time for some seconds; who has begun then goes on to the end.

    Args:
        address: of the server.
        n: participants at a time.
        seconds: in which new ones come.
        patience: seconds that a request is tried again after the server went away, or said 5xx or 429.
        somebody: makes the participant with a number.
    """

    def __init__(
        self,
        address: tuple[str, int],
        n: int,
        seconds: float,
        *,
        patience: float,
        somebody: Callable[[int, Seen], Way],
    ) -> None:
        self.address, self.host, self.patience = address, f"{address[0]}:{address[1]}", patience
        self.seen, self.selector = Seen(), selectors.DefaultSelector()
        self._made, self._somebody, self._numbers = n, somebody, 0
        self._end = time.monotonic() + seconds
        self._waiting: list[tuple[float, int, Browser]] = []
        self._busy: dict[int, Browser] = {}

    def somebody(self, place: int) -> Way | None:
        """The next participant; None after the end."""
        if time.monotonic() >= self._end:
            self._busy.pop(place, None)
            return None
        self._numbers += 1
        return self._somebody(self._numbers, self.seen)

    def later(self, browser: Browser, seconds: float) -> None:
        """Let a browser send again."""
        heapq.heappush(self._waiting, (time.monotonic() + seconds, id(browser), browser))

    def run(self) -> Seen:
        """What everybody saw."""
        begun, looked = time.process_time(), time.monotonic()
        for place in range(self._made):
            self._busy[place] = Browser(self, place)
        while self._busy:
            pause = max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else 1.0
            for key, _ in self.selector.select(min(pause, 1.0)):
                key.data.readable()
            now = time.monotonic()
            while self._waiting and self._waiting[0][0] <= now:
                heapq.heappop(self._waiting)[2].send()
            if now > looked + 1.0:
                looked = now
                for browser in [each for each in self._busy.values() if each.silent(now)]:
                    browser.failed()
        self.seen.cpu = time.process_time() - begun
        return self.seen


def crowd(port: int, n: int, seconds: float, *, entrance: str, patience: float) -> Seen:
    """What so many participants at a time saw at a server of this machine."""

    def somebody(number: int, seen: Seen) -> Way:
        return way(entrance, random.Random(number), seen)

    return Crowd(("127.0.0.1", port), n, seconds, patience=patience, somebody=somebody).run()


__all__ = ["Crowd", "Seen", "crowd", "filled", "way"]
