"""Security headers: no external resources, no inline scripts, no framing."""

from collections.abc import Callable, Iterable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

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
