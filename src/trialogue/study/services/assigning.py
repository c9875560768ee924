"""Slots in the hands of people: given out, kept, taken back. The database's constraints make "never more than k" true."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from trialogue.seeds import rng_for
from trialogue.study.design.assignment import Available, chosen, session_order
from trialogue.study.models import Assignment, Item, Participant, Slot, Study
from trialogue.study.services.reading import file_of

LIVE = (Assignment.State.LEASED, Assignment.State.DONE)


def is_full(study: Study) -> bool:
    """Whether nothing is left to be given out; told to late-comers before they consent."""
    release_expired(study)
    return not _free(study).exists()


def _free(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(study=study, kind=Item.Kind.TASK, taken__lt=F("needed"))


def _alone(study: Study) -> None:
    """Wait for one's turn: slots of a study are given out and taken back by one transaction at a time.

    The order of locks is always participant, study, items, so nobody waits in a circle. Keys may be referred to meanwhile.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def lease(participant: Participant) -> list[Assignment]:
    """Slots for a whole session, each of another item: those that the participant holds, those that they lost by being late
    and that are still free, and then others.

    Called within a transaction that has locked the participant. Empty if nothing is left.
    """
    study = participant.study
    file = file_of(study)
    release_expired(study)
    until = timezone.now() + timedelta(minutes=file.lease_minutes)
    held = list(participant.assignments.filter(state__in=LIVE))
    wanted = file.items_per_participant - len(held)
    if wanted > 0:
        held += _taken_again(participant, wanted, until)
    wanted = file.items_per_participant - len(held)
    if wanted > 0:
        held += _taken_anew(participant, wanted, until)
    return sorted(held, key=lambda each: each.position)


def _taken_again(participant: Participant, wanted: int, until: datetime) -> list[Assignment]:
    """What somebody had and did not answer, as far as nobody else has it now."""
    found: list[Assignment] = []
    lost = participant.assignments.filter(state=Assignment.State.RELEASED, submission=None)
    for each in lost.select_related("item").order_by("position"):
        slot = _claim(each.item_id, before=each.slot_id) if len(found) < wanted else None
        if slot is not None:
            each.slot, each.state, each.lease_until = slot, Assignment.State.LEASED, until
            each.save(update_fields=["slot", "state", "lease_until"])
            found.append(each)
    return found


def _taken_anew(participant: Participant, wanted: int, until: datetime) -> list[Assignment]:
    """Slots of items that somebody has never had, the emptiest first, in an order of their own."""
    study = participant.study
    had = list(participant.assignments.values_list("item_id", "item__dialogue", "position"))
    items = _emptiest(study, wanted, met={item for item, _, _ in had}, seen=[dialogue for _, dialogue, _ in had])
    slots = {item.id: slot for item in items if (slot := _claim(item.id)) is not None}
    rng = rng_for(study.seed, study.slug, f"participant {participant.number}")
    order = session_order([item for item in items if item.id in slots], rng=rng)
    first = max((position for _, _, position in had), default=0) + 1
    return [
        Assignment.objects.create(
            participant=participant, slot=slots[item.id], item_id=item.id, position=place, lease_until=until
        )
        for place, item in enumerate(order, start=first)
    ]


def _emptiest(study: Study, wanted: int, *, met: set[int], seen: list[str]) -> list[Available]:
    """Items for one person; a large study is looked at as far as is needed."""
    each_once = file_of(study).one_per_dialogue
    rows = _free(study).order_by("taken", "rank", "pk").values_list("pk", "dialogue", "taken", "rank")
    most = wanted + len(met)
    while True:
        most *= 8
        looked = list(rows[:most])
        items = chosen(
            (Available(*row) for row in looked if row[0] not in met), wanted, seen=seen, one_per_dialogue=each_once
        )
        if len(items) == wanted or len(looked) < most:
            return items


def _claim(item_id: int, *, before: int | None = None) -> Slot | None:
    """A free slot of an item, which is then counted as taken; None if there is none.

    Args:
        item_id: the item.
        before: the slot to be preferred, where somebody had one.
    """
    if not Item.objects.filter(pk=item_id, taken__lt=F("needed")).update(taken=F("taken") + 1):
        return None
    live = Assignment.objects.filter(item_id=item_id, state__in=LIVE).values("slot_id")
    free = list(Slot.objects.filter(item_id=item_id).exclude(pk__in=live).order_by("number"))
    return next((slot for slot in free if slot.pk == before), free[0])


def keep(participant: Participant) -> None:
    """Extend the lease of what a participant has not answered yet."""
    until = timezone.now() + timedelta(minutes=file_of(participant.study).lease_minutes)
    participant.assignments.filter(state=Assignment.State.LEASED).update(lease_until=until)


def release(participant: Participant) -> int:
    """Free what a participant has not answered; the number of slots."""
    held = participant.assignments.filter(state=Assignment.State.LEASED)
    if not held.exists():
        return 0
    _alone(participant.study)
    return _freed(held, Assignment.State.RELEASED)


def release_expired(study: Study, *, now: datetime | None = None) -> int:
    """Free what people have let lie for longer than the lease; the number of slots. They may come back for what is left."""
    moment = now or timezone.now()
    with transaction.atomic():
        _alone(study)
        expired = Assignment.objects.filter(item__study=study, state=Assignment.State.LEASED, lease_until__lt=moment)
        return _freed(expired, Assignment.State.RELEASED)


def replace(participant: Participant) -> int:
    """Give out again what somebody judged who is excluded; the number of slots."""
    _alone(participant.study)
    return _freed(participant.assignments.filter(state=Assignment.State.DONE), Assignment.State.REPLACED)


def _freed(held: QuerySet[Assignment], state: Assignment.State) -> int:
    """Slots that are held no longer; each is looked at again when it is changed, since its holder may have just answered."""
    freed = 0
    for pk, item in list(held.order_by("item_id").values_list("pk", "item_id")):
        if held.order_by().filter(pk=pk).update(state=state):
            Item.objects.filter(pk=item).update(taken=F("taken") - 1)
            freed += 1
    return freed
