"""The dashboard: how far people came, what is covered, how long it takes, how well they agree; pause and resume."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from statistics import median
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trialogue.stats.raters.alpha import Level
from trialogue.study.design.file import SIDES
from trialogue.study.design.questions import Question
from trialogue.study.models import Study, Submission
from trialogue.study.services.management import launching, managing
from trialogue.study.staff.access import MANAGE, may, refusal, staff, who
from trialogue.study.staff.dashboard import flow
from trialogue.study.staff.dashboard.agreement import Given, alpha_so_far
from trialogue.study.staff.dashboard.numbers import numbers_so_far
from trialogue.study.staff.frame import asked, shown, title

RECENT = 20_000  # answers that the dashboard looks at, the latest
PLACE = re.compile(r"r(\d+)-(.+)")
CHANGES = {
    "draft": ("running",),
    "running": ("paused", "closed"),
    "paused": ("running", "closed"),
    "closed": ("running",),
}


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """The studies of this server; where there is one, its dashboard."""
    if (refused := refusal(request)) is not None:
        return refused
    found = list(Study.objects.order_by("slug"))
    if len(found) == 1:
        return redirect("study:staff-study", slug=found[0].slug)
    listed = [
        {
            "title": title(study, "en"),
            "slug": study.slug,
            "state": state_names()[study.state],
            "completed": gettext("%(count)s completed") % {"count": flow.by_state(study)["completed"]},
            "url": reverse("study:staff-study", args=[study.slug]),
        }
        for study in found
    ]
    return shown(request, "studies.html", None, heading=gettext("Studies"), studies=listed)


def state_names() -> dict[str, str]:
    """Names of the states of a study."""
    return {
        "draft": gettext("Not open yet"),
        "running": gettext("Running"),
        "paused": gettext("Paused"),
        "closed": gettext("Closed"),
    }


@require_safe
@staff()
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """The dashboard of a study."""
    answers = _task_answers(study)
    given = judged(answers)
    return shown(
        request,
        "dashboard.html",
        study,
        heading=title(study, "en"),
        slug=study.slug,
        study_type=study.configuration.get("type", ""),
        state=study.state,
        state_name=state_names()[study.state],
        may_manage=may(request, MANAGE),
        changes=_changes(study),
        facts=_facts(study, len(answers)),
        flow=flow.flow(study),
        coverage=flow.coverage(study),
        times=flow.times(each.seconds for each in answers if each.seconds is not None),
        numbers=numbers_so_far(asked(study), given),
        agreement=_agreement(study, given),
    )


@require_POST
@staff(MANAGE)
def change_state(request: HttpRequest, study: Study) -> HttpResponse:
    """Open, pause, close; who is in the middle may always go on."""
    wanted = request.POST.get("state", "")
    if (
        wanted in CHANGES[study.state] and launching.asks(study) is None
    ):  # what costs money is confirmed in the terminal
        managing.set_state(study, wanted, who=who(request))
    return redirect("study:staff-study", slug=study.slug)


def _changes(study: Study) -> list[dict[str, str]]:
    names = {"running": gettext("Open"), "paused": gettext("Pause"), "closed": gettext("Close")}
    if study.state in ("paused", "closed"):
        names["running"] = gettext("Open again")
    looks = {"running": "", "paused": "quiet", "closed": "risky"}
    return [{"state": each, "name": names[each], "look": looks[each]} for each in CHANGES[study.state]]


def _facts(study: Study, answers: int) -> list[dict[str, object]]:
    states = flow.by_state(study)
    done = study.participants.filter(state="completed").values_list("arrived_at", "finished_at")
    minutes = [(end - start).total_seconds() / 60 for start, end in done if end]
    return [
        {"name": gettext("Completed"), "value": states["completed"]},
        {"name": gettext("At it now"), "value": sum(states[each] for each in ("consented", "screened", "active"))},
        {"name": gettext("Typical time"), "value": _minutes(median(minutes)) if minutes else "–"},
        {"name": gettext("Answered tasks"), "value": answers},
    ]


def _minutes(minutes: float) -> str:
    return gettext("%(minutes)s min") % {"minutes": round(minutes)}


def _task_answers(study: Study) -> list[Submission]:
    found = Submission.objects.filter(assignment__isnull=False, participant__study=study)
    return list(found.select_related("assignment__slot").order_by("-pk")[:RECENT])


def judged(answers: Iterable[Submission]) -> dict[str, list[Given]]:
    """What was judged, by whom and how, by name of the question.

    A judgement of a position is one of the system that stood there.
    """
    found: dict[str, list[Given]] = defaultdict(list)
    for each in answers:
        if each.assignment is None:
            continue
        order = list(each.assignment.slot.order)
        for name, value in each.answers.items():
            place = PLACE.fullmatch(name)
            what: Hashable = (each.assignment.item_id, order[int(place[1]) - 1]) if place else each.assignment.item_id
            if isinstance(value, int | float | str):
                found[place[2] if place else name].append((what, each.participant_id, _meant(name, value, order)))
    return dict(found)


def _meant(name: str, value: float | str, order: list[str]) -> float | str:
    """The system that the choice of a side means, and other answers as they are."""
    return dict(zip(SIDES[::2], order, strict=False)).get(str(value), value) if name == "choice" else value


def _agreement(study: Study, given: Mapping[str, list[Given]]) -> list[dict[str, Any]]:
    """A row for each question with points, options or numbers."""
    levels: dict[str, Level] = {"scale": "ordinal", "choice": "nominal", "number": "interval", "slider": "interval"}
    return [
        _agreement_row(question, given[question.name], levels[question.kind_of_answer])
        for question in asked(study)
        if question.name in given and question.kind_of_answer in levels
    ]


def _agreement_row(question: Question, given: list[Given], level: Level) -> dict[str, Any]:
    estimate = alpha_so_far(given, level=level)
    names = {"ordinal": gettext("ordinal"), "nominal": gettext("nominal"), "interval": gettext("interval")}
    row = {
        "name": question.name.replace("_", " "),
        "level": names[level],
        "items": estimate.n,
        "why": str(estimate.why or ""),
    }
    if estimate.value is not None:
        row["value"] = f"{estimate.value:.2f}"
        ends = estimate.interval
        row["interval"] = f"{ends.low:.2f} – {ends.high:.2f}" if ends else ""
    return row
