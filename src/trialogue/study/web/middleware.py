"""Error pages, headers, languages, sessions and participants' codes in them, around every request."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import get_language_info, get_supported_language_variant, gettext
from django.utils.translation.trans_real import parse_accept_lang_header

from trialogue.study.models import Participant, Study
from trialogue.study.services import rows

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


MTURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")
POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
}
OTHERS = {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all browsers send "Origin: null", and no form would be taken
}


class HeadersMiddleware:
    """Puts the headers on every response; pages with answers are kept in no cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response, with headers."""
        response = self._get_response(request)
        hosts = getattr(response, "platform_hosts", ())
        if request.method == "HEAD" and isinstance(response, HttpResponse):
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        response.headers.setdefault(
            "Content-Security-Policy", policy(hosts, images=getattr(response, "image_addresses", ()))
        )
        for name, value in OTHERS.items():
            response.headers[name] = value
        if not hosts:
            response.headers["X-Frame-Options"] = "DENY"
        elif "X-Frame-Options" in response.headers:
            del response.headers["X-Frame-Options"]
        if str(response.headers.get("Content-Type", "")).startswith("text/html"):
            response.headers["Cache-Control"] = "no-store"
        return response


def policy(hosts: Iterable[str] = (), *, images: Iterable[str] = ()) -> str:
    """The content security policy.

    Args:
        hosts: may hold the page in a frame and get its forms (MTurk).
        images: beginnings of addresses from which the study shows images.

    >>> "script-src 'self'" in policy() and "unsafe" not in policy()
    True
    """
    rules = {name: list(sources) for name, sources in POLICY.items()}
    if allowed := [host for host in hosts if host in MTURK]:
        rules["frame-ancestors"] = allowed
        rules["form-action"] += allowed
    rules["img-src"] += images
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in rules.items())


COOKIE = "language"
YEAR = 365 * 24 * 3600


class LanguageMiddleware:
    """Activates the reader's language for the time of a request, and remembers a choice."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response, in the reader's language."""
        with translation.override(wanted_languages(request)[0]):
            response = self._get_response(request)
        if supported_language(chosen := request.GET.get("language", "")):
            response.set_cookie(
                COOKIE, chosen, max_age=YEAR, samesite="Lax", httponly=True, secure=settings.SESSION_COOKIE_SECURE
            )
        return response


def wanted_languages(request: HttpRequest) -> list[str]:
    """Languages that the reader would like and we could speak, best first; never empty."""
    asked = [request.GET.get("language", ""), request.COOKIES.get(COOKIE, "")]
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", "")[:500])
    found = [code for given in [*asked, *(code for code, _ in accepted)] if (code := supported_language(given))]
    return [*dict.fromkeys(found), settings.LANGUAGE_CODE]


def supported_language(code: str) -> str:
    """The language of ours that a code means; "" if none."""
    try:
        return get_supported_language_variant(code) if code and len(code) < 20 else ""
    except LookupError:
        return ""


def activate_language(request: HttpRequest, languages: Sequence[str]) -> str:
    """Activate the language that a study and its reader share best, and say which; the study's first if they share none."""
    ours = {supported_language(code) or code: code for code in languages}
    code = next((code for code in wanted_languages(request)[:-1] if code in ours), next(iter(ours)))
    translation.activate(code)
    return ours[code]


def choices(languages: Sequence[str], current: str) -> list[dict[str, object]]:
    """The languages of a study as links, each named in itself."""
    return [{"code": code, "name": _name(code), "current": code == current} for code in languages]


def _name(code: str) -> str:
    try:
        return str(get_language_info(code)["name_local"])
    except KeyError:
        return code


FOUND = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(db.SessionStore):
    """A session of a browser."""

    def load(self) -> dict[str, Any]:
        """Session data; empty if there are none, or they have expired."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(FOUND, [self.session_key, now])
            row: tuple[str] | None = cursor.fetchone()
        if row is not None:
            return self.decode(row[0])
        self._session_key = None
        return {}

    def save(self, must_create: bool = False) -> None:
        """Store it.

        Raises:
            UpdateError: it was deleted meanwhile.
            DatabaseError: it could not be stored. Django takes a database that is locked or full for a session that was
                deleted, and answers that the browser made a mistake.
        """
        try:
            super().save(must_create=must_create)
        except UpdateError as error:
            if type(cause := error.__context__) is not DatabaseError and isinstance(cause, DatabaseError):
                raise cause from None
            raise


class SavedSessionMiddleware(SessionMiddleware):
    """Django's, whose session is stored after the view: where that fails, nothing is acknowledged."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # type: ignore[override]
        """The response, or the page that says: not saved, try again."""
        try:
            return super().process_response(request, response)  # type: ignore[arg-type]
        except (DatabaseError, InterfaceError) as error:
            log.error("session not saved: %s %s: %s", request.method, request.path, error)
            with translation.override(wanted_languages(request)[0]):
                return error_not_saved(request)


class NoUploads(FileUploadHandler):
    """Refuses a form that is too long to be one of ours, and ends a form at its first file."""

    def handle_raw_input(self, _data: object, _headers: object, content_length: int, *others: object) -> None:
        """Look at the length that was announced; Django's own limit does not count files.

        Raises:
            RequestDataTooBig: which is answered by 400.
        """
        if content_length > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
            raise RequestDataTooBig("A form is too long.")

    def new_file(self, *given: object, **named: object) -> None:
        """End it."""
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep nothing."""

    def file_complete(self, file_size: int) -> None:
        """There is none."""


def preview(request: HttpRequest) -> dict[str, bool]:
    """Whether this is a preview, which the top of each page says."""
    return {"preview": settings.PREVIEW}


KEY, RECEIPTS = "participants", "receipts"


def study_of(slug: str) -> Study:
    """The study of an address.

    Raises:
        Http404: there is none.
    """
    return get_object_or_404(Study.objects.defer("configuration"), slug=slug)


def participant_of(request: HttpRequest, study: Study) -> Participant | None:
    """Participant of this browser in a study; None if there is none, or their data were erased."""
    code = request.session.get(KEY, {}).get(study.slug)
    return rows.person(code, study.slug) if code else None


def study_and_person(request: HttpRequest, slug: str) -> tuple[Study, Participant | None]:
    """The study of an address and who this browser is in it, read at once.

    Raises:
        Http404: there is no such study.
    """
    code = request.session.get(KEY, {}).get(slug)
    found = rows.person(code, slug) if code else None
    return (found.study, found) if found else (study_of(slug), None)


def remember(request: HttpRequest, participant: Participant) -> None:
    """This browser is the participant from now on; a session that was planted before is worth nothing."""
    known = {**request.session.get(KEY, {}), participant.study.slug: participant.code}
    request.session.cycle_key()
    request.session[KEY] = known


def forget(request: HttpRequest, study: Study) -> None:
    """End the participant's session in this browser."""
    known = {slug: code for slug, code in request.session.get(KEY, {}).items() if slug != study.slug}
    request.session[KEY] = known


def keep_receipt(request: HttpRequest, study: Study, receipt: str) -> None:
    """Keep the receipt code for the last page; the database holds only its hash."""
    request.session[RECEIPTS] = {**request.session.get(RECEIPTS, {}), study.slug: receipt}


def receipt_of(request: HttpRequest, study: Study) -> str:
    """The receipt code; "" where another browser has it."""
    return str(request.session.get(RECEIPTS, {}).get(study.slug, ""))
