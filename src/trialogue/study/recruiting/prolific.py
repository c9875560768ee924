"""A study on Prolific, from the draft to the last bonus. What costs money is done once, after its price was confirmed."""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import money
from trialogue.study.design.questions import text_in
from trialogue.study.models import Assignment, Audit, Participant, Study
from trialogue.study.recruiting.api import Api, PlatformError
from trialogue.study.recruiting.ledger import Ledger
from trialogue.study.services.assigning import budget
from trialogue.study.services.management.deciding import Standing, standings
from trialogue.study.services.management.reconciliation import Reconciled, log, reconcile_rows
from trialogue.study.services.reading import file_of

QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
CODE_TYPES = {  # of our outcomes
    "completed": "COMPLETED",
    "screened_out": "SCREENED_OUT",
    "no_consent": "NO_CONSENT",
    "failed_check": "FAILED_ATTENTION_CHECK",
}
UNPUBLISHED, AWAITING = "UNPUBLISHED", "AWAITING REVIEW"
CATEGORY = "OTHER"
SUBMISSION = ("id", "participant_id", "status")  # what every row of the list has


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
class Decided:
    """What staff decided, and how far it goes at Prolific. Lists of codes of participants."""

    approve: list[Pending] = field(default_factory=list)
    """To be approved: each costs the reward and the fee."""
    reject: list[Pending] = field(default_factory=list)
    """To be rejected, with the reason."""
    approved: list[str] = field(default_factory=list)
    """Approved just now."""
    rejected: list[str] = field(default_factory=list)
    """Rejected just now."""
    later: list[str] = field(default_factory=list)
    """Not to be decided yet: still active there."""
    impossible: list[str] = field(default_factory=list)
    """Returned or timed out there, so nobody can decide about them any more."""
    contrary: list[str] = field(default_factory=list)
    """Decided the other way there: by a completion code's action, or by hand."""


@dataclass
class Owed:
    """Bonuses that were decided and not paid yet, by code."""

    amounts: dict[str, Decimal] = field(default_factory=dict)
    """Of participants whom Prolific lists."""
    ids: dict[str, str] = field(default_factory=dict)
    """Their ids there."""
    unlisted: list[str] = field(default_factory=list)
    """Came with an id that Prolific does not list for this study: paid nothing."""


class Recruiter:
    """Prolific, for one study.

    Args:
        study: as it was loaded.
        folder: its folder, where the ledger is.
        api: requests.
        who: for the log.
    """

    def __init__(self, study: Study, folder: Path, api: Api, *, who: str) -> None:
        self._study, self._api, self._who = study, api, who
        self._file = file_of(study)
        self.ledger = Ledger(folder)
        if self._file.platform.name != "prolific":
            raise UsageError("Recruiting by API is for studies of platform: {name: prolific}.")
        if self._file.payment is None:
            raise UsageError("The study file has no payment. Add payment: {reward_cents: ..., ...}.")

    @property
    def remote_id(self) -> str:
        """The study's id at Prolific.

        Raises:
            UsageError: there is no draft yet.
        """
        row = self.ledger.last_line("draft", self._study.slug)
        if row is None or row["state"] != "done":
            raise UsageError(
                "There is no draft at Prolific yet. Create one with: trialogue study recruit FOLDER draft --base https://..."
            )
        return str(row["id"])

    def price(self) -> str:
        """What all places cost, those of replaced people included: what is confirmed."""
        found = budget(self._study)
        return found.price(found.most_people)

    def create_draft(self, base: str) -> str:
        """The study as an unpublished draft; its id, "" in a dry run. Costs nothing.

        Raises:
            UsageError: there is a draft, or one may have been made.
        """
        with self.ledger.exclusive():
            row = self.ledger.last_line("draft", self._study.slug)
            if row is not None and row["state"] == "done":
                raise UsageError(f"A draft already exists: {row['id']}.")
            body = draft_of(self._file, budget(self._study).people, base=base, slug=self._study.slug)
            if row is not None and row["state"] == "intended":
                return self._found_draft(body)
            return self._do_once("draft", self._study.slug, "POST", "/studies/", body)

    def _found_draft(self, body: dict[str, Any]) -> str:
        """The draft of a request whose answer was lost, known by its internal name; made anew where there is none."""
        for row in self._api.pages("/studies/"):
            if row.get("internal_name") == body["internal_name"]:
                self.ledger.settle("draft", self._study.slug, id=row["id"])
                return str(row["id"])
        return self._do_once("draft", self._study.slug, "POST", "/studies/", body)

    def publish(self, confirmed: str) -> None:
        """Let people see the study: from now on it costs money.

        Args:
            confirmed: the price of all places, as ``price`` writes it, typed by the payer.

        Raises:
            UsageError: the confirmation is another, or the study is published.
        """
        if not self._api.dry and " ".join(confirmed.split()) != self.price():
            raise UsageError(f"Nothing was published: confirm the price {self.price()!r}, got {confirmed!r}.")
        if self._study.state != Study.State.RUNNING and not self._api.dry:
            raise UsageError("The study is not open yet: start it with trialogue study serve, then publish.")
        with self.ledger.exclusive():
            detail = {"price": self.price()}
            if self._status() != UNPUBLISHED:
                row = self.ledger.last_line("publish", self.remote_id)
                if row is not None and row["state"] == "intended":  # it was, and the answer was lost
                    self.ledger.settle("publish", self.remote_id, **detail)
                    return
                raise UsageError("The study is already published.")
            self._do_once(
                "publish",
                self.remote_id,
                "POST",
                f"/studies/{self.remote_id}/transition/",
                {"action": "PUBLISH"},
                **detail,
            )

    def close(self) -> None:
        """Nobody new comes; who is in may finish."""
        with self.ledger.exclusive():
            self._do_once("stop", self.remote_id, "POST", f"/studies/{self.remote_id}/transition/", {"action": "STOP"})

    def _status(self) -> str:
        return str(self._api.get(f"/studies/{self.remote_id}/").get("status", ""))

    def sync(self) -> Reconciled:
        """Free what was returned, timed out or rejected there, tell where both lists differ, open the places of replaced
        people."""
        rows = [(str(row["participant_id"]), str(row["status"])) for row in self._submissions()]
        found = Reconciled() if self._api.dry else reconcile_rows(self._study, rows)
        if found.freed or found.replaced:  # a timer that finds nothing new writes nothing
            log(self._study, found, who=self._who)
        with self.ledger.exclusive():
            self._open_places({name for name, status in rows if DECIDED.get(status) == "refuse"})
        return found

    def _open_places(self, rejected: set[str]) -> None:
        """As many places as people are paid. Who was rejected is not: their place opens there without our doing."""
        wanted = budget(self._study)
        replaced = self._study.participants.filter(assignments__state=Assignment.State.REPLACED).distinct()
        paid = [each for each in replaced.select_related("identity") if _prolific_id(each) not in rejected]
        places = min(wanted.people + len(paid), wanted.most_people)
        there = int(self._api.get(f"/studies/{self.remote_id}/").get("total_available_places", 0))
        confirmed = self.ledger.last_line("publish", self.remote_id)
        if places > there and confirmed is not None and confirmed["state"] == "done":
            self._do_once(
                "places",
                f"{self.remote_id}:{places}",
                "PATCH",
                f"/studies/{self.remote_id}/",
                {"total_available_places": places},
            )

    def _submissions(self) -> list[dict[str, Any]]:
        rows = list(self._api.pages(f"/studies/{self.remote_id}/submissions/"))
        if any(not row.get(name) for row in rows for name in SUBMISSION):
            raise PlatformError(f"Prolific's list of submissions lacks {', '.join(SUBMISSION)} in some rows.", 0)
        return rows

    def pending_decisions(self) -> Decided:
        """What staff decided and Prolific does not know yet; who completed and was not decided about waits."""
        found = Decided()
        people = {each.identity.ids.get("PROLIFIC_PID"): each for each in self._people()}
        by_person = standings(people.values())
        for row in self._submissions():
            who = people.get(row["participant_id"])
            if who is not None and who.pk in by_person:
                self._sort(found, who, row, by_person[who.pk])
        return found

    def _people(self) -> list[Participant]:
        return list(self._study.participants.filter(identity__isnull=False).select_related("identity"))

    @staticmethod
    def _sort(found: Decided, who: Participant, submission: dict[str, Any], standing: Standing) -> None:
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

    def approval_price(self, found: Decided) -> str:
        """What the approvals cost, the platform's fee included: what is confirmed."""
        assert self._file.payment is not None
        return self._file.payment.price(len(found.approve))

    def decide(self, confirmed: str) -> Decided:
        """Approve and reject as staff decided, with their reasons.

        Args:
            confirmed: the price of the approvals, as ``approval_price`` says it; rejections alone cost nothing.

        Raises:
            UsageError: the confirmation is another; nothing was sent.
        """
        with self.ledger.exclusive():
            found = self.pending_decisions()
            price = self.approval_price(found)
            if found.approve and not self._api.dry and " ".join(confirmed.split()) != price:
                raise UsageError(f"Nothing was decided: confirm the price {price!r}, got {confirmed!r}.")
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
        self._do_once(what, pending.participant.code, "POST", f"/submissions/{pending.submission}/transition/", body)

    def pending_payments(self) -> Owed:
        """What staff decided and was not paid yet.

        Raises:
            UsageError: a payment was begun and nobody knows what came of it.
        """
        paid, people = self._paid_amounts(), self._people()
        decided, found = standings(people), Owed()
        listed = {str(row["participant_id"]) for row in self._submissions()}
        for each in people:
            left = decided[each.pk].bonus - paid.get(each.code, Decimal(0)) if each.pk in decided else Decimal(0)
            if left <= 0:
                continue
            # what stands in an unsigned link anybody may have written: another's id, or a line of a payment
            if (name := _prolific_id(each)) in listed and name.isalnum():
                found.amounts[each.code], found.ids[each.code] = left, name
            else:
                found.unlisted.append(each.code)
        return found

    def _paid_amounts(self) -> dict[str, Decimal]:
        """By code: what was paid."""
        paid: dict[str, Decimal] = {}
        for row in self.ledger.rows():
            if row["what"] == "bonus" and row["state"] == "intended":
                last = self.ledger.last_line("bonus", row["key"])
                if last is None or last["state"] == "intended":
                    raise UsageError(
                        f"The payment {row['key']} was started, but no answer arrived. Check at Prolific whether it was "
                        f"paid, and record it: trialogue study recruit FOLDER settle {row['key']} --paid, or --unpaid. It "
                        "is never paid again automatically."
                    )
                if last["state"] == "done":
                    for code, amount in row["amounts"].items():
                        paid[code] = paid.get(code, Decimal(0)) + Decimal(amount)
        return paid

    def pay_bonuses(self, confirmed: str) -> str:
        """Pay what is owed, once; the sum in words.

        Args:
            confirmed: the sum, as ``bonus_sum`` says it.

        Raises:
            UsageError: the confirmation is another; nothing was paid.
        """
        with self.ledger.exclusive():
            owed = self.pending_payments()
            total = self.bonus_sum(owed)
            if not owed.amounts:
                return total
            if not self._api.dry and " ".join(confirmed.split()) != total:
                raise UsageError(f"Nothing was paid: confirm the sum {total!r}, got {confirmed!r}.")
            rows = "\n".join(f"{owed.ids[code]},{amount:.2f}" for code, amount in sorted(owed.amounts.items()))
            made = self._api.change(
                "POST", "/submissions/bonus-payments/", {"study_id": self.remote_id, "csv_bonuses": rows}
            )
            if self._api.dry:
                return total
            payment = str(made["id"])
            amounts = {code: str(amount) for code, amount in owed.amounts.items()}
            self._do_once("bonus", payment, "POST", f"/bulk-bonus-payments/{payment}/pay/", {}, amounts=amounts)
        return total

    def bonus_sum(self, owed: Owed | None = None) -> str:
        """What all bonuses cost that are owed; asked for where they are not given."""
        assert self._file.payment is not None
        amounts = (owed or self.pending_payments()).amounts.values()
        return money(int(sum(amounts, Decimal(0)) * 100), self._file.payment.currency)

    def settle(self, payment: str, *, paid: bool) -> None:
        """Record the outcome of a payment whose answer was lost.

        Raises:
            UsageError: there is no such payment.
        """
        row = self.ledger.last_line("bonus", payment)
        if row is None or row["state"] != "intended":
            raise UsageError(f"{payment!r} is not an unsettled payment.")
        self.ledger.settle("bonus", payment, "done" if paid else "refused", by=self._who)

    def _do_once(self, what: str, key: str, method: str, path: str, body: dict[str, Any], **detail: Any) -> str:
        """Write down, ask, write down; the platform's id of what was made. What is refused can be asked again."""
        if self._api.dry:
            self._api.change(method, path, body)
            return ""
        self.ledger.intend(what, key, **detail)
        try:
            answer = self._api.change(method, path, body)
        except PlatformError as error:
            if 300 <= error.status < 500:  # its own answer: it was not carried out; a gateway's says nothing
                self.ledger.settle(what, key, "refused", status=error.status)
            raise
        made = str(answer.get("id", ""))
        if what == "draft" and not made:
            raise PlatformError(
                "Prolific did not return the id of the draft. Check on Prolific whether it was created.", 0
            )
        self.ledger.settle(what, key, id=made)
        Audit.objects.create(study=self._study, who=self._who, what=f"recruiting: {what}", detail=detail)
        return made


def _prolific_id(participant: Participant) -> str:
    """The id there; "" of who came without one, or was erased."""
    identity = getattr(participant, "identity", None)
    return str(identity.ids.get("PROLIFIC_PID", "")) if identity else ""


def draft_of(file: StudyFile, places: int, *, base: str, slug: str) -> dict[str, Any]:
    """The body of a draft.

    Args:
        file: the study file, which says what people are paid.
        places: of the draft.
        base: address of the server.
        slug: the study's name in addresses.

    Raises:
        UsageError: the address is not HTTPS, or the file has no completion code.
    """
    if not base.startswith("https://"):
        raise UsageError(
            f"Prolific's participants connect over HTTPS: give --base https://study.example.org; got {base!r}."
        )
    if len(set(file.platform.codes.values())) < len(file.platform.codes):
        raise UsageError("Two outcomes have the same completion code; Prolific requires different codes.")
    if "completed" not in file.platform.codes:
        raise UsageError(
            "Set the completion code in platform, such as codes: {completed: C1ABCDEF}; others are optional."
        )
    assert file.payment is not None
    codes = [
        {
            "code": code,
            "code_type": CODE_TYPES[outcome],
            "actions": [{"action": file.platform.actions.get(outcome, "MANUALLY_REVIEW")}],
        }
        for outcome, code in sorted(file.platform.codes.items())
    ]
    return {
        "name": text_in(file.title, file.language),
        "internal_name": f"trialogue {slug}",
        "description": text_in(file.instructions, file.language) or text_in(file.title, file.language),
        "external_study_url": f"{base.rstrip('/')}/{slug}/?{QUERY}",
        "prolific_id_option": "url_parameters",
        "completion_codes": codes,
        "total_available_places": places,
        "estimated_completion_time": round(file.minutes),
        "reward": file.payment.reward_cents,
        "device_compatibility": ["desktop", "tablet", "mobile"],
    }
