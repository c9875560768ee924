"""Hot-path database access with fixed SQL statements, because building queries would take most of a page's time in Django.

Whole rows are read, as Django's own models.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

from trialogue.study.models import Assignment, Participant, Study

Row = TypeVar("Row", bound=Model)
Conversion = tuple[int, Sequence[Callable[..., Any]], Any]
"""The place of a column, its converters, and the expression that they ask for."""

STUDY_FIELDS = ("id", "slug", "sha256", "state", "seed", "first_people", "created_at")  # without its long file


def _fields(model: type[Model]) -> tuple[str, ...]:
    return tuple(str(field.attname) for field in model._meta.concrete_fields)


def _columns(table: str, fields: Sequence[str]) -> str:
    return ", ".join(f"{table}.{field}" for field in fields)


FIELDS: dict[type[Model], tuple[str, ...]] = {
    Participant: _fields(Participant),
    Assignment: _fields(Assignment),
    Study: STUDY_FIELDS,
}
WITH_STUDY = (
    f"SELECT {_columns('p', FIELDS[Participant])}, {_columns('s', FIELDS[Study])}"
    " FROM study_participant p JOIN study_study s ON s.id = p.study_id"
)
PERSON = f"{WITH_STUDY} WHERE p.code = %s AND s.slug = %s"
PERSON_BY_ID = f"{WITH_STUDY} WHERE p.id = %s"
LOCKED = f"SELECT {_columns('p', FIELDS[Participant])} FROM study_participant p WHERE p.id = %s"
ASSIGNMENT = (
    f"SELECT {_columns('a', FIELDS[Assignment])} FROM study_assignment a"
    " WHERE a.participant_id = %s AND a.position = %s"
)
DONE = "UPDATE study_assignment SET state = 'done', done_at = %s WHERE id = %s AND slot_id = %s AND state = 'leased'"

_conversions: WeakKeyDictionary[BaseDatabaseWrapper, dict[type[Model], list[Conversion]]] = WeakKeyDictionary()
"""By connection, since its converters know its time zone."""


def _read(statement: str, values: Sequence[int | str]) -> tuple[Any, ...] | None:
    """The first row of a statement, as the database gives it."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row


def _build_row(model: type[Row], row: Sequence[Any]) -> Row:
    """Build a model instance from the columns in ``FIELDS``."""
    wrapper = connections[connection.alias]
    values = list(row)
    for place, converters, expression in _known_conversions(wrapper, model):
        for convert in converters:
            values[place] = convert(values[place], expression, wrapper)
    return model.from_db(wrapper.alias, FIELDS[model], values)


def _known_conversions(wrapper: BaseDatabaseWrapper, model: type[Model]) -> list[Conversion]:
    known = _conversions.setdefault(wrapper, {})
    if model not in known:
        table = model._meta.db_table
        by_name = {field.attname: field for field in model._meta.concrete_fields}
        asked = [by_name[field].get_col(table) for field in FIELDS[model]]
        made = [
            (place, [*wrapper.ops.get_db_converters(each), *each.get_db_converters(wrapper)], each)
            for place, each in enumerate(asked)
        ]
        known[model] = [each for each in made if each[1]]
    return known[model]


def person(code: str, slug: str) -> Participant | None:
    """The participant of a study who has a code, with the study."""
    return _with_study(_read(PERSON, [code, slug]))


def reload_person(pk: int) -> Participant:
    """A participant as they are now, with their study.

    Raises:
        DoesNotExist: there is none.
    """
    if (found := _with_study(_read(PERSON_BY_ID, [pk]))) is None:
        raise Participant.DoesNotExist(pk)
    return found


def lock_person(participant: Participant) -> Participant:
    """Lock and read a participant; no other transaction can change them until this one ends."""
    waits = " FOR UPDATE" if connection.features.has_select_for_update else ""  # SQLite locks everything at BEGIN
    if (row := _read(LOCKED + waits, [participant.pk])) is None:
        raise Participant.DoesNotExist(participant.pk)
    found = _build_row(Participant, row)
    found.study = participant.study
    return found


def lock_study(study: Study) -> None:
    """Wait for one's turn, within a transaction: what a study has to give is counted and given by one at a time.

    The order of locks is always participant, study, items, so nobody waits in a circle. Keys may be referred to meanwhile.
    """
    Study.objects.select_for_update(no_key=True).values_list("pk").get(pk=study.pk)  # not its long file


def assignment(participant: Participant, position: int) -> Assignment | None:
    """Assignment at a position of a participant's session."""
    row = _read(ASSIGNMENT, [participant.pk, position])
    return _build_row(Assignment, row) if row is not None else None


def update(row: Model, *names: str) -> None:
    """Write some fields of a row, as ``save(update_fields=names)`` does."""
    fields = [field for field in row._meta.concrete_fields if field.name in names]
    columns = ", ".join(f"{field.column} = %s" for field in fields)
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {row._meta.db_table} SET {columns} WHERE id = %s", [*values, row.pk])


def insert(row: Model) -> None:
    """Insert a row. Its id is not needed, so it is not set."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    columns, marks = ", ".join(str(field.column) for field in fields), ", ".join(["%s"] * len(fields))
    values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {row._meta.db_table} ({columns}) VALUES ({marks})", values)


def mark_done(held: Assignment, now: datetime) -> bool:
    """Mark a slot as answered if its holder is unchanged; whether it was. The row remains locked until the transaction
    ends."""
    with connection.cursor() as cursor:
        cursor.execute(DONE, [connection.ops.adapt_datetimefield_value(now), held.pk, held.slot_id])
        return int(cursor.rowcount) == 1


def _with_study(row: tuple[Any, ...] | None) -> Participant | None:
    if row is None:
        return None
    own = len(FIELDS[Participant])
    found = _build_row(Participant, row[:own])
    found.study = _build_row(Study, row[own:])
    return found
