"""Slow down password guessing without locking out legitimate users.

Failed logins are counted per name and address, per address, and per name over all addresses. A
browser that has logged in before carries a signed cookie: it has its own count, and the other counts do
not apply to it. So a stranger who fails on purpose, from one address or many, locks out strangers only.
"""

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from trialogue.study.web.throttle import BY_LOGIN, WINDOW, address, seconds_to_wait_for

COOKIE, SALT = "trialogue-device", "trialogue.staff.device"
KNOWN_S = 180 * 24 * 3600  # for which a browser is known after a login
SPAN = 5 * WINDOW
BY_PLACE = 5 * BY_LOGIN  # of one address, whatever the name: a hash of a password costs processor time
BY_NAME = 20 * BY_LOGIN  # of one name from all addresses, so that many addresses cannot share a guess


@dataclass(frozen=True)
class _Limit:
    kind: str
    who: str
    most: int


def seconds_to_wait(request: HttpRequest, name: str, *, failed: bool) -> int:
    """Seconds until another attempt is welcome; 0: it is.

    Args:
        request: request of the login.
        name: login name that was entered.
        failed: whether the attempt failed, and counts; False: only check.
    """
    return max(
        seconds_to_wait_for(each.kind, each.who, each.most, window=SPAN, count=failed)
        for each in _limits(request, name)
    )


def _limits(request: HttpRequest, name: str) -> list[_Limit]:
    if device := _device(request, name):
        return [_Limit("login-device", device, BY_LOGIN)]
    place = address(request)
    return [
        _Limit("login-name-address", f"{name}\n{place}", BY_LOGIN),
        _Limit("login-address", place, BY_PLACE),
        _Limit("login-name", name, BY_NAME),
    ]


def _device(request: HttpRequest, name: str) -> str:
    """Number of a browser in which this name has logged in before; "" for an unknown one."""
    try:
        known, device = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KNOWN_S)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(device) if known == name else ""


def remember_device(response: HttpResponse, name: str) -> None:
    """Mark the browser as one that has logged in with this name."""
    response.set_cookie(
        COOKIE,
        signing.dumps([name, secrets.token_urlsafe(12)], salt=SALT),
        max_age=KNOWN_S,
        path=reverse("study:staff-login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
