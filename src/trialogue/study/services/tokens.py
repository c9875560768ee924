"""Tokens of pages, which prevent answers for another participant or item.

Opaque: a token says nothing about its page to a reader of the HTML, neither by its content nor by its length, so that a
program cannot tell a check from a task.
"""

import base64
import hashlib
import hmac
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

PURPOSE = "trialogue.step"
LENGTH = 120  # characters inside a token; more than any participant's id and step have


def token_for(participant_id: int, step: str) -> str:
    """The token of a participant's step."""
    return _cipher(settings.SECRET_KEY).encrypt(f"{participant_id} {step}".ljust(LENGTH).encode()).decode("ascii")


def page_key(participant_id: int, step: str) -> str:
    """Key under which a browser keeps what was answered and not yet sent: the same at every load of a page, unlike a token,
    and as opaque."""
    secret = f"{PURPOSE}.page\0{settings.SECRET_KEY}".encode()
    return hmac.new(secret, f"{participant_id} {step}".encode(), hashlib.sha256).hexdigest()[:24]


def read_token(token: str, *, secret: str = "") -> tuple[int, str] | None:
    """(participant, step) of a token; None if it is forged or damaged. ``secret``: another key than this process's."""
    try:
        owner, _, step = _cipher(secret or settings.SECRET_KEY).decrypt(token.encode()).decode().strip().partition(" ")
    except (InvalidToken, ValueError):
        return None
    return int(owner), step


def step_in(token: str, participant_id: int) -> str | None:
    """The step that a token names; None if it is forged, damaged or another's."""
    found = read_token(token)
    return found[1] if found is not None and found[0] == participant_id else None


@lru_cache(maxsize=4)
def _cipher(secret: str) -> Fernet:
    key = hashlib.sha256(f"{PURPOSE}\0{secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
