"""Which answers count: one definition for assigning, staff pages, simulations, the export and the report.

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

from collections import Counter
from dataclasses import dataclass

from trialogue.study.models import Assignment, Decision, Item, Participant, Study
from trialogue.study.services.management.deciding import standings
from trialogue.study.services.reading import file_of

REJECTED = "work rejected on the platform"
"""Why participants are left out whose work the platform rejected, in the words of the report."""


@dataclass(frozen=True)
class ItemCounts:
    """Answers about one item."""

    key: str
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


def counts_by_item(study: Study) -> list[ItemCounts]:
    """Answers about each item, in the order of their keys."""
    counting = counting_people(study)
    completed = set(study.participants.filter(state=Participant.State.COMPLETED).values_list("pk", flat=True))
    found: dict[int, Counter[str]] = {}
    live = Assignment.objects.filter(
        item__study=study, state__in=(Assignment.State.LEASED, Assignment.State.DONE)
    ).values_list("item_id", "participant_id", "state")
    for item, participant, state in live:
        counts = found.setdefault(item, Counter())
        if state == Assignment.State.LEASED:
            counts["leased"] += 1
        else:
            counts["counted" if participant in counting else "left_out" if participant in completed else "pending"] += 1
    items = study.items.filter(kind=Item.Kind.TASK).order_by("key").values_list("pk", "key", "needed")
    return [
        ItemCounts(
            key,
            needed,
            **{name: found.get(pk, Counter())[name] for name in ("counted", "pending", "leased", "left_out")},
        )
        for pk, key, needed in items
    ]


def counted_assignments(study: Study) -> list[Assignment]:
    """Assignments whose answers count, with their slots."""
    counting = counting_people(study)
    done = Assignment.objects.filter(item__study=study, state=Assignment.State.DONE).select_related("slot")
    return [each for each in done.order_by("pk") if each.participant_id in counting]
