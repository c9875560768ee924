"""Base classes of staff views: page, form, list and action."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.core.paginator import Page, Paginator
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.views.generic import TemplateView
from django.views.generic.base import ContextMixin, View

from trialogue.study.staff.access import StudyMixin
from trialogue.study.staff.frame import LANGUAGES, frame
from trialogue.study.web.languages import activate_language

if TYPE_CHECKING:
    from django.views.generic import FormView, ListView

    AnyForm = FormView[Any]
    AnyList = ListView[Any]
else:  # Django's classes take no parameters while they run
    from django.views.generic import FormView as AnyForm
    from django.views.generic import ListView as AnyList

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
