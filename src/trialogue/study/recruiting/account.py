"""A study's account at Prolific: ledger, the study there, list of submissions, and requests that must be made only once."""

from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.payment import Money
from trialogue.study.models import Audit, Participant, PlatformRequest, Study
from trialogue.study.recruiting.api import Api, Json, PlatformError
from trialogue.study.recruiting.ledger import Kind, Ledger, State
from trialogue.study.recruiting.remote import RemoteStudy, payment_of
from trialogue.study.services.reading import file_of

SUBMISSION = ("id", "participant_id", "status")  # what every row of the list has


class Account:
    """Prolific, for one study.

    Args:
        study: the study as loaded.
        api: client for requests.
        who: name for the log.

    Raises:
        UsageError: the study is for another platform, or states no payment.
    """

    def __init__(self, study: Study, api: Api, *, who: str) -> None:
        self.study, self.api, self.who = study, api, who
        self.file = file_of(study)
        if self.file.platform.name != "prolific":
            raise UsageError("Recruiting through the API requires platform: {name: prolific} in the study file.")
        self.payment = payment_of(self.file)
        """Payment per participant."""
        self.ledger = Ledger(study, who=who)

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
        if not (found := self.study.remote_id):
            raise UsageError(
                "There is no draft on Prolific yet. Create one with: trialogue study recruit FOLDER draft --base https://..."
            )
        return found

    def remote(self) -> RemoteStudy:
        """The study as it is at Prolific now.

        Raises:
            UsageError: there is no draft yet.
            PlatformError: no answer.
        """
        return RemoteStudy.parse(self.api.get(f"/studies/{self.remote_id}/"))

    def submissions(self) -> list[dict[str, Any]]:
        """Prolific's list of submissions.

        Raises:
            PlatformError: it cannot be understood.
        """
        rows = list(self.api.pages(f"/studies/{self.remote_id}/submissions/"))
        if any(not row.get(name) for row in rows for name in SUBMISSION):
            raise PlatformError(
                f"Prolific's list of submissions lacks {' or '.join(SUBMISSION)} in some rows. Try again later.", 0
            )
        return rows

    def people(self) -> list[Participant]:
        """Participants with an id."""
        return list(self.study.participants.filter(identity__isnull=False).select_related("identity"))

    def send(
        self, request: PlatformRequest, method: str, path: str, body: Json, *, done: State = State.CONFIRMED
    ) -> Json:
        """Send a request that is in the ledger, and settle it by the answer.

        Raises:
            PlatformError: it was refused, or its outcome is unknown.
        """
        try:
            answer = self.api.change(method, path, body)
        except PlatformError as error:
            self.ledger.settle(request, State.REFUSED if error.refused else State.UNKNOWN)
            raise
        if request.kind == Kind.DRAFT and not answer.get("id"):
            self.ledger.settle(request, State.UNKNOWN)
            raise PlatformError(
                "Prolific did not return the id of the draft. Check on Prolific whether it was created.", 0
            )
        self.ledger.settle(request, done, remote_id=str(answer.get("id", "")) if request.kind == Kind.DRAFT else "")
        return answer

    def send_once(
        self, kind: Kind, key: str, method: str, path: str, body: Json, *, again: bool = False, **detail: Any
    ) -> Json:
        """Record, send and log a request about the study; in a dry run it is only shown.

        Args:
            kind: what is requested.
            key: what must not happen twice.
            method: of HTTP.
            path: of the request.
            body: of the request.
            again: whether repeating it changes nothing, so that it may be repeated where its outcome is unknown.
            detail: for the log.

        Raises:
            UsageError: it was made already.
            PlatformError: it was refused, or its outcome is unknown.
        """
        if self.api.dry:
            return self.api.change(method, path, body)
        answer = self.send(self.ledger.begin(kind, key, again=again), method, path, body)
        self.log(kind, **detail)
        return answer

    def log(self, what: str, **detail: Any) -> None:
        """A line of the log."""
        Audit.objects.create(study=self.study, who=self.who, what=f"recruiting: {what}", detail=detail)


def prolific_id(participant: Participant) -> str:
    """The id there; "" of who came without one, or was erased."""
    identity = getattr(participant, "identity", None)
    return str(identity.ids.get("PROLIFIC_PID", "")) if identity else ""
