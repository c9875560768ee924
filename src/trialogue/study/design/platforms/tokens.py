"""Verify Prolific's signed links: a JSON Web Token in the URL, which prevents forged ids.

Only RS256 is accepted, with a public key that Prolific publishes; the token is issued for this server's own name, it
expires, and it contains the participant, so other parameters of the URL are not read.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

CLAIM = "prolific"
NAMES: dict[str, tuple[str, ...]] = {  # of what the claim holds, by the parameter that it stands for
    "PROLIFIC_PID": ("participant_id", "prolific_pid", "participant"),
    "STUDY_ID": ("study_id", "study"),
    "SESSION_ID": ("submission_id", "session_id", "submission"),
}
LATE_S = 60  # by which clocks may differ
LONGEST = 8_000  # characters of a token


class KeyUnknownError(LookupError):
    """No public key of this id is published; or none could be read just now."""


@dataclass(frozen=True)
class Token:
    """Content of a verified token."""

    ids: dict[str, str]
    """By name of the parameter: PROLIFIC_PID, STUDY_ID, SESSION_ID, as far as it has them."""
    state: Literal["valid", "expired", "forged", "unchecked"] = "valid"
    """``expired``: genuine and out of date. ``forged``: not signed by Prolific, or for another server. ``unchecked``: the
    keys cannot be read just now."""


class Keys(Protocol):
    """Public keys by id."""

    def key(self, kid: str) -> Any:
        """A public key.

        Raises:
            KeyUnknownError: there is none, or none can be read.
        """
        ...

    @property
    def readable(self) -> bool:
        """Whether keys could be read at all."""
        return True


def token_of(text: str, *, keys: Keys, audience: Iterable[str], now: float | None = None) -> Token:
    """Verify and parse a token.

    Args:
        text: the token.
        keys: public keys of the platform.
        audience: names of this server, for one of which the token must be issued.
        now: seconds since 1970; the clock by default.
    """
    import jwt

    forged = Token({}, "forged")
    if len(text) > LONGEST:
        return forged
    try:
        header = jwt.get_unverified_header(text)
        if header.get("alg") != "RS256":  # neither none nor HMAC with the public key as its secret
            return forged
        key = keys.key(str(header.get("kid", "")))
    except KeyUnknownError:
        return forged if keys.readable else Token({}, "unchecked")
    except jwt.InvalidTokenError:
        return forged
    names = [f"{scheme}{host}{end}" for host in audience for scheme in ("", "https://") for end in ("", "/")]
    try:
        claims = jwt.decode(
            text,
            key=key,
            algorithms=["RS256"],
            audience=names,
            leeway=LATE_S,
            options={"require": ["exp", "aud"], "verify_exp": False},
        )
    except jwt.InvalidTokenError:
        return forged
    ids = _ids(claims.get(CLAIM))
    expires = claims["exp"]
    if "PROLIFIC_PID" not in ids or isinstance(expires, bool) or not isinstance(expires, int | float):
        return forged
    over = expires + LATE_S < (time.time() if now is None else now)
    return Token(ids, "expired" if over else "valid")


def _ids(claim: object) -> dict[str, str]:
    given: Mapping[str, object] = (
        {str(name).lower(): value for name, value in claim.items()} if isinstance(claim, dict) else {}
    )
    found = {
        name: next((given[each] for each in known if isinstance(given.get(each), str) and given[each]), None)
        for name, known in NAMES.items()
    }
    return {name: str(value) for name, value in found.items() if value is not None}
