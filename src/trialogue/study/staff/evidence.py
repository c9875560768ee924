"""Unusual sessions, as evidence for staff to review. Nothing here excludes, rejects or marks anyone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from django.utils.translation import gettext, ngettext

from trialogue.study.design.validity import Signal
from trialogue.study.models import Check, Event, Participant, Submission
from trialogue.study.services.validity import signals

QUICK = 5.0  # seconds for a task; nobody reads a conversation and three replies in that time
SAME = 6  # answers on scales, all the same, before that is worth a line
TASKS = ("task:", "check:")


@dataclass
class Session:
    """Data of one participant's session."""

    flags: Sequence[str] = ()
    failed: Counter[str] = field(default_factory=Counter)
    """Failed checks by kind."""
    checked: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Values of the tasks."""
    points: list[int] = field(default_factory=list)
    """Answers on scales in the tasks."""
    events: Counter[str] = field(default_factory=Counter)
    signals: Sequence[Signal] = ()
    """Signs of a language model."""


@dataclass(frozen=True)
class Finding:
    """One line of evidence."""

    text: str
    weight: int
    """Sort key: stronger evidence first."""
    rule: bool = False
    """Whether a rule of the study file says so."""


def sessions(participants: Iterable[Participant]) -> dict[int, Session]:
    """Sessions by id of the participant."""
    found_people = list(participants)
    found = {each.pk: Session(flags=each.flags) for each in found_people}
    for who, kind, passed in Check.objects.filter(participant__in=found).values_list("participant", "kind", "passed"):
        found[who].checked[kind] += 1
        found[who].failed[kind] += not passed
    answered = Submission.objects.filter(participant__in=found).values_list("participant", "step", "answers", "seconds")
    for who, step, answers, seconds in answered:
        if step.startswith(TASKS):
            found[who].seconds += [] if seconds is None else [seconds]
            found[who].points += [value for value in answers.values() if type(value) is int]
    for who, kind in Event.objects.filter(participant__in=found).values_list("participant", "kind"):
        found[who].events[kind] += 1
    for study in {each.study_id: each.study for each in found_people}.values():
        for who, signs in signals(study).items():
            if who in found:
                found[who].signals = signs
    return found


def signal_names() -> dict[Signal, str]:
    """Signs of a language model, in words."""
    return {
        "hidden_instruction": gettext("followed a hidden instruction"),
        "trap_questions": gettext("knew something that hardly anyone knows"),
        "near_duplicate": gettext("wrote almost the same as another participant"),
        "below_reading_time": gettext("answered faster than the text can be read"),
        "typed_too_fast": gettext("typed faster than a person can"),
    }


def findings(session: Session) -> list[Finding]:
    """Unusual findings about a session, most serious first."""
    found = [Finding(flag.replace("_", " "), 100, rule=True) for flag in session.flags]
    if count := session.failed["attention"]:
        checks = {"failed": count, "checks": session.checked["attention"]}
        found.append(Finding(gettext("failed %(failed)s of %(checks)s attention checks") % checks, 90))
    if session.seconds and (typical := median(session.seconds)) < QUICK:
        found.append(Finding(gettext("typically %(seconds)s s for a task") % {"seconds": f"{typical:.1f}"}, 80))
    if len(session.points) >= SAME and len(set(session.points)) == 1:
        found.append(Finding(gettext("the same answer %(count)s times") % {"count": len(session.points)}, 70))
    if count := session.events["paste"]:
        found.append(Finding(ngettext("pasted once", "pasted %(count)s times", count) % {"count": count}, 60))
    if (count := session.events["hidden"]) > len(session.seconds):
        found.append(Finding(gettext("left the page %(count)s times") % {"count": count}, 30))
    found += [Finding(signal_names()[signal], 50) for signal in session.signals]
    return sorted(found, key=lambda each: -each.weight)
