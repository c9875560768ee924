"""The rows that every page reads and notes, by fixed statements: Django would take most of a page's time to build them anew.

What is read are whole rows, as Django's own models.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from django.db import connection
from django.db.models import Model

from trialogue.study.models import Assignment, Participant, Study

Row = TypeVar("Row", bound=Model)

PERSON = "SELECT * FROM study_participant WHERE code = %s AND study_id = (SELECT id FROM study_study WHERE slug = %s)"
PERSON_BY_ID = "SELECT * FROM study_participant WHERE id = %s"
STUDY = "SELECT id, slug, sha256, state, seed, created_at FROM study_study WHERE id = %s"  # without its long file
ASSIGNMENT = "SELECT * FROM study_assignment WHERE participant_id = %s AND position = %s"
SHOWN = "UPDATE study_participant SET shown_at = %s WHERE id = %s AND step = %s AND shown_at IS NULL"
OPENED = "UPDATE study_assignment SET opened_at = %s WHERE id = %s AND opened_at IS NULL"
DONE = "UPDATE study_assignment SET state = 'done', done_at = %s WHERE id = %s AND slot_id = %s AND state = 'leased'"


def _one(model: type[Row], statement: str, values: Sequence[object]) -> Row | None:
    return next(iter(model._default_manager.raw(statement, values)), None)


def person(code: str, slug: str) -> Participant | None:
    """The participant of a study who has a code, with the study."""
    return _with_study(_one(Participant, PERSON, [code, slug]))


def reload_person(pk: int) -> Participant:
    """A participant as they are now, with their study.

    Raises:
        DoesNotExist: there is none.
    """
    found = _with_study(_one(Participant, PERSON_BY_ID, [pk]))
    if found is None:
        raise Participant.DoesNotExist(pk)
    return found


def lock_person(participant: Participant) -> Participant:
    """A participant as they are now, whom nobody else changes until the transaction ends."""
    waits = " FOR UPDATE" if connection.features.has_select_for_update else ""  # SQLite locks everything at BEGIN
    found = _one(Participant, PERSON_BY_ID + waits, [participant.pk])
    if found is None:
        raise Participant.DoesNotExist(participant.pk)
    found.study = participant.study
    return found


def assignment(participant: Participant, position: int) -> Assignment | None:
    """What a participant has at a place of their session."""
    return _one(Assignment, ASSIGNMENT, [participant.pk, position])


def note_shown(participant: Participant, now: datetime) -> None:
    """A step is shown, if that is still the current one, and was not shown before."""
    _count_changed(SHOWN, now, participant.pk, participant.step)


def note_opened(held: Assignment, now: datetime) -> None:
    """A task is shown, if it was not before."""
    _count_changed(OPENED, now, held.pk)


def mark_done(held: Assignment, now: datetime) -> bool:
    """Whether a slot was still its holder's, the one that was read; it is answered now, and nobody else's until the end."""
    return _count_changed(DONE, now, held.pk, held.slot_id) == 1


def _count_changed(statement: str, now: datetime, *values: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [connection.ops.adapt_datetimefield_value(now), *values])
        return int(cursor.rowcount)


def _with_study(participant: Participant | None) -> Participant | None:
    if participant is not None:
        study = _one(Study, STUDY, [participant.study_id])
        assert study is not None  # a foreign key
        participant.study = study
    return participant
