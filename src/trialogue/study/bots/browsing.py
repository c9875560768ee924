"""Browser of scripted participants: Django's test client, in the same process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlencode, urljoin

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
