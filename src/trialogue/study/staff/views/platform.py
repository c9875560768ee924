"""Carry out staff decisions on Prolific: approvals, rejections and bonuses. Paid actions require typing the price."""

from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext

from trialogue.errors import TrialogueError
from trialogue.study.design.payment import Money
from trialogue.study.recruiting.api import Api
from trialogue.study.recruiting.decisions import Payer
from trialogue.study.recruiting.prolific import Recruiter
from trialogue.study.staff.access import MANAGE, login_of
from trialogue.study.staff.forms import CarryOutForm
from trialogue.study.staff.frame import recruits
from trialogue.study.staff.views.base import StaffForm

PATIENCE_S = 10.0  # for an answer of Prolific's, while somebody waits for the page


class Platform(StaffForm):
    """Pending requests to the platform with their cost, and sending them."""

    permission: ClassVar[str] = MANAGE
    form_class = CarryOutForm
    template_name = "study/staff/platform.html"

    @cached_property
    def _payer(self) -> Payer:
        return Payer(self.study, self._folder, self._api(), who=login_of(self.request))

    @cached_property
    def _recruiter(self) -> Recruiter:
        return Recruiter(self.study, self._folder, self._api(), who=login_of(self.request))

    @property
    def _folder(self) -> Path:
        folder = settings.FOLDER
        if not recruits(self.study) or folder is None:
            raise Http404
        return Path(folder)

    def _api(self) -> Api:
        return Api(tries=1, wait_s=PATIENCE_S)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page.

        Raises:
            Http404: the study is not recruited for by this server.
        """
        _ = self._folder
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: CarryOutForm) -> HttpResponse:
        """Carry it out. What cannot be is said, and nothing more is sent."""
        confirmed = form.cleaned_data["confirmed"]
        try:
            match form.cleaned_data["act"]:
                case "decide":
                    self._payer.decide(confirmed)
                case "bonus":
                    self._payer.pay_bonuses(confirmed)
                case "places":
                    self._recruiter.open_places(confirmed)
                case "sync":
                    self._recruiter.sync()
        except TrialogueError as error:
            form.add_error(None, str(error))
            return self.form_invalid(form)
        return redirect(self.request.path)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Pending requests, or the error if Prolific does not answer."""
        context = super().get_context_data(heading="Prolific", **kwargs)
        try:
            return {**context, **self._pending()}
        except TrialogueError as error:
            return {**context, "unreachable": str(error)}

    def _pending(self) -> dict[str, Any]:
        found, owed, remote = self._payer.pending_decisions(), self._payer.pending_payments(), self._recruiter.remote()
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
                {"code": code, "amount": Money(cents, self._payer.payment.currency)}
                for code, cents in sorted(owed.cents.items())
            ],
            "bonus_price": self._payer.bonus_price(owed),
            "places_due": self._recruiter.places_due(remote),
            "places_price": self._recruiter.places_price(remote),
            "groups": [{"name": name, "codes": codes} for name, codes in groups if codes],
        }
