"""Run a study on Prolific, from the draft to the last bonus. Paid actions happen once, after their price was confirmed."""

from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.launch import Money
from trialogue.study.models import Assignment, PlatformRequest, Study
from trialogue.study.recruiting.account import LIST, OPEN, Account, Kind, State
from trialogue.study.recruiting.preflight import Preflight, RemoteStudy, draft_body, line_of, preflight
from trialogue.study.services.assigning import budget
from trialogue.study.services.launching import end_soft_launch
from trialogue.study.services.reconciliation import Reconciliation, log, reconcile_rows

UNPUBLISHED = "UNPUBLISHED"
PAUSED, ACTIVE = "PAUSED", "ACTIVE"


class Recruiter(Account):
    """Brings people in, and frees the places of those who left."""

    def price(self, remote: RemoteStudy | None = None) -> Money:
        """Cost of all places that the study has at Prolific, at the reward that it has there, to be confirmed."""
        there = remote or self.remote()
        return self.payment.charge(there.all_places * there.reward)

    def create_draft(self, base_url: str) -> str:
        """The study as an unpublished draft; its id, "" in a dry run. Costs nothing.

        Raises:
            UsageError: there is a draft.
        """
        row = self.ledger.last(Kind.DRAFT, self.study.slug)
        if row is not None and row.state == State.CONFIRMED:
            raise UsageError(f"A draft already exists: {row.remote_id}. Publish it, or delete it on Prolific first.")
        body = draft_body(self.file, self.places_wanted(), base_url=base_url, study=self.study)
        if row is not None and (there := self._recover_draft(row, body)):
            return there
        made = self.send_once(Kind.DRAFT, self.study.slug, "POST", "/studies/", body, again=True)
        return str(made.get("id", ""))

    def _recover_draft(self, row: PlatformRequest, body: dict[str, Any]) -> str:
        """The id of the draft whose request got no answer, by its internal name; "" if Prolific does not have it."""
        for there in self.api.pages("/studies/"):
            if there.get("internal_name") == body["internal_name"]:
                self.ledger.settle(row, State.CONFIRMED, by=LIST, remote_id=str(there["id"]))
                return str(there["id"])
        return ""

    def preflight(self) -> Preflight:
        """Compare the study at Prolific with the study file.

        Raises:
            UsageError: there is no draft yet.
            PlatformError: no answer.
        """
        return preflight(self.study, self.file, self.remote(), places=self.places_wanted())

    def publish(self, confirmed: str, *, seen: str = "") -> None:
        """Let people see the study, or see it again after a pause: from now on it costs money.

        Args:
            confirmed: the price of all places (``price``), typed by the payer.
            seen: fingerprint of the pre-flight that the payer has seen; "": they have seen none.

        Raises:
            UsageError: the confirmation is another, the study is published, it was changed there since the pre-flight, or
                it cannot be published as it is there.
        """
        found = self.preflight()
        remote, earlier = found.remote, self.ledger.last(Kind.PUBLISH, self.remote_id)
        if remote.status not in (UNPUBLISHED, PAUSED):
            if earlier is not None and earlier.state in OPEN:  # it was, and the answer was lost
                self.ledger.settle(earlier, State.CONFIRMED, by=LIST)
                return
            raise UsageError("The study is already published.")
        if seen and seen != found.fingerprint:
            raise UsageError("Nothing was published: the study on Prolific was changed meanwhile. Look at it again.")
        if found.blocking and not (self.api.dry and {each.setting for each in found.blocking} == {"state"}):
            raise UsageError("Nothing was published. " + " ".join(map(line_of, found.blocking)))
        price = self.price(remote)
        self.check_confirmation(confirmed, price, refused="Nothing was published: the price to confirm")
        if remote.status == UNPUBLISHED:
            self._change_status(Kind.PUBLISH, self.remote_id, again=True, price=str(price))
        else:
            self._change_status(Kind.START, price=str(price))

    def _change_status(self, kind: Kind, key: str = "", *, again: bool = False, **detail: Any) -> None:
        path = f"/studies/{self.remote_id}/transition/"
        self.send_once(kind, key, "POST", path, {"action": kind.value.upper()}, again=again, **detail)

    def close(self) -> None:
        """Stop admissions; current participants may finish."""
        self._change_status(Kind.STOP)

    def sync(self) -> Reconciliation:
        """Release slots of returned, timed-out or rejected submissions, report differences between both lists, pause the
        study there while it is paused here, and compute how many places it needs. Spends nothing, and raises nothing there.
        """
        rows = [(str(row["participant_id"]), str(row["status"])) for row in self.submissions()]
        found = Reconciliation() if self.api.dry else reconcile_rows(self.study, rows)
        if found.freed or found.replaced:  # a timer that finds nothing new writes nothing
            log(self.study, found, who=self.who)
        remote = self.remote()
        if remote.status == ACTIVE and Study.objects.filter(pk=self.study.pk, state=Study.State.PAUSED).exists():
            self._change_status(Kind.PAUSE)
            found.paused = True
        found.places_due = self.places_due(remote)
        return found

    def places_wanted(self, *, all_people: bool = False) -> int:
        """Number of places that the study should have: the first ones of a soft launch; or one for everyone who is needed,
        and one for everyone who is paid but whose judgements are collected again, within the ceiling.

        Those who were rejected are not paid, and Prolific reopens their places itself.

        Args:
            all_people: whether to count as if the soft launch were over.
        """
        planned = budget(self.study)
        n_replaced = self.study.participants.filter(assignments__state=Assignment.State.REPLACED).distinct().count()
        first = Study.objects.values_list("first_people", flat=True).get(pk=self.study.pk)
        if first is not None and not all_people:
            return min(first, planned.people)  # exclusions free no place during a soft launch
        return min(planned.people + n_replaced, planned.most_people)

    def places_due(self, remote: RemoteStudy, *, all_people: bool = False) -> int:
        """Number of places that a published study should have besides those it has."""
        if remote.status == UNPUBLISHED:
            return 0
        return max(0, self.places_wanted(all_people=all_people) - remote.all_places)

    def places_price(self, remote: RemoteStudy | None = None, *, all_people: bool = False) -> Money:
        """Cost of the places that are due, to be confirmed."""
        there = remote or self.remote()
        return self.payment.charge(self.places_due(there, all_people=all_people) * there.reward)

    def open_places(self, confirmed: str) -> int:
        """Open the places that are due; returns their number.

        Args:
            confirmed: their cost (``places_price``), typed by the payer.

        Raises:
            UsageError: the confirmation is another.
        """
        return self._open_places(confirmed, all_people=False)

    def go_on(self, confirmed: str) -> int:
        """End the soft launch: admit everybody, then open the other places; returns their number.

        In this order, because every participant from Prolific is paid: a crash between the two turns nobody away.

        Args:
            confirmed: cost of the places (``places_price``), typed by the payer.

        Raises:
            UsageError: the confirmation is another.
        """
        return self._open_places(confirmed, all_people=True)

    def _open_places(self, confirmed: str, *, all_people: bool) -> int:
        remote = self.remote()
        due = self.places_due(remote, all_people=all_people)
        if due:
            price = self.places_price(remote, all_people=all_people)
            self.check_confirmation(confirmed, price, refused="No place was opened: the price to confirm")
        if all_people and not self.api.dry:
            end_soft_launch(self.study, who=self.who)
        if due:
            places = remote.all_places + due
            path, body = f"/studies/{self.remote_id}/", {"total_available_places": places}
            self.send_once(Kind.PLACES, "", "PATCH", path, body, places=places, price=str(price))
        return due
