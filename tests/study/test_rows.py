"""Rows that are read and written by fixed statements are those that Django's own queries read and write."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from tests.study.walking import entered, running
from trialogue.study.models import Assignment, Participant, Study, Submission
from trialogue.study.services import rows

pytestmark = pytest.mark.usefixtures("store")
NOW = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)


def values(row: Model, *without: str) -> dict[str, tuple[type, object]]:
    """Fields of a row that were read, with their types."""
    names = [field.attname for field in row._meta.concrete_fields if field.attname not in without]
    return {name: (type(getattr(row, name)), getattr(row, name)) for name in names}


@pytest.fixture
def someone() -> Participant:
    participant = entered(running(items=3))
    participant.consented_at, participant.flags, participant.signed = NOW, ["too_fast"], True
    participant.plan = ["consent", "task:1", "ümlaut \N{GRINNING FACE}"]
    participant.save()
    return participant


def test_what_is_read_is_what_djangos_queries_read_with_the_study_and_in_one_query(someone: Participant) -> None:
    asked = values(Participant.objects.get(pk=someone.pk))
    with CaptureQueriesContext(connection) as queries:
        found = rows.person(someone.code, someone.study.slug)
        assert found is not None
        assert values(found) == asked
        assert values(found.study, "configuration") == values(Study.objects.get(), "configuration")
    assert len(queries) == 2  # ours, and the one that it is compared with
    assert values(rows.reload_person(someone.pk)) == values(rows.lock_person(someone)) == asked
    assert rows.person(someone.code, "another") is None
    assert rows.person("another", someone.study.slug) is None


def test_an_assignment_is_the_one_at_its_place(someone: Participant) -> None:
    for held in Assignment.objects.filter(participant=someone):
        found = rows.assignment(someone, held.position)
        assert found is not None
        assert values(found) == values(held)
    assert rows.assignment(someone, 99) is None


def test_an_update_writes_the_named_fields_and_no_others(someone: Participant) -> None:
    someone.step, someone.consented_at, someone.plan, someone.consent_version = 7, None, ["x"], "changed"
    rows.update(someone, "step", "consented_at", "plan")
    found = Participant.objects.get(pk=someone.pk)
    assert (found.step, found.consented_at, found.plan, found.consent_version) == (7, None, ["x"], "")
    someone.seen_at = NOW + timedelta(hours=1)
    rows.update(someone, "seen_at")
    assert Participant.objects.get(pk=someone.pk).seen_at == NOW + timedelta(hours=1)


def test_a_new_row_is_the_one_that_django_would_have_stored(someone: Participant) -> None:
    answers = {"a": 1, "b": ["ü", None, 0.5], "c": "'; DROP TABLE study_submission; --"}
    rows.insert(Submission(participant=someone, step="task:1", answers=answers, seconds=1.5))
    other = Submission.objects.create(participant=someone, step="task:2", answers=answers, seconds=1.5)
    ours, theirs = Submission.objects.get(step="task:1"), Submission.objects.get(pk=other.pk)
    without = ("id", "step", "received_at")
    assert values(ours, *without) == values(theirs, *without)
    assert abs(ours.received_at - theirs.received_at) < timedelta(minutes=1)


def test_a_row_that_breaks_a_constraint_is_refused(someone: Participant) -> None:
    from django.db import IntegrityError, transaction

    rows.insert(Submission(participant=someone, step="task:1", answers={}))
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.insert(Submission(participant=someone, step="task:1", answers={}))
    assert Submission.objects.count() == 1
