"""Lease, keep and release slots. Database constraints guarantee at most k assignments per item."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from trialogue.seeds import rng_for
from trialogue.study.design.assignment import Available, choose_items, origin_of, session_order
from trialogue.study.design.pages import number_of, phase_of
from trialogue.study.design.platforms import Budget, budget_of
from trialogue.study.models import FOREVER, OVER, Assignment, Item, Participant, Slot, Study, Submission
from trialogue.study.services.rows import MAX_STUDIES, LaunchedStudy, checks_in, file_of, launch_of, lock_study

LIVE = (Assignment.State.LEASED, Assignment.State.DONE)
MAX_AT_ONCE = 500  # rows that one statement names; SQLite has a limit
SPARE = timedelta(minutes=1)  # by which a lease is longer than promised, so that not every page has to extend it


def is_full(study: Study) -> bool:
    """Whether nothing is left to assign; late-comers learn it before they consent. Writes nothing: expired places count as
    free."""
    return not (_free(study).exists() or _expired_assignments(study).exists())


def awaits_review(study: Study) -> bool:
    """Whether the soft launch has as many participants as it may, so that nobody else is admitted until staff go on.

    Participants are those who hold places, or have completed and are paid.
    """
    first = Study.objects.values_list("first_people", flat=True).get(pk=study.pk)
    return first is not None and holders(study).count() >= first


def holders(study: Study) -> QuerySet[Participant]:
    """Participants who hold places, or have completed and are paid."""
    paid = Q(state=Participant.State.COMPLETED) & ~Q(assignments__state=Assignment.State.REJECTED)
    holds = Q(assignments__state__in=LIVE, assignments__lease_until__gte=timezone.now())
    return study.participants.filter(holds | paid).distinct()


def _free(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(study=study, kind=Item.Kind.TASK, taken__lt=F("needed"))


def lease(participant: Participant) -> list[Assignment]:
    """Slots for a whole session, each of another item: those that the participant holds, those that they lost by being late
    and that are still free, and then others.

    Called within a transaction that has locked the participant. Empty if nothing is left.
    """
    study = participant.study
    file = file_of(study)
    lock_study(study)
    release_expired(study)
    _reclaim(participant)
    known = list(participant.assignments.select_related("item").defer("item__content").order_by("position"))
    held = [each for each in known if each.state in LIVE]
    if not held and _awaits_review_without(participant):
        return []
    surplus = sum(each.state == Assignment.State.ABANDONED for each in known)  # answered, and not asked of them again
    for take in (_retake, _new_slots):
        if (wanted := file.items_per_participant - surplus - len(held)) > 0:
            held += take(participant, wanted, known)
    return sorted(held, key=lambda each: each.position)


def _awaits_review_without(participant: Participant) -> bool:
    """Whether the soft launch has no place for a participant, who holds none."""
    holds = holders(participant.study).filter(pk=participant.pk).exists()
    return not holds and awaits_review(participant.study)


def _lease_end(participant: Participant) -> datetime:
    return timezone.now() + timedelta(minutes=file_of(participant.study).lease_minutes) + SPARE


def runs_out(held: Assignment, participant: Participant) -> bool:
    """Whether a request of the holder extends the lease."""
    return held.lease_until < _lease_end(participant) - SPARE


def _next_place(known: Sequence[Assignment]) -> int:
    """The first place of a session that was never used."""
    return max((each.position for each in known), default=0) + 1


def _retake(participant: Participant, wanted: int, known: Sequence[Assignment]) -> list[Assignment]:
    """The participant's unanswered assignments that have not been reassigned.

    Where another order of the systems is left of an item, it stands at another place of the session: a page of the place
    before, which may still be open somewhere, showed the order before, and answers from it are those of another step.
    """
    lost = [each for each in known if each.state == Assignment.State.RELEASED]
    answered = (
        set(Submission.objects.filter(assignment__in=lost).values_list("assignment_id", flat=True)) if lost else ()
    )
    found: list[Assignment] = []
    for each in lost:
        slot = _claim(each) if len(found) < wanted and each.pk not in answered else None
        if slot is None:
            continue
        if slot.pk != each.slot_id:
            each.slot, each.position = slot, _next_place(known)
        each.state, each.lease_until = Assignment.State.LEASED, _lease_end(participant)
        each.save(update_fields=["slot", "position", "state", "lease_until"])
        found.append(each)
    return found


def _new_slots(participant: Participant, wanted: int, known: Sequence[Assignment]) -> list[Assignment]:
    """Slots of items new to the participant, those with the fewest answers first, in the participant's random order;
    ``known``: items already assigned."""
    study = participant.study
    had = {each.item_id for each in known}
    seen = [each.item.dialogue for each in known]
    items = _emptiest(participant, wanted, met=had, seen=seen, checked=_origins_of_checks(participant))
    slots = _first_free([item.id for item in items], participant.stratum)
    items = [item for item in items if item.id in slots]
    Item.objects.filter(pk__in=slots).update(taken=F("taken") + 1)
    rng = rng_for(study.seed, study.slug, f"participant {participant.number}")
    until = _lease_end(participant)
    return Assignment.objects.bulk_create(
        Assignment(participant=participant, slot_id=slots[item.id], item_id=item.id, position=place, lease_until=until)
        for place, item in enumerate(session_order(items, rng=rng), start=_next_place(known))
    )


def _origins_of_checks(participant: Participant) -> set[str]:
    """Origins of the checks that a participant was shown: they are given no item later that one of these repeats."""
    origins = dict(checks_in(participant.study))
    shown = (str(key) for key in participant.plan[: participant.step + 1])
    return {origins.get(number_of(key), "") for key in shown if phase_of(key) == "check"} - {""}


def _free_slots_in(stratum: str) -> QuerySet[Slot]:
    live = Assignment.objects.filter(slot=OuterRef("pk"), state__in=LIVE)
    return Slot.objects.filter(~Exists(live), stratum=stratum)


def _first_free(items: Sequence[int], stratum: str) -> dict[int, int]:
    """First free slot of a stratum by item."""
    free = _free_slots_in(stratum).filter(item_id__in=items)
    found: dict[int, int] = {}
    for item, slot in free.order_by("item_id", "number").values_list("item_id", "pk"):
        found.setdefault(item, slot)
    return found


def _free_for(participant: Participant) -> QuerySet[Item]:
    """Items with a free slot that a participant may have, those with the fewest answers of their stratum first."""
    free, stratum = _free(participant.study), participant.stratum
    if not stratum:
        return free.order_by("taken", "rank", "pk")
    live = Q(assignments__state__in=LIVE, assignments__slot__stratum=stratum)
    return (
        free.filter(Exists(_free_slots_in(stratum).filter(item=OuterRef("pk"))))
        .annotate(taken_here=Count("assignments", filter=live))
        .order_by("taken_here", "rank", "pk")
    )


def _emptiest(
    participant: Participant, wanted: int, *, met: set[int], seen: list[str], checked: set[str]
) -> list[Available]:
    """Items for one person, none of the origins ``checked``; a large study is looked at as far as is needed."""
    each_once = file_of(participant.study).one_per_dialogue
    taken = "taken_here" if participant.stratum else "taken"
    rows = _free_for(participant).values_list("pk", "dialogue", taken, "rank", "key")
    most = wanted + len(met)
    # Eight times as many each time: of a large study only the items that somebody can get are looked at.
    while True:
        most *= 8
        looked = list(rows[:most])
        new = (
            Available(pk, dialogue, taken, rank)
            for pk, dialogue, taken, rank, key in looked
            if pk not in met and origin_of(dialogue, key) not in checked
        )
        items = choose_items(new, wanted, seen=seen, one_per_dialogue=each_once)
        if len(items) == wanted or len(looked) < most:
            return items


def _claim(lost: Assignment) -> Slot | None:
    """A free slot of the item and stratum of a lost assignment, which is then counted as taken; None if there is none.

    The slot that the participant held before, if that is free.
    """
    free = list(_free_slots_in(lost.participant.stratum).filter(item_id=lost.item_id).order_by("number"))
    if not free or not Item.objects.filter(pk=lost.item_id, taken__lt=F("needed")).update(taken=F("taken") + 1):
        return None
    return next((slot for slot in free if slot.pk == lost.slot_id), free[0])


def reclaim_late(participant: Participant, lost: Assignment) -> bool:
    """Lease an unanswered slot again that its holder lost by being late, since their answer has come after all.

    Only the same slot: the page showed its order of the systems. False if somebody else has it.
    """
    lock_study(participant.study)
    if lost.state != Assignment.State.RELEASED or lost.participant_id != participant.pk:
        return False
    return bool(_take_back([lost], Assignment.State.LEASED, _lease_end(participant)))


def _reclaim(participant: Participant) -> int:
    """Take back what a participant answered and lost by staying away, where nobody else has it; the number of slots."""
    lost = list(participant.assignments.filter(state=Assignment.State.ABANDONED))
    return _take_back(lost, Assignment.State.DONE, _lease_end(participant))


def reinstate(participant: Participant) -> int:
    """Let answers count again of somebody who is no longer excluded, where they were not replaced yet."""
    lock_study(participant.study)
    replaced = list(participant.assignments.filter(state=Assignment.State.REPLACED))
    if participant.state == Participant.State.COMPLETED:
        return _take_back(replaced, Assignment.State.DONE, FOREVER)
    # who is at work keeps them like the others, as long as they do not stay away; who left without completing does not
    return 0 if participant.state in OVER else _take_back(replaced, Assignment.State.DONE, _lease_end(participant))


def _take_back(lost: Sequence[Assignment], state: Assignment.State, until: datetime) -> int:
    """Assignments in a live state again, as far as their slots are free; their number. The study is locked."""
    taken = Assignment.objects.filter(slot__in=[each.slot_id for each in lost], state__in=LIVE)
    others = set(taken.values_list("slot_id", flat=True)) if lost else set()
    free = [each for each in lost if each.slot_id not in others]
    for each in free:
        Item.objects.filter(pk=each.item_id).update(taken=F("taken") + 1)
        Assignment.objects.filter(pk=each.pk).update(state=state, lease_until=until)
        each.state = state
    return len(free)


def keep(participant: Participant) -> None:
    """Extend the lease of a participant who is at work: of what they have not answered yet, and of what they have."""
    Assignment.objects.filter(participant_id=participant.pk, state__in=LIVE).update(lease_until=_lease_end(participant))


def settle(participant: Participant) -> None:
    """Keep the answers of a participant who has completed for good, and free what they have not answered."""
    lock_study(participant.study)
    _reclaim(participant)
    mine = Assignment.objects.filter(participant_id=participant.pk)
    _free_slots(mine.filter(state=Assignment.State.LEASED), Assignment.State.RELEASED)
    mine.filter(state=Assignment.State.DONE).update(lease_until=FOREVER)


def release(participant: Participant) -> int:
    """Free the slots of a participant who ended before completing, answered ones included; their number."""
    held = Assignment.objects.filter(participant_id=participant.pk, state__in=LIVE)
    if not held.exists():
        return 0
    lock_study(participant.study)
    return _free_lost(held)


def release_expired(study: Study, *, now: datetime | None = None) -> int:
    """Release the slots of participants who stayed away until their lease expired, answered ones included; their number.

    Participants may return to those still free.
    """
    if not _expired_assignments(study, now).exists():  # nobody waits for nothing
        return 0
    with transaction.atomic():
        lock_study(study)
        return _free_lost(_late_assignments(now), study=study)


def _late_assignments(now: datetime | None = None) -> QuerySet[Assignment]:
    return Assignment.objects.filter(state__in=LIVE, lease_until__lt=now or timezone.now())


def _expired_assignments(study: Study, now: datetime | None = None) -> QuerySet[Assignment]:
    """Assignments of a study whose holders stayed away too long."""
    return _late_assignments(now).filter(item__study=study)


def _free_lost(held: QuerySet[Assignment], *, study: Study | None = None) -> int:
    states = Assignment.State
    return sum(
        _free_slots(held.filter(state=before), after, study=study)
        for before, after in ((states.LEASED, states.RELEASED), (states.DONE, states.ABANDONED))
    )


def replace(participant: Participant) -> int:
    """Reassign the slots of an excluded participant; returns their number."""
    lock_study(participant.study)
    done = Assignment.objects.filter(participant_id=participant.pk, state=Assignment.State.DONE)
    return _free_slots(done, Assignment.State.REPLACED)


def replace_rejected(participant: Participant) -> int:
    """Reassign the slots of a participant whom the platform rejected; returns their number.

    They are not paid, and the platform opens their place for somebody else: so no ceiling holds for them, and who was
    replaced before since they are excluded takes up no place below it any more.
    """
    lock_study(participant.study)
    mine = Assignment.objects.filter(participant_id=participant.pk)
    mine.filter(state=Assignment.State.REPLACED).update(state=Assignment.State.REJECTED)
    return _free_slots(mine.filter(state=Assignment.State.DONE), Assignment.State.REJECTED)


def replace_within_ceiling(participant: Participant) -> int:
    """As ``replace``, as long as the study file replaces people who are excluded, and not too many were; else 0."""
    most = budget(participant.study).replacements if file_of(participant.study).replace_excluded else 0
    lock_study(participant.study)
    replaced = Assignment.objects.filter(item__study=participant.study, state=Assignment.State.REPLACED)
    people = replaced.exclude(participant=participant).values("participant").distinct().count()
    return replace(participant) if people < most else 0


def budget(study: Study) -> Budget:
    """Maximum number of paid participants, for the loaded items."""
    return _budget(launch_of(study))


@lru_cache(maxsize=MAX_STUDIES)
def _budget(of: LaunchedStudy) -> Budget:
    tasks = Item.objects.filter(study_id=of.pk, kind=Item.Kind.TASK)
    return budget_of(file_of(of.study), tasks.values_list("dialogue", "key"))


def _free_slots(held: QuerySet[Assignment], state: Assignment.State, *, study: Study | None = None) -> int:
    """Slots that are held no longer.

    Their rows are locked first: what a holder has answered meanwhile is not among them, since PostgreSQL looks at a row
    again after it waited for it. It does so at the row's own columns alone, so ``held`` asks for no others.
    """
    found = held.filter(item__in=Item.objects.filter(study=study).values("pk")) if study else held
    rows = list(found.select_for_update().order_by("item_id").values_list("pk", "item_id"))
    for start in range(0, len(rows), MAX_AT_ONCE):
        some = rows[start : start + MAX_AT_ONCE]
        Assignment.objects.filter(pk__in=[pk for pk, _ in some]).update(state=state)
        of_item = Counter(item for _, item in some)
        for freed in sorted(set(of_item.values())):
            items = [item for item, count in of_item.items() if count == freed]
            Item.objects.filter(pk__in=items).update(taken=F("taken") - freed)
    return len(rows)
