"""Signed participant links: an id, an expiry date, and a signature over both and the study's name."""

import hashlib
import hmac
import time
from collections.abc import Mapping
from urllib.parse import urlencode

DAY_S = 24 * 3600


def signed_link(base: str, *, study: str, person: str, key: str, days: float = 60, now: float | None = None) -> str:
    """The link by which one person enters a study.

    Args:
        base: the study's address.
        study: short name of the study.
        person: participant code known to the laboratory.
        key: the server's secret key.
        days: number of days for which the link is valid.
        now: seconds since 1970; the clock by default.
    """
    expires = int((time.time() if now is None else now) + days * DAY_S)
    query = urlencode({"id": person, "expires": expires, "signature": _signature(study, person, str(expires), key)})
    return f"{base}{'&' if '?' in base else '?'}{query}"


def verify(parameters: Mapping[str, str], *, study: str, key: str, now: float | None = None) -> bool:
    """Whether a link's parameters are signed by us, for this study, and not out of date."""
    person, expires = parameters.get("id", ""), parameters.get("expires", "")
    if not person or not (expires.isascii() and expires.isdigit() and len(expires) < 16):
        return False
    right = hmac.compare_digest(
        parameters.get("signature", "").encode(), _signature(study, person, expires, key).encode()
    )
    return right and int(expires) >= (time.time() if now is None else now)


def _signature(study: str, person: str, expires: str, key: str) -> str:
    text = "\n".join(["trialogue link", study, person, expires])
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
