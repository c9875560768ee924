"""Carry out staff decisions on Prolific: approvals and rejections, after the price of the approvals was confirmed.

A decision that is sent again changes nothing there: a submission is decided about once. So one whose answer was lost is
settled by the submission's status, or sent again while that still is to be reviewed.
"""

from dataclasses import dataclass, field
from typing import Any

from trialogue.study.design.payment import Money
from trialogue.study.models import Participant
from trialogue.study.recruiting.account import prolific_id
from trialogue.study.recruiting.api import PlatformError
from trialogue.study.recruiting.bonuses import Bonuses
from trialogue.study.recruiting.ledger import LIST, UNSETTLED, Kind, State
from trialogue.study.services.management.deciding import Standing, standings

AWAITING = "AWAITING REVIEW"
CATEGORY = "OTHER"
DECIDED = {"APPROVED": "accept", "PARTIALLY APPROVED": "accept", "SCREENED OUT": "accept", "REJECTED": "refuse"}
LOST = ("RETURNED", "TIMED-OUT")
PAYMENT_OF = {Kind.APPROVE: "accept", Kind.REJECT: "refuse"}


@dataclass
class Pending:
    """A decision of staff, and the submission that it is about."""

    participant: Participant
    submission: str
    """Its id at Prolific."""
    reason: str


@dataclass
class DecisionProgress:
    """Staff decisions and their progress at Prolific. Lists of participants' codes."""

    approve: list[Pending] = field(default_factory=list)
    """To be approved; each costs the reward and the fee."""
    reject: list[Pending] = field(default_factory=list)
    """To be rejected, with the reason."""
    approved: list[str] = field(default_factory=list)
    """Approved just now."""
    rejected: list[str] = field(default_factory=list)
    """Rejected just now."""
    later: list[str] = field(default_factory=list)
    """Not to be decided yet: still active there."""
    impossible: list[str] = field(default_factory=list)
    """Returned or timed out at Prolific, so no decision is possible."""
    contrary: list[str] = field(default_factory=list)
    """The opposite was decided there: by a completion code's action, or by hand."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Refused by Prolific just now, with its words."""


class Payer(Bonuses):
    """Carries decisions out, and pays."""

    def pending_decisions(self) -> DecisionProgress:
        """Staff decisions that Prolific does not know yet; undecided completed participants wait."""
        found = DecisionProgress()
        people = {name: each for each in self.people() if (name := prolific_id(each))}
        by_person = standings(people.values())
        rows = self.submissions()
        self._reconcile_decisions(rows, people)
        for row in rows:
            who = people.get(row["participant_id"])
            if who is not None and who.pk in by_person:
                self._sort(found, who, row, by_person[who.pk])
        return found

    @staticmethod
    def _sort(found: DecisionProgress, who: Participant, submission: dict[str, Any], standing: Standing) -> None:
        status, pending = str(submission["status"]), Pending(who, str(submission["id"]), standing.payment_reason)
        if not standing.payment:
            return
        if status in DECIDED:
            found.contrary += [who.code] if DECIDED[status] != standing.payment else []
        elif status in LOST:
            found.impossible.append(who.code)
        elif status != AWAITING:
            found.later.append(who.code)
        else:
            (found.approve if standing.payment == "accept" else found.reject).append(pending)

    def _reconcile_decisions(self, rows: list[dict[str, Any]], people: dict[str, Participant]) -> None:
        """Settle decisions whose outcome is unknown by the status of their submissions."""
        status = {
            people[row["participant_id"]].pk: str(row["status"]) for row in rows if row["participant_id"] in people
        }
        for each in self.ledger.rows(*PAYMENT_OF, states=UNSETTLED):
            there = status.get(each.participant_id, "")
            if there in DECIDED:
                done = DECIDED[there] == PAYMENT_OF[Kind(each.kind)]
                self.ledger.settle(each, State.CONFIRMED if done else State.REFUSED, by=LIST)
            elif there in LOST:
                self.ledger.settle(each, State.REFUSED, by=LIST)

    def approval_price(self, pending: DecisionProgress) -> Money:
        """Cost of the approvals at the reward that Prolific has now, the fee included, to be confirmed."""
        return (
            self.payment.charge(len(pending.approve) * self.remote().reward)
            if pending.approve
            else self.payment.charge(0)
        )

    def decide(self, confirmed: str) -> DecisionProgress:
        """Approve and reject as staff decided, with their reasons.

        Args:
            confirmed: the price of the approvals (``approval_price``), typed by the payer; rejections alone cost nothing.

        Raises:
            UsageError: the confirmation does not match; nothing was sent.
            PlatformError: an outcome is unknown; what was sent before is settled.
        """
        found = self.pending_decisions()
        if found.approve:
            price = self.approval_price(found)
            self.check_confirmation(confirmed, price, refused="Nothing was sent: the price to confirm")
        for each in found.approve:
            if self._transition(found, Kind.APPROVE, each, {"action": "APPROVE"}):
                found.approved.append(each.participant.code)
        for each in found.reject:
            body = {"action": "REJECT", "message": each.reason, "rejection_category": CATEGORY}
            if self._transition(found, Kind.REJECT, each, body):
                found.rejected.append(each.participant.code)
        return found

    def _transition(self, found: DecisionProgress, kind: Kind, pending: Pending, body: dict[str, Any]) -> bool:
        """Whether a decision was carried out; one that Prolific refuses is noted, and the others go on."""
        path = f"/submissions/{pending.submission}/transition/"
        if self.api.dry:
            self.api.change("POST", path, body)
            return True
        request = self.ledger.begin_decision(kind, pending.participant)
        try:
            self.api.change("POST", path, body)
        except PlatformError as error:
            # Refused, perhaps because an earlier try or another process came through: the status will tell.
            self.ledger.settle(request, State.UNKNOWN)
            if error.status not in (400, 404, 422):
                raise
            found.failed.append((pending.participant.code, str(error)))
            return False
        self.ledger.settle(request, State.CONFIRMED)
        self.log(kind)
        return True
