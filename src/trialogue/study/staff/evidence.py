"""Unusual sessions, as evidence for staff to review. Nothing here excludes, rejects or marks anyone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from statistics import median

from django.utils.translation import gettext, ngettext

from trialogue.study.design.flow import phase_of
from trialogue.study.design.validity import Signal
from trialogue.study.models import Check, Event, Participant, Submission
from trialogue.study.services.reading import file_of
from trialogue.study.services.submitting import LATE
from trialogue.study.services.validity import signals

MIN_PLAUSIBLE_TASK_S = 5.0  # nobody reads a conversation and three replies in less
MIN_IDENTICAL_ANSWERS = 6  # on scales, and all of them the same, before that is worth a line
TASK_STEP_PREFIXES = ("task:", "check:")


class Weight(IntEnum):
    """How strong a line of evidence is. Lines are sorted by it, and participants by the sum of theirs."""

    RULE = 100  # the study file itself says so
    FAILED_CHECK = 90
    INCOMPLETE = 85  # paid in full for a part of the work, perhaps by our fault
    FAST = 80
    IDENTICAL_ANSWERS = 70  # may be an opinion
    PASTED = 60  # some people write elsewhere
    MODEL_SIGNAL = 50  # these signals have known error rates
    LEFT_PAGE = 30  # a doorbell is enough


SERIOUS = Weight.FAST
"""The least weight of evidence that is repeated to staff when they decide about a participant."""


@dataclass
class Session:
    """Data of one participant's session."""

    flags: Sequence[str] = ()
    """Rules of the study file that it breaks."""
    failed: Counter[str] = field(default_factory=Counter)
    """Failed checks by kind."""
    checked: Counter[str] = field(default_factory=Counter)
    """Checks by kind."""
    seconds: list[float] = field(default_factory=list)
    """Seconds spent on each task."""
    scale_answers: list[int] = field(default_factory=list)
    """Answers on scales in the tasks."""
    tasks: int = 0
    """Tasks that were answered."""
    planned: int = 0
    """Tasks of a session; 0 for one that is not over."""
    events: Counter[str] = field(default_factory=Counter)
    """What the browser noticed, by kind."""
    signals: Sequence[Signal] = ()
    """Signs of a language model."""


@dataclass(frozen=True)
class Finding:
    """One line of evidence."""

    text: str
    weight: Weight
    rule: bool = False
    """Whether a rule of the study file says so."""


def sessions(participants: Iterable[Participant]) -> dict[int, Session]:
    """Sessions by id of the participant."""
    people = list(participants)
    by_id = {each.pk: Session(flags=each.flags, planned=_planned_tasks(each)) for each in people}
    for who, kind, passed in Check.objects.filter(participant__in=by_id).values_list("participant", "kind", "passed"):
        by_id[who].checked[kind] += 1
        by_id[who].failed[kind] += not passed
    submissions = Submission.objects.filter(participant__in=by_id)
    for who, step, answers, seconds in submissions.values_list("participant", "step", "answers", "seconds"):
        if step.startswith(TASK_STEP_PREFIXES):
            by_id[who].seconds += [] if seconds is None else [seconds]
            by_id[who].tasks += phase_of(step) == "task"
            by_id[who].scale_answers += [value for value in answers.values() if type(value) is int]
    for who, kind in Event.objects.filter(participant__in=by_id).values_list("participant", "kind"):
        by_id[who].events[kind] += 1
    for study in {each.study_id: each.study for each in people}.values():
        for who, signs in signals(study).items():
            if who in by_id:
                by_id[who].signals = signs
    return by_id


def _planned_tasks(participant: Participant) -> int:
    completed = participant.state == Participant.State.COMPLETED
    return file_of(participant.study).items_per_participant if completed else 0


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
    lines = [Finding(flag.replace("_", " "), Weight.RULE, rule=True) for flag in session.flags]
    if failed := session.failed["attention"]:
        checks = session.checked["attention"]
        text = ngettext("failed the attention check", "failed %(failed)s of %(checks)s attention checks", checks)
        lines.append(Finding(text % {"failed": failed, "checks": checks}, Weight.FAILED_CHECK))
    if session.tasks < session.planned:
        numbers = {"tasks": session.tasks, "planned": session.planned}
        lines.append(Finding(gettext("answered %(tasks)s of %(planned)s tasks") % numbers, Weight.INCOMPLETE))
    if late := session.events[LATE]:
        text = ngettext("one answer came too late", "%(late)s answers came too late", late)
        lines.append(Finding(text % {"late": late}, Weight.INCOMPLETE))
    if session.seconds and (typical := median(session.seconds)) < MIN_PLAUSIBLE_TASK_S:
        text = gettext("typically %(seconds)s s for a task") % {"seconds": f"{typical:.1f}"}
        lines.append(Finding(text, Weight.FAST))
    same = len(session.scale_answers)
    if same >= MIN_IDENTICAL_ANSWERS and len(set(session.scale_answers)) == 1:
        lines.append(Finding(gettext("the same answer %(count)s times") % {"count": same}, Weight.IDENTICAL_ANSWERS))
    if pasted := session.events["paste"]:
        text = ngettext("pasted once", "pasted %(count)s times", pasted) % {"count": pasted}
        lines.append(Finding(text, Weight.PASTED))
    if (left := session.events["hidden"]) > len(session.seconds):  # once a task is nothing unusual
        text = ngettext("left the page once", "left the page %(count)s times", left) % {"count": left}
        lines.append(Finding(text, Weight.LEFT_PAGE))
    lines += [Finding(signal_names()[signal], Weight.MODEL_SIGNAL) for signal in session.signals]
    return sorted(lines, key=lambda each: -each.weight)
