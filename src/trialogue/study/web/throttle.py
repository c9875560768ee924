"""Rate limits: per participant, and a wider one per address, which a whole university may share."""

import hashlib
import logging
import os
import time
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from trialogue.study.web.counting import FILE, Counts, SharedCounts
from trialogue.study.web.proxies import neighbourhood

WINDOW = 60  # seconds
BY_PERSON = 240  # requests of one participant in a window; a quick one needs about ten
BY_ADDRESS = 6_000  # of one address: 25 participants at full speed, or 600 at their usual one
BY_LOGIN = 10  # failed logins of one name at one address, in a window five times as long
_log = logging.getLogger("trialogue.study")


class CachedCounts:
    """Counts in Django's cache, of this process alone: tests, and folders that nothing can be written to."""

    def add(self, name: str, *, now: float, until: float) -> int:
        """One more; how many there are."""
        name = _key(name)
        cache.add(name, 0, timeout=until - now)
        try:
            return int(cache.incr(name))
        except ValueError:  # it ran out between the two
            return 1

    def count(self, name: str, *, now: float) -> int:
        """Current count."""
        return int(cache.get(_key(name), 0))


def _key(name: str) -> str:
    """Key of an arbitrary name, such as a login as typed."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


@lru_cache(maxsize=1)
def _counts(folder: Path | None, process: int) -> Counts:
    """Location of the counters: the study folder, shared by all processes of the server.

    Each opens the file for itself: a lock on a file that was opened before a fork would let both in.
    """
    if folder is None or not hasattr(os, "pread"):  # as on Windows
        return CachedCounts()
    try:
        return SharedCounts(folder / FILE, key=settings.SECRET_KEY)
    except OSError as error:
        _log.warning("rate limits are counted per process: %s", error)
        return CachedCounts()


def seconds_to_wait_for(kind: str, who: str, limit: int, *, window: int = WINDOW, count: bool = True) -> int:
    """Seconds until another request is welcome; 0: it is.

    Args:
        kind: what is counted.
        who: whose requests are counted.
        limit: maximum number of requests in a window.
        window: length of the window in seconds.
        count: whether this is a request; False: only check.

    The processes of a server count together.
    """
    now = time.time()
    number = int(now // window)
    name, counts = f"rate:{kind}:{who}:{number}", _counts(settings.FOLDER, os.getpid())
    seen = counts.add(name, now=now, until=(number + 1) * window) if count else counts.count(name, now=now) + 1
    return 0 if seen <= limit else int(window - now % window) + 1


def address(request: HttpRequest) -> str:
    """Whose requests are counted together: the client's address as ``pages.proxies`` finds it, or its IPv6 network."""
    return neighbourhood(str(request.META.get("REMOTE_ADDR", "")))
