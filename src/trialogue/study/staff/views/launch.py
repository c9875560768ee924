"""Launch a study and follow it: state, soft launch, strata, pre-flight, decisions, bonuses, and the ledger of requests.

Anything that costs money requires typing the price.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext

from trialogue.errors import TrialogueError
from trialogue.study.design.launch import Money
from trialogue.study.models import Participant, PlatformRequest
from trialogue.study.recruiting.api import Api
from trialogue.study.recruiting.decisions import Payer
from trialogue.study.recruiting.preflight import advice_on, name_of
from trialogue.study.recruiting.prolific import ACTIVE, PAUSED, UNPUBLISHED, Recruiter
from trialogue.study.services import launching
from trialogue.study.services.assigning import holders
from trialogue.study.services.deciding import counts_by_stratum
from trialogue.study.services.rows import file_of
from trialogue.study.staff.base import MANAGE, StaffForm, login_of, recruits
from trialogue.study.staff.forms import CarryOutForm
from trialogue.study.staff.views.overview import changes_of, state_names

PATIENCE_S = 10.0  # for an answer of Prolific's, while somebody waits for the page
LATEST = 50  # requests of the ledger that are shown


class Launch(StaffForm):
    """What a study needs to start, to go on, and to be paid; and the forms that do it."""

    permission: ClassVar[str] = MANAGE
    form_class = CarryOutForm
    template_name = "study/staff/launch.html"

    @cached_property
    def _payer(self) -> Payer:
        return Payer(self.study, self._api(), who=login_of(self.request))

    @cached_property
    def _recruiter(self) -> Recruiter:
        return Recruiter(self.study, self._api(), who=login_of(self.request))

    def _api(self) -> Api:
        if not recruits(self.study) or settings.FOLDER is None:
            raise Http404
        return Api(tries=1, wait_s=PATIENCE_S)

    def form_valid(self, form: CarryOutForm) -> HttpResponse:
        """Carry it out. What cannot be is said, and nothing more is sent."""
        try:
            self._carry_out(form.cleaned_data["act"], form.cleaned_data["confirmed"], form.cleaned_data["seen"])
        except TrialogueError as error:
            form.add_error(None, str(error))
            return self.form_invalid(form)
        return redirect(self.request.path)

    def _carry_out(self, act: str, confirmed: str, seen: str) -> None:
        match act:
            case "launch":
                places = int(confirmed) if confirmed.isascii() and confirmed.isdigit() else None
                launching.launch(self.study, who=login_of(self.request), confirmed_places=places)
            case "go_on" if not recruits(self.study):
                launching.end_soft_launch(self.study, who=login_of(self.request))
            case "go_on":
                self._recruiter.go_on(confirmed)
            case "draft":
                self._recruiter.create_draft(confirmed)
            case "publish":
                self._recruiter.publish(confirmed, seen=seen)
            case "decide":
                self._payer.decide(confirmed)
            case "bonus":
                self._payer.pay_bonuses(confirmed)
            case "places":
                self._recruiter.open_places(confirmed)
            case "sync":
                self._recruiter.sync()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The study here, and at Prolific as far as that answers."""
        context = super().get_context_data(heading=gettext("Launch"), **kwargs) | self._local_context()
        if not recruits(self.study):
            return context
        try:
            return {**context, **self._remote_context()}
        except TrialogueError as error:
            return {**context, "unreachable": str(error)}

    def _local_context(self) -> dict[str, Any]:
        study, file = self.study, file_of(self.study)
        study.refresh_from_db()
        planned = launching.confirmation_needed(study)
        return {
            "slug": study.slug,
            "state": study.state,
            "state_name": state_names()[study.state],
            "changes": [] if planned else changes_of(study),
            "confirm_launch": planned and launching.confirmation_text(planned),
            "most_people": planned and planned.most_people,
            "failures": launching.failures(study) if file.attention.checks else None,
            "pause_reason": launching.pause_reason(study),
            "first": study.first_people,
            "holders": holders(study).count(),
            "completed": study.participants.filter(state=Participant.State.COMPLETED).count(),
            "strata": counts_by_stratum(study) if file.strata else [],
            "for_prolific": file.platform.name == "prolific",
            "recruits": recruits(study),
            "ledger": [_ledger_row(each, self._currency) for each in _latest_requests(self.study)],
        }

    @property
    def _currency(self) -> str:
        payment = file_of(self.study).payment
        return payment.currency if payment is not None else ""

    def _remote_context(self) -> dict[str, Any]:
        if not self.study.remote_id:
            return {"draft_address": f"https://{self.request.get_host()}"}
        found, recruiter = self._recruiter.preflight(), self._recruiter
        remote = found.remote
        prices = {
            "publish_price": recruiter.price(remote),
            "places_due": recruiter.places_due(remote),
            "places_price": recruiter.places_price(remote),
            "go_on_places": recruiter.places_due(remote, all_people=True),
            "go_on_price": recruiter.places_price(remote, all_people=True),
        }
        return {
            "remote": remote,
            "remote_name": remote_names().get(remote.status, remote.status),
            "seen": found.fingerprint,
            "publishable": remote.status in (UNPUBLISHED, PAUSED) and not found.blocking,
            "checks": [
                {
                    "name": name_of(each.setting),
                    "here": each.here,
                    "there": each.there,
                    "advice": advice_on(each),
                    "blocks": each.blocks,
                }
                for each in found.differences
            ],
            **prices,
            **self._pending(),
        }

    def _pending(self) -> dict[str, Any]:
        found, owed = self._payer.pending_decisions(), self._payer.pending_payments()
        groups = [
            (gettext("still active on Prolific; to be decided later"), found.later),
            (gettext("returned or timed out on Prolific; nothing can be decided"), found.impossible),
            (gettext("the opposite decision was made on Prolific"), found.contrary),
            (gettext("a bonus was granted, but Prolific lists no such participant"), owed.unlisted),
            (gettext("a bonus was requested, and it is unknown whether it was paid"), sorted(owed.unknown)),
        ]
        return {
            "approve": [each.participant.code for each in found.approve],
            "reject": [{"code": each.participant.code, "reason": each.reason} for each in found.reject],
            "approval_price": self._payer.approval_price(found),
            "owed": [
                {"code": code, "amount": Money(cents, self._currency)} for code, cents in sorted(owed.cents.items())
            ],
            "bonus_price": self._payer.bonus_price(owed),
            "groups": [{"name": name, "codes": codes} for name, codes in groups if codes],
        }


def remote_names() -> dict[str, str]:
    """Names of the states of a study at Prolific."""
    return {
        UNPUBLISHED: gettext("Draft"),
        ACTIVE: gettext("Published"),
        PAUSED: gettext("Paused"),
        "AWAITING REVIEW": gettext("All places taken"),
        "COMPLETED": gettext("Closed"),
    }


def _latest_requests(study: Any) -> Any:
    return study.platform_requests.select_related("participant").order_by("-pk")[:LATEST]


def _ledger_row(request: PlatformRequest, currency: str) -> dict[str, Any]:
    """A request of the ledger in words."""
    kinds, states = PlatformRequest.Kind, PlatformRequest.State
    what = {
        kinds.DRAFT: gettext("Create the draft"),
        kinds.PUBLISH: gettext("Publish"),
        kinds.PLACES: gettext("Open places"),
        kinds.PAUSE: gettext("Pause"),
        kinds.START: gettext("Start again"),
        kinds.STOP: gettext("Close"),
        kinds.APPROVE: gettext("Approve"),
        kinds.REJECT: gettext("Reject"),
        kinds.BONUS: gettext("Bonus"),
    }
    outcome = {
        states.SENT: gettext("sent, no answer yet"),
        states.UNKNOWN: gettext("unknown: the answer was lost"),
        states.ACCEPTED: gettext("accepted, not listed yet"),
        states.CONFIRMED: gettext("done"),
        states.REFUSED: gettext("not carried out"),
    }
    return {
        "at": request.sent_at,
        "what": what[PlatformRequest.Kind(request.kind)],
        "code": request.participant.code if request.participant is not None else "",
        "amount": Money(request.amount_cents, currency) if request.amount_cents else "",
        "state": request.state,
        "outcome": outcome[PlatformRequest.State(request.state)],
        "by": request.by,
    }
