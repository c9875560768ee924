"""Hot-path database access with fixed SQL, since building queries would take most of a page's time; page tokens.

Whole rows are read, as Django's own models.

Convert stored rows back to the records they were made of.

A launched study, its items and its slots never change, so they are read once per process and cached. Changing data
(open or closed, assignments) are never cached.

Tokens of pages, which prevent answers for another participant or item.

Opaque: a token says nothing about its page to a reader of the HTML, neither by its content nor by its length, so that a
program cannot tell a check from a task.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.utils import timezone
from django.utils.crypto import salted_hmac

from trialogue.records import JsonValue
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, from_stored
from trialogue.study.models import Assignment, Item, Participant, Slot, Study

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


MAX_STUDIES = 64
MAX_RECORDS, MAX_SLOTS = 2_000, 20_000  # items and slots of which a process keeps what they say


@dataclass(frozen=True, eq=False)  # one object for each, so it is known by itself
class LaunchedStudy:
    """A study as it was launched: the same object for all rows that are read of it, and another for another launch."""

    pk: int
    sha256: str
    created_at: datetime
    study: Study = field(repr=False)
    """Loader of entries that are not cached."""


@dataclass(frozen=True)
class ExtraItem:
    """An item made for training or for a check."""

    record: AnyItem
    expected: Mapping[str, JsonValue]
    """The right answer by field name."""
    origin: str = ""
    """Of a check: origin of the item that it was made from."""


_known: dict[tuple[int, str, datetime], LaunchedStudy] = {}


def launch_of(study: Study) -> LaunchedStudy:
    """Identity of a launched study; the same object for the same launch."""
    if len(_known) > MAX_STUDIES:
        _known.clear()
    key = (study.pk, study.sha256, study.created_at)
    return _known.get(key) or _known.setdefault(key, LaunchedStudy(*key, study))


@lru_cache(maxsize=MAX_STUDIES)
def _file(of: LaunchedStudy) -> StudyFile:
    return StudyFile.model_validate(of.study.configuration)


def file_of(study: Study) -> StudyFile:
    """The study file of a study, as it was loaded."""
    return _file(launch_of(study)) if study.pk else StudyFile.model_validate(study.configuration)


@lru_cache(maxsize=MAX_STUDIES)
def _stored_fields(of: LaunchedStudy) -> dict[str, Any]:
    return dict(of.study.configuration)


def stored_fields(study: Study) -> dict[str, Any]:
    """The study file's fields as they are stored; for the frame of a page, which needs few of them."""
    return _stored_fields(launch_of(study)) if study.pk else dict(study.configuration)


def record_of(item: Item) -> AnyItem:
    """An item as the record it was made of."""
    return from_stored(item.content)


@lru_cache(maxsize=MAX_RECORDS)
def task_record(of: LaunchedStudy, item_id: int) -> AnyItem:
    """The record of a task, by its id."""
    return from_stored(Item.objects.values_list("content", flat=True).get(pk=item_id, study_id=of.pk))


@lru_cache(maxsize=MAX_SLOTS)
def order_of(of: LaunchedStudy, slot_id: int) -> tuple[str, ...]:
    """The systems of a slot, from first to last."""
    return tuple(Slot.objects.values_list("order", flat=True).get(pk=slot_id, item__study_id=of.pk))


@lru_cache(maxsize=MAX_STUDIES)
def extras_of(of: LaunchedStudy) -> dict[str, ExtraItem]:
    """Training items and checks of a study by key: ``training-1``, ``check-1``, ..."""
    rows = Item.objects.filter(study_id=of.pk).exclude(kind=Item.Kind.TASK)
    return {item.key: ExtraItem(record_of(item), item.expected, item.dialogue) for item in rows}


def checks_in(study: Study) -> list[tuple[int, str]]:
    """Number and origin of every check; "" for one that repeats no item, or from before origins were stored."""
    extras = extras_of(launch_of(study))
    return [(int(key.removeprefix("check-")), each.origin) for key, each in extras.items() if key.startswith("check-")]


PURPOSE = "trialogue.step"
LENGTH = 120  # characters inside a token; more than any participant's id, time and step have


@dataclass(frozen=True)
class PageToken:
    """What a page's token says."""

    participant: int
    """Primary key of the participant."""
    step: str
    """The key of the step that the page showed."""
    shown: datetime
    """When it was shown first."""


def token_for(participant_id: int, step: str, shown: datetime | None = None) -> str:
    """The token of a participant's step, which was shown first at a time; None: now."""
    text = f"{participant_id} {int((shown or timezone.now()).timestamp() * 1000)} {step}"
    return _cipher(settings.SECRET_KEY).encrypt(text.ljust(LENGTH).encode()).decode("ascii")


def page_key(participant_id: int, step: str) -> str:
    """Key under which a browser keeps what was answered and not yet sent: the same at every load of a page, unlike a token,
    and as opaque."""
    secret = f"{PURPOSE}.page\0{settings.SECRET_KEY}".encode()
    return hmac.new(secret, f"{participant_id} {step}".encode(), hashlib.sha256).hexdigest()[:24]


def read_token(token: str, *, secret: str = "") -> PageToken | None:
    """What a token says; None if it is forged or damaged. ``secret``: another key than this process's."""
    try:
        text = _cipher(secret or settings.SECRET_KEY).decrypt(token.encode()).decode().strip()
        owner, milliseconds, step = text.split(" ", 2)
        return PageToken(int(owner), step, datetime.fromtimestamp(int(milliseconds) / 1000, UTC))
    except (InvalidToken, ValueError):
        return None


def page_in(token: str, participant_id: int) -> PageToken | None:
    """What a token says; None if it is forged, damaged or another's."""
    found = read_token(token)
    return found if found is not None and found.participant == participant_id else None


def secret_hash(purpose: str, text: str) -> str:
    """Keyed hash: equal texts have equal hashes, and texts cannot be guessed without the key."""
    return salted_hmac(f"trialogue.{purpose}", text, algorithm="sha256").hexdigest()


@lru_cache(maxsize=4)
def _cipher(secret: str) -> Fernet:
    key = hashlib.sha256(f"{PURPOSE}\0{secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
