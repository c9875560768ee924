"""Rate limits: per participant, and a wider one per address, which a whole university may share.

Client address behind trusted proxies: as the outermost trusted proxy saw it.

Each proxy appends the address of its client to ``X-Forwarded-For``. Entries to the left of our own proxies' were written by
the client, and are not trustworthy. So the entry is counted from the right, by the declared number of proxies, and if that
number is 0 the header is not read at all.

Counters shared by the server's processes, in a small file of the study folder, without any other service.

The file holds no names: a counter is identified by a keyed hash, and expires. Each bucket has room for
eight counters; if more fall into one, the smallest is dropped, so that limits err on the side of admitting people.
"""

import hashlib
import ipaddress
import logging
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase

from trialogue.records.files.locks import file_lock

FILE = "rates"
ENTRY = struct.Struct("<QII")  # hash, end of its time in seconds since 1970, count
PLACES, BUCKETS = 8, 4_096
MAX_COUNT = 2**32 - 1
Entry = tuple[int, int, int]


class Counts(Protocol):
    """Numbers by name, each for some time."""

    def add(self, name: str, *, now: float, until: float) -> int:
        """One more; how many there are."""
        ...

    def count(self, name: str, *, now: float) -> int:
        """Current count."""
        ...


class SharedCounts:
    """Counts in a file, which each process opens for itself.

    Args:
        path: the file; created if it does not exist.
        key: secret key, without which nobody can tell whose count it is.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, *, key: str) -> None:
        self._key = hashlib.sha256(key.encode()).digest()
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def add(self, name: str, *, now: float, until: float) -> int:
        """One more; how many there are. Where nothing can be written (the disk is full), none are counted."""
        known, offset = self._place(name)
        with self._exclusive():
            entries = [each for each in self._entries(offset) if each[1] > now]
            count = next((count for hashed, _, count in entries if hashed == known), 0) + 1
            # A full bucket loses its smallest count: new names cannot push out an address that is slowed down.
            others = sorted((each for each in entries if each[0] != known), key=lambda each: -each[2])
            kept = [(known, int(until), min(count, MAX_COUNT)), *others[: PLACES - 1]]
            packed = b"".join(ENTRY.pack(*each) for each in kept).ljust(PLACES * ENTRY.size, b"\0")
            try:
                os.pwrite(self._file, packed, offset)
            # Rather no limit than no study: a full disk must not lock everybody out.
            except OSError:
                return 0
        return count

    def count(self, name: str, *, now: float) -> int:
        """Current count."""
        known, offset = self._place(name)
        found = (count for hashed, until, count in self._entries(offset) if hashed == known and until > now)
        return next(found, 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _place(self, name: str) -> tuple[int, int]:
        digest = hashlib.blake2b(name.encode("utf-8", "replace"), key=self._key, digest_size=16).digest()
        bucket = int.from_bytes(digest[8:], "little") % BUCKETS
        return int.from_bytes(digest[:8], "little"), bucket * PLACES * ENTRY.size

    def _entries(self, offset: int) -> list[Entry]:
        read = os.pread(self._file, PLACES * ENTRY.size, offset).ljust(PLACES * ENTRY.size, b"\0")
        return [(hashed, until, count) for hashed, until, count in ENTRY.iter_unpack(read)]

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Exclusive access: no other thread and (except on Windows, with one process) no other process writes."""
        with self._lock, file_lock(self._file):
            yield


FORWARDED = "HTTP_X_FORWARDED_FOR"
LONGEST = 4_000  # characters of the header; a chain of proxies needs a hundred


class ProxiesMiddleware:
    """Sets ``REMOTE_ADDR`` to the client's address before anything else looks at it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response."""
        peer = str(request.META.get("REMOTE_ADDR", ""))
        forwarded = str(request.META.get(FORWARDED, ""))
        request.META["REMOTE_ADDR"] = client_address(peer, forwarded, proxies=settings.TRUSTED_PROXIES)
        return self._get_response(request)


def client_address(peer: str, forwarded: str, *, proxies: int) -> str:
    """The address of who asked the outermost trusted proxy; of the peer where there is none, or the header is not theirs.

    Args:
        peer: the address of the connection.
        forwarded: X-Forwarded-For, several headers joined by commas; "" if there is none.
        proxies: number of our own proxies that a request comes through.

    >>> client_address("10.0.0.1", "1.1.1.1, 203.0.113.9", proxies=1)  # the client wrote the first one itself
    '203.0.113.9'
    >>> client_address("10.0.0.1", "1.1.1.1, 203.0.113.9", proxies=0)
    '10.0.0.1'
    >>> client_address("10.0.0.1", "203.0.113.9", proxies=2)  # came around one of the proxies
    '10.0.0.1'
    """
    chain = forwarded[-LONGEST:].split(",") if forwarded else []
    if proxies <= 0 or len(chain) < proxies:
        return peer
    return _address_in(chain[-proxies].strip()) or peer


def _address_in(text: str) -> str:
    """The address of an entry, which may have a port; "" if it is none."""
    bare = text.strip('"')
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return ""


def neighbourhood(address: str) -> str:
    """Network that counts as one client: an IPv4 address, or the /64 network of one IPv6 customer.

    >>> neighbourhood("2001:db8:1:2:3:4:5:6"), neighbourhood("::ffff:192.0.2.1"), neighbourhood("192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


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
