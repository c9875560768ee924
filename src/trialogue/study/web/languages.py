"""Language of a page: chosen by a link, else remembered from such a choice, else requested by the browser."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.translation import get_language_info, get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

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
