"""In and out. Guessing is slowed down: see ``staff.guessing``."""

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from trialogue.study.staff.frame import LANGUAGES, shown
from trialogue.study.staff.guessing import remember_device, seconds_to_wait
from trialogue.study.web.error_pages import too_many
from trialogue.study.web.languages import speak


@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """The login page."""
    speak(request, LANGUAGES)
    after = request.POST.get("next") or request.GET.get("next") or ""
    if not url_has_allowed_host_and_scheme(
        after, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        after = reverse("study:staff")
    if request.method != "POST":
        return shown(request, "login.html", None, next=after, wide=False)
    name, password = request.POST.get("username", "")[:150], request.POST.get("password", "")[:4096]
    if wait := seconds_to_wait(request, name, failed=False):
        return too_many(request, wait)
    user = authenticate(request, username=name, password=password)
    if user is not None and getattr(user, "is_staff", False):
        login(request, user)
        response = redirect(after)
        remember_device(response, name)
        return response
    seconds_to_wait(request, name, failed=True)
    problem = gettext("Name or password is wrong, or this account may not see studies.")
    page = shown(request, "login.html", None, next=after, wide=False, username=name, problem=problem)
    page.status_code = 403
    return page


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Out."""
    logout(request)
    return redirect("study:staff-login")
