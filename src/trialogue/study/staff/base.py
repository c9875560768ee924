"""Staff pages: roles (all may view, some export, some decide and delete), layout, and views to build on."""

import os
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth.mixins import AccessMixin
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext
from django.views.generic import TemplateView
from django.views.generic.base import ContextMixin, View

from trialogue.study.design.questions import Question, text_in
from trialogue.study.models import Audit, Study
from trialogue.study.recruiting.api import TOKEN
from trialogue.study.services.rows import file_of
from trialogue.study.web.middleware import activate_language

if TYPE_CHECKING:
    from django.views.generic import FormView, ListView

    AnyForm = FormView[Any]
    AnyList = ListView[Any]
else:  # Django's classes take no parameters while they run
    from django.views.generic import FormView as AnyForm
    from django.views.generic import ListView as AnyList

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


LANGUAGES = ("en", "de")  # that the pages of staff speak


def frame(request: HttpRequest, study: Study | None, language: str) -> dict[str, Any]:
    """Template context shared by all staff pages."""
    return {"role": role(request), "tabs": _tabs(request, study), "study_title": title(study, language)}


def title(study: Study | None, language: str) -> str:
    """The title of a study."""
    return text_in(study.configuration.get("title", study.slug), language) if study else "Trialogue"


def questions_of(study: Study) -> list[Question]:
    """Questions about items."""
    design = file_of(study)
    return [*design.criteria, *design.item_questions()]


def recruits(study: Study) -> bool:
    """Whether this server sends decisions to Prolific: it has a token, and the study states a payment."""
    file = file_of(study)
    wanted = file.platform.name == "prolific" and file.payment is not None
    return wanted and settings.FOLDER is not None and bool(os.environ.get(TOKEN))


def _tabs(request: HttpRequest, study: Study | None) -> list[dict[str, object]]:
    if study is None:
        return []
    pages = [
        ("staff-study", gettext("Overview")),
        ("staff-people", gettext("Participants")),
        *([("staff-labels", gettext("Labels"))] if study.configuration.get("type") == "labelling" else []),
        *([("staff-codes", gettext("Explanations"))] if study.configuration.get("type") in EXPLAINED else []),
        ("staff-report", gettext("Report")),
        *([("staff-launch", gettext("Launch"))] if may(request, MANAGE) else []),
        ("staff-data", gettext("Data")),
        ("staff-log", gettext("Log")),
    ]
    tabs: list[dict[str, object]] = []
    for name, label in pages:
        url = reverse(f"study:{name}", args=[study.slug])
        tabs.append(
            {
                "name": label,
                "url": url,
                "current": request.path == url or (name in WITHIN and request.path.startswith(url)),
            }
        )
    return tabs


WITHIN = ("staff-people", "staff-data")  # tabs with pages below them
EXPLAINED = ("realism", "preference")  # types of study whose judgements come with explanations

INVALID = 422  # status of a page that is shown again, since a form could not be taken
ON_A_PAGE = 100


class LanguageMixin(View):
    """Speaks the reader's language."""

    language = "en"

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Before anything is written."""
        super().setup(request, *args, **kwargs)
        self.language = activate_language(request, LANGUAGES)


class FrameMixin(ContextMixin, LanguageMixin):
    """Puts tabs and names around a page."""

    wide: ClassVar[bool] = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The frame, under what the view adds."""
        around = frame(self.request, getattr(self, "study", None), self.language)
        return super().get_context_data(**{**around, "wide": self.wide, **kwargs})


class FormMixin(AnyForm):
    """A page with a form; an invalid form is shown again with its errors."""

    invalid_status: ClassVar[int] = INVALID

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """``problem``: the first thing that is wrong with the form."""
        context = super().get_context_data(**kwargs)
        return {"problem": problem(context["form"]), **context}

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """The page again."""
        return self.render_to_response(self.get_context_data(form=form), status=self.invalid_status)


def problem(form: BaseForm) -> str:
    """The first thing that is wrong with a form; "" if nothing is."""
    return next((str(error) for errors in form.errors.values() for error in errors), "")


class StaffPage(FrameMixin, StudyMixin, TemplateView):
    """A page of a study."""


class StaffForm(FrameMixin, StudyMixin, FormMixin):
    """A page of a study with a form."""


class StaffList(FrameMixin, StudyMixin, AnyList):
    """A page of a study with a list; a number of a page that there is not leads to one that there is."""

    paginate_by = ON_A_PAGE
    context_object_name = "rows"

    def paginate_queryset(self, queryset: Any, page_size: int) -> "tuple[Paginator[Any], Page[Any], Any, bool]":
        """The page that the address names, or the nearest."""
        paginator = Paginator(queryset, page_size)
        page = paginator.get_page(self.request.GET.get(self.page_kwarg))
        return paginator, page, page.object_list, page.has_other_pages()


class StaffAction(LanguageMixin, StudyMixin):
    """An action or a download, without a page."""
