"""Studies, progress of one, its participants with evidence, lists for the platform, and the log."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, ClassVar

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.records.files.cells import csv_text
from trialogue.stats.raters.alpha import Level
from trialogue.study.design.questions import Question
from trialogue.study.models import Participant, Study
from trialogue.study.services import launching
from trialogue.study.services.deciding import Standing
from trialogue.study.services.leaving import outcome_of
from trialogue.study.staff import dashboard
from trialogue.study.staff.base import (
    EXPORT,
    MANAGE,
    AnyList,
    FrameMixin,
    StaffAction,
    StaffList,
    StaffMixin,
    StaffPage,
    login_of,
    may,
    questions_of,
    record,
    title,
)
from trialogue.study.staff.dashboard import Given, alpha_so_far, numbers_so_far
from trialogue.study.staff.evidence import SERIOUS, Row, links, rows_of

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
                "completed": gettext("%(count)s completed") % {"count": dashboard.count_by_state(study)["completed"]},
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
        tasks = dashboard.of_tasks(study)
        given, coverage = dashboard.judgements(tasks), dashboard.coverage(study)
        return super().get_context_data(
            heading=title(study, "en"),
            study_type=study.configuration.get("type", ""),
            state=study.state,
            state_name=state_names()[study.state],
            may_manage=may(self.request, MANAGE),
            changes=[] if launching.confirmation_needed(study) else changes_of(study),
            pause_reason=launching.pause_reason(study),
            facts=_facts(study, coverage["done"]),
            flow=dashboard.flow(study),
            coverage=coverage,
            times=dashboard.times(each.seconds for each in tasks if each.seconds is not None),
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
    states = dashboard.count_by_state(study)
    done = study.participants.filter(state="completed").values_list("arrived_at", "finished_at")
    minutes = [(end - start).total_seconds() / 60 for start, end in done if end]
    return [
        {"name": gettext("Completed"), "value": states["completed"]},
        {"name": gettext("Active now"), "value": sum(states[each] for each in ("consented", "screened", "active"))},
        {"name": gettext("Typical time"), "value": _minutes(median(minutes)) if minutes else "–"},
        {"name": gettext("Answers that count"), "value": dashboard},
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


LISTS = ("approve", "bonus")


class People(StaffList):
    """Participants, those with the heaviest evidence first."""

    template_name = "study/staff/participants.html"

    def get_queryset(self) -> Any:
        """The rows of the part of the list that the address names: a list, which Django's lists take as well."""
        everybody = list(self.study.participants.annotate(tasks=_tasks()).order_by("number"))
        self._everybody = everybody
        self._rows = sorted(rows_of(everybody), key=lambda row: -sum(each.weight for each in row["evidence"]))
        return [row for row in self._rows if SHOWS[self._chosen_group](row)]

    @property
    def _chosen_group(self) -> str:
        chosen = self.request.GET.get("show", "")
        return chosen if chosen in SHOWS else ""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Tabs of the list with their counts, and the participants' sources."""
        context = super().get_context_data(heading=gettext("Participants"), **kwargs)
        names = {"": gettext("Everybody"), "open": gettext("Payment to be decided"), "unusual": gettext("Unusual")}
        shows = [
            {
                "name": names[each],
                "show": each,
                "count": sum(map(wanted, self._rows)),
                "current": each == self._chosen_group,
            }
            for each, wanted in SHOWS.items()
        ]
        came_by = links(self._everybody)
        return {
            **context,
            "shows": shows,
            "chosen": self._chosen_group,
            "links": came_by,
            "taken_at_their_word": any(each["link"] == "id" for each in came_by),
        }


def _is_open(row: Row) -> bool:
    """Whether a participant has completed and no payment decision exists."""
    return bool(row["completed"]) and not row["decided"].payment


SHOWS: dict[str, Callable[[Row], bool]] = {
    "": lambda row: True,
    "open": _is_open,
    "unusual": lambda row: bool(row["evidence"]),
}
"""Parts of the list, by the word in the address."""


def _tasks() -> Count:
    return Count("assignments", filter=Q(assignments__submission__isnull=False))


class PlatformList(StaffAction):
    """CSV of participants to approve or to pay a bonus, by platform id. The download is logged.

    The bonus list has everybody who completed, with the amount that was decided, or an empty one to be filled in; the
    approval list says what was decided and why, of whom the evidence should be read before, and of whom the study file's
    own rule would let payment be refused.
    """

    permission: ClassVar[str] = EXPORT

    def get(self, request: HttpRequest, slug: str, name: str) -> HttpResponse:
        """The file.

        Raises:
            Http404: there is no such list.
        """
        if name not in LISTS:
            raise Http404
        completed = (
            self.study.participants.filter(state=Participant.State.COMPLETED)
            .select_related("identity")
            .order_by("number")
        )
        rows = rows_of(completed.annotate(tasks=_tasks()))
        listed = []
        for participant, row in zip(completed, rows, strict=True):
            ids = _ids(participant)
            read = "; ".join(each.text for each in row["evidence"] if each.weight >= SERIOUS)
            refusable = "yes" if outcome_of(participant) == "failed_check" else "no"
            now: Standing = row["decided"]
            words = [DECIDED[now.payment], now.payment_reason]
            more = [row["tasks"], row["minutes"], read, refusable, *words] if name == "approve" else [now.bonus or ""]
            listed.append([*ids, participant.code, *more])
        columns = (
            ["tasks", "minutes", "read_before", "refusable_by_rule", "decision", "reason"]
            if name == "approve"
            else ["amount"]
        )
        record(request, self.study, f"list:{name}", rows=len(listed))
        return _csv(f"{slug}-{name}", ["platform_id", "session_id", "code", *columns], listed)


def _csv(name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> HttpResponse:
    """A download that no spreadsheet takes a cell of for a formula; ``name`` is the file's, without its ending."""
    text = csv_text(columns, rows, line_end="\r\n")
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _ids(participant: Participant) -> tuple[str, str]:
    """Platform id and session id as given; "" where erased or none."""
    identity = getattr(participant, "identity", None)
    ids: dict[str, str] = identity.ids if identity else {}
    session = next((value for name, value in ids.items() if name.lower() in SESSION_IDS), "")
    person = next((value for name, value in ids.items() if name.lower() in PERSON_IDS), "")
    return person or next(iter(ids.values()), ""), session


DECIDED = {"": "", "accept": "approve", "refuse": "reject"}  # in platforms' words
SESSION_IDS = ("session_id", "assignmentid")
PERSON_IDS = ("prolific_pid", "workerid", "participantid", "survey_code", "id", "participant")


class Log(StaffList):
    """Audit log, latest first."""

    template_name = "study/staff/log.html"

    def get_queryset(self) -> Any:
        """The lines."""
        return self.study.audits.order_by("-pk")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The lines in words."""
        context = super().get_context_data(heading=gettext("Log"), **kwargs)
        rows = [{"at": each.at, "who": each.who, "what": _log_text(each.what, each.detail)} for each in context["rows"]]
        return {**context, "rows": rows}


def _log_text(what: str, detail: dict[str, Any]) -> str:
    parts = ", ".join(f"{name} {value}" for name, value in detail.items())
    return f"{what} ({parts})" if parts else what
