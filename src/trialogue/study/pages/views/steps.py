"""View of the participant's current step: show it, and store submissions. All other pages redirect here."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from trialogue.study.models import Participant, Study
from trialogue.study.pages.events import parse_events
from trialogue.study.pages.exits import ending_page
from trialogue.study.pages.notices import NOTICE, notices
from trialogue.study.pages.privacy_notice import erased_how, stored_id
from trialogue.study.pages.show import languages_of, show
from trialogue.study.services import steps, submitting
from trialogue.study.services.tokens import token_for
from trialogue.study.web.access import study_and_person
from trialogue.study.web.error_pages import too_many
from trialogue.study.web.first_view import first_view, remember_view
from trialogue.study.web.languages import activate_language
from trialogue.study.web.throttle import BY_PERSON, seconds_to_wait_for


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
    outcome = submitting.submit(participant, token, posted, events=parse_events(request.POST.get("events", "")))
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
