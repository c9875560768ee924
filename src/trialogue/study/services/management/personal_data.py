"""Everything that is stored about one person, for the person: their right of access."""

from typing import Any

from django.db import models
from django.db.models import Q

from trialogue.study.models import Audit, Identity, Participant, Study
from trialogue.study.services.tokens import secret_hash

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
