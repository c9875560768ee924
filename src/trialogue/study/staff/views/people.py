"""Participant list with evidence, lists for the platform, and the log."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext

from trialogue.records.files.cells import csv_text
from trialogue.study.models import Participant
from trialogue.study.services.leaving import outcome_of
from trialogue.study.services.management.deciding import Standing
from trialogue.study.staff.access import EXPORT, record
from trialogue.study.staff.evidence import SERIOUS
from trialogue.study.staff.participants import Row, links, rows_of
from trialogue.study.staff.views.base import StaffAction, StaffList

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
