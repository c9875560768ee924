"""Error pages, which say whether answers were saved and what to do now. None uses the database."""

import logging
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext

log = logging.getLogger("trialogue.study")
LARGEST = 200_000  # characters of a form that is offered to be sent again


def page(request: HttpRequest, heading: str, text: str, *, status: int, **context: Any) -> HttpResponse:
    """A page with a message and nothing else."""
    shown = {"heading": heading, "text": text, "action": request.get_full_path(), **context}
    if status not in (200, 503):
        shown["status"] = status
    return HttpResponse(render_to_string("study/message.html", shown, request), status=status)


class TroubleMiddleware:
    """A database that is locked, full or gone becomes a page that says: not saved, try again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for a failed database; other errors are bugs, and stay ones."""
        if not isinstance(exception, DatabaseError | InterfaceError):
            return None
        log.error("not saved: %s %s: %s", request.method, request.path, exception)
        return error_not_saved(request)


def error_not_saved(request: HttpRequest) -> HttpResponse:
    """Said instead of an acknowledgement; the form can be sent again as it was."""
    fields = [
        (name, value)
        for name in request.POST
        for value in request.POST.getlist(name)
        if name not in ("csrfmiddlewaretoken", "password")
    ]
    posted = request.method == "POST" and sum(len(value) for _, value in fields) < LARGEST
    heading = gettext("Not saved yet") if request.method == "POST" else gettext("One moment, please")
    text = (
        gettext("Your answers on this page could not be saved just now. Everything you saved before is safe.")
        if request.method == "POST"
        else gettext("The page could not be loaded just now. Everything you saved before is safe.")
    )
    advice = gettext("Please wait a few seconds and try again.")
    retry: dict[str, Any] = (
        {"retry": fields} if posted else {"link_url": request.get_full_path(), "link_text": gettext("Try again")}
    )
    response = page(request, heading, f"{text}\n\n{advice}", status=503, **retry)
    response.headers["Retry-After"] = "5"
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400."""
    text = gettext("Your browser sent something that we could not read. Please go back and try again.")
    return page(request, gettext("That did not work"), text, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    text = gettext("This page belongs to someone else, or you came here from another website.")
    advice = gettext("Please use the link you received to open the study. Everything you saved is safe.")
    return page(request, gettext("No access"), f"{text}\n\n{advice}", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403, since a form came without its secret: from another site, or from a browser without cookies."""
    text = gettext(
        "This form could not be verified. Your browser may block cookies, or the page was open for a very long time."
    )
    advice = gettext("Please allow cookies for this website, reload the page and send your answers again.")
    link = {"link_url": request.get_full_path(), "link_text": gettext("Reload the page")}
    return page(request, gettext("Please try again"), f"{text}\n\n{advice}", status=403, **link)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    text = gettext("There is no page at this address. Please use the link you received to open the study.")
    return page(request, gettext("Page not found"), text, status=404)


def too_many(request: HttpRequest, seconds: int) -> HttpResponse:
    """429."""
    text = gettext("There were too many requests. Please wait a moment. Everything you saved is safe.")
    link = {"link_url": request.get_full_path(), "link_text": gettext("Try again")}
    response = page(request, gettext("One moment, please"), text, status=429, **link)
    response.headers["Retry-After"] = str(seconds)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    text = gettext("Something went wrong on our side. Everything you saved before is safe.")
    link = {"link_url": request.get_full_path(), "link_text": gettext("Try again")}
    return page(request, gettext("Sorry"), text, status=500, **link)
