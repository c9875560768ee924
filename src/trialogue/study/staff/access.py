"""Staff roles: all may view, some may export, some may decide and delete."""

from typing import Any, ClassVar

from django.contrib.auth.mixins import AccessMixin
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.generic.base import View

from trialogue.study.models import Audit, Study

EXPORT, MANAGE = "study.export_study", "study.manage_study"


class StaffMixin(AccessMixin, View):
    """Lets members of staff see a view; others are sent to the login page, or told that they lack the permission."""

    permission: ClassVar[str] = ""
    """Additional permission that a login needs; "" if none."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The response.

        Raises:
            PermissionDenied: somebody else is logged in, or may not do this.
        """
        user = _user(request)
        if not (user.is_active and user.is_staff and (not self.permission or user.has_perm(self.permission))):
            return self.handle_no_permission()
        return super().dispatch(request, *args, **kwargs)


class StudyMixin(StaffMixin):
    """A view of one study, found by the address."""

    study: Study

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The response; strangers do not learn which studies there are."""
        if _user(request).is_staff:
            self.study = get_object_or_404(Study, slug=kwargs["slug"])
        return super().dispatch(request, *args, **kwargs)


def _user(request: HttpRequest) -> User | AnonymousUser:
    user: AbstractBaseUser | AnonymousUser = request.user
    return user if isinstance(user, User | AnonymousUser) else AnonymousUser()


def may(request: HttpRequest, permission: str) -> bool:
    """Whether the member of staff has a permission."""
    return _user(request).has_perm(permission)


def role(request: HttpRequest) -> str:
    """Role of the staff member, in one word."""
    if may(request, MANAGE):
        return gettext("can manage")
    return gettext("can export") if may(request, EXPORT) else gettext("can view")


def login_of(request: HttpRequest) -> str:
    """The login, for the log."""
    return _user(request).get_username()


def record(request: HttpRequest, study: Study, what: str, **detail: Any) -> None:
    """A line of the log."""
    Audit.objects.create(study=study, who=login_of(request), what=what, detail=detail)
