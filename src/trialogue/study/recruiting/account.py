"""A study's account at Prolific: ledger, the study there, list of submissions, and requests that must be made only once.

Ledger of requests to the platform that spend money or decide, in the study's database.

An intent is a decision of staff, or a command with a confirmed price. ``Ledger.begin`` commits a row in the state ``sent``
before the request leaves, and a constraint of the database allows one open request per intent. The answer settles it:
``confirmed`` or ``accepted``, ``refused``, or ``unknown`` where it was lost or does not say what happened. Whatever is open
is resolved by the platform's own lists, or by a person after these were asked; it is never repeated by itself where a
repetition would pay twice.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from trialogue.errors import UsageError
from trialogue.study.design.launch import Money
from trialogue.study.models import Audit, Participant, PlatformRequest, Study
from trialogue.study.recruiting.api import Api, Json, PlatformError
from trialogue.study.recruiting.preflight import RemoteStudy, payment_of
from trialogue.study.services.rows import file_of, lock_study

Kind: TypeAlias = PlatformRequest.Kind
State: TypeAlias = PlatformRequest.State
OPEN = (State.SENT, State.UNKNOWN)
"""States in which nobody knows whether the platform carried a request out."""
UNSETTLED = (*OPEN, State.ACCEPTED)
"""States that an answer or a list of the platform may still change."""
LIVE = (*UNSETTLED, State.CONFIRMED)
"""States in which a request may have been, or will be, carried out: its money counts as spent."""
ANSWER, LIST = "answer", "platform"  # what settles a request, if not a person


class Ledger:
    """The ledger of a study.

    Args:
        study: the study as loaded.
        who: name of who acts, for the rows.
    """

    def __init__(self, study: Study, *, who: str) -> None:
        self._study, self._who = study, who

    def rows(self, *kinds: PlatformRequest.Kind, states: Iterable[PlatformRequest.State] = tuple(State)) -> Any:
        """Requests of some kinds in some states, oldest first."""
        found: QuerySet[PlatformRequest] = self._study.platform_requests.filter(kind__in=kinds, state__in=[*states])
        return found.select_related("participant")

    def last(self, kind: PlatformRequest.Kind, key: str) -> PlatformRequest | None:
        """The request of a kind that may have been carried out; None if there is none."""
        found: PlatformRequest | None = self.rows(kind, states=LIVE).filter(key=key).last()
        return found

    def begin(self, kind: PlatformRequest.Kind, key: str, *, again: bool = False) -> PlatformRequest:
        """Record a request about the study before it is sent.

        Args:
            kind: what is requested.
            key: what must not happen twice.
            again: whether a request whose outcome is unknown may be repeated, since that changes nothing.

        Raises:
            UsageError: it was made already, or its outcome is unknown.
        """
        try:
            with transaction.atomic():
                return PlatformRequest.objects.create(study=self._study, kind=kind, key=key, by=self._who)
        except IntegrityError as error:
            there = self.last(kind, key)
            if again and there is not None and there.state in OPEN:
                return there
            raise UsageError(
                f"{kind} ({key}) was already requested from the platform and is not requested again."
            ) from error

    def begin_decision(self, kind: PlatformRequest.Kind, participant: Participant, cents: int = 0) -> PlatformRequest:
        """Record a decision before it is sent. A decision that is still open is repeated, or gives way to its opposite:
        the platform decides about a submission once."""
        with transaction.atomic():
            lock_study(self._study)
            there = self.rows(Kind.APPROVE, Kind.REJECT, states=OPEN).filter(participant=participant)
            if (same := there.filter(kind=kind).first()) is not None:
                return same  # type: ignore[no-any-return]
            for each in there:
                self.settle(each, State.REFUSED, by=self._who)
            return PlatformRequest.objects.create(
                study=self._study, kind=kind, participant=participant, amount_cents=cents, by=self._who
            )

    def settle(
        self, request: PlatformRequest, state: PlatformRequest.State, *, by: str = ANSWER, remote_id: str = ""
    ) -> bool:
        """Record the outcome of a request, unless it is known already; whether it was recorded."""
        changes: dict[str, Any] = {"state": state}
        if state not in OPEN:
            changes |= {"settled_by": by, "settled_at": timezone.now()}
        if remote_id:
            changes["remote_id"] = remote_id
        open_ones = PlatformRequest.objects.filter(pk=request.pk, state__in=UNSETTLED)
        return bool(open_ones.update(**changes))


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
