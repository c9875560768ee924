"""The page of one session: what happened turn by turn, what is unusual, and what is decided about it."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trialogue.study.design.checks import flags_of
from trialogue.study.models import Decision, Participant, Study
from trialogue.study.services.evidence import evidence_of
from trialogue.study.services.leaving import outcome_of
from trialogue.study.services.management.deciding import SHORTEST_REASON, decide, standing
from trialogue.study.services.reading import file_of
from trialogue.study.staff.access import MANAGE, may, staff, who
from trialogue.study.staff.dashboard.flow import stage_names
from trialogue.study.staff.evidence import findings, sessions
from trialogue.study.staff.frame import LANGUAGES, shown
from trialogue.study.staff.people import link_names, link_of
from trialogue.study.staff.session import turns
from trialogue.study.staff.standing import said_of, standing_words
from trialogue.study.web.languages import speak

INVALID = 422


@require_http_methods(["GET", "POST"])
@staff()
def session(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """A session, turn by turn; a decision that was sent, kept."""
    participant = get_object_or_404(study.participants, code=code)
    problem = ""
    if request.method == "POST":
        if not may(request, MANAGE):
            raise PermissionDenied
        problem = _decided(request, participant)
        if not problem:
            return redirect(f"{request.path}#decisions")
    response = shown(request, "session.html", study, **_context(request, study, participant), problem=problem)
    response.status_code = INVALID if problem else 200
    return response


def _context(request: HttpRequest, study: Study, participant: Participant) -> dict[str, Any]:
    decisions = list(participant.decisions.all())
    now = standing(decisions)
    names = stage_names()
    end = participant.finished_at or participant.seen_at
    return {
        "heading": participant.code,
        "state_name": names.get(participant.reason or participant.state, participant.reason or participant.state),
        "arrived": participant.arrived_at,
        "minutes": round((end - participant.arrived_at).total_seconds() / 60),
        "link": link_names()[link_of(participant)],
        "evidence": findings(sessions([participant])[participant.pk]),
        "rules": _rules(study, participant),
        "badges": standing_words(now),
        "excluded": bool(now.by_hand),
        "refusable": outcome_of(participant) == "failed_check",
        "turns": turns(participant, speak(request, LANGUAGES)),
        "decisions": [{"at": each.at, "by": each.by, "what": said_of(each)} for each in decisions],
        "given": request.POST,
        "may_manage": may(request, MANAGE) and participant.state != Participant.State.WITHDREW,
        "erase_url": f"{reverse('study:staff-erase', args=[study.slug])}?code={participant.code}",
        "people_url": reverse("study:staff-people", args=[study.slug]),
        "next_url": _next(study, participant),
    }


def _rules(study: Study, participant: Participant) -> list[dict[str, Any]]:
    """The rules of the study file, and whether each excludes this participant."""
    file = file_of(study)
    completed = participant.state == Participant.State.COMPLETED
    hit = participant.flags if completed else flags_of(evidence_of(participant), file)
    return [{"name": rule.replace("_", " "), "hit": rule in hit} for rule in file.exclusion]


def _next(study: Study, participant: Participant) -> str:
    """The session after this one; "" after the last."""
    after = study.participants.filter(number__gt=participant.number).order_by("number").first()
    return reverse("study:staff-session", args=[study.slug, after.code]) if after else ""


def _decided(request: HttpRequest, participant: Participant) -> str:
    """Keep what was decided; why it cannot be, or ""."""
    given = request.POST.get("decision", "")
    if given not in Decision.Kind.values:
        return gettext("Please choose a decision.")
    wrong = decide(
        participant,
        Decision.Kind(given),
        who=who(request),
        reason=request.POST.get("reason", ""),
        amount=_amount(request.POST.get("amount", "")),
    )
    return {
        "": "",
        "reason": gettext("Please give a reason, of %(count)s characters or more.") % {"count": SHORTEST_REASON},
        "amount": gettext("Please write an amount above 0, such as 1.50."),
        "at_work": gettext("They are still at work: pay is decided when they are done."),
        "withdrew": gettext("They withdrew; there is nothing to decide about."),
        "not_excluded": gettext("They are not excluded by hand."),
        "excluded": gettext("They are excluded by hand already."),
    }[wrong]


def _amount(text: str) -> Decimal | None:
    try:
        return Decimal(text.strip().replace(",", ".")) if text.isascii() else None
    except InvalidOperation:
        return None
