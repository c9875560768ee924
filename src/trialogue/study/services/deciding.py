"""Staff decisions on a participant's work: payment, bonus, manual exclusion. Each is logged.

Payment and analysis are independent: an excluded participant may have earned their pay, and the other way round.

Which answers count: one definition for assigning, staff pages, simulations, the export and the report.

An answer about an item *counts* if its participant completed the session and is not left out: by a rule of the study file
(``exclusion``), by staff, or because the platform rejected the work; and if it is one of the item's k, not one more.

=============  ==============================================================================================
``leased``     held by a participant, not answered
``done``       answered; counts when the participant completes, unless they are left out
``abandoned``  answered, and opened for others again, since the participant returned, timed out, failed or stayed away; if
               they complete after all, it is ``done`` again where nobody has taken it, and surplus where somebody has
``replaced``   answered by an excluded participant, and opened for others again
``rejected``   the same, since the platform rejected the work
=============  ==============================================================================================

The analysis repeats it from the export: participants who completed and are not left out, with all answers that the export
has of them; surplus answers are in ``answers.csv`` alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from django.db import transaction

from trialogue.study.models import OVER, Assignment, Audit, Decision, Item, Participant, Study
from trialogue.study.services import assigning
from trialogue.study.services.rows import file_of

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


REJECTED = "work rejected on the platform"
"""Why participants are left out whose work the platform rejected, in the words of the report."""


@dataclass(frozen=True)
class Counts:
    """Answers about one item, or of one stratum."""

    key: str
    """Key of the item, or name of the stratum; "" where there are no strata."""
    needed: int
    """Answers that are to count."""
    counted: int
    """Answers that count."""
    pending: int
    """Answers of participants who have not completed yet."""
    leased: int
    """Held, and not answered yet."""
    left_out: int
    """Answers of participants who are left out and not replaced, since the ceiling of replacements is reached."""

    @property
    def running(self) -> int:
        """Answers of participants who are at work, given or not."""
        return self.pending + self.leased

    @property
    def open(self) -> int:
        """Answers that nobody has given or holds."""
        return self.needed - self.counted - self.running - self.left_out


def left_out(study: Study) -> dict[int, str]:
    """Why participants are left out whatever the rules of the study file say, by id: excluded by hand, or rejected."""
    rejected = study.participants.filter(assignments__state=Assignment.State.REJECTED).values_list("pk", flat=True)
    by_hand = standings(study.participants.filter(decisions__kind=Decision.Kind.EXCLUDE).distinct())
    found = dict.fromkeys(rejected, REJECTED)
    return found | {pk: standing.by_hand for pk, standing in by_hand.items() if standing.by_hand}


def counting_people(study: Study) -> frozenset[int]:
    """Ids of participants whose answers count."""
    rules, others = set(file_of(study).exclusion), left_out(study)
    completed = study.participants.filter(state=Participant.State.COMPLETED).values_list("pk", "flags")
    return frozenset(pk for pk, flags in completed if pk not in others and not rules & set(flags))


def is_surplus(assignment: Assignment, counting: frozenset[int]) -> bool:
    """Whether an answer of somebody who counts is one more than the item needs."""
    return assignment.participant_id in counting and assignment.state != Assignment.State.DONE


def counts_by_item(study: Study) -> list[Counts]:
    """Answers about each item, in the order of their keys."""
    items = study.items.filter(kind=Item.Kind.TASK).order_by("key").values_list("pk", "key", "needed")
    found = _live_by(study, "item_id")
    return [Counts(key, needed, **found.get(pk, NOTHING)) for pk, key, needed in items]


def counts_by_stratum(study: Study) -> list[Counts]:
    """Answers of each stratum, in the order of the study file; of everybody, if it has none."""
    items, found = study.items.filter(kind=Item.Kind.TASK).count(), _live_by(study, "slot__stratum")
    strata = file_of(study).raters_by_stratum
    return [Counts(name, raters * items, **found.get(name, NOTHING)) for name, raters in strata.items()]


NOTHING = dict.fromkeys(("counted", "pending", "leased", "left_out"), 0)


def _live_by(study: Study, field: str) -> dict[object, dict[str, int]]:
    """Numbers of answers and held slots of each kind, by a field of their assignments."""
    counting = counting_people(study)
    completed = set(study.participants.filter(state=Participant.State.COMPLETED).values_list("pk", flat=True))
    found: dict[object, dict[str, int]] = {}
    live = Assignment.objects.filter(item__study=study, state__in=(Assignment.State.LEASED, Assignment.State.DONE))
    for key, participant, state in live.values_list(field, "participant_id", "state"):
        answered = "counted" if participant in counting else "left_out" if participant in completed else "pending"
        found.setdefault(key, dict(NOTHING))["leased" if state == Assignment.State.LEASED else answered] += 1
    return found


def counted_assignments(study: Study) -> list[Assignment]:
    """Assignments whose answers count, with their slots."""
    counting = counting_people(study)
    done = Assignment.objects.filter(item__study=study, state=Assignment.State.DONE).select_related("slot")
    return [each for each in done.order_by("pk") if each.participant_id in counting]
