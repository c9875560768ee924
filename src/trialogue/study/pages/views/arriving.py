"""Views of the landing page, which stores nothing, and of arrival by a link."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from trialogue.study.design.platforms import Arrival
from trialogue.study.design.questions import text_in
from trialogue.study.models import Participant, Study
from trialogue.study.pages.show import frame, languages_of
from trialogue.study.services import entering, steps
from trialogue.study.services.reading import file_of
from trialogue.study.services.tokens import secret_hash
from trialogue.study.web.access import keep_receipt, participant_of, remember, study_of
from trialogue.study.web.error_pages import page, too_many
from trialogue.study.web.headers import MTURK
from trialogue.study.web.languages import activate_language
from trialogue.study.web.throttle import BY_ADDRESS, address, seconds_to_wait_for

SOMEBODY_ELSE = "somebody_else"  # the button of a person at a computer where another has not finished
GOING_ON = ("arrived", "consented", "screened", "active")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The address without a study: the study, if there is only one that runs."""
    running = list(Study.objects.filter(state=Study.State.RUNNING)[:2])
    if len(running) == 1:
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{running[0].slug}/{'?' + query if query else ''}")
    text = gettext("Please use the link you received to open the study.")
    return page(request, gettext("Which study?"), text, status=200)


@require_http_methods(["GET", "HEAD", "POST"])
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the study's landing page; a click enters it."""
    study = study_of(slug)
    if wait := seconds_to_wait_for("address", address(request), BY_ADDRESS):
        return too_many(request, wait)
    language = activate_language(request, languages_of(study))
    came = entering.arrival_of(study, _parameters(request))
    here = _known_participant(request, study, came)
    if request.method == "POST" and not came.preview:
        other = SOMEBODY_ELSE in request.POST and not came.id  # several people at one computer
        return redirect("study:step", slug=slug) if here and not other else _enter(request, study, language)
    if here is None and not came.preview and (refused := _refusal(study, came)):
        return refusal_page(request, study, refused, language)
    return _landing_page(request, study, came, language, returning=here is not None)


def _parameters(request: HttpRequest) -> dict[str, str]:
    return {name: str(value) for name, value in request.GET.items()}


def _known_participant(request: HttpRequest, study: Study, came: Arrival) -> Participant | None:
    """Participant of this browser's session if they match the arrival: the same id, or no id and not finished."""
    participant = participant_of(request, study)
    if participant is None:
        return None
    if came.id:
        same = secret_hash("identity", f"{study.pk}:{came.id}") == participant.identity_hash
        return participant if same else None
    return participant if participant.state in GOING_ON and not came.wrong else None


def _refusal(study: Study, came: Arrival) -> str:
    """Reason why no new participant is admitted; "" if admitted. Shown before consent and reading."""
    if came.wrong:
        return came.wrong
    known = came.id and secret_hash("identity", f"{study.pk}:{came.id}")
    if known and study.participants.filter(identity_hash=known).exists():
        return ""
    return entering.closed_why(study)


def _enter(request: HttpRequest, study: Study, language: str) -> HttpResponse:
    entered = entering.enter(study, _parameters(request), language=language)
    if entered.participant is None:
        return refusal_page(request, study, entered.why, language)
    steps.begin_chats(entered.participant)
    remember(request, entered.participant)
    if entered.receipt:
        keep_receipt(request, study, entered.receipt)
    return redirect("study:step", slug=study.slug)


def _landing_page(request: HttpRequest, study: Study, came: Arrival, language: str, *, returning: bool) -> HttpResponse:
    file = file_of(study)
    mturk = "turkSubmitTo" in request.GET or came.preview
    context: dict[str, Any] = {
        **frame(request, study, language=language),
        "action": request.get_full_path(),
        "heading": text_in(file.title, language),
        "welcome": text_in(file.instructions, language) if came.preview else "",
        "minutes": round(file.minutes),
        "tasks": file.tasks_per_participant,
        "returning": returning,
        "somebody_else": SOMEBODY_ELSE if returning and not came.id else "",
        "looking": came.preview,
        "framed": mturk and not came.preview and "open" not in request.GET,
        "open_url": f"{request.get_full_path()}&open=1",
    }
    response = render(request, "study/arrive.html", context)
    if mturk:
        response.platform_hosts = MTURK  # type: ignore[attr-defined]
    return response


def refusal_page(request: HttpRequest, study: Study, why: str, language: str) -> HttpResponse:
    """The page for those who cannot come in; nothing about them is stored."""
    nothing = gettext("No information about you was stored.")
    said_of: dict[str, tuple[str, str]] = {
        "full": (
            gettext("All places are taken"),
            gettext("Thank you for your interest! The last places are taken or being filled right now."),
        ),
        "paused": (gettext("The study is paused"), gettext("Please come back later, using the same link.")),
        "closed": (gettext("The study is closed"), gettext("Thank you for your interest!")),
        "taken": (
            gettext("You have already taken part"),
            gettext(
                "Someone with your ID has already taken part in another session. Each person can take part only once."
            ),
        ),
        "unsigned": (
            gettext("This link is incomplete"),
            gettext("Please use the link exactly as you received it. It may also have expired."),
        ),
        "expired": (
            gettext("This link has expired"),
            gettext("Please open the study again from the platform to get a new link."),
        ),
        "unchecked": (
            gettext("Your link cannot be verified right now"),
            gettext("Please try again in a minute with the same link."),
        ),
        "no_id": (
            gettext("This link is incomplete"),
            gettext("It does not contain your ID. Please open the study from the platform, or copy the whole link."),
        ),
    }
    heading, text = said_of.get(why, said_of["closed"])
    return page(request, heading, f"{text}\n\n{nothing}", status=200, **frame(request, study, language=language))
