"""Somebody at a real server: opens the pages, fills in what the HTML asks for, and remembers what was acknowledged."""

import http.client
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode, urlsplit

RADIO = re.compile(r'<input id="[^"]*" name="([^"]+)" value="([^"]*)" type="(radio|checkbox)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
TEXT = re.compile(r'<(?:textarea|input) class="field[^"]*" id="[^"]*" name="([^"]+)"')
BUTTON = re.compile(r'<button class="[^"]*" type="submit" name="([^"]+)" value="([^"]*)"')
PAGE = "Page "


@dataclass
class Page:
    """What came back."""

    status: int
    url: str
    body: str
    headers: Mapping[str, str]

    @property
    def token(self) -> str:
        """The step's token; "" where there is no form of a step."""
        return str(dict(HIDDEN.findall(self.body)).get("token", ""))

    def form(self, choice: int = 0) -> dict[str, str]:
        """A form filled in: the option at a place, wrapped around, for every question; a sentence for every text."""
        found = {name: unescape(value) for name, value in HIDDEN.findall(self.body)}
        options: dict[str, list[str]] = {}
        for name, value, _ in RADIO.findall(self.body):
            options.setdefault(name, []).append(unescape(value))
        found |= {name: values[choice % len(values)] for name, values in options.items()}
        found |= dict.fromkeys(TEXT.findall(self.body), "Because it fits.")
        return found | dict(BUTTON.findall(self.body)[:1])


@dataclass
class Visitor:
    """One browser."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """Time of each request."""
    statuses: list[int] = field(default_factory=list)
    acknowledged: int = 0
    """Forms of steps that were sent and answered by a redirect to another page."""
    source: str = "127.0.0.1"
    """The address that requests come from."""
    tls: ssl.SSLContext | None = None
    """For HTTPS."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with every request."""

    def ask(self, method: str, path: str, form: Mapping[str, str] | None = None) -> Page:
        """One request, without following where it leads."""
        headers = self.headers | {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = urlencode(form) if form is not None else None
        if body is not None:
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Origin": self.headers.get("Origin", f"http://127.0.0.1:{self.port}"),
            }
        connection = (
            http.client.HTTPSConnection("localhost", self.port, timeout=90, context=self.tls)
            if self.tls
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=90, source_address=(self.source, 0))
        )
        start = time.perf_counter()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        finally:
            connection.close()
        self.seconds.append(time.perf_counter() - start)
        self.statuses.append(answer.status)
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Page(answer.status, path, text, dict(answer.headers.items()))

    def go(self, method: str, path: str, form: Mapping[str, str] | None = None) -> Page:
        """One request, and wherever it leads."""
        page = self.ask(method, path, form)
        while page.status in (301, 302, 303):
            to = urlsplit(page.headers["Location"])
            page = self.ask("GET", to.path + (f"?{to.query}" if to.query else ""))
        return page

    def enter(self, slug: str, query: str = "") -> Page:
        """The first step."""
        page = self.go("GET", f"/{slug}/{query}")
        return self.go("POST", f"/{slug}/{query}", page.form())

    def send(self, page: Page, choice: int = 0) -> Page:
        """The next page, after this one's form was sent."""
        after = self.go("POST", page.url.partition("#")[0], page.form(choice))
        if after.status == 200 and after.token != page.token:
            self.acknowledged += 1
        return after

    def walk(self, slug: str, query: str = "", *, most: int = 60, choice: int = 2) -> Page:
        """To the last page, or after so many."""
        page = self.enter(slug, query)
        while page.token and page.status == 200 and most > 0:
            page, most = self.send(page, choice), most - 1
        return page
