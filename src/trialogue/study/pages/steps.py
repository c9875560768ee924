"""View of the participant's current step: show it, and store submissions. All other pages redirect here."""

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from trialogue.study.design.questions import text_in
from trialogue.study.models import Identity, Participant, Study
from trialogue.study.pages.contents import frame, languages_of, show
from trialogue.study.pages.notices import NOTICE, notices
from trialogue.study.services import leaving, rows, steps
from trialogue.study.services.rows import file_of, token_for
from trialogue.study.web.middleware import MTURK, activate_language, receipt_of, study_and_person, too_many
from trialogue.study.web.throttle import BY_PERSON, seconds_to_wait_for

PLATFORMS = {"prolific": "Prolific", "mturk": "MTurk", "connect": "Connect", "sona": "SONA"}


def has_id(participant: Participant) -> bool:
    """Whether an id of a platform or of a laboratory is stored with them."""
    return Identity.objects.filter(participant=participant).exists()


def stored_id(participant: Participant) -> str:
    """Notice that the platform id is stored, why and where; "" if none is."""
    if not has_id(participant):
        return ""
    return gettext(
        "%(id)s is stored separately from your answers, so that you can be paid, take part only once, and come"
        " back later. It is never published with the results."
    ) % {"id": _id_label(participant)}


def erased_how(participant: Participant) -> str:
    """Instructions for erasing everything, for participants with an id."""
    return gettext(
        "To have your answers and your ID deleted, use the receipt code from the last page, or write to "
        "%(contact)s and state your ID."
    ) % {"contact": _contact(participant)}


def receipt_text(participant: Participant) -> str:
    """Purpose of the receipt code, and alternatives."""
    if not has_id(participant):
        return gettext(
            "Keep this code in case you want your answers deleted later. We do not know your name and cannot "
            "find them without it."
        )
    return gettext(
        "With this code you can have your answers deleted later. %(id)s is stored separately from them: "
        "without the code, write to %(contact)s and state your ID to have everything deleted."
    ) % {"id": _id_label(participant), "contact": _contact(participant)}


def _id_label(participant: Participant) -> str:
    platform = PLATFORMS.get(file_of(participant.study).platform.name)
    if platform is None:
        return gettext("The ID from your link")
    return gettext("Your %(platform)s ID") % {"platform": platform}


def _contact(participant: Participant) -> str:
    return file_of(participant.study).contact or gettext("the study team")


KINDS = ("focus", "blur", "hidden", "visible", "paste", "first_input", "submit")
MAX_EVENTS = 200
LONGEST = 20_000  # characters of the list
DAY = 24 * 3600 * 1000


class BrowserEvent(NamedTuple):
    """One thing."""

    kind: str
    milliseconds: int
    """Since the page was shown, by the browser's clock."""


def parse_events(text: str) -> list[BrowserEvent]:
    """Parse the events in a form's hidden field; invalid entries are ignored.

    >>> parse_events('[["paste", 1200], ["<b>", 3], 7]')
    [BrowserEvent(kind='paste', milliseconds=1200)]
    """
    if len(text) > LONGEST:
        return []
    try:
        given = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    pairs = given if isinstance(given, list) else []
    return [BrowserEvent(pair[0], pair[1]) for pair in pairs[:MAX_EVENTS] if _is_event(pair)]


def _is_event(pair: object) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and pair[0] in KINDS
        and type(pair[1]) is int
        and 0 <= pair[1] <= 30 * DAY
    )


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
    late = participant.events.filter(kind=steps.LATE).count()
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


NAME = "shown"
_signer = Signer(salt="trialogue.shown")


def first_view(request: HttpRequest, page_key: str) -> datetime:
    """When this browser was shown a page first: now, or as its cookie says."""
    try:
        page, _, milliseconds = _signer.unsign(request.COOKIES.get(NAME, "")).partition("/")
    except BadSignature:
        page = ""
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC) if page == page_key else timezone.now()


def remember_view(request: HttpRequest, response: HttpResponse, slug: str, page_key: str, at: datetime) -> None:
    """Keep when a page was shown first, until another page of the study is shown."""
    value = _signer.sign(f"{page_key}/{int(at.timestamp() * 1000)}")
    if request.COOKIES.get(NAME) == value:
        return
    response.set_cookie(
        NAME,
        value,
        max_age=settings.SESSION_COOKIE_AGE,
        path=f"/{slug}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite=settings.SESSION_COOKIE_SAMESITE,  # type: ignore[arg-type] # as Django's settings are typed
    )


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the participant's current step; others are shown why there is none."""
    study, participant = study_and_person(request, slug)
    if participant is None:
        return redirect("study:arrive", slug=slug)
    if wait := seconds_to_wait_for("person", participant.code, BY_PERSON):
        return too_many(request, wait)
    return (
        _store_answers(request, study, participant)
        if request.method == "POST"
        else _show_step(request, study, participant)
    )


def _show_step(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    current = steps.current_as_read(participant)
    if current is None or current.kind == "exit":
        return ending_page(request, study, participant)
    while current.kind == "chat" and steps.begin_chat(participant, current.key):  # a system that was not begun before
        current = steps.current(participant) or current
    at = first_view(request, current.page_key)
    response = show(
        request,
        study,
        current,
        token=token_for(participant.pk, current.key, at),
        notice=notices().get(request.GET.get(NOTICE, ""), ""),
        **_said_before(request, study, participant, current.kind),
    )
    remember_view(request, response, study.slug, current.page_key, at)
    return response


def _store_answers(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Store the submitted answers; only the redirect after the commit acknowledges them."""
    posted, token = {name: request.POST.getlist(name) for name in request.POST}, request.POST.get("token", "")
    outcome = steps.submit(participant, token, posted, events=parse_events(request.POST.get("events", "")))
    if outcome.kind == "refused":
        raise PermissionDenied
    current = steps.current(participant) if outcome.kind == "invalid" else None
    if current is None:
        steps.begin_chats(participant)
        there = reverse("study:step", args=[study.slug])
        return redirect(f"{there}?{NOTICE}={outcome.kind}" if outcome.kind in notices() else there)
    said = _said_before(request, study, participant, current.kind)
    return show(request, study, current, given=outcome.parts, token=token, **said)


def _said_before(request: HttpRequest, study: Study, participant: Participant, kind: str) -> dict[str, Any]:
    """The information that people read before they agree."""
    if kind != "consent":
        return {}
    activate_language(request, languages_of(study))
    if not (stored := stored_id(participant)):
        return {}
    return {"stored_id": stored, "erased_how": erased_how(participant)}
