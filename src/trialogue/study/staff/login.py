"""In and out. Guessing is slowed down: ten failed attempts for a name or an address, then some minutes of silence."""

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from trialogue.study.pages.languages import speak
from trialogue.study.pages.throttle import BY_LOGIN, WINDOW, address, exceeded
from trialogue.study.pages.trouble import too_many
from trialogue.study.staff.frame import LANGUAGES, shown


@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """The login page."""
    speak(request, LANGUAGES)
    after = request.POST.get("next") or request.GET.get("next") or ""
    if not url_has_allowed_host_and_scheme(
        after, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        after = reverse("study:staff")
    if request.method == "GET":
        return shown(request, "login.html", None, next=after, wide=False)
    name, password = request.POST.get("username", "")[:150], request.POST.get("password", "")[:4096]
    if wait := _seconds_to_wait(request, name, count=False):
        return too_many(request, wait)
    user = authenticate(request, username=name, password=password)
    if user is not None and getattr(user, "is_staff", False):
        login(request, user)
        return redirect(after)
    _seconds_to_wait(request, name, count=True)
    problem = gettext("Name or password is wrong, or this account may not see studies.")
    page = shown(request, "login.html", None, next=after, wide=False, username=name, problem=problem)
    page.status_code = 403
    return page


def _seconds_to_wait(request: HttpRequest, name: str, *, count: bool) -> int:
    window = 5 * WINDOW
    return max(
        exceeded("login-name", name, BY_LOGIN, window=window, count=count),
        exceeded("login-address", address(request), 5 * BY_LOGIN, window=window, count=count),
    )


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Out."""
    logout(request)
    return redirect("study:staff-login")
