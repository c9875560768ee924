"""Context processor: variables available to every template."""

from django.conf import settings
from django.http import HttpRequest


def preview(request: HttpRequest) -> dict[str, bool]:
    """Whether this is a preview, which the top of each page says."""
    return {"preview": settings.PREVIEW}
