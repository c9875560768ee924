"""Views for withdrawing at any step, or later with the receipt code; both delete the participant's answers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trialogue.study.models import Study
from trialogue.study.pages.forms import AnyForm, ReceiptForm
from trialogue.study.pages.show import INVALID, frame, languages_of
from trialogue.study.pages.views.arriving import GOING_ON
from trialogue.study.services import entering
from trialogue.study.services import leaving as ends
from trialogue.study.web.access import study_and_person, study_of
from trialogue.study.web.error_pages import page, too_many
from trialogue.study.web.languages import activate_language
from trialogue.study.web.throttle import BY_LOGIN, WINDOW, address, seconds_to_wait_for


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for confirmation, then withdraw the participant."""
    study, participant = study_and_person(request, slug)
    if participant is None:
        return redirect("study:receipt", slug=slug)
    if request.method == "POST":
        ends.withdraw(participant)
        return redirect("study:step", slug=slug)
    language = activate_language(request, languages_of(study))
    going_on = participant.state in GOING_ON
    context = {
        **frame(request, study, language=language),
        "heading": gettext("Leave the study?"),
        "text": gettext("If you leave now, all your answers will be deleted. This cannot be undone.")
        + "\n\n"
        + gettext(
            "You can also close this page and come back later with the same link. Your place is reserved for a while."
        ),
        "button": gettext("Leave and delete my answers"),
        "back_url": reverse("study:step", args=[slug]) if going_on else "",
    }
    return render(request, "study/withdraw.html", context)


class Receipt(AnyForm):
    """Withdraw with the receipt code, from any browser, also long after the end."""

    form_class = ReceiptForm
    template_name = "study/withdraw.html"
    study: Study
    language: str

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """The study, in the reader's language."""
        super().setup(request, *args, **kwargs)
        self.study = study_of(kwargs["slug"])
        self.language = activate_language(request, languages_of(self.study))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A code, unless this address gave too many wrong ones."""
        wait = _seconds_blocked(request, count=False)
        return too_many(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: ReceiptForm) -> HttpResponse:
        """Outcome: deleted, or unknown code."""
        participant = entering.find_by_receipt(self.study, form.cleaned_data["receipt"])
        if participant is None:
            return self.form_invalid(form)
        ends.withdraw(participant)
        text = gettext("All your answers have been deleted. Thank you for taking part.")
        around = frame(self.request, self.study, language=self.language)
        return page(self.request, gettext("Your answers are deleted"), text, status=200, **around)

    def form_invalid(self, form: ReceiptForm) -> HttpResponse:
        """The page again; the guess counts."""
        _seconds_blocked(self.request, count=True)
        wrong = gettext("No answers were found for this code. Please check each letter and digit.")
        context = self.get_context_data(form=form, receipt_wrong=wrong, failed=True)
        return self.render_to_response(context, status=INVALID)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Form of the page."""
        return super().get_context_data(
            **frame(self.request, self.study, language=self.language),
            heading=gettext("Delete my answers"),
            text=gettext("Enter your receipt code. All your answers will be deleted immediately."),
            button=gettext("Delete my answers"),
            ask_receipt=True,
            **kwargs,
        )


def _seconds_blocked(request: HttpRequest, *, count: bool) -> int:
    """Seconds until an address that gave wrong codes may try again."""
    return seconds_to_wait_for("receipt", address(request), 5 * BY_LOGIN, window=5 * WINDOW, count=count)
