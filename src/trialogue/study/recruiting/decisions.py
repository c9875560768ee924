"""Carry out staff decisions on Prolific: approvals and rejections, after the price of the approvals was confirmed.

A decision that is sent again changes nothing there: a submission is decided about once. So one whose answer was lost is
settled by the submission's status, or sent again while that still is to be reviewed.

Pay the bonuses that staff granted: what the platform will charge is confirmed first, and nothing is paid twice.

What a participant is owed is what staff granted, less what the ledger and the platform's own list say was paid. So neither
a lost answer, nor a crash, nor a restored backup pays twice: the list counts payments that the ledger does not know.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from trialogue.errors import UsageError
from trialogue.study.design.launch import Money
from trialogue.study.models import Participant, PlatformRequest
from trialogue.study.recruiting.account import LIST, LIVE, OPEN, UNSETTLED, Account, Kind, State, prolific_id
from trialogue.study.recruiting.api import Json, PlatformError
from trialogue.study.services.deciding import Standing, standings
from trialogue.study.services.rows import lock_study

LISTED_AFTER = timedelta(hours=1)
"""After a payment was requested, Prolific pays "in the following minutes"; until then a missing line proves nothing."""


@dataclass
class UnpaidBonuses:
    """Bonuses that were granted and not paid yet, in hundredths of the currency, by code."""

    cents: dict[str, int] = field(default_factory=dict)
    """Participants listed by Prolific."""
    ids: dict[str, str] = field(default_factory=dict)
    """Their ids there."""
    unlisted: list[str] = field(default_factory=list)
    """Came with an id that Prolific does not list for this study: paid nothing."""
    unknown: dict[str, str] = field(default_factory=dict)
    """A payment was requested and its outcome is unknown: the payment's id there, by code. Paid nothing more until then."""
    found: list[str] = field(default_factory=list)
    """Prolific's list had a payment that the ledger did not know: made by hand, or before a backup was restored."""


class Bonuses(Account):
    """Pays bonuses."""

    def pending_payments(self) -> UnpaidBonuses:
        """Granted bonuses that have not been paid yet, after the ledger was compared with Prolific's list.

        Raises:
            PlatformError: no answer, so that nothing is known.
        """
        rows, people = self.submissions(), self.people()
        found = UnpaidBonuses(found=self._reconcile_all(people, rows))
        listed = {str(row["participant_id"]) for row in rows}
        owed, open_ones = self._amounts_owed(people)
        found.unknown = {each.code: batch for each, batch in open_ones.items()}
        for each, left in owed.items():
            # what stands in an unsigned link anybody may have written: another's id, or a line of a payment
            if (name := prolific_id(each)) in listed and name.isalnum():
                found.cents[each.code], found.ids[each.code] = left, name
            else:
                found.unlisted.append(each.code)
        return found

    def _amounts_owed(self, people: list[Participant]) -> tuple[dict[Participant, int], dict[Participant, str]]:
        """What was granted and is not paid, by participant; and payments whose outcome is unknown, which come first."""
        granted, own = standings(people), self._payments()
        owed, open_ones = dict[Participant, int](), dict[Participant, str]()
        for each in people:
            payments = own.get(each.pk, [])
            if unknown := [payment for payment in payments if payment.state in OPEN]:
                open_ones[each] = unknown[0].batch
            elif each.pk in granted:
                left = int(granted[each.pk].bonus * 100) - sum(payment.amount_cents for payment in payments)
                owed |= {each: left} if left > 0 else {}
        return owed, open_ones

    def _payments(self) -> dict[int, list[PlatformRequest]]:
        """Payments that were or may have been made, by participant."""
        found: dict[int, list[PlatformRequest]] = {}
        for each in self.study.platform_requests.filter(kind=Kind.BONUS, state__in=LIVE, participant__isnull=False):
            found.setdefault(each.participant_id or 0, []).append(each)
        return found

    def _reconcile_all(self, people: list[Participant], rows: list[dict[str, Any]]) -> list[str]:
        """Compare the ledger with Prolific's list of submissions; codes of participants with payments it did not know."""
        by_person: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            by_person.setdefault(str(row["participant_id"]), []).append(row)
        granted, payments, found = standings(people), self._payments(), list[str]()
        for each in people:
            own = payments.get(each.pk, [])
            submissions = by_person.get(prolific_id(each), [])
            if not submissions or not (own or (each.pk in granted and granted[each.pk].bonus)):
                continue
            there = self._paid_there(submissions)
            confirmed = sorted(payment.amount_cents for payment in own if payment.state == State.CONFIRMED)
            if there is not None and (sorted(there) != confirmed or len(confirmed) < len(own)):
                found += [each.code] if self._reconcile(each, there) else []
        return found

    def _paid_there(self, submissions: list[dict[str, Any]]) -> list[int] | None:
        """Bonuses of a person according to Prolific; None if it does not tell."""
        found: list[int] = []
        for row in submissions:
            paid = row.get("bonus_payments")
            if paid is None:  # the list may tell less than the submission itself
                paid = self._details(str(row["id"])).get("bonus_payments")
            if not isinstance(paid, list) or any(isinstance(each, bool) or not isinstance(each, int) for each in paid):
                return None
            found += paid
        return found

    def _details(self, submission: str) -> Json:
        try:
            return self.api.get(f"/submissions/{submission}/")
        except PlatformError as error:
            if error.refused:
                return {}
            raise

    def _reconcile(self, participant: Participant, there: list[int]) -> bool:
        """Settle a participant's payments by what the platform lists; whether it lists more."""
        with transaction.atomic():
            lock_study(self.study)
            own = list(self.ledger.rows(Kind.BONUS, states=LIVE).filter(participant=participant))
            left = Counter(there) - Counter(each.amount_cents for each in own if each.state == State.CONFIRMED)
            for each in own:
                if each.state != State.CONFIRMED and left[each.amount_cents] > 0:
                    left[each.amount_cents] -= 1
                    self.ledger.settle(each, State.CONFIRMED, by=LIST)
            more = list(left.elements())
            PlatformRequest.objects.bulk_create(
                PlatformRequest(
                    study=self.study,
                    kind=Kind.BONUS,
                    participant=participant,
                    amount_cents=cents,
                    state=State.CONFIRMED,
                    by=LIST,
                    settled_by=LIST,
                    settled_at=timezone.now(),
                )
                for cents in more
            )
        return bool(more)

    def bonus_price(self, owed: UnpaidBonuses | None = None) -> Money:
        """What the platform will charge for all owed bonuses, its fee included; they are looked up if not given."""
        return self.payment.charge(sum((owed or self.pending_payments()).cents.values()))

    def pay_bonuses(self, confirmed: str) -> Money:
        """Pay outstanding bonuses, once; returns what the platform charges.

        Args:
            confirmed: the price (``bonus_price``), typed by the payer.

        Raises:
            UsageError: the confirmation does not match, or all that is left is unknown; nothing was paid.
            PlatformError: the payment was refused, or its outcome is unknown.
        """
        owed = self.pending_payments()
        price = self.bonus_price(owed)
        if not owed.cents:
            if owed.unknown:
                raise UsageError(unknown_payments(owed))
            return price
        self.check_confirmation(confirmed, price, refused="Nothing was paid: the price to confirm")
        lines = "\n".join(f"{owed.ids[code]},{cents / 100:.2f}" for code, cents in sorted(owed.cents.items()))
        body = {"study_id": self.remote_id, "csv_bonuses": lines}
        made = self.api.change("POST", "/submissions/bonus-payments/", body)  # sets up a payment, and pays nothing
        if self.api.dry:
            return price
        payment = self._check_price(made, price)
        requests = self._reserve(owed, payment)
        self._pay(payment, requests)
        self.log("bonus", price=str(price), participants=len(requests))
        return price

    def _check_price(self, made: Json, price: Money) -> str:
        """The id of a payment that was set up.

        Raises:
            PlatformError: it has none, or costs another sum than was confirmed.
        """
        payment, total = str(made.get("id", "")), made.get("total_amount")
        if not payment:
            raise PlatformError("Prolific did not return the id of the payment. Nothing was paid.", 0)
        if isinstance(total, int | float) and total > price.cents:
            there = Money(round(total), price.currency)
            raise UsageError(
                f"Nothing was paid: Prolific charges {there}, but {price} was confirmed. Correct payment.fee in the study "
                "file (fees and VAT as a share of the reward)."
            )
        return payment

    def _reserve(self, owed: UnpaidBonuses, payment: str) -> list[PlatformRequest]:
        """Record the lines of a payment, if they are still owed.

        Raises:
            UsageError: another process has paid meanwhile, or staff have decided otherwise.
        """
        with transaction.atomic():
            lock_study(self.study)
            people = [each for each in self.people() if each.code in owed.cents]
            now = {each.code: left for each, left in self._amounts_owed(people)[0].items()}
            if now != owed.cents:
                raise UsageError("Nothing was paid: what is owed has changed meanwhile. Try again.")
            return [
                PlatformRequest.objects.create(
                    study=self.study,
                    kind=Kind.BONUS,
                    participant=each,
                    amount_cents=owed.cents[each.code],
                    batch=payment,
                    by=self.who,
                )
                for each in people
            ]

    def _pay(self, payment: str, requests: list[PlatformRequest]) -> None:
        try:
            self.api.change("POST", f"/bulk-bonus-payments/{payment}/pay/", {})
        except PlatformError as error:
            self._settle_all(requests, State.REFUSED if error.refused else State.UNKNOWN)
            raise
        self._settle_all(requests, State.ACCEPTED)

    def _settle_all(self, requests: list[PlatformRequest], state: State, **more: str) -> None:
        with transaction.atomic():
            for each in requests:
                self.ledger.settle(each, state, **more)

    def settle(self, payment: str, *, paid: bool) -> str:
        """Record the outcome of a payment whose answer was lost, as somebody saw it on Prolific; returns what is known now.

        Prolific's list is asked first, and counts for more than what somebody saw.

        Args:
            payment: the payment's id there.
            paid: whether it was made.

        Raises:
            UsageError: there is no such payment, the list shows otherwise, or it may still appear there.
        """
        unsettled = self.study.platform_requests.filter(kind=Kind.BONUS, state__in=UNSETTLED, batch=payment)
        known = unsettled.exists()
        self._reconcile_all(self.people(), self.submissions())
        left = list(unsettled)
        if not known:
            raise UsageError(f"There is no unsettled payment {payment!r}.")
        if not left:
            if not paid:
                raise UsageError(f"Prolific lists the payment {payment} as made. It was recorded as paid.")
            return f"Prolific lists the payment {payment} as made."
        if not paid and (wait := max(each.sent_at for each in left) + LISTED_AFTER - timezone.now()) > timedelta(0):
            raise UsageError(
                f"Prolific may still make the payment {payment}: it appears on its list some minutes after the request. "
                f"Settle it as unpaid in {-(-wait.seconds // 60)} minutes, if it is not listed by then."
            )
        self._settle_all(left, State.CONFIRMED if paid else State.REFUSED, by=self.who)
        self.log("settled", payment=payment, paid=paid)
        return f"The payment {payment} was recorded as {'paid' if paid else 'not paid'}."


def unknown_payments(owed: UnpaidBonuses) -> str:
    """What is to be done about payments whose outcome is unknown."""
    return " ".join(
        f"The payment {payment} was requested, but no answer arrived. Check on Prolific whether it was paid, and record it: "
        f"trialogue study recruit FOLDER settle {payment} --paid, or --unpaid. It is never paid again automatically."
        for payment in sorted(set(owed.unknown.values()))
    )


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
