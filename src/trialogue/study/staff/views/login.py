"""Log-in, log-out and first login. Guessing is slowed down, see ``staff.guessing``."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from trialogue.errors import UsageError
from trialogue.study.services.management.staff_access import let_first_in, opens_first_login
from trialogue.study.staff.forms import FirstLoginForm, LoginForm, login_name
from trialogue.study.staff.guessing import remember_device, seconds_to_wait
from trialogue.study.staff.views.base import FormMixin, FrameMixin
from trialogue.study.web.error_pages import too_many


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
