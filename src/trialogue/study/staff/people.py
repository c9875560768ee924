"""Who took part, with the evidence; lists for the platform; the log."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from trialogue.study.models import Assignment, Participant, Study
from trialogue.study.services.leaving import outcome_of
from trialogue.study.services.management.deciding import Standing, standings
from trialogue.study.staff.access import EXPORT, record, staff
from trialogue.study.staff.dashboard.flow import stage_names
from trialogue.study.staff.evidence import findings, sessions
from trialogue.study.staff.frame import shown
from trialogue.study.staff.lists import csv_response
from trialogue.study.staff.standing import standing_words

ON_A_PAGE = 100
LISTS = ("approve", "bonus")
Row: TypeAlias = dict[str, Any]


@require_safe
@staff()
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Participants, those with the heaviest evidence first."""
    everybody = list(study.participants.annotate(tasks=_tasks()).order_by("number"))
    rows = _rows(everybody)
    rows.sort(key=lambda row: -sum(each.weight for each in row["evidence"]))
    chosen = request.GET.get("show", "")
    chosen = chosen if chosen in SHOWS else ""
    page = _page(request, [row for row in rows if SHOWS[chosen](row)])
    names = {"": gettext("Everybody"), "open": gettext("Pay to decide"), "unusual": gettext("Unusual")}
    shows = [
        {"name": names[each], "show": each, "count": sum(map(wanted, rows)), "current": each == chosen}
        for each, wanted in SHOWS.items()
    ]
    links = _links(everybody)
    context = {
        "rows": page.object_list,
        "page": page,
        "shows": shows,
        "chosen": chosen,
        "links": links,
        "taken_at_their_word": any(each["link"] == "id" for each in links),
    }
    return shown(request, "participants.html", study, heading=gettext("Participants"), **context)


def _is_open(row: Row) -> bool:
    """Whether somebody completed, and nothing is decided about their pay."""
    return bool(row["completed"]) and not row["decided"].payment


SHOWS: dict[str, Callable[[Row], bool]] = {
    "": lambda row: True,
    "open": _is_open,
    "unusual": lambda row: bool(row["evidence"]),
}
"""Parts of the list, by the word in the address."""


def _tasks() -> Count:
    return Count("assignments", filter=Q(assignments__state=Assignment.State.DONE))


def link_names() -> dict[str, str]:
    """What participants came by: whether anybody could have made their link up."""
    return {
        "signed": gettext("signed link"),
        "id": gettext("unsigned link with an id"),
        "open": gettext("link without an id"),
        "": "–",
    }


def link_of(participant: Participant) -> str:
    """``signed``, ``id`` or ``open``; "" where nothing is left that would tell."""
    if participant.signed:
        return "signed"
    if participant.identity_hash:
        return "id"
    return "" if participant.state == Participant.State.WITHDREW else "open"


def _links(participants: Iterable[Participant]) -> list[dict[str, Any]]:
    """How many came by each kind of link; only those that anybody came by."""
    counts = Counter(map(link_of, participants))
    names = link_names()
    return [{"link": link, "name": names[link], "count": counts[link]} for link in names if link and counts[link]]


def _rows(participants: Iterable[Participant]) -> list[Row]:
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
            "standing": standing_words(decided.get(each.pk, Standing())),
            "decided": decided.get(each.pk, Standing()),
        }
        for each in everybody
    ]


def _page(request: HttpRequest, rows: Any) -> Page[Any]:
    return Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))


@require_safe
@staff(EXPORT)
def platform_list(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Who is to be approved, or gets a bonus, by platform id, as CSV. It is logged.

    The bonus list has everybody who completed, with the amount that was decided, or an empty one to be filled in; the
    approval list says what was decided and why, of whom the evidence should be read before, and of whom the study file's
    own rule would let payment be refused.
    """
    if name not in LISTS:
        raise Http404
    completed = (
        study.participants.filter(state=Participant.State.COMPLETED).select_related("identity").order_by("number")
    )
    rows = _rows(completed.annotate(tasks=_tasks()))
    listed = []
    for participant, row in zip(completed, rows, strict=True):
        ids = _ids(participant)
        read = "; ".join(each.text for each in row["evidence"] if each.weight >= 80)
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
    record(request, study, f"list:{name}", rows=len(listed))
    return csv_response(f"{study.slug}-{name}", ["platform_id", "session_id", "code", *columns], listed)


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


@require_safe
@staff()
def log(request: HttpRequest, study: Study) -> HttpResponse:
    """What was done, latest first."""
    page = _page(request, study.audits.order_by("-pk"))
    rows = [{"at": each.at, "who": each.who, "what": _said(each.what, each.detail)} for each in page.object_list]
    return shown(request, "log.html", study, heading=gettext("Log"), rows=rows, page=page)


def _said(what: str, detail: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in detail.items())
    return f"{what} ({told})" if told else what
