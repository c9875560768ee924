"""Run a study on Prolific, from the draft to the last bonus. Paid actions happen once, after their price was confirmed."""

from dataclasses import dataclass, field
from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import Money
from trialogue.study.design.questions import text_in
from trialogue.study.models import Assignment, PlatformRequest, Study
from trialogue.study.recruiting.account import Account, RemoteStudy, payment_of
from trialogue.study.recruiting.ledger import LIST, OPEN, Kind, State
from trialogue.study.services.assigning import budget
from trialogue.study.services.management.reconciliation import Reconciliation, log, reconcile_rows

QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
CODE_TYPES = {  # Prolific's names of our outcomes
    "completed": "COMPLETED",
    "screened_out": "SCREENED_OUT",
    "no_consent": "NO_CONSENT",
    "failed_check": "FAILED_ATTENTION_CHECK",
}
UNPUBLISHED = "UNPUBLISHED"
UNSIGNED = (
    "the study file says platform: {signed: true}, but the study on Prolific does not sign its links "
    "(is_external_study_url_secure), so every paid participant would be turned away. Turn on the secured address "
    "on Prolific, or create the draft again."
)


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
            raise UsageError(f"A draft already exists: {row.remote_id}.")
        body = draft_body(self.file, budget(self.study).people, base_url=base_url, study=self.study)
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

    def differences(self, remote: RemoteStudy) -> "Differences":
        """Compare the study at Prolific with the study file.

        Args:
            remote: the study at Prolific.
        """
        found = Differences()
        if self.file.platform.signed and not remote.secure:
            found.blocking.append(UNSIGNED)
        if lacking := sorted(set(self.file.platform.codes.values()) - remote.codes):
            found.blocking.append(
                f"the study on Prolific lacks completion codes of the study file: {', '.join(lacking)}. Participants would "
                "return with a code that Prolific does not know."
            )
        for name, here, there in (
            (
                "reward",
                Money(self.payment.reward_cents, self.payment.currency),
                Money(remote.reward, self.payment.currency),
            ),
            ("places", budget(self.study).people, remote.all_places),
        ):
            if here != there:
                found.notes.append(f"{name}: {there} on Prolific, {here} in the study file")
        if f"/{self.study.slug}/" not in remote.url:
            found.notes.append(f"address: {remote.url!r} on Prolific does not contain /{self.study.slug}/")
        return found

    def publish(self, confirmed: str) -> None:
        """Let people see the study: from now on it costs money.

        Args:
            confirmed: the price of all places (``price``), typed by the payer.

        Raises:
            UsageError: the confirmation is another, the study is published, or it cannot be published as it is there.
        """
        remote = self.remote()
        earlier = self.ledger.last(Kind.PUBLISH, self.remote_id)
        if remote.status != UNPUBLISHED:
            if earlier is not None and earlier.state in OPEN:  # it was, and the answer was lost
                self.ledger.settle(earlier, State.CONFIRMED, by=LIST)
                return
            raise UsageError("The study is already published.")
        if blocking := self.differences(remote).blocking:
            raise UsageError("Nothing was published: " + " Also, ".join(blocking))
        price = self.price(remote)
        self.check_confirmation(confirmed, price, refused="Nothing was published: the price to confirm")
        if self.study.state != Study.State.RUNNING and not self.api.dry:
            raise UsageError("The study is not open yet: start it with trialogue study serve, then publish.")
        path, body = f"/studies/{self.remote_id}/transition/", {"action": "PUBLISH"}
        self.send_once(Kind.PUBLISH, self.remote_id, "POST", path, body, again=True, price=str(price))

    def close(self) -> None:
        """Stop admissions; current participants may finish."""
        self.send_once(Kind.STOP, "", "POST", f"/studies/{self.remote_id}/transition/", {"action": "STOP"})

    def sync(self) -> Reconciliation:
        """Release slots of returned, timed-out or rejected submissions, report differences between both lists, and compute
        how many places replacements need. Spends nothing, and raises nothing there."""
        rows = [(str(row["participant_id"]), str(row["status"])) for row in self.submissions()]
        found = Reconciliation() if self.api.dry else reconcile_rows(self.study, rows)
        if found.freed or found.replaced:  # a timer that finds nothing new writes nothing
            log(self.study, found, who=self.who)
        found.places_due = self.places_due(self.remote())
        return found

    def places_due(self, remote: RemoteStudy) -> int:
        """Number of places that Prolific should have besides those it has: one for everyone who is paid but whose judgements
        are collected again, within the ceiling.

        Those who were rejected are not paid, and Prolific reopens their places itself.
        """
        if remote.status == UNPUBLISHED:
            return 0
        planned = budget(self.study)
        n_replaced = self.study.participants.filter(assignments__state=Assignment.State.REPLACED).distinct().count()
        wanted = min(planned.people + n_replaced, planned.most_people) if n_replaced else 0
        return max(0, wanted - remote.all_places)

    def places_price(self, remote: RemoteStudy | None = None) -> Money:
        """Cost of the places that are due, to be confirmed."""
        there = remote or self.remote()
        return self.payment.charge(self.places_due(there) * there.reward)

    def open_places(self, confirmed: str) -> int:
        """Open the places that replacements need; returns their number.

        Args:
            confirmed: their cost (``places_price``), typed by the payer.

        Raises:
            UsageError: the confirmation is another.
        """
        remote = self.remote()
        if not (due := self.places_due(remote)):
            return 0
        price = self.places_price(remote)
        self.check_confirmation(confirmed, price, refused="No place was opened: the price to confirm")
        places = remote.all_places + due
        path, body = f"/studies/{self.remote_id}/", {"total_available_places": places}
        self.send_once(Kind.PLACES, "", "PATCH", path, body, places=places, price=str(price))
        return due


@dataclass
class Differences:
    """How the study at Prolific differs from the study file."""

    blocking: list[str] = field(default_factory=list)
    """Why it must not be published as it is."""
    notes: list[str] = field(default_factory=list)
    """What should be looked at before."""


def draft_body(file: StudyFile, places: int, *, base_url: str, study: Study) -> dict[str, Any]:
    """The body of a draft.

    Args:
        file: the study file, which says what people are paid.
        places: of the draft.
        base_url: address of the server.
        study: the study, which names its address.

    Raises:
        UsageError: the address is not HTTPS, or the file has no completion code or no payment.
    """
    if not base_url.startswith("https://"):
        raise UsageError(
            f"Prolific's participants connect over HTTPS: give --base https://study.example.org; got {base_url!r}."
        )
    if len(set(file.platform.codes.values())) < len(file.platform.codes):
        raise UsageError("Two outcomes have the same completion code; Prolific requires different codes.")
    if "completed" not in file.platform.codes:
        raise UsageError(
            "Set the completion code in platform, such as codes: {completed: C1ABCDEF}; others are optional."
        )
    payment = payment_of(file)
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
        "internal_name": f"trialogue {study.slug} {study.sha256[:12]}",
        "description": text_in(file.instructions, file.language) or text_in(file.title, file.language),
        "external_study_url": f"{base_url.rstrip('/')}/{study.slug}/?{QUERY}",
        "is_external_study_url_secure": file.platform.signed,
        "prolific_id_option": "url_parameters",
        "completion_codes": codes,
        "total_available_places": places,
        "estimated_completion_time": round(file.minutes),
        "reward": payment.reward_cents,
        "device_compatibility": ["desktop", "tablet", "mobile"],
    }
