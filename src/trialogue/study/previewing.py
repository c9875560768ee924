"""Tells templates whether this is a preview."""

from django.conf import settings
from django.http import HttpRequest


def said_on_every_page(request: HttpRequest) -> dict[str, bool]:
    """``preview``, for the top of each page."""
    return {"preview": settings.PREVIEW}
