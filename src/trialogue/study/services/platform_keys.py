"""Prolific's public keys, cached for at most a day, and fetched again when a key is unknown."""

import json
import os
import threading
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from trialogue.errors import UsageError
from trialogue.study.design.platforms.tokens import Keys, KeyUnknownError

ADDRESS = "https://api.prolific.com/.well-known/study/jwks.json"
VARIABLE = "TRIALOGUE_PROLIFIC_KEYS"  # another address, such as a mirror
FRESH_S = 12 * 3600.0  # after which keys are read again; Prolific asks for daily at least
AGAIN_S = 60.0  # between two readings for keys that are not known, so that made-up tokens cause no flood
STALE_S = 7 * 24 * 3600.0  # for which keys are used where no newer ones can be read
WAIT_S = 5.0
LARGEST = 200_000  # bytes


class PublishedKeys(Keys):
    """Keys at an address.

    Args:
        address: address of the keys; HTTPS, or this machine.

    Raises:
        UsageError: the address is neither.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")):
            raise UsageError(f"{VARIABLE} must be an https address, got {address!r}.")
        self._address, self._lock = address, threading.Lock()
        self._keys: dict[str, Any] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None

    @property
    def readable(self) -> bool:
        """Whether there are keys that are not too old."""
        return self._read_at is not None and time.monotonic() - self._read_at < STALE_S

    def key(self, kid: str) -> Any:
        """A public key; read anew where those that are there are old, or do not have it.

        Raises:
            KeyUnknownError: there is none, or none can be read.
        """
        with self._lock:
            fresh = self._read_at is not None and time.monotonic() - self._read_at < FRESH_S
            rested = self._tried_at is None or time.monotonic() - self._tried_at >= AGAIN_S
            if rested and not (fresh and kid in self._keys):
                self._read()
            if not self.readable or kid not in self._keys:
                raise KeyUnknownError(kid)
            return self._keys[kid]

    def _read(self) -> None:
        import jwt

        self._tried_at = time.monotonic()
        try:
            with urllib.request.urlopen(self._address, timeout=WAIT_S) as answer:
                rows = json.loads(answer.read(LARGEST))["keys"]
            found = {row["kid"]: jwt.PyJWK(row, algorithm="RS256").key for row in rows if row.get("kty") == "RSA"}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, jwt.PyJWTError):
            return  # what was read before stays; people who cannot be checked are asked to try again
        if found:
            self._keys, self._read_at = found, time.monotonic()


_keys: dict[str, PublishedKeys] = {}


def published_keys() -> PublishedKeys:
    """The keys of Prolific, one object for a process."""
    address = os.environ.get(VARIABLE) or ADDRESS
    return _keys.setdefault(address, PublishedKeys(address))
