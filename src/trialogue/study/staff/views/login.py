"""Log-in, log-out and first login. Guessing is slowed down, see ``staff.guessing``.

Slow down password guessing without locking out legitimate users.

Failed logins are counted per name and address, per address, and per name over all addresses. A
browser that has logged in before carries a signed cookie: it has its own count, and the other counts do
not apply to it. So a stranger who fails on purpose, from one address or many, locks out strangers only.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from trialogue.errors import UsageError
from trialogue.study.services.staff_access import let_first_in, opens_first_login
from trialogue.study.staff.base import FormMixin, FrameMixin
from trialogue.study.staff.forms import FirstLoginForm, LoginForm, login_name
from trialogue.study.web.middleware import too_many
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


class LogIn(FrameMixin, FormMixin, LoginView):
    """The login page; it leads on within this site only."""

    form_class = LoginForm
    template_name = "study/staff/login.html"
    wide = False
    invalid_status = 403

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """An attempt, unless there were too many."""
        if wait := seconds_to_wait(request, self._name(), failed=False):
            return too_many(request, wait)
        return super().post(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        """Redirect target without a local address in ``next``."""
        return reverse("study:staff")

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """In."""
        response = super().form_valid(form)
        remember_device(response, self._name())
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:  # type: ignore[override]  # of forms only this
        """A failed attempt is counted."""
        seconds_to_wait(self.request, self._name(), failed=True)
        return super().form_invalid(form)

    def _name(self) -> str:
        return login_name(self.request.POST.get("username", ""))


class First(FrameMixin, FormMixin):
    """The first login: the operator of the server follows the link from its terminal and chooses name and password."""

    form_class = FirstLoginForm
    template_name = "study/staff/first.html"
    wide = False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The response.

        Raises:
            Http404: the link is used, out of date, or not ours.
        """
        if not opens_first_login(kwargs["token"]):
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: FirstLoginForm) -> HttpResponse:
        """The login, made once; and in.

        Raises:
            Http404: somebody else was faster.
        """
        name = form.cleaned_data["username"]
        try:
            user = let_first_in(self.kwargs["token"], name, form.cleaned_data["password"])
        except UsageError as error:
            form.add_error(None, str(error))
            return self.form_invalid(form)
        if user is None:
            raise Http404
        login(self.request, user)
        response = redirect("study:staff")
        remember_device(response, name)
        return response
