"""Submit a page: validate, store and advance the plan in one transaction, then acknowledge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db import transaction
from django.utils import timezone

from trialogue.records import JsonValue
from trialogue.study.design.checks import is_passed
from trialogue.study.design.file import Comprehension, Screening, StudyFile
from trialogue.study.design.flow import number_of, phase_of
from trialogue.study.design.launch import stratum_of
from trialogue.study.design.page_content import Outcome, Part
from trialogue.study.design.questions import Answers, InvalidAnswer, answers_to
from trialogue.study.design.validity import HIDDEN_FIELD
from trialogue.study.models import OVER, Assignment, Check, Event, Participant, Submission
from trialogue.study.services import asking, assigning, chatting, leaving, rows
from trialogue.study.services.reading import file_of
from trialogue.study.services.steps import make_ready, move_on
from trialogue.study.services.tokens import PageToken, page_in
from trialogue.study.services.validity import HIDDEN_FILLED

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
