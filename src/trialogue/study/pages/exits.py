"""How it ended: the last page, with the code and the way back. The same at every reload."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.design.questions import text_in
from trialogue.study.models import Participant, Study
from trialogue.study.pages.show import frame, languages_of
from trialogue.study.pages.stored import PLATFORMS, receipt_text
from trialogue.study.services import leaving, rows
from trialogue.study.services.reading import file_of
from trialogue.study.web.access import receipt_of
from trialogue.study.web.headers import MTURK
from trialogue.study.web.languages import speak


def ending_page(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """The page of somebody whose way is over, maybe with this very request."""
    participant = rows.reload_person(participant.pk)
    back = leaving.way_back(participant)
    language = speak(request, languages_of(study))
    heading, text = words(participant)
    file = file_of(study)
    completed = participant.state == Participant.State.COMPLETED
    context: dict[str, Any] = {
        **frame(request, study, language=language),
        "heading": heading,
        "intro": (text_in(file.thanks, language) if completed else "") or text,
        "platform": PLATFORMS.get(file.platform.name, gettext("where you came from")),
    }
    if back is not None and (completed or file.platform.name != "none"):
        context |= {
            "code": back.code,
            "return_url": back.url,
            "submit_to": back.post,
            "submit_fields": back.fields.items(),
        }
    if participant.state != Participant.State.WITHDREW and participant.reason != "no_consent":  # nothing to delete
        context |= {
            "receipt": receipt_of(request, study),
            "receipt_url": reverse("study:receipt", args=[study.slug]),
            "receipt_text": receipt_text(participant),
        }
    response = render(request, "study/exit.html", context)
    if back is not None and back.post:
        response.platform_hosts = MTURK  # type: ignore[attr-defined]
    return response


def words(participant: Participant) -> tuple[str, str]:
    """Heading and text of an end."""
    if participant.state == Participant.State.COMPLETED:
        return gettext("Thank you!"), gettext("All your answers are saved. You can close this page now.")
    if participant.state == Participant.State.WITHDREW:
        return gettext("You have left the study"), gettext("Your answers are deleted. Thank you for your time.")
    if participant.state in (Participant.State.RETURNED, Participant.State.TIMED_OUT):
        return gettext("The study ends here"), gettext(
            "Your platform says that you gave your place back, or that your time ran out. Others have it now; thank you for "
            "your time."
        )
    by_reason = {
        "no_consent": (
            gettext("You are not taking part"),
            gettext("That is all right. Nothing that you might have answered is stored."),
        ),
        "full": (gettext("All places are taken"), gettext("Others were a little faster. Thank you for coming!")),
        "comprehension": (
            gettext("The study ends here"),
            gettext("Some answers about the instructions were not right. That happens; thank you for your time."),
        ),
        "unavailable": (
            gettext("The study ends here"),
            gettext("The recommender does not answer. That is our fault, not yours; thank you for your time."),
        ),
    }
    other = (gettext("The study ends here"), gettext("This study looks for other people. Thank you for your time."))
    return by_reason.get(participant.reason, other)
