"""Participants as staff see them: origin, evidence of attention and decisions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from statistics import median
from typing import Any, TypeAlias

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trialogue.study.design.pages import phase_of
from trialogue.study.design.validity import Signal
from trialogue.study.models import Check, Decision, Event, Participant, Submission
from trialogue.study.services.deciding import Standing, standings
from trialogue.study.services.rows import file_of
from trialogue.study.services.steps import LATE
from trialogue.study.services.validity import signals
from trialogue.study.staff.dashboard import stage_names

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


Row: TypeAlias = dict[str, Any]


def link_names() -> dict[str, str]:
    """Kinds of links that participants used, by whether they can be forged."""
    return {
        "signed": gettext("signed link"),
        "id": gettext("unsigned link with an ID"),
        "open": gettext("link without an ID"),
        "": "–",
    }


def link_of(participant: Participant) -> str:
    """``signed``, ``id`` or ``open``; "" where nothing is left that would tell."""
    if participant.signed:
        return "signed"
    if participant.identity_hash:
        return "id"
    return "" if participant.state == Participant.State.WITHDREW else "open"


def links(participants: Iterable[Participant]) -> list[dict[str, Any]]:
    """Number of arrivals by kind of link, for used kinds only."""
    counts = Counter(map(link_of, participants))
    names = link_names()
    return [{"link": link, "name": names[link], "count": counts[link]} for link in names if link and counts[link]]


def rows_of(participants: Iterable[Participant]) -> list[Row]:
    """A row for each participant."""
    everybody = list(participants)
    known, names, links = sessions(everybody), stage_names(), link_names()
    decided = standings(everybody)
    return [
        {
            "code": each.code,
            "state": names.get(each.reason or each.state, each.reason or each.state),
            "arrived": each.arrived_at,
            "link": links[link_of(each)],
            "tasks": getattr(each, "tasks", 0),
            "minutes": round(((each.finished_at or each.seen_at) - each.arrived_at).total_seconds() / 60),
            "evidence": findings(known[each.pk]),
            "completed": each.state == Participant.State.COMPLETED,
            "url": reverse("study:staff-session", args=[each.study.slug, each.code]),
            "standing": describe_decisions(decided.get(each.pk, Standing())),
            "decided": decided.get(each.pk, Standing()),
        }
        for each in everybody
    ]


def describe_decisions(now: Standing) -> list[dict[str, str]]:
    """Short description of decisions."""
    found = []
    if now.payment == "accept":
        found.append({"look": "good", "text": gettext("accepted")})
    elif now.payment == "refuse":
        found.append({"look": "rule", "text": gettext("refused: %(reason)s") % {"reason": now.payment_reason}})
    if now.bonus:
        found.append({"look": "good", "text": gettext("bonus %(amount)s") % {"amount": now.bonus}})
    if now.by_hand:
        found.append({"look": "rule", "text": gettext("excluded manually: %(reason)s") % {"reason": now.by_hand}})
    return found


def describe_decision(decision: Decision) -> str:
    """One decision."""
    words = {
        Decision.Kind.ACCEPT: gettext("accepted"),
        Decision.Kind.REFUSE: gettext("refused: %(reason)s"),
        Decision.Kind.BONUS: gettext("bonus %(amount)s"),
        Decision.Kind.EXCLUDE: gettext("excluded manually: %(reason)s"),
        Decision.Kind.READMIT: gettext("manual exclusion reversed"),
    }[Decision.Kind(decision.kind)]
    return words % {"reason": decision.reason, "amount": decision.amount}
