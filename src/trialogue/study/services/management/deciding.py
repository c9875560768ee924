"""Staff decisions on a participant's work: payment, bonus, manual exclusion. Each is logged.

Payment and analysis are independent: an excluded participant may have earned their pay, and the other way round.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from django.db import transaction

from trialogue.study.models import OVER, Audit, Decision, Participant
from trialogue.study.services import assigning

SHORTEST_REASON = 5  # characters; the report names the reasons of exclusions
MAX_BONUS = Decimal(1000)  # more is a slip of the finger
Wrong: TypeAlias = Literal["", "reason", "amount", "at_work", "withdrew", "not_excluded", "excluded", "meanwhile"]
"""Why nothing was decided: a reason or an amount is needed, they are still at work, nothing is left of them, or it is so
already."""


@dataclass(frozen=True)
class Standing:
    """Latest decision of each kind about a participant."""

    payment: Literal["", "accept", "refuse"] = ""
    payment_reason: str = ""
    bonus: Decimal = Decimal(0)
    """All bonuses together."""
    by_hand: str = ""
    """Why they are left out of the analysis by hand; "": they are not."""


def decide(
    participant: Participant,
    kind: Decision.Kind,
    *,
    who: str,
    reason: str = "",
    amount: Decimal | None = None,
    known: int | None = None,
) -> Wrong:
    """Keep a decision and log it; or why it cannot be taken, and nothing is changed.

    Args:
        participant: participant concerned.
        kind: kind of decision.
        who: login of the staff member.
        reason: required to refuse or to exclude.
        amount: amount of a bonus, above 0, with at most two decimals.
        known: number of decisions shown on the page that this one comes from; None: not from a page. A second click, or a
            page that was open while somebody else decided, changes nothing.
    """
    reason = " ".join(reason.split())[:500]
    with transaction.atomic():
        locked = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        if known is not None and locked.decisions.count() != known:
            return "meanwhile"
        if wrong := _wrong(locked, kind, reason, amount):
            return wrong
        Decision.objects.create(
            participant=locked, kind=kind, reason=reason, amount=amount if kind == Decision.Kind.BONUS else None, by=who
        )
        if kind == Decision.Kind.EXCLUDE:
            assigning.replace_within_ceiling(locked)
        elif kind == Decision.Kind.READMIT:
            assigning.reinstate(locked)
        detail = {"participant": locked.code} | ({"reason": reason} if reason else {})
        detail |= {"amount": str(amount)} if kind == Decision.Kind.BONUS else {}
        Audit.objects.create(study=locked.study, who=who, what=f"decided: {kind}", detail=detail)
    return ""


def _wrong(participant: Participant, kind: Decision.Kind, reason: str, amount: Decimal | None) -> Wrong:
    kinds = Decision.Kind
    if participant.state == Participant.State.WITHDREW:
        return "withdrew"
    if kind in (kinds.ACCEPT, kinds.REFUSE, kinds.BONUS) and participant.state not in OVER:
        return "at_work"
    if kind in (kinds.REFUSE, kinds.EXCLUDE) and len(reason) < SHORTEST_REASON:
        return "reason"
    if kind == kinds.BONUS and (amount is None or not amount.is_finite() or not 0 < amount <= MAX_BONUS):
        return "amount"
    if kind == kinds.BONUS and amount is not None and amount != round(amount, 2):
        return "amount"
    excluded = bool(standing_of(participant.decisions.all()).by_hand)
    if kind == kinds.READMIT and not excluded:
        return "not_excluded"
    return "excluded" if kind == kinds.EXCLUDE and excluded else ""


def standing_of(decisions: Iterable[Decision]) -> Standing:
    """Combine a participant's decisions, in the order in which they were made."""
    payment: Literal["", "accept", "refuse"] = ""
    why = by_hand = ""
    bonus = Decimal(0)
    for each in decisions:
        match Decision.Kind(each.kind):
            case Decision.Kind.ACCEPT:
                payment, why = "accept", each.reason
            case Decision.Kind.REFUSE:
                payment, why = "refuse", each.reason
            case Decision.Kind.BONUS:
                bonus += each.amount or 0
            case Decision.Kind.EXCLUDE:
                by_hand = each.reason
            case Decision.Kind.READMIT:
                by_hand = ""
    return Standing(payment, why, bonus, by_hand)


def standings(participants: Iterable[Participant]) -> dict[int, Standing]:
    """Decisions by participant id, without participants that have none."""
    by_person: dict[int, list[Decision]] = {}
    for each in Decision.objects.filter(participant__in=participants).order_by("pk"):
        by_person.setdefault(each.participant_id, []).append(each)
    return {person: standing_of(own) for person, own in by_person.items()}
