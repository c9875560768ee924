"""Dashboard view: flow, coverage, times and agreement; pause and resume."""

from collections.abc import Mapping
from statistics import median
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.stats.raters.alpha import Level
from trialogue.study.design.questions import Question
from trialogue.study.models import Study
from trialogue.study.services.management import launching
from trialogue.study.staff.access import MANAGE, StaffMixin, login_of, may
from trialogue.study.staff.dashboard import answers, flow
from trialogue.study.staff.dashboard.answers import Given, alpha_so_far, numbers_so_far
from trialogue.study.staff.frame import questions_of, title
from trialogue.study.staff.views.base import AnyList, FrameMixin, StaffAction, StaffPage

CHANGES = {
    "draft": ("running",),
    "running": ("paused", "closed"),
    "paused": ("running", "closed"),
    "closed": ("running",),
}


class Studies(FrameMixin, StaffMixin, AnyList):
    """The studies of this server; where there is one, its dashboard."""

    template_name = "study/staff/studies.html"
    context_object_name = "studies"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page."""
        only = list(Study.objects.order_by("slug")[:2])
        return redirect("study:staff-study", slug=only[0].slug) if len(only) == 1 else super().get(request, *args)

    def get_queryset(self) -> Any:
        """A row for each: a list, which Django's lists take as well."""
        return [
            {
                "title": title(study, "en"),
                "slug": study.slug,
                "state": state_names()[study.state],
                "completed": gettext("%(count)s completed") % {"count": flow.count_by_state(study)["completed"]},
                "url": reverse("study:staff-study", args=[study.slug]),
            }
            for study in Study.objects.order_by("slug")
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The page's heading."""
        return super().get_context_data(heading=gettext("Studies"), **kwargs)


def state_names() -> dict[str, str]:
    """Names of the states of a study."""
    return {
        "draft": gettext("Not open yet"),
        "running": gettext("Running"),
        "paused": gettext("Paused"),
        "closed": gettext("Closed"),
    }


class Overview(StaffPage):
    """The dashboard of a study."""

    template_name = "study/staff/dashboard.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Template context."""
        study = self.study
        tasks = answers.of_tasks(study)
        given, coverage = answers.judgements(tasks), flow.coverage(study)
        return super().get_context_data(
            heading=title(study, "en"),
            study_type=study.configuration.get("type", ""),
            state=study.state,
            state_name=state_names()[study.state],
            may_manage=may(self.request, MANAGE),
            changes=[] if launching.confirmation_needed(study) else changes_of(study),
            pause_reason=launching.pause_reason(study),
            facts=_facts(study, coverage["done"]),
            flow=flow.flow(study),
            coverage=coverage,
            times=flow.times(each.seconds for each in tasks if each.seconds is not None),
            numbers=numbers_so_far(questions_of(study), given),
            agreement=_agreement(study, given),
            **kwargs,
        )


class ChangeState(StaffAction):
    """Open, pause, close; who is in the middle may always go on."""

    permission: ClassVar[str] = MANAGE

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Perform a permitted change of state. Changes that cost money are confirmed in the terminal."""
        wanted = request.POST.get("state", "")
        if wanted in CHANGES[self.study.state] and launching.confirmation_needed(self.study) is None:
            launching.set_state(self.study, wanted, who=login_of(request))
        back = "study:staff-launch" if "launch" in request.POST else "study:staff-study"
        return redirect(back, slug=slug)


def changes_of(study: Study) -> list[dict[str, str]]:
    """Buttons that change the state of a study."""
    names = {"running": gettext("Open"), "paused": gettext("Pause"), "closed": gettext("Close")}
    if study.state in ("paused", "closed"):
        names["running"] = gettext("Open again")
    looks = {"running": "", "paused": "quiet", "closed": "risky"}
    return [{"state": each, "name": names[each], "look": looks[each]} for each in CHANGES[study.state]]


def _facts(study: Study, answers: int) -> list[dict[str, object]]:
    states = flow.count_by_state(study)
    done = study.participants.filter(state="completed").values_list("arrived_at", "finished_at")
    minutes = [(end - start).total_seconds() / 60 for start, end in done if end]
    return [
        {"name": gettext("Completed"), "value": states["completed"]},
        {"name": gettext("Active now"), "value": sum(states[each] for each in ("consented", "screened", "active"))},
        {"name": gettext("Typical time"), "value": _minutes(median(minutes)) if minutes else "–"},
        {"name": gettext("Answers that count"), "value": answers},
    ]


def _minutes(minutes: float) -> str:
    return gettext("%(minutes)s min") % {"minutes": round(minutes)}


def _agreement(study: Study, given: Mapping[str, list[Given]]) -> list[dict[str, Any]]:
    """A row for each question with points, options or numbers."""
    levels: dict[str, Level] = {"scale": "ordinal", "choice": "nominal", "number": "interval", "slider": "interval"}
    return [
        _agreement_row(question, given[question.name], levels[question.kind_of_answer])
        for question in questions_of(study)
        if question.name in given and question.kind_of_answer in levels
    ]


def _agreement_row(question: Question, given: list[Given], level: Level) -> dict[str, Any]:
    estimate = alpha_so_far(given, level=level)
    names = {"ordinal": gettext("ordinal"), "nominal": gettext("nominal"), "interval": gettext("interval")}
    row = {
        "name": question.name.replace("_", " "),
        "level": names[level],
        "units": estimate.n,
        "why": str(estimate.why or ""),
    }
    if estimate.value is not None:
        row["value"] = f"{estimate.value:.2f}"
        ends = estimate.interval
        row["interval"] = ends.render("{:z.{}f}".format, 2) if ends else ""
    return row
