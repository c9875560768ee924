"""Out, at any step, and afterwards with the receipt code: everything that somebody answered is deleted."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trialogue.study.models import Study
from trialogue.study.pages.arriving import GOING_ON
from trialogue.study.pages.show import frame, languages_of
from trialogue.study.services import entering
from trialogue.study.services import leaving as ends
from trialogue.study.web.access import study_of, who
from trialogue.study.web.error_pages import page, too_many
from trialogue.study.web.languages import speak
from trialogue.study.web.throttle import BY_LOGIN, WINDOW, address, exceeded


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask whether somebody means it; then withdraw them."""
    study, participant = who(request, slug)
    if participant is None:
        return redirect("study:receipt", slug=slug)
    if request.method == "POST":
        ends.withdraw(participant)
        return redirect("study:step", slug=slug)
    language = speak(request, languages_of(study))
    going_on = participant.state in GOING_ON
    context = {
        **frame(request, study, language=language),
        "heading": gettext("Leave the study?"),
        "text": gettext("If you leave now, all your answers are deleted and cannot be brought back.")
        + "\n\n"
        + gettext(
            "You can also close this page and come back later with the same link: your place is kept for a while."
        ),
        "button": gettext("Leave and delete my answers"),
        "back_url": reverse("study:step", args=[slug]) if going_on else "",
    }
    return render(request, "study/withdraw.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def by_receipt(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw with the receipt code, from any browser, also long after the end."""
    study = study_of(slug)
    language = speak(request, languages_of(study))
    wrong = ""
    if request.method == "POST":
        if wait := _guessed(request, count=False):
            return too_many(request, wait)
        participant = entering.by_receipt(study, request.POST.get("receipt", "")[:64])
        if participant is not None:
            ends.withdraw(participant)
            return _deleted(request, study, language)
        _guessed(request, count=True)
        wrong = gettext("There are no answers with this code. Please check every letter and digit.")
    context = {
        **frame(request, study, language=language),
        "heading": gettext("Delete my answers"),
        "text": gettext("Enter the receipt code that you were shown. Everything that you answered is deleted at once."),
        "button": gettext("Delete my answers"),
        "ask_receipt": True,
        "receipt_wrong": wrong,
        "failed": bool(wrong),
    }
    return render(request, "study/withdraw.html", context, status=422 if wrong else 200)


def _guessed(request: HttpRequest, *, count: bool) -> int:
    """Seconds until an address that gave wrong codes may try again."""
    return exceeded("receipt", address(request), 5 * BY_LOGIN, window=5 * WINDOW, count=count)


def _deleted(request: HttpRequest, study: Study, language: str) -> HttpResponse:
    text = gettext("Everything that you answered is gone. Thank you for having taken part.")
    shown = frame(request, study, language=language)
    return page(request, gettext("Your answers are deleted"), text, status=200, **shown)
