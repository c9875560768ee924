"""The rows that every page begins with, by fixed statements: Django would take most of a page's time to build them anew.

Only reads; each gives whole rows as Django's own models.
"""

from collections.abc import Sequence
from typing import TypeVar

from django.db import connection
from django.db.models import Model

from trialogue.study.models import Assignment, Participant, Study

Row = TypeVar("Row", bound=Model)

PERSON = "SELECT * FROM study_participant WHERE code = %s AND study_id = (SELECT id FROM study_study WHERE slug = %s)"
PERSON_BY_ID = "SELECT * FROM study_participant WHERE id = %s"
STUDY = "SELECT id, slug, sha256, state, seed, created_at FROM study_study WHERE id = %s"  # without its long file
ASSIGNMENT = "SELECT * FROM study_assignment WHERE participant_id = %s AND position = %s"


def _one(model: type[Row], statement: str, values: Sequence[object]) -> Row | None:
    return next(iter(model._default_manager.raw(statement, values)), None)


def person(code: str, slug: str) -> Participant | None:
    """The participant of a study who has a code, with the study."""
    return _with_study(_one(Participant, PERSON, [code, slug]))


def person_again(pk: int) -> Participant:
    """A participant as they are now, with their study.

    Raises:
        DoesNotExist: there is none.
    """
    found = _with_study(_one(Participant, PERSON_BY_ID, [pk]))
    if found is None:
        raise Participant.DoesNotExist(pk)
    return found


def locked(participant: Participant) -> Participant:
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


def _with_study(participant: Participant | None) -> Participant | None:
    if participant is not None:
        study = _one(Study, STUDY, [participant.study_id])
        assert study is not None  # a foreign key
        participant.study = study
    return participant
