"""Steps of a participant: show the next, submit one (validated and stored in one transaction), advance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from django.db import transaction
from django.utils import timezone

from trialogue.records import JsonValue
from trialogue.seeds import rng_for
from trialogue.study.design.assignment import choose_checks, origin_of
from trialogue.study.design.checks import is_passed
from trialogue.study.design.file import Comprehension, Screening, StudyFile
from trialogue.study.design.launch import stratum_of
from trialogue.study.design.pages import TASKS, Outcome, Part, Step, number_of, phase_of, with_tasks
from trialogue.study.design.questions import Answers, InvalidAnswer, answers_to
from trialogue.study.design.validity import HIDDEN_FIELD
from trialogue.study.models import OVER, Assignment, Check, Event, Participant, Submission
from trialogue.study.services import asking, assigning, chatting, leaving, rows
from trialogue.study.services.assigning import LIVE, keep, lease
from trialogue.study.services.rows import PageToken, checks_in, file_of, page_in
from trialogue.study.services.validity import HIDDEN_FILLED


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

LATE = "late"
"""Event kind: an answer came too late and was not stored."""
AGREES, REFUSES = "yes", "no"  # values of the field ``agree``
MAX_EVENTS = 200
PROGRESS = ("seen_at", "state", "reached", "plan", "step", "stratum", "consent_version", "consented_at")
"""Fields of a participant that a form may change."""


class BrowserEvent(Protocol):
    """An event reported by the browser."""

    @property
    def kind(self) -> str:
        """Kind of event."""
        ...

    @property
    def milliseconds(self) -> int:
        """When, since the page was shown."""
        ...


def submit(
    participant: Participant, token: str, posted: Mapping[str, Sequence[str]], *, events: Iterable[BrowserEvent] = ()
) -> Outcome:
    """Store the answers submitted from the current step's page.

    Args:
        participant: participant who submitted it.
        token: token of the page that was shown.
        posted: the submitted form.
        events: events reported by the browser; evidence only.
    """
    page = page_in(token, participant.pk)
    if page is None:
        return Outcome("refused")
    key = page.step
    read = _read(participant, key, posted)
    with transaction.atomic():
        locked = rows.lock_person(participant)
        over = locked.state in OVER or locked.step >= len(locked.plan)
        if over or locked.plan[locked.step] != key or key == "exit":
            return _not_current(locked, key, read)
        hidden = any(each.strip() for each in posted.get(HIDDEN_FIELD, ()))
        outcome = _accept(locked, page, read, list(events)[:MAX_EVENTS], hidden=hidden)
    if outcome.kind == "stored":
        make_ready(locked)
    return outcome


def _not_current(participant: Participant, key: str, read: "_Read") -> Outcome:
    """The outcome of a page that is no longer the current step: answers are sent once, and the first ones stay."""
    there = Submission.objects.filter(participant=participant, step=key).first()
    if there is not None:
        return Outcome("repeated" if there.answers == dict(read.values) else "kept")
    if phase_of(key) != "task" or key in participant.plan[participant.step :]:
        return Outcome("stale")
    _note_late(participant, key)
    return Outcome("late")


@dataclass(frozen=True)
class _Read:
    """A form, looked at before anybody has to wait for it."""

    shows: asking.ShownItem | None
    assignment: Assignment | None
    answered: Mapping[str, Answers]
    values: Mapping[str, JsonValue]


def _read(participant: Participant, key: str, posted: Mapping[str, Sequence[str]]) -> _Read:
    assignment = asking.assignment_at(participant, key)
    shows = asking.item_at(participant, key, assignment)
    parts = asking.parts_of(participant, key, shows)
    answered = {part.prefix: answers_to(part.questions, posted, prefix=part.prefix) for part in parts}
    values = _values(parts, answered)
    if phase_of(key) == "consent":
        given = [each for each in (AGREES, REFUSES) if each in posted.get("agree", ())]
        values = {"agree": given[0]} if given else {}
        answered = {} if given else {"": Answers(wrong={"agree": InvalidAnswer("missing")})}
    return _Read(shows, assignment, answered, values)


def _accept(
    participant: Participant, page: PageToken, read: _Read, events: Sequence[BrowserEvent], *, hidden: bool
) -> Outcome:
    key, file, shows, assignment = page.step, file_of(participant.study), read.shows, read.assignment
    if file.type == "chat" and shows is not None and chatting.current_chat(participant, key, shows.order) is not None:
        return Outcome("stale")  # it is judged when it is over
    if any(part.wrong for part in read.answered.values()):
        return Outcome("invalid", dict(read.answered))
    now = timezone.now()
    if phase_of(key) == "task" and not (assignment and _answer_slot(participant, assignment, now)):
        _note_late(participant, key)
        return Outcome("late")
    rows.insert(
        Submission(
            participant=participant,
            step=key,
            assignment=assignment,
            answers=dict(read.values),
            seconds=_seconds(page.shown, now),
            client_seconds=next((each.milliseconds / 1000 for each in events if each.kind == "submit"), None),
        )
    )
    if events:
        Event.objects.bulk_create(
            Event(participant=participant, step=key, kind=each.kind, milliseconds=each.milliseconds) for each in events
        )
    if hidden:
        Event.objects.create(participant=participant, step=key, kind=HIDDEN_FILLED, milliseconds=0)
    participant.seen_at = now
    if _apply_answers(participant, file, key, read.values, shows):
        move_on(participant)
        if assignment is None or assigning.runs_out(assignment, participant):
            assigning.keep(participant)
    rows.update(participant, *PROGRESS)
    return Outcome("stored")


def _answer_slot(participant: Participant, assignment: Assignment, now: datetime) -> bool:
    """Whether an answered slot is still its holder's, or free, if they were away too long and lost it."""
    if rows.mark_done(assignment, now):
        return True
    lost = Assignment.objects.get(pk=assignment.pk)
    same = lost.slot_id == assignment.slot_id  # the page showed the order of that slot
    return same and assigning.reclaim_late(participant, lost) and rows.mark_done(assignment, now)


def _note_late(participant: Participant, key: str) -> None:
    """Keep that an answer came after its slot was given to somebody else: staff see it before they decide on payment."""
    if not Event.objects.filter(participant=participant, step=key, kind=LATE).exists():
        Event.objects.create(participant=participant, step=key, kind=LATE, milliseconds=0)


def _seconds(shown: datetime, now: datetime) -> float | None:
    """Time on a page; None where it is not known, since our clock was set back meanwhile."""
    return (now - shown).total_seconds() if shown <= now else None


def _values(parts: Iterable[Part], answered: Mapping[str, Answers]) -> dict[str, JsonValue]:
    return {part.prefix + name: value for part in parts for name, value in answered[part.prefix].values.items()}


def _apply_answers(
    participant: Participant, file: StudyFile, key: str, values: Mapping[str, JsonValue], shows: asking.ShownItem | None
) -> bool:
    """Apply the consequences of the answers; False if the session ends here. The caller saves the participant."""
    phase = phase_of(key)
    if phase == "consent":
        return _consent(participant, file, values)
    if phase == "screening" and file.screening is not None:
        return _screen(participant, file, file.screening, values)
    if phase == "comprehension" and file.comprehension is not None:
        return _has_understood(participant, file.comprehension, key, values)
    if phase in ("check", "training") and shows is not None:
        kind = Check.Kind.ATTENTION if phase == "check" else Check.Kind.TRAINING
        evidence = {"expected": dict(shows.expected), "given": dict(values)}
        Check.objects.create(
            participant=participant, step=key, kind=kind, passed=is_passed(shows.expected, values), evidence=evidence
        )
    if phase in ("task", "check"):
        participant.state = participant.reached = Participant.State.ACTIVE
    return True


def _consent(participant: Participant, file: StudyFile, values: Mapping[str, JsonValue]) -> bool:
    if values["agree"] == REFUSES:
        leaving.fail(participant, "no_consent")
        return False
    participant.state = participant.reached = Participant.State.CONSENTED
    participant.consent_version = file.consent.version if file.consent else ""
    participant.consented_at = timezone.now()
    return bool(file.strata) or _keep_place(participant)


def _keep_place(participant: Participant) -> bool:
    """Whether a place is kept from here on, so that nobody works in vain; else the session ends."""
    if not assigning.lease(participant):
        leaving.fail(participant, "full")
        return False
    return True


def _screen(participant: Participant, file: StudyFile, screening: Screening, values: Mapping[str, JsonValue]) -> bool:
    """Whether a participant goes on: they are admitted, and there is a place in their stratum."""
    stratum = stratum_of(file.strata, values)
    if not _is_admitted(screening, values) or (file.strata and stratum is None):
        leaving.fail(participant, "screened_out")
        return False
    participant.stratum = stratum or ""
    return not file.strata or _keep_place(participant)


def _is_admitted(screening: Screening, values: Mapping[str, JsonValue]) -> bool:
    """Whether every answer is eligible; for multiple choices, at least one must be."""
    for name, admitted in screening.admit.items():
        given = values.get(name)
        chosen = [str(each) for each in given] if isinstance(given, list) else [str(given)]
        if not set(chosen) & set(admitted):
            return False
    return True


def _has_understood(
    participant: Participant, comprehension: Comprehension, key: str, values: Mapping[str, JsonValue]
) -> bool:
    def right(name: str, wanted: str | tuple[str, ...]) -> bool:
        given = values.get(name)
        if isinstance(given, list):
            return sorted(map(str, given)) == sorted([wanted] if isinstance(wanted, str) else wanted)
        return str(given) in ([wanted] if isinstance(wanted, str) else wanted)

    understood = all(right(name, wanted) for name, wanted in comprehension.right.items())
    Check.objects.create(
        participant=participant, step=key, kind=Check.Kind.COMPREHENSION, passed=understood, evidence=dict(values)
    )
    if understood:
        return True
    attempt = number_of(key)
    if attempt >= comprehension.attempts:
        leaving.fail(participant, "comprehension")
        return False
    plan = list(participant.plan)
    plan.insert(participant.step + 1, f"comprehension:{attempt + 1}")
    participant.plan = plan
    return True
