"""What was sent from a page: validated, stored and the plan moved on in one transaction; only then acknowledged."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from django.db import transaction
from django.utils import timezone

from trialogue.records import JsonValue
from trialogue.study.design.checks import passed
from trialogue.study.design.file import Comprehension, Screening, StudyFile
from trialogue.study.design.flow import number_of, phase_of
from trialogue.study.design.questions import Answers, answers_to
from trialogue.study.design.shown import Outcome, Part
from trialogue.study.models import Assignment, Check, Event, Participant, Submission
from trialogue.study.services import asking, assigning, chatting, leaving
from trialogue.study.services.reading import file_of
from trialogue.study.services.steps import OVER, move_on
from trialogue.study.services.tokens import step_in

AGREES, REFUSES = "yes", "no"  # values of the field ``agree``
MOST_EVENTS = 200


class Noticed(Protocol):
    """Something that the browser noticed."""

    @property
    def kind(self) -> str:
        """What."""
        ...

    @property
    def milliseconds(self) -> int:
        """When, since the page was shown."""
        ...


def submit(
    participant: Participant, token: str, posted: Mapping[str, Sequence[str]], *, events: Iterable[Noticed] = ()
) -> Outcome:
    """Store what was sent from the current step's page.

    Args:
        participant: who sent it.
        token: of the page that was shown.
        posted: the form.
        events: what the browser noticed; evidence only.
    """
    key = step_in(token, participant.pk)
    if key is None:
        return Outcome("refused")
    with transaction.atomic():
        locked = Participant.objects.select_for_update().select_related("study").get(pk=participant.pk)
        if Submission.objects.filter(participant=locked, step=key).exists():
            return Outcome("repeated")
        over = locked.state in OVER or locked.step >= len(locked.plan)
        if over or locked.plan[locked.step] != key or key == "exit":
            return Outcome("stale")
        return _taken(locked, key, posted, events)


def _taken(
    participant: Participant, key: str, posted: Mapping[str, Sequence[str]], events: Iterable[Noticed]
) -> Outcome:
    file = file_of(participant.study)
    shows = asking.item_at(participant, key)
    assignment = asking.assignment_at(participant, key)
    if phase_of(key) == "task" and not _still_held(assignment):
        return Outcome("stale")
    if file.type == "chat" and shows is not None and chatting.current_chat(participant, key, shows.order) is not None:
        return Outcome("stale")  # it is judged when it is over
    parts = asking.parts_of(file, key, shows)
    answered = {part.prefix: answers_to(part.questions, posted, prefix=part.prefix) for part in parts}
    if any(part.wrong for part in answered.values()):
        return Outcome("invalid", answered)
    values = _values(parts, answered)
    if phase_of(key) == "consent":
        values = {"agree": AGREES if AGREES in posted.get("agree", ()) else REFUSES}
        if values["agree"] == REFUSES and REFUSES not in posted.get("agree", ()):
            return Outcome("invalid", {"": Answers()})
    now = timezone.now()
    Submission.objects.create(
        participant=participant,
        step=key,
        assignment=assignment,
        answers=values,
        seconds=(now - participant.shown_at).total_seconds() if participant.shown_at else None,
    )
    Event.objects.bulk_create(
        Event(participant=participant, step=key, kind=each.kind, milliseconds=each.milliseconds)
        for each in list(events)[:MOST_EVENTS]
    )
    if assignment is not None:
        Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.DONE, done_at=now)
    participant.seen_at = now
    participant.save(update_fields=["seen_at"])
    if _goes_on(participant, file, key, values, shows):
        move_on(participant)
        assigning.keep(participant)
    return Outcome("stored")


def _still_held(assignment: Assignment | None) -> bool:
    """Whether a slot is still theirs; if so, it stays theirs until the transaction ends."""
    held = Assignment.objects.select_for_update().filter(state=Assignment.State.LEASED)
    return assignment is not None and held.filter(pk=assignment.pk).first() is not None


def _values(parts: Iterable[Part], answered: Mapping[str, Answers]) -> dict[str, JsonValue]:
    return {part.prefix + name: value for part in parts for name, value in answered[part.prefix].values.items()}


def _goes_on(
    participant: Participant, file: StudyFile, key: str, values: Mapping[str, JsonValue], shows: asking.Shows | None
) -> bool:
    """What follows from the answers; False if somebody's way ends here."""
    phase = phase_of(key)
    if phase == "consent":
        return _consented(participant, file, values)
    if phase == "screening" and file.screening is not None and not _admitted(file.screening, values):
        leaving.fail(participant, "screened_out")
        return False
    if phase == "comprehension" and file.comprehension is not None:
        return _understood(participant, file.comprehension, key, values)
    if phase in ("check", "training") and shows is not None:
        kind = Check.Kind.ATTENTION if phase == "check" else Check.Kind.TRAINING
        evidence = {"expected": shows.item.expected, "given": dict(values)}
        Check.objects.create(
            participant=participant, step=key, kind=kind, passed=passed(shows.item.expected, values), evidence=evidence
        )
    if phase in ("task", "check") and participant.state != Participant.State.ACTIVE:
        participant.state = participant.reached = Participant.State.ACTIVE
        participant.save(update_fields=["state", "reached"])
    return True


def _consented(participant: Participant, file: StudyFile, values: Mapping[str, JsonValue]) -> bool:
    if values["agree"] == REFUSES:
        leaving.fail(participant, "no_consent")
        return False
    participant.state = participant.reached = Participant.State.CONSENTED
    participant.consent_version = file.consent.version if file.consent else ""
    participant.consented_at = timezone.now()
    participant.save(update_fields=["state", "reached", "consent_version", "consented_at"])
    return True


def _admitted(screening: Screening, values: Mapping[str, JsonValue]) -> bool:
    """Whether every answer is among those that let somebody in; of several choices, one has to be."""
    for name, admitted in screening.admit.items():
        given = values.get(name)
        chosen = [str(each) for each in given] if isinstance(given, list) else [str(given)]
        if not set(chosen) & set(admitted):
            return False
    return True


def _understood(
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
    participant.save(update_fields=["plan"])
    return True
