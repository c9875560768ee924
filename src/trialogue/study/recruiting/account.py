"""A study's account at Prolific: ledger, platform id, list of submissions, and requests that must be made only once."""

from pathlib import Path
from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import Money, Payment
from trialogue.study.models import Audit, Participant, Study
from trialogue.study.recruiting.api import Api, PlatformError
from trialogue.study.recruiting.ledger import Ledger
from trialogue.study.services.reading import file_of

SUBMISSION = ("id", "participant_id", "status")  # what every row of the list has


class Account:
    """Prolific, for one study.

    Args:
        study: the study as loaded.
        folder: the study folder, which contains the ledger.
        api: client for requests.
        who: name for the log.

    Raises:
        UsageError: the study is for another platform, or states no payment.
    """

    def __init__(self, study: Study, folder: Path, api: Api, *, who: str) -> None:
        self.study, self.api, self.who = study, api, who
        self.file = file_of(study)
        self.ledger = Ledger(folder)
        if self.file.platform.name != "prolific":
            raise UsageError("Recruiting through the API requires platform: {name: prolific} in the study file.")
        self.payment = payment_of(self.file)
        """Payment per participant."""

    def check_confirmation(self, confirmed: str, amount: Money, *, refused: str) -> None:
        """Check that the payer typed the amount that is about to be spent; a dry run spends nothing.

        Args:
            confirmed: what was typed, such as "1,995.00 EUR".
            amount: amount to be spent.
            refused: beginning of the message, such as "Nothing was paid: the sum to confirm".

        Raises:
            UsageError: something else was typed.
        """
        if not self.api.dry and Money.parse(confirmed) != amount:
            raise UsageError(f"{refused} is {amount}, got {confirmed!r}.")

    @property
    def remote_id(self) -> str:
        """The study's id at Prolific.

        Raises:
            UsageError: there is no draft yet.
        """
        row = self.ledger.last_line("draft", self.study.slug)
        if row is None or row["state"] != "done":
            raise UsageError(
                "There is no draft on Prolific yet. Create one with: trialogue study recruit FOLDER draft --base https://..."
            )
        return str(row["id"])

    def submissions(self) -> list[dict[str, Any]]:
        """Prolific's list of submissions.

        Raises:
            PlatformError: it cannot be understood.
        """
        rows = list(self.api.pages(f"/studies/{self.remote_id}/submissions/"))
        if any(not row.get(name) for row in rows for name in SUBMISSION):
            raise PlatformError(f"Prolific's list of submissions lacks {', '.join(SUBMISSION)} in some rows.", 0)
        return rows

    def people(self) -> list[Participant]:
        """Participants with an id."""
        return list(self.study.participants.filter(identity__isnull=False).select_related("identity"))

    def do_once(self, what: str, key: str, method: str, path: str, body: dict[str, Any], **detail: Any) -> str:
        """Create an object at Prolific with ledger entries before and after; returns its id there. Refused requests can
        be repeated."""
        if self.api.dry:
            self.api.change(method, path, body)
            return ""
        self.ledger.intend(what, key, **detail)
        try:
            answer = self.api.change(method, path, body)
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
        Audit.objects.create(study=self.study, who=self.who, what=f"recruiting: {what}", detail=detail)
        return made


def prolific_id(participant: Participant) -> str:
    """The id there; "" of who came without one, or was erased."""
    identity = getattr(participant, "identity", None)
    return str(identity.ids.get("PROLIFIC_PID", "")) if identity else ""


def payment_of(file: StudyFile) -> Payment:
    """Payment per participant.

    Raises:
        UsageError: the study file has none.
    """
    if file.payment is None:
        raise UsageError("The study file has no payment. Add payment: {reward_cents: ..., ...}.")
    return file.payment
