"""Endings of participation (completed, failed or screened out, withdrawn, erased), with their completion codes."""

import secrets
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Q
from django.utils import timezone

from trialogue.study.design.checks import flags_of
from trialogue.study.design.platforms import Return, return_of
from trialogue.study.models import (
    Assignment,
    Audit,
    Check,
    Code,
    Event,
    Identity,
    Participant,
    Study,
    Submission,
)
from trialogue.study.services import assigning, launching, previews
from trialogue.study.services.rows import file_of, secret_hash
from trialogue.study.services.validity import evidence_of

Rows = dict[str, list[dict[str, Any]]]


def find_participants(study: Study, name: str) -> list[Participant]:
    """Participants with a code, or with an id of the platform that belongs to one person."""
    if not (name := name.strip()):
        return []
    hashed = secret_hash("identity", f"{study.pk}:{name}")
    # A session id belongs to one person; all participants share the ids of the platform's study or task.
    sessions = Identity.objects.filter(participant__study=study, ids__session=name).values("participant")
    return [*study.participants.filter(Q(identity_hash=hashed) | Q(code=name) | Q(pk__in=sessions)).order_by("number")]


def stored_about(participant: Participant) -> dict[str, Any]:
    """Every row that belongs to a participant, by table, and the lines of the log that name them.

    The tables are found through the models' relations, so that one that is added later is not forgotten.
    """
    rows: Rows = {}
    _collect(participant, rows, {("participant", participant.pk)})
    audits = Audit.objects.filter(study=participant.study, detail__participant=participant.code).order_by("pk")
    if lines := [_fields(each) for each in audits]:
        rows["audit"] = lines
    return {"study": participant.study.slug, "participant": _fields(participant), **dict(sorted(rows.items()))}


def export_person(study: Study, name: str, *, who: str) -> list[dict[str, Any]]:
    """What is stored about a person, of each of their participations; the export is logged."""
    found = [(each, stored_about(each)) for each in find_participants(study, name)]
    for each, _ in found:
        Audit.objects.create(study=study, who=who, what="export person", detail={"participant": each.code})
    return [stored for _, stored in found]


def _collect(row: models.Model, rows: Rows, seen: set[tuple[str, Any]]) -> None:
    """Rows that refer to one, and those that refer to them; each once."""
    for relation in row._meta.related_objects:
        model = relation.related_model
        assert isinstance(model, type)
        name = str(model._meta.model_name)
        for each in model._default_manager.filter(**{relation.field.name: row}).order_by("pk"):
            if (name, each.pk) not in seen:
                seen.add((name, each.pk))
                rows.setdefault(name, []).append(_fields(each))
                _collect(each, rows, seen)


def _fields(row: models.Model) -> dict[str, Any]:
    """Fields of a row; of a row that it refers to, the name."""
    found: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        found[field.name] = str(getattr(row, field.name)) if field.is_relation and value is not None else value
    return found


KNOWS_CODES = ("prolific",)
"""Platforms that know the completion codes of a study beforehand, and take no others."""
OUTCOME_OF = {
    "no_consent": "no_consent",
    "screened_out": "screened_out",
    "comprehension": "screened_out",
    "training": "screened_out",
    "full": "screened_out",
}


def complete(participant: Participant) -> None:
    """Complete a participant's session: their work is counted, and exclusion rules are applied. The participant is
    locked."""
    file = file_of(participant.study)
    participant.flags = list(flags_of(evidence_of(participant), file))
    participant.state = participant.reached = Participant.State.COMPLETED
    participant.finished_at = timezone.now()
    participant.save(update_fields=["flags", "state", "reached", "finished_at"])
    assigning.settle(participant)
    if set(participant.flags) & set(file.exclusion):
        assigning.replace_within_ceiling(participant)
    launching.pause_on_failures(participant.study)
    _issue_code(participant)


def fail(participant: Participant, reason: str) -> None:
    """Screen out a participant: their slots are released. The participant is locked."""
    participant.state = Participant.State.FAILED
    participant.reason = reason
    participant.finished_at = timezone.now()
    participant.save(update_fields=["state", "reason", "finished_at"])
    assigning.release(participant)
    _issue_code(participant)


def withdraw(participant: Participant) -> None:
    """Withdraw a participant: their data are deleted at once, and their slots released."""
    with transaction.atomic():
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        if locked.state == Participant.State.WITHDREW:
            return
        _forget(locked)
        previews.forget(locked.study)
        locked.state = Participant.State.WITHDREW
        locked.finished_at = timezone.now()
        locked.flags, locked.stratum = [], ""
        locked.save(update_fields=["state", "finished_at", "flags", "stratum"])
        Audit.objects.create(
            study=locked.study, who="participant", what="withdraw", detail={"participant": locked.code}
        )


def _forget(participant: Participant) -> None:
    """Delete a participant's answers and release all their slots, answered ones included."""
    assigning.release(participant)
    again = (Assignment.State.ABANDONED, Assignment.State.REPLACED, Assignment.State.REJECTED)
    participant.assignments.filter(state__in=again).update(state=Assignment.State.RELEASED)
    Submission.objects.filter(participant=participant).delete()
    Event.objects.filter(participant=participant).delete()
    Check.objects.filter(participant=participant).delete()
    participant.chats.all().delete()
    participant.codes.all().delete()
    participant.decisions.all().delete()


def erase(study: Study, name: str, *, who: str) -> int:
    """Delete all data of participants with a code or platform id; returns their number.

    What is left is a numbered place without any content, so that counts stay right, and a line in the log that names no id.
    """
    found = [each.pk for each in find_participants(study, name)]
    for pk in found:
        with transaction.atomic():
            participant = Participant.objects.select_for_update().get(pk=pk)
            _forget(participant)
            Audit.objects.filter(study=study, detail__participant=participant.code).update(detail={})
            Identity.objects.filter(participant=participant).delete()
            participant.state = Participant.State.WITHDREW
            participant.identity_hash = None
            participant.receipt_hash = secrets.token_hex(32)
            participant.code = "erased-" + secrets.token_hex(6)
            participant.flags, participant.stratum = [], ""
            participant.language = "en"
            participant.save()
            Audit.objects.create(study=study, who=who, what="erase", detail={})
    if found:
        previews.forget(study)
        _overwrite()
    return len(found)


def _overwrite() -> None:
    """Empty SQLite's journal, in which deleted data would remain readable."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def outcome_of(participant: Participant) -> str:
    """Completion code of a participant; "" while active, or after withdrawal."""
    if participant.state == Participant.State.COMPLETED:
        failed = Check.objects.filter(participant=participant, kind=Check.Kind.ATTENTION, passed=False).count()
        rejected = failed >= file_of(participant.study).rejection.failed_checks
        return "failed_check" if rejected else "completed"
    if participant.state == Participant.State.FAILED:
        return OUTCOME_OF.get(participant.reason, "screened_out")
    return ""


def return_link_of(participant: Participant) -> Return | None:
    """Completion code and return address of a participant whose session has ended; None while it lasts, or after
    withdrawal.

    The same at every reload.
    """
    outcome = outcome_of(participant)
    if not outcome:
        return None
    file = file_of(participant.study)
    code = participant.codes.filter(outcome=outcome).first() or _issue_code(participant)
    if code is None:
        return Return("")
    identity = Identity.objects.filter(participant=participant).first()
    ids = {str(name): str(value) for name, value in identity.ids.items()} if identity else {}
    return return_of(file.platform, code.code, ids)


def _issue_code(participant: Participant) -> Code | None:
    """The completion code of a participant whose session ends, made once; None if the platform would refuse one of ours."""
    platform, outcome = file_of(participant.study).platform, outcome_of(participant)
    given = platform.codes.get(outcome)
    if given is None and platform.name in KNOWS_CODES:
        return None
    made = {"code": given or secrets.token_hex(4).upper()}
    with transaction.atomic():
        return Code.objects.get_or_create(participant=participant, outcome=outcome, defaults=made)[0]


def mark(participant: Participant, state: str) -> None:
    """Record the platform's status of a participant (returned or timed out), and release their slots."""
    with transaction.atomic():
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        if locked.state not in (Participant.State.COMPLETED, Participant.State.WITHDREW):
            locked.state = Participant.State(state)
            locked.finished_at = timezone.now()
            locked.save(update_fields=["state", "finished_at"])
            assigning.release(locked)
