"""Reconcile a platform's list of submissions with the database: release slots and report differences."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from trialogue.errors import DataError, Problem
from trialogue.study.models import OVER, Audit, Identity, Participant, Study
from trialogue.study.services import assigning
from trialogue.study.services.leaving import mark
from trialogue.study.services.rows import secret_hash

IDS = ("Participant id", "participant_id", "WorkerId", "participantId", "PROLIFIC_PID", "id")
STATUSES = ("Status", "status", "AssignmentStatus")
FREED = {
    "RETURNED": "returned",
    "TIMED-OUT": "timed_out",
    "TIMED OUT": "timed_out",
    "REJECTED": "returned",
    "ABANDONED": "timed_out",
}
REJECTED = "REJECTED"
DONE = frozenset({"AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "SUBMITTED"})
KNOWN = frozenset({*FREED, *DONE, "SCREENED OUT", "ACTIVE", "RESERVED"})
"""States that need nothing, or that are dealt with."""


@dataclass
class Reconciliation:
    """Result of a reconciliation. Ids are the platform's."""

    freed: list[str] = field(default_factory=list)
    """Returned or timed out at the platform: their unanswered slots are released."""
    replaced: list[str] = field(default_factory=list)
    """Completed here and rejected at the platform, which reopens their place: their items are assigned to another
    participant, too."""
    unknown: list[str] = field(default_factory=list)
    """On the list, and never seen here."""
    unfinished: list[str] = field(default_factory=list)
    """Done there, and not here."""
    gone: list[str] = field(default_factory=list)
    """Completed here, and returned or timed out there, where they can no longer be approved."""
    strange: dict[str, str] = field(default_factory=dict)
    """States that we do not know, by id: nothing was done about them."""
    unlisted: list[str] = field(default_factory=list)
    """Participants with an unsigned id that is not on the platform's list: invented, or the list is older."""
    places_due: int = 0
    """Places that the platform should have besides those it has."""
    paused: bool = False
    """Whether the study was paused at the platform just now, since it is paused here."""


def reconcile(study: Study, path: Path, *, who: str) -> Reconciliation:
    """Read the platform's CSV and free what it says is given back.

    Raises:
        DataError: no columns with ids and status.
    """
    found = reconcile_rows(study, list(_rows(path)))
    log(study, found, who=who)
    return found


def reconcile_rows(study: Study, rows: Sequence[tuple[str, str]]) -> Reconciliation:
    """The same for (id, status) of each submission; nothing is logged. Who has ended stays as they ended."""
    found = Reconciliation()
    for name, status in rows:
        hashed = secret_hash("identity", f"{study.pk}:{name}")
        participant = study.participants.filter(identity_hash=hashed).first()
        if participant is None:
            found.unknown.append(name)
        elif status in FREED and participant.state not in OVER:
            mark(participant, FREED[status])
            found.freed.append(name)
        elif status == REJECTED and participant.state == Participant.State.COMPLETED:
            found.replaced += [name] if _replace_places(participant) else []
        elif status in FREED and participant.state == Participant.State.COMPLETED:
            found.gone.append(name)
        elif status in DONE and participant.state != Participant.State.COMPLETED:
            found.unfinished.append(name)
        elif status not in KNOWN:
            found.strange[name] = status
    found.unlisted = _unlisted_ids(study, {name for name, _ in rows})
    return found


def due(found: Reconciliation, platform: str) -> Iterator[str]:
    """What somebody has to do about each difference, a line each.

    Args:
        found: the differences.
        platform: name of the platform in the lines.
    """
    for name in found.unknown:
        yield (
            f"{name}: on the list of {platform}, but unknown to this study. If the submission awaits review, "
            "ask for it to be returned: no work was received."
        )
    for name in found.unfinished:
        yield (
            f"{name}: completed on {platform}, but not finished in this study. Look at the session before you approve, or "
            "ask for the submission to be returned."
        )
    for name in found.gone:
        yield (
            f"{name}: completed here, but returned or timed out on {platform}, where it can no longer be approved. "
            "The answers count: pay the work in another way, such as by a bonus."
        )
    for name, status in found.strange.items():
        yield f"{name}: the status {status!r} on {platform} is not known. Nothing was done; look at it there."
    for name in found.unlisted:
        yield f"{name}: in this study, but not on the list of {platform}. Do not pay; the id may be invented."


def log(study: Study, found: Reconciliation, *, who: str) -> None:
    """A line of the log, with numbers alone."""
    counts = {"freed": len(found.freed), "unknown": len(found.unknown), "unfinished": len(found.unfinished)}
    counts |= {name: len(each) for name, each in (("gone", found.gone), ("strange", found.strange)) if each}
    counts |= {"unlisted": len(found.unlisted)} | ({"replaced": len(found.replaced)} if found.replaced else {})
    Audit.objects.create(study=study, who=who, what="reconcile", detail=counts)


def _replace_places(participant: Participant) -> bool:
    """Whether the slots of a completed and rejected participant were reassigned just now."""
    with transaction.atomic():
        locked = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        return bool(assigning.replace_rejected(locked))


def _unlisted_ids(study: Study, listed: set[str]) -> list[str]:
    """Unsigned ids of participants that the platform does not list."""
    # of several ids that somebody brought, the one that they are known by
    came = Identity.objects.filter(participant__study=study, participant__signed=False).order_by("participant__number")
    return [
        given
        for each in came.select_related("participant")
        for given in dict.fromkeys(value for value in each.ids.values() if isinstance(value, str))
        if given not in listed and secret_hash("identity", f"{study.pk}:{given}") == each.participant.identity_hash
    ]


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            columns = list(reader.fieldnames or ())
            name, status = _first_known(columns, IDS), _first_known(columns, STATUSES)
            if not name or not status:
                ids, states = ", ".join(IDS[:3]), ", ".join(STATUSES)
                what = f"the list needs a column of ids ({ids}, ...) and one of states ({states})."
                raise DataError(Problem(what, str(path), 1, hint=f"It has: {', '.join(columns) or 'none'}."))
            rows: list[Mapping[str, str | None]] = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(Problem(f"the list cannot be read ({error}).", str(path))) from error
    for row in rows:
        if given := (row[name] or "").strip():
            yield given, (row[status] or "").strip().upper()


def _first_known(columns: list[str], known: tuple[str, ...]) -> str:
    return next((each for each in known if each in columns), "")
