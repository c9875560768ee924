"""Carry out staff decisions on Prolific: approvals, rejections and bonuses, each after its price was confirmed."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.payment import Money
from trialogue.study.models import Participant
from trialogue.study.recruiting.account import Account, prolific_id
from trialogue.study.services.management.deciding import Standing, standings

AWAITING = "AWAITING REVIEW"
CATEGORY = "OTHER"
DECIDED = {"APPROVED": "accept", "PARTIALLY APPROVED": "accept", "SCREENED OUT": "accept", "REJECTED": "refuse"}
LOST = ("RETURNED", "TIMED-OUT")


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


@dataclass
class UnpaidBonuses:
    """Bonuses that were decided and not paid yet, by code."""

    amounts: dict[str, Decimal] = field(default_factory=dict)
    """Codes of participants listed by Prolific."""
    ids: dict[str, str] = field(default_factory=dict)
    """Their ids there."""
    unlisted: list[str] = field(default_factory=list)
    """Came with an id that Prolific does not list for this study: paid nothing."""


class Payer(Account):
    """Carries decisions out, and pays."""

    def pending_decisions(self) -> DecisionProgress:
        """Staff decisions that Prolific does not know yet; undecided completed participants wait."""
        found = DecisionProgress()
        people = {name: each for each in self.people() if (name := prolific_id(each))}
        by_person = standings(people.values())
        for row in self.submissions():
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

    def approval_price(self, pending: DecisionProgress) -> Money:
        """Cost of the approvals, the platform's fee included, to be confirmed."""
        return self.payment.price(len(pending.approve))

    def decide(self, confirmed: str) -> DecisionProgress:
        """Approve and reject as staff decided, with their reasons.

        Args:
            confirmed: the price of the approvals (``approval_price``), typed by the payer; rejections alone cost nothing.

        Raises:
            UsageError: the confirmation does not match; nothing was sent.
        """
        with self.ledger.exclusive():
            found = self.pending_decisions()
            if found.approve:
                price = self.approval_price(found)
                self.check_confirmation(confirmed, price, refused="Nothing was sent: the price to confirm")
            for each in found.approve:
                self._transition("approve", each, {"action": "APPROVE"})
                found.approved.append(each.participant.code)
            for each in found.reject:
                self._transition(
                    "reject", each, {"action": "REJECT", "message": each.reason, "rejection_category": CATEGORY}
                )
                found.rejected.append(each.participant.code)
        return found

    def _transition(self, what: str, pending: Pending, body: dict[str, Any]) -> None:
        self.do_once(what, pending.participant.code, "POST", f"/submissions/{pending.submission}/transition/", body)

    def pending_payments(self) -> UnpaidBonuses:
        """Decided payments that have not been made yet.

        Raises:
            UsageError: a payment was started, and its outcome is unknown.
        """
        paid, people = self._paid_amounts(), self.people()
        decided, found = standings(people), UnpaidBonuses()
        listed = {str(row["participant_id"]) for row in self.submissions()}
        for each in people:
            left = decided[each.pk].bonus - paid.get(each.code, Decimal(0)) if each.pk in decided else Decimal(0)
            if left <= 0:
                continue
            # what stands in an unsigned link anybody may have written: another's id, or a line of a payment
            if (name := prolific_id(each)) in listed and name.isalnum():
                found.amounts[each.code], found.ids[each.code] = left, name
            else:
                found.unlisted.append(each.code)
        return found

    def _paid_amounts(self) -> dict[str, Decimal]:
        """Amounts paid, by code."""
        paid: dict[str, Decimal] = {}
        for row in self.ledger.rows():
            if row["what"] == "bonus" and row["state"] == "intended":
                last = self.ledger.last_line("bonus", row["key"])
                if last is None or last["state"] == "intended":
                    raise UsageError(
                        f"The payment {row['key']} was started, but no answer arrived. Check on Prolific whether it was "
                        f"paid, and record it: trialogue study recruit FOLDER settle {row['key']} --paid, or --unpaid. It "
                        "is never paid again automatically."
                    )
                if last["state"] == "done":
                    for code, amount in row["amounts"].items():
                        paid[code] = paid.get(code, Decimal(0)) + Decimal(amount)
        return paid

    def pay_bonuses(self, confirmed: str) -> Money:
        """Pay outstanding amounts, once; returns their sum.

        Args:
            confirmed: the sum (``bonus_sum``), typed by the payer.

        Raises:
            UsageError: the confirmation does not match; nothing was paid.
        """
        with self.ledger.exclusive():
            owed = self.pending_payments()
            total = self.bonus_sum(owed)
            if not owed.amounts:
                return total
            self.check_confirmation(confirmed, total, refused="Nothing was paid: the sum to confirm")
            rows = "\n".join(f"{owed.ids[code]},{amount:.2f}" for code, amount in sorted(owed.amounts.items()))
            made = self.api.change(
                "POST", "/submissions/bonus-payments/", {"study_id": self.remote_id, "csv_bonuses": rows}
            )
            if self.api.dry:
                return total
            payment = str(made["id"])
            amounts = {code: str(amount) for code, amount in owed.amounts.items()}
            self.do_once("bonus", payment, "POST", f"/bulk-bonus-payments/{payment}/pay/", {}, amounts=amounts)
        return total

    def bonus_sum(self, owed: UnpaidBonuses | None = None) -> Money:
        """Sum of all owed bonuses; requested from the platform if not given."""
        amounts = (owed or self.pending_payments()).amounts.values()
        return Money(int(sum(amounts, Decimal(0)) * 100), self.payment.currency)

    def settle(self, payment: str, *, paid: bool) -> None:
        """Record the outcome of a payment whose answer was lost.

        Raises:
            UsageError: there is no such payment.
        """
        row = self.ledger.last_line("bonus", payment)
        if row is None or row["state"] != "intended":
            raise UsageError(f"There is no unsettled payment {payment!r}.")
        self.ledger.settle("bonus", payment, "done" if paid else "refused", by=self.who)
