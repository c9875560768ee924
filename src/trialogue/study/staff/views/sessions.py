"""Page of one session: turns, evidence and decisions."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.design.checks import flags_of
from trialogue.study.models import Decision, Participant, PlatformRequest, Study
from trialogue.study.services.evidence import evidence_of
from trialogue.study.services.leaving import outcome_of
from trialogue.study.services.management.deciding import decide, standing_of
from trialogue.study.services.reading import file_of
from trialogue.study.staff.access import MANAGE, login_of, may
from trialogue.study.staff.dashboard.flow import stage_names
from trialogue.study.staff.evidence import findings, sessions
from trialogue.study.staff.forms import DecisionForm, refusal
from trialogue.study.staff.participants import describe_decision, describe_decisions, link_names, link_of
from trialogue.study.staff.session import turns
from trialogue.study.staff.views.base import StaffForm


class Session(StaffForm):
    """A session, turn by turn; a decision that was sent, kept."""

    form_class = DecisionForm
    template_name = "study/staff/session.html"
    participant: Participant

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page."""
        self.participant = get_object_or_404(self.study.participants, code=kwargs["code"])
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A decision.

        Raises:
            PermissionDenied: of somebody who may only look.
        """
        self.participant = get_object_or_404(self.study.participants, code=kwargs["code"])
        if not may(request, MANAGE):
            raise PermissionDenied
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: DecisionForm) -> HttpResponse:
        """Store a valid decision."""
        given = form.cleaned_data
        kind = Decision.Kind(given["decision"])
        wrong = decide(
            self.participant,
            kind,
            who=login_of(self.request),
            reason=given["reason"],
            amount=given["amount"],
            known=given["known"],
        )
        if wrong:
            form.add_error(None, refusal(wrong))
            return self.form_invalid(form)
        return redirect(f"{self.request.path}#decisions")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Data of the session."""
        request, study, participant = self.request, self.study, self.participant
        decisions = list(participant.decisions.all())
        now = standing_of(decisions)
        names = stage_names()
        end = participant.finished_at or participant.seen_at
        return super().get_context_data(
            heading=participant.code,
            state_name=names.get(participant.reason or participant.state, participant.reason or participant.state),
            arrived=participant.arrived_at,
            minutes=round((end - participant.arrived_at).total_seconds() / 60),
            link=link_names()[link_of(participant)],
            evidence=findings(sessions([participant])[participant.pk]),
            rules=_rules(study, participant),
            badges=[*describe_decisions(now), *_at_platform(participant)],
            excluded=bool(now.by_hand),
            known=len(decisions),
            refusable=outcome_of(participant) == "failed_check",
            turns=turns(participant, self.language),
            decisions=[{"at": each.at, "by": each.by, "what": describe_decision(each)} for each in decisions],
            may_manage=may(request, MANAGE) and participant.state != Participant.State.WITHDREW,
            erase_url=f"{reverse('study:staff-erase', args=[study.slug])}?code={participant.code}",
            people_url=reverse("study:staff-people", args=[study.slug]),
            next_url=_next_session(study, participant),
            **kwargs,
        )


def _at_platform(participant: Participant) -> list[dict[str, str]]:
    """Decisions already sent to the platform, according to the ledger."""
    kinds = PlatformRequest.Kind
    words = {
        kinds.APPROVE: {"look": "good", "text": gettext("sent to Prolific: approved")},
        kinds.REJECT: {"look": "rule", "text": gettext("sent to Prolific: rejected")},
    }
    sent = participant.platform_requests.filter(kind__in=words, state=PlatformRequest.State.CONFIRMED)
    return [words[kinds(kind)] for kind in sent.values_list("kind", flat=True)]


def _rules(study: Study, participant: Participant) -> list[dict[str, Any]]:
    """The rules of the study file, and whether each excludes this participant."""
    file = file_of(study)
    completed = participant.state == Participant.State.COMPLETED
    hit = participant.flags if completed else flags_of(evidence_of(participant), file)
    return [{"name": rule.replace("_", " "), "hit": rule in hit} for rule in file.exclusion]


def _next_session(study: Study, participant: Participant) -> str:
    """The session after this one; "" after the last."""
    after = study.participants.filter(number__gt=participant.number).order_by("number").first()
    return reverse("study:staff-session", args=[study.slug, after.code]) if after else ""
