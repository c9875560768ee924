"""Rate limits: by participant where there is one, and a wide one by address, since a whole university may share it."""

import hashlib
import time

from django.core.cache import cache
from django.http import HttpRequest

WINDOW = 60  # seconds
BY_PERSON = 240  # requests of one participant in a window; a quick one needs about ten
BY_ADDRESS = 6_000  # of one address: 25 participants at full speed, or 600 at their usual one
BY_LOGIN = 10  # failed logins of one address, or of one name, in a window five times as long


def exceeded(kind: str, who: str, limit: int, *, window: int = WINDOW, count: bool = True) -> int:
    """Seconds until another request is welcome; 0: it is.

    Args:
        kind: what is counted.
        who: whose requests are.
        limit: how many there may be in a window.
        window: its length in seconds.
        count: whether this is a request; False: only look.

    Counts live in Django's cache: with the default one each process counts by itself.
    """
    now = time.time()
    key = f"rate:{kind}:{hashlib.sha256(who.encode()).hexdigest()[:32]}:{int(now // window)}"
    if count:
        cache.add(key, 0, timeout=2 * window)
        try:
            seen = cache.incr(key)
        except ValueError:  # it ran out between the two
            seen = 1
    else:
        seen = cache.get(key, 0) + 1
    return 0 if seen <= limit else int(window - now % window) + 1


def address(request: HttpRequest) -> str:
    """The address of the peer; behind a proxy the server has to set REMOTE_ADDR (gunicorn's ``forwarded-allow-ips``)."""
    return str(request.META.get("REMOTE_ADDR", ""))
