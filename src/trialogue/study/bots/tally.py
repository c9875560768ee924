"""Counts of a simulated study from its database, beside those observed by the participants."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from trialogue.study.bots.people import REPLY
from trialogue.study.bots.walking import Walk
from trialogue.study.models import Assignment, Check, Item, Participant, Slot, Study, Submission
from trialogue.study.services.deciding import counted_assignments, counts_by_item
from trialogue.study.services.rows import read_token
from trialogue.study.services.validity import signals

LOST = (Assignment.State.RELEASED, Assignment.State.ABANDONED)


def tally(study: Study, walks: Sequence[Walk]) -> dict[str, Any]:
    """Fields of ``SimulatedStudy`` that are counted."""
    kinds = {owner: walk.bot.kind for walk in walks if (owner := _owner(walk)) is not None}
    statuses = [status for walk in walks for status in walk.statuses]
    acknowledged = {token for walk in walks for token, said in walk.sent if said}
    people = study.participants.all()
    slots = Slot.objects.filter(item__study=study, item__kind=Item.Kind.TASK)
    return {
        "turned_away": sum(walk.state == "turned_away" for walk in walks),
        "states": dict(Counter(str(each.state) for each in people)),
        "requests": len(statuses),
        "server_errors": sum(status >= 500 for status in statuses),
        "stuck": sum(walk.state == "stuck" for walk in walks),
        "acknowledged": len(acknowledged),
        "stored": sum(_is_stored(token) for token in acknowledged),
        "coverage": _coverage(study),
        "positions": _positions(_orders(slots)),
        "imbalance": _imbalance(_orders(slots)),
        "judged_positions": _positions(_orders(_judged_slots(study))),
        "means": _means(study),
        "reused": _judged_slots(study).filter(assignments__state__in=LOST).distinct().count(),
        "checks": _checks(study, kinds),
        "flags": _flags(people, kinds),
        "completed": dict(Counter(kinds.get(each.pk, "unknown") for each in _completers(people))),
        "signals": _signals(study, kinds),
    }


def _owner(walk: Walk) -> int | None:
    found = read_token(walk.sent[0][0]) if walk.sent else None
    return found.participant if found else None


def _is_stored(token: str) -> bool:
    page = read_token(token)
    return page is not None and Submission.objects.filter(participant_id=page.participant, step=page.step).exists()


def _coverage(study: Study) -> dict[str, int]:
    counts = Counter(each.counted for each in counts_by_item(study))
    return {str(n): counts[n] for n in sorted(counts)}


def _judged_slots(study: Study):  # type: ignore[no-untyped-def] # a queryset
    """Slots with an answer that counts."""
    return Slot.objects.filter(pk__in=[each.slot_id for each in counted_assignments(study)])


def _orders(slots) -> list[list[str]]:  # type: ignore[no-untyped-def] # a queryset
    return list(slots.values_list("order", flat=True))


def _positions(orders: Sequence[Sequence[str]]) -> dict[str, tuple[int, ...]]:
    width = max(map(len, orders), default=0)
    found: dict[str, list[int]] = defaultdict(lambda: [0] * width)
    for order in orders:
        for place, system in enumerate(order):
            found[system][place] += 1
    return {system: tuple(counts) for system, counts in sorted(found.items())}


def _imbalance(orders: Sequence[Sequence[str]]) -> int:
    """Largest difference between positions of a system, among items of the same systems: those are balanced together."""
    groups: dict[tuple[str, ...], list[Sequence[str]]] = defaultdict(list)
    for order in orders:
        groups[tuple(sorted(order))].append(order)
    counts = [each for group in groups.values() for each in _positions(group).values()]
    return max((max(each) - min(each) for each in counts), default=0)


def _means(study: Study) -> dict[str, float]:
    """Mean point of each system over all questions about replies; of pairs, its mean of 1 (chosen), 0.5 (same) and 0."""
    given: dict[str, list[float]] = defaultdict(list)
    done = Submission.objects.filter(assignment__in=[each.pk for each in counted_assignments(study)])
    for answers, order in done.values_list("answers", "assignment__slot__order"):
        for name, value in answers.items():
            reply = REPLY.match(name)
            if reply and isinstance(value, int | float):
                given[order[int(reply.group(1)) - 1]].append(float(value))
            elif name == "choice" and len(order) == 2:
                for place, system in enumerate(order, start=1):
                    given[system].append(0.5 if value == "same" else float(value == str(place)))
    return {system: sum(values) / len(values) for system, values in sorted(given.items())}


def _checks(study: Study, kinds: Mapping[int, str]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for check in Check.objects.filter(participant__study=study, kind=Check.Kind.ATTENTION):
        kind = kinds.get(check.participant_id, "unknown")
        failed, seen = found.get(kind, (0, 0))
        found[kind] = (failed + (not check.passed), seen + 1)
    return found


def _completers(people: Any) -> Any:
    return people.filter(state=Participant.State.COMPLETED).order_by("pk")


def _signals(study: Study, kinds: Mapping[int, str]) -> dict[str, dict[str, int]]:
    done = set(_completers(study.participants).values_list("pk", flat=True))
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for person, signs in signals(study).items():
        if person in done:
            found[kinds.get(person, "unknown")].update(signs)
    return {kind: dict(counts) for kind, counts in sorted(found.items())}


def _flags(people: Any, kinds: Mapping[int, str]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in people.filter(state=Participant.State.COMPLETED):
        found[kinds.get(each.pk, "unknown")].update(each.flags)
    return {kind: dict(counts) for kind, counts in sorted(found.items())}
