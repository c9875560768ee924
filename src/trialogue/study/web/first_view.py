"""When a page was shown first, in a signed cookie and in the page's token: showing a page writes nothing to the database."""

from datetime import UTC, datetime

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

NAME = "shown"
_signer = Signer(salt="trialogue.shown")


def first_view(request: HttpRequest, page_key: str) -> datetime:
    """When this browser was shown a page first: now, or as its cookie says."""
    try:
        page, _, milliseconds = _signer.unsign(request.COOKIES.get(NAME, "")).partition("/")
    except BadSignature:
        page = ""
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC) if page == page_key else timezone.now()


def remember_view(request: HttpRequest, response: HttpResponse, slug: str, page_key: str, at: datetime) -> None:
    """Keep when a page was shown first, until another page of the study is shown."""
    value = _signer.sign(f"{page_key}/{int(at.timestamp() * 1000)}")
    if request.COOKIES.get(NAME) == value:
        return
    response.set_cookie(
        NAME,
        value,
        max_age=settings.SESSION_COOKIE_AGE,
        path=f"/{slug}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite=settings.SESSION_COOKIE_SAMESITE,  # type: ignore[arg-type] # as Django's settings are typed
    )
