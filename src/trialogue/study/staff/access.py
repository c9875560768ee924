"""Who may see and do what: every member of staff may look, some may export, some may decide and delete."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext

from trialogue.study.models import Audit, Study

EXPORT, MANAGE = "study.export_study", "study.manage_study"
Rest = ParamSpec("Rest")
View: TypeAlias = Callable[Concatenate[HttpRequest, Study, Rest], HttpResponse]


def staff(permission: str | None = None) -> Callable[[View[Rest]], Callable[..., HttpResponse]]:
    """A page of a study for members of staff; with a permission, for those who have it.

    Others are led to the login, or told that it is not for them; the view gets the study in place of its slug.
    """

    def guarded(view: View[Rest]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def checked(request: HttpRequest, slug: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
            if (refused := refusal(request)) is not None:
                return refused
            if permission and not _user(request).has_perm(permission):
                raise PermissionDenied
            return view(request, get_object_or_404(Study, slug=slug), *args, **kwargs)

        return checked

    return guarded


def refusal(request: HttpRequest) -> HttpResponse | None:
    """Where somebody is sent who is no member of staff; None: they are one."""
    user = _user(request)
    if user.is_authenticated and user.is_active and getattr(user, "is_staff", False):
        return None
    if user.is_authenticated:
        raise PermissionDenied
    return redirect(f"{reverse('study:staff-login')}?{urlencode({'next': request.get_full_path()})}")


def _user(request: HttpRequest) -> User | AnonymousUser:
    user: AbstractBaseUser | AnonymousUser = request.user
    return user if isinstance(user, User | AnonymousUser) else AnonymousUser()


def may(request: HttpRequest, permission: str) -> bool:
    """Whether the member of staff has a permission."""
    return _user(request).has_perm(permission)


def role(request: HttpRequest) -> str:
    """What the member of staff may do, in a word."""
    if may(request, MANAGE):
        return gettext("may manage")
    return gettext("may export") if may(request, EXPORT) else gettext("may look")


def who(request: HttpRequest) -> str:
    """The login, for the log."""
    return _user(request).get_username()


def record(request: HttpRequest, study: Study, what: str, **detail: Any) -> None:
    """A line of the log."""
    Audit.objects.create(study=study, who=who(request), what=what, detail=detail)
