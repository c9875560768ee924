"""Exit page: outcome, completion code and return link. Identical on every reload."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trialogue.study.design.questions import text_in
from trialogue.study.models import Participant, Study
from trialogue.study.pages.notices import NOTICE, notices
from trialogue.study.pages.privacy_notice import PLATFORMS, receipt_text
from trialogue.study.pages.show import frame, languages_of
from trialogue.study.services import leaving, rows, submitting
from trialogue.study.services.reading import file_of
from trialogue.study.web.access import receipt_of
from trialogue.study.web.headers import MTURK
from trialogue.study.web.languages import activate_language


def ending_page(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Page of a participant whose session has ended, possibly with this request."""
    participant = rows.reload_person(participant.pk)
    back = leaving.return_link_of(participant)
    language = activate_language(request, languages_of(study))
    heading, text = words(participant)
    file = file_of(study)
    completed = participant.state == Participant.State.COMPLETED
    context: dict[str, Any] = {
        **frame(request, study, language=language),
        "heading": heading,
        "intro": (text_in(file.thanks, language) if completed else "") or text,
        "notice": notices().get(request.GET.get(NOTICE, ""), "") or _missing(participant),
        "platform": PLATFORMS.get(file.platform.name, gettext("the page you came from")),
    }
    if back is not None and not back.code:
        context["uncoded"] = _text_without_code(context["platform"], completed=completed)
    elif back is not None and (completed or file.platform.name != "none"):
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


def _text_without_code(platform: str, *, completed: bool) -> str:
    """What to do at a platform where no code was set up for this end."""
    if completed:
        text = gettext(
            "There is no completion code. On %(platform)s, say that you have none: your work is reviewed by hand."
        )
    else:
        text = gettext(
            "There is no completion code for this. Please return your submission on %(platform)s, so that it does not count "
            "against you."
        )
    return text % {"platform": platform}


def _missing(participant: Participant) -> str:
    """That answers are missing of somebody who completed, since they came too late."""
    late = participant.events.filter(kind=submitting.LATE).count()
    if participant.state != Participant.State.COMPLETED or not late:
        return ""
    text = ngettext(
        "One answer came too late and was not saved. All others are saved.",
        "%(late)s answers came too late and were not saved. All others are saved.",
        late,
    )
    return text % {"late": late}


def words(participant: Participant) -> tuple[str, str]:
    """Heading and text of an end."""
    if participant.state == Participant.State.COMPLETED:
        return gettext("Thank you!"), gettext("Your answers are saved. You can close this page now.")
    if participant.state == Participant.State.WITHDREW:
        return gettext("You have left the study"), gettext("Your answers are deleted. Thank you for your time.")
    if participant.state in (Participant.State.RETURNED, Participant.State.TIMED_OUT):
        return gettext("The study ends here"), gettext(
            "According to your platform, you returned your place or ran out of time. Your place has been given to "
            "someone else. Thank you for your time."
        )
    by_reason = {
        "no_consent": (
            gettext("You are not taking part"),
            gettext("That is fine. None of your answers were stored."),
        ),
        "full": (gettext("All places are taken"), gettext("All places have just been taken. Thank you for coming!")),
        "comprehension": (
            gettext("The study ends here"),
            gettext(
                "Some of your answers about the instructions were not correct. That can happen. Thank you "
                "for your time."
            ),
        ),
        "unavailable": (
            gettext("The study ends here"),
            gettext("The recommender is not responding. This is our fault, not yours. Thank you for your time."),
        ),
    }
    other = (
        gettext("The study ends here"),
        gettext("This study is looking for other participants. Thank you for your time."),
    )
    return by_reason.get(participant.reason, other)
