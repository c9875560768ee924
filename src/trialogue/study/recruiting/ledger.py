"""Ledger of requests to the platform that spend money or decide, in the study's database.

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
from trialogue.study.models import Participant, PlatformRequest, Study
from trialogue.study.services.rows import lock_study

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
