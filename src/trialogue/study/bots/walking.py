"""Walk one participant through the pages, in Django's test client, until there is no form left."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlencode, urljoin

from trialogue.study.bots.page import Form, Page
from trialogue.study.bots.people import MESSAGES, Bot
from trialogue.study.pages.notices import NOTICE

if TYPE_CHECKING:
    from django.http import HttpResponseBase

Fields = Sequence[tuple[str, str]]
FORM = "application/x-www-form-urlencoded"
REDIRECTS = 10  # followed before a browser gives up


@dataclass(frozen=True)
class Reply:
    """Response to a request after redirects."""

    status: int
    path: str
    """Current address, with its query."""
    html: str
    acknowledged: bool = False
    """Whether a form was answered with a redirect without a notice, which means that the server has stored the data."""


class Browser(Protocol):
    """Browser of one participant."""

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
        return self._follow(path, self._client.get(path), posted=False)

    def post(self, path: str, fields: Fields) -> Reply:
        """Send a form."""
        sent = self._client.post(path, urlencode(list(fields)), content_type=FORM)
        return self._follow(path, sent, posted=True)

    def _follow(self, path: str, response: "HttpResponseBase", *, posted: bool) -> Reply:
        moved = response.status_code == 302
        acknowledged = posted and moved and f"{NOTICE}=" not in response.headers["Location"]
        for _ in range(REDIRECTS):
            if response.status_code not in (301, 302, 303):
                break
            path = urljoin(path, response.headers["Location"])
            response = self._client.get(path)
        content: bytes = getattr(response, "content", b"")
        return Reply(response.status_code, path, content.decode("utf-8", "replace"), acknowledged)


State = Literal["walking", "over", "gone", "turned_away", "stuck"]
MAX_PAGES = 2_000  # of one participant; more is a circle


@dataclass
class Walk:
    """One participant on their way.

    Args:
        bot: the participant who walks.
        browser: browser in which they see the pages.
        entrance: path of the study's first page, such as ``/my-study/``, with the platform's parameters.
    """

    bot: Bot
    browser: Browser
    entrance: str
    state: State = "walking"
    statuses: list[int] = field(default_factory=list)
    """Response time of every request, in seconds."""
    sent: list[tuple[str, str]] = field(default_factory=list)
    """(token, "acknowledged" or "") of every form that answers a step; messages of conversations are not among them."""
    code: str = ""
    """Completion code, as the last page shows it; "": none yet."""
    receipt: str = ""
    pages: int = 0
    """Number of pages seen."""
    _next: list[tuple[str, str]] | None = None
    _events: str = ""
    _now: Reply | None = None

    def step(self) -> bool:
        """Advance by one page; False at the end."""
        if self._now is None:
            self._see(self.browser.get(self.entrance))
        else:
            self._act(Page(self._now.html))
        if self.state == "walking" and self.pages >= MAX_PAGES:
            self.state = "stuck"
        return self.state == "walking"

    def pause(self) -> float:
        """Seconds before the participant submits the current page; the answers are determined on submission."""
        page = Page(self._now.html) if self._now and self.bot.respondent else None
        if page is None or self.bot.respondent is None:
            return self.bot.seconds()
        seconds, form = self.bot.pause(page), _sendable(page)
        self._next = self._fill(page, form) if form else None
        written = [each.name for each in form.asked if each.kind == "text" and not each.unseen] if form else []
        characters = sum(len(value) for name, value in self._next or () if name in written)
        page_time = self.bot.respondent.fill_in(characters, seconds, asks=bool(written))
        self._events = page_time.events
        return page_time.seconds

    def restart(self) -> None:
        """Start again: a rejected participant returns."""
        self.state, self._now = "walking", None

    def _see(self, reply: Reply) -> None:
        self._now = reply
        self.statuses.append(reply.status)
        self.pages += 1
        page = Page(reply.html)
        if reply.status not in (200, 422, 503):
            self.state = "stuck"
        elif reply.status == 200 and not _sendable(page):
            self._finish(page)
        elif self.bot.leaves_after is not None and self.pages > self.bot.leaves_after + 1:
            self.state = "gone"

    def _finish(self, page: Page) -> None:
        self.code, self.receipt = page.code, page.receipt
        self.state = "over" if self.sent else "turned_away"

    def _act(self, page: Page) -> None:
        form = _sendable(page)
        if form is None:
            self.state = "stuck"
            return
        path = form.action or (self._now.path if self._now else self.entrance)
        filled = self._next or self._fill(page, form)
        filled = [(name, self._events) if name == "events" else (name, value) for name, value in filled]
        self._next, self._events = None, ""
        reply = self.browser.post(path.partition("#")[0], filled)
        token, talks = dict(form.hidden).get("token", ""), "act" in dict(filled)
        if token and not talks:
            self.sent.append((token, "acknowledged" if reply.acknowledged else ""))
        self._see(reply)

    def _fill(self, page: Page, form: Form) -> list[tuple[str, str]]:
        if ("agree", "yes") in form.buttons:
            return form.fill({}, button=("agree", "yes"))
        acts = [value for name, value in form.buttons if name == "act"]
        if not acts:
            return form.fill(self.bot.answers(page, form.asked))
        for act in ("end", "answer"):  # a conversation: ended as soon as it may be
            if act in acts:
                return form.fill({}, button=("act", act))
        asked = tuple(each for each in form.asked if each.name != "say")
        turn = int(dict(form.hidden).get("turn") or 0)
        said = {**self.bot.answers(page, asked), "say": MESSAGES[turn % len(MESSAGES)]}
        return form.fill(said, button=("act", "say"))


def _sendable(page: Page) -> Form | None:
    """The form that leads on: of a step (it has a token), of the first page, or of one that is to be sent again."""
    with_token = [form for form in page.forms if "token" in dict(form.hidden)]
    ours = [form for form in page.forms if form.buttons and not form.action.startswith("http")]
    return next(iter(with_token or ours), None)
