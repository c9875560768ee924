"""Convert stored rows back to the records they were made of.

A launched study, its items and its slots never change, so they are read once per process and cached. Changing data
(open or closed, assignments) are never cached.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from trialogue.records import JsonValue
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, from_stored
from trialogue.study.models import Item, Slot, Study

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
