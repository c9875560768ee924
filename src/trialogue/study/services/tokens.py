"""Tokens of pages, which prevent answers for another participant or item.

Opaque: a token says nothing about its page to a reader of the HTML, neither by its content nor by its length, so that a
program cannot tell a check from a task.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac

PURPOSE = "trialogue.step"
LENGTH = 120  # characters inside a token; more than any participant's id, time and step have


@dataclass(frozen=True)
class PageToken:
    """What a page's token says."""

    participant: int
    """The participant's id."""
    step: str
    """The key of the step that the page showed."""
    shown: datetime
    """When it was shown first."""


def token_for(participant_id: int, step: str, shown: datetime | None = None) -> str:
    """The token of a participant's step, which was shown first at a time; None: now."""
    text = f"{participant_id} {int((shown or timezone.now()).timestamp() * 1000)} {step}"
    return _cipher(settings.SECRET_KEY).encrypt(text.ljust(LENGTH).encode()).decode("ascii")


def page_key(participant_id: int, step: str) -> str:
    """Key under which a browser keeps what was answered and not yet sent: the same at every load of a page, unlike a token,
    and as opaque."""
    secret = f"{PURPOSE}.page\0{settings.SECRET_KEY}".encode()
    return hmac.new(secret, f"{participant_id} {step}".encode(), hashlib.sha256).hexdigest()[:24]


def read_token(token: str, *, secret: str = "") -> PageToken | None:
    """What a token says; None if it is forged or damaged. ``secret``: another key than this process's."""
    try:
        text = _cipher(secret or settings.SECRET_KEY).decrypt(token.encode()).decode().strip()
        owner, milliseconds, step = text.split(" ", 2)
        return PageToken(int(owner), step, datetime.fromtimestamp(int(milliseconds) / 1000, UTC))
    except (InvalidToken, ValueError):
        return None


def page_in(token: str, participant_id: int) -> PageToken | None:
    """What a token says; None if it is forged, damaged or another's."""
    found = read_token(token)
    return found if found is not None and found.participant == participant_id else None


def secret_hash(purpose: str, text: str) -> str:
    """Keyed hash: equal texts have equal hashes, and texts cannot be guessed without the key."""
    return salted_hmac(f"trialogue.{purpose}", text, algorithm="sha256").hexdigest()


@lru_cache(maxsize=4)
def _cipher(secret: str) -> Fernet:
    key = hashlib.sha256(f"{PURPOSE}\0{secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
