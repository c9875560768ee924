"""The page where somebody is: shown, and what was sent from it stored. Everything else leads here."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from trialogue.study.models import Participant, Study
from trialogue.study.pages.events import noticed
from trialogue.study.pages.exits import ending
from trialogue.study.pages.show import languages_of, show
from trialogue.study.pages.stored import erased_how, stored_id
from trialogue.study.services import steps, submitting
from trialogue.study.web.access import who
from trialogue.study.web.error_pages import too_many
from trialogue.study.web.languages import speak
from trialogue.study.web.throttle import BY_PERSON, exceeded


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str) -> HttpResponse:
    """Where somebody is now; who is nobody yet, or has ended, is shown that instead."""
    study, participant = who(request, slug)
    if participant is None:
        return redirect("study:arrive", slug=slug)
    if wait := exceeded("person", participant.code, BY_PERSON):
        return too_many(request, wait)
    return _sent(request, study, participant) if request.method == "POST" else _shown(request, study, participant)


def _shown(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    current = steps.current_as_read(participant)
    if current is None or current.kind == "exit":
        return ending(request, study, participant)
    while current.kind == "chat" and steps.begun(participant, current.key):  # twice, if the first system says goodbye
        current = steps.current(participant) or current
    return show(request, study, current, **_said_before(request, study, participant, current.kind))


def _sent(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Store what was sent; acknowledged only by the redirect, which follows the commit."""
    posted = {name: request.POST.getlist(name) for name in request.POST}
    outcome = submitting.submit(
        participant, request.POST.get("token", ""), posted, events=noticed(request.POST.get("events", ""))
    )
    if outcome.kind == "refused":
        raise PermissionDenied
    current = steps.current(participant) if outcome.kind == "invalid" else None
    if current is None:
        return redirect("study:step", slug=study.slug)
    return show(request, study, current, given=outcome.parts, **_said_before(request, study, participant, current.kind))


def _said_before(request: HttpRequest, study: Study, participant: Participant, kind: str) -> dict[str, Any]:
    """What somebody is told before they agree."""
    if kind != "consent":
        return {}
    speak(request, languages_of(study))
    if not (stored := stored_id(participant)):
        return {}
    return {"stored_id": stored, "erased_how": erased_how(participant)}
