"""The first login: whoever started the server follows the link from its terminal, and chooses a name and a password."""

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trialogue.errors import UsageError
from trialogue.study.services.management.staffing import let_first_in, opens_first_login
from trialogue.study.staff.frame import LANGUAGES, shown
from trialogue.study.staff.guessing import remember_device
from trialogue.study.web.languages import speak


@require_http_methods(["GET", "HEAD", "POST"])
def first(request: HttpRequest, token: str) -> HttpResponse:
    """The form, and the login that it makes; nothing at all once there is one.

    Raises:
        Http404: the link is used, out of date, or not ours.
    """
    speak(request, LANGUAGES)
    if not opens_first_login(token):
        raise Http404
    if request.method != "POST":
        return _form(request)
    name, password = request.POST.get("username", "").strip()[:150], request.POST.get("password", "")[:4096]
    if password != request.POST.get("again", ""):
        return _form(request, name, gettext("The passwords are not the same."))
    try:
        user = let_first_in(token, name, password)
    except UsageError as error:
        return _form(request, name, str(error))
    if user is None:
        raise Http404
    login(request, user)
    response = redirect("study:staff")
    remember_device(response, name)
    return response


def _form(request: HttpRequest, name: str = "", problem: str = "") -> HttpResponse:
    page = shown(request, "first.html", None, username=name, problem=problem, wide=False)
    page.status_code = 422 if problem else 200
    return page
