"""Client of Prolific's HTTPS API: requests, paginated lists, errors in its own words.

The token is read from the environment only.
"""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

from trialogue.errors import TrialogueError, UsageError

BASE = "https://api.prolific.com/api/v1"
TOKEN, ADDRESS = "PROLIFIC_TOKEN", "TRIALOGUE_PROLIFIC_API"
WAIT_S, TRIES, PAUSE_S = 30.0, 4, 1.0
PAGE = 100  # rows that are asked for; a server may return fewer on each page
MAX_PAGES = 10_000
NOT_DONE = frozenset({*range(300, 309), 400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422})
"""Statuses by which a server says that a request was not carried out.

Not among them: 408, 409, 425 and 429, which may come from a gateway while the request goes on behind it or may concern a
repetition, and those of 500 and above.
"""
Json = dict[str, Any]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: if it were followed, a payment would turn into a GET, and the token would be sent along."""

    def redirect_request(self, *given: Any) -> None:
        """None: it is not followed."""


_OPENER = urllib.request.build_opener(_NoRedirects)


class PlatformError(TrialogueError):
    """The platform refused a request, or did not answer.

    Attributes:
        status: HTTP status; 0 if there was no answer, so that it is unknown whether the request was carried out.
    """

    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status

    @property
    def refused(self) -> bool:
        """Whether it is certain that the request was not carried out."""
        return self.status in NOT_DONE


class Api:
    """Requests to Prolific.

    Args:
        dry: whether requests that change something are only shown.
        tell: called with a line for each request that changes something.
        tries: number of attempts to read when the platform is busy; 1 when somebody is waiting for a page.
        wait_s: seconds to wait for an answer.

    Raises:
        UsageError: no token, or an address that is not HTTPS.
    """

    def __init__(
        self,
        *,
        dry: bool = False,
        tell: Callable[[str], None] = lambda line: None,
        tries: int = TRIES,
        wait_s: float = WAIT_S,
    ) -> None:
        self._token = os.environ.get(TOKEN, "").strip()
        if not self._token:
            raise UsageError(f"Set the Prolific API token in the environment: {TOKEN}=...; it is not stored.")
        self._base = os.environ.get(ADDRESS) or BASE
        parts = urllib.parse.urlsplit(self._base)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost"):
            raise UsageError(f"{ADDRESS} must be an https address, got {self._base!r}.")
        self._dry, self._tell = dry, tell
        self._tries, self._wait_s = tries, wait_s

    @property
    def dry(self) -> bool:
        """Whether nothing is changed."""
        return self._dry

    def get(self, path: str, **query: str | int) -> Json:
        """GET a path, retried if the platform is busy.

        Raises:
            PlatformError: refused, or no answer after several tries.
        """
        where = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        for attempt in range(1, self._tries + 1):
            try:
                return self._send("GET", where, None)
            except PlatformError as error:
                if attempt == self._tries or (error.status and error.status != 429 and error.status < 500):
                    raise
                time.sleep(PAUSE_S * 2**attempt)
        raise AssertionError("a loop that returns or raises")

    def pages(self, path: str, **query: str | int) -> Iterator[Json]:
        """The rows of a list, from all of its pages, each row once.

        Ends at the page that the server calls the last, or brings nothing new: servers may return fewer rows per page than
        they were asked for.

        Raises:
            PlatformError: as for ``get``; or the list has no end.
        """
        known: set[str] = set()
        for number in range(1, MAX_PAGES + 1):
            try:
                answer = self.get(path, **query, page=number, page_size=PAGE)
            except PlatformError as error:
                if number > 1 and error.status == 404:  # the page after the last
                    return
                raise
            rows = answer.get("results", [])
            new = {json.dumps(row.get("id", row), sort_keys=True): row for row in rows}
            yield from (row for key, row in new.items() if key not in known)
            if not new.keys() - known or _is_last(answer):
                return
            known |= new.keys()
        raise PlatformError(f"Prolific's list {path} did not end after {number} pages. Try again later.", 0)

    def change(self, method: str, path: str, body: Json) -> Json:
        """Send a state-changing request once; in a dry run it is only shown, and the response is empty.

        Raises:
            PlatformError: refused, or no answer, so that the outcome is unknown.
        """
        self._tell(f"{method} {path} {json.dumps(body, ensure_ascii=False, sort_keys=True)}")
        return {} if self._dry else self._send(method, path, body)

    def _send(self, method: str, path: str, body: Json | None) -> Json:
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        try:
            with _OPENER.open(request, timeout=self._wait_s) as answer:
                found = json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise PlatformError(
                f"Prolific refused {method} {path} ({error.code}): {_error_words(error.read())}", error.code
            ) from error
        except (OSError, ValueError) as error:
            raise PlatformError(f"Prolific did not answer {method} {path}: {error}", 0) from error
        return found if isinstance(found, dict) else {"results": found}


def _is_last(answer: Json) -> bool:
    """Whether a page says that no other follows."""
    links = answer.get("_links")
    if isinstance(links, dict) and "next" in links:
        following = links["next"]
        return not (following.get("href") if isinstance(following, dict) else following)
    return False


def _error_words(body: bytes) -> str:
    """The words of an error's envelope."""
    try:
        error = json.loads(body)["error"]
        return str(error.get("detail") or error.get("title") or error)
    except (ValueError, LookupError, TypeError, AttributeError):
        return body[:200].decode("utf-8", "replace")
