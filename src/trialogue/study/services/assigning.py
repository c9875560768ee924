"""Slots in the hands of people: given out, kept, taken back. The database's constraints make "never more than k" true."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
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


def _free(study: Study):  # type: ignore[no-untyped-def]
    return Item.objects.filter(study=study, kind=Item.Kind.TASK, taken__lt=F("needed"))


def lease(participant: Participant) -> list[Assignment]:
    """Slots for a whole session, each of another item; those that the participant holds already come first.

    Called within a transaction that has locked the participant. Empty if nothing is left.
    """
    study = participant.study
    file = file_of(study)
    release_expired(study)
    held = list(participant.assignments.filter(state__in=LIVE).order_by("position"))
    wanted = file.items_per_participant - len(held)
    if wanted <= 0:
        return held
    met = set(participant.assignments.values_list("item_id", flat=True))
    seen = list(participant.assignments.values_list("item__dialogue", flat=True))
    free = [
        Available(pk, dialogue, taken, rank)
        for pk, dialogue, taken, rank in _free(study).values_list("pk", "dialogue", "taken", "rank")
        if pk not in met
    ]
    rng = rng_for(study.seed, study.slug, f"participant {participant.number}")
    until = timezone.now() + timedelta(minutes=file.lease_minutes)
    given = list(held)
    # Others may take what was free a moment ago, so more are looked at than are wanted.
    candidates = chosen(free, len(free), seen=seen, one_per_dialogue=file.one_per_dialogue)
    taken: list[tuple[Available, Slot]] = []
    for item in candidates:
        if len(taken) == wanted:
            break
        slot = _claim(item.id)
        if slot is not None:
            taken.append((item, slot))
    slots = {item.id: slot for item, slot in taken}
    position = max([each.position for each in held], default=0)
    for place, item in enumerate(session_order([item for item, _ in taken], rng=rng), start=position + 1):
        given.append(
            Assignment.objects.create(
                participant=participant, slot=slots[item.id], item_id=item.id, position=place, lease_until=until
            )
        )
    return given


def _claim(item_id: int) -> Slot | None:
    """A free slot of an item, which is then counted as taken; None if somebody else has the last one.

    The item's row is locked; one that somebody else holds is passed over (PostgreSQL; in SQLite everybody waits in line).
    """
    item = Item.objects.select_for_update(skip_locked=True).filter(pk=item_id, taken__lt=F("needed")).first()
    if item is None:
        return None
    live = Assignment.objects.filter(slot__item_id=item_id, state__in=LIVE).values("slot_id")
    slot = item.slots.exclude(pk__in=live).order_by("number").first()
    if slot is not None:
        Item.objects.filter(pk=item_id).update(taken=F("taken") + 1)
    return slot


def keep(participant: Participant) -> None:
    """Extend the lease of what a participant has not answered yet."""
    until = timezone.now() + timedelta(minutes=file_of(participant.study).lease_minutes)
    participant.assignments.filter(state=Assignment.State.LEASED).update(lease_until=until)


def release(participant: Participant) -> int:
    """Free what a participant has not answered; the number of slots."""
    held = list(participant.assignments.filter(state=Assignment.State.LEASED).order_by("item_id"))
    return _release(held)


def _release(held: list[Assignment]) -> int:
    freed = 0
    for assignment in held:
        changed = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.LEASED).update(
            state=Assignment.State.RELEASED
        )
        if changed:
            Item.objects.filter(pk=assignment.item_id).update(taken=F("taken") - 1)
            freed += 1
    return freed


def release_expired(study: Study, *, now: datetime | None = None) -> int:
    """Free what people have let lie for longer than the lease; the number of slots. They may come back for what is left."""
    moment = now or timezone.now()
    with transaction.atomic():
        expired = Assignment.objects.filter(
            item__study=study, state=Assignment.State.LEASED, lease_until__lt=moment
        ).order_by("item_id")
        return _release(list(expired))


def replace(participant: Participant) -> int:
    """Give out again what somebody judged who is excluded; the number of slots."""
    freed = 0
    for assignment in participant.assignments.filter(state=Assignment.State.DONE).order_by("item_id"):
        assignment.state = Assignment.State.REPLACED
        assignment.save(update_fields=["state"])
        Item.objects.filter(pk=assignment.item_id).update(taken=F("taken") - 1)
        freed += 1
    return freed
