"""Current step of a participant. Tasks are assigned when reached, and reassigned after an expired lease."""

from collections.abc import Sequence

import numpy as np
from django.db import transaction
from django.utils import timezone

from trialogue.seeds import rng_for
from trialogue.study.design.assignment import choose_checks, origin_of
from trialogue.study.design.flow import TASKS, number_of, phase_of, with_tasks
from trialogue.study.design.page_content import Step
from trialogue.study.models import OVER, Assignment, Participant
from trialogue.study.services import asking, chatting, leaving, rows
from trialogue.study.services.assigning import LIVE, keep, lease
from trialogue.study.services.reading import checks_in, file_of


def current(participant: Participant) -> Step | None:
    """The step where a participant is now, whatever was read of them before.

    None for who has withdrawn, failed or been screened out. Reaching the tasks gives them out; if nothing is left, the
    participant ends (``failed``, reason ``full``).
    """
    return current_as_read(rows.reload_person(participant.pk))


def current_as_read(now: Participant) -> Step | None:
    """Current step of a participant whose row and study have been read.

    Writes nothing, as ``make_ready`` has prepared the step when the one before was sent, unless the participant has lost
    tasks by staying away.
    """
    if (key := _settled_key(now)) is not None:
        held = asking.assignment_at(now, key)
        if phase_of(key) != "task" or (held is not None and held.state in LIVE and held.lease_until >= timezone.now()):
            return asking.step_of(now, key, held)
    with transaction.atomic():
        locked = rows.lock_person(now)
        key = _key(locked)
    return asking.step_of(locked, key) if key is not None else None


def make_ready(participant: Participant) -> None:
    """Prepare the step that a participant has come to, so that showing it writes nothing: tasks are given out, and the
    end completes the session.

    Not in the transaction that stored an answer: it holds the row of a slot, and places are given out and taken back by who
    holds the study and then waits for such rows.
    """
    if _settled_key(participant) is None:
        with transaction.atomic():
            _key(rows.lock_person(participant))


def reserve(participant: Participant) -> bool:
    """Keep a place for somebody new who is not asked for consent; False if none is left. The participant is locked."""
    if not lease(participant):
        return False
    make_ready(participant)
    participant.refresh_from_db()
    return True


def begin_chats(participant: Participant) -> None:
    """Begin the conversation of the current step, if it is one: two, if the first system says goodbye at once.

    Never called within a transaction, because it asks the systems.
    """
    if file_of(participant.study).type == "chat":
        while (step := current(participant)) is not None and step.kind == "chat" and begin_chat(participant, step.key):
            pass


def begin_chat(participant: Participant, key: str) -> bool:
    """Whether a conversation began just now with words of its system, at a step with one; it is to be read again.

    Asks the system, which may take its time: never called within a transaction.
    """
    shows = asking.item_at(participant, key)
    return shows is not None and chatting.begin(participant, key, shows.order)


def _settled_key(participant: Participant) -> str | None:
    """The key of the current step, if it can be shown with nothing given out, taken back or counted before."""
    if participant.step >= len(participant.plan):
        return None
    key = str(participant.plan[participant.step])
    if key == TASKS or participant.state in OVER:
        return key if key == "exit" and participant.state == Participant.State.COMPLETED else None
    return key if key != "exit" else None


def _key(participant: Participant) -> str | None:
    """The key of the current step, made ready to be shown; the participant is locked."""
    if participant.state in OVER and participant.state != Participant.State.COMPLETED:
        return None
    if participant.step >= len(participant.plan):
        return None
    key = str(participant.plan[participant.step])
    if key == TASKS or (phase_of(key) == "task" and not _is_held(participant, key)):
        if not _give_out(participant):
            return None
        key = str(participant.plan[participant.step])
    elif phase_of(key) in ("task", "check"):
        keep(participant)  # who comes back late is at work again
    if key == "exit" and participant.state != Participant.State.COMPLETED:
        leaving.complete(participant)
    return key


def _is_held(participant: Participant, key: str) -> bool:
    assignment = asking.assignment_at(participant, key)
    return assignment is not None and assignment.state in LIVE


def _give_out(participant: Participant) -> bool:
    """Tasks in place of ``tasks``, or in place of those that were given to others meanwhile; False if nothing is left."""
    held = lease(participant)
    open_ones = [f"task:{each.position}" for each in held if each.state == Assignment.State.LEASED]
    if not held:
        leaving.fail(participant, "full")
        return False
    plan = [str(key) for key in participant.plan]
    if TASKS in plan:
        study = participant.study
        rng = rng_for(study.seed, study.slug, f"plan {participant.number}")
        names = {f"task:{number}": key for number, key in enumerate(open_ones, start=1)}
        participant.plan = [
            names.get(key, key) for key in with_tasks(plan, len(names), _checks_for(participant, rng), rng)
        ]
        participant.state = participant.reached = Participant.State.SCREENED
    else:
        rest = _repair_plan(plan[participant.step :], open_ones)
        participant.plan = [*plan[: participant.step], *_repair_checks(participant, rest)]
    participant.save(update_fields=["plan", "state", "reached"])
    return True


def _checks_for(participant: Participant, rng: np.random.Generator, *, shown: Sequence[int] = ()) -> list[int]:
    """Numbers of a participant's checks; none repeats an item that they were ever given, nor a check that was shown."""
    study = participant.study
    met = {origin_of(*row) for row in participant.assignments.values_list("item__dialogue", "item__key")}
    new = [each for each in checks_in(study) if each[0] not in shown]
    return choose_checks(new, file_of(study).attention.checks - len(shown), met=met, rng=rng)


def _repair_checks(participant: Participant, rest: list[str]) -> list[str]:
    """The rest of a plan, with checks chosen anew among those that do not repeat a task that came later."""
    study = participant.study
    shown = [number_of(key) for key in map(str, participant.plan[: participant.step]) if phase_of(key) == "check"]
    rng = rng_for(study.seed, study.slug, f"checks {participant.number} from {participant.step}")
    chosen = iter(_checks_for(participant, rng, shown=shown))
    return [f"check:{next(chosen)}" if phase_of(key) == "check" else key for key in rest]


def _repair_plan(rest: list[str], open_ones: list[str]) -> list[str]:
    """The rest of a plan without tasks that others have, and with new ones behind those that are left."""
    known = [key for key in rest if phase_of(key) != "task" or key in open_ones]
    new = [key for key in open_ones if key not in known]
    last = max((place for place, key in enumerate(known, start=1) if phase_of(key) in ("task", "check")), default=0)
    return [*known[:last], *new, *known[last:]]


def move_on(participant: Participant) -> None:
    """Move to the next step; the participant is locked, and saved by the caller."""
    participant.step += 1


__all__ = ["begin_chat", "begin_chats", "current", "current_as_read", "make_ready", "move_on", "reserve"]
