"""Large studies: what somebody waits for grows with their own tasks, not with the study."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.study.walking import entered, now_at, running, send
from trialogue.study.models import Item
from trialogue.study.services import steps

pytestmark = pytest.mark.usefixtures("store")


def given_out(items: int, *, dialogue: str | None = None) -> tuple[int, int]:
    """(queries, tasks) when the tasks of a study of so many items are given out."""
    study = running(items=items, name=f"of-{items}")
    if dialogue is not None:
        Item.objects.filter(study=study).exclude(key="item-0").update(dialogue=dialogue)
    person = entered(study)
    assert send(person, now_at(person)).kind == "stored"
    with CaptureQueriesContext(
        connection,
    ) as asked:
        steps.current(person)
    return len(asked), person.assignments.count()


def test_giving_out_tasks_asks_the_database_as_often_in_a_large_study_as_in_a_small_one() -> None:
    assert given_out(40) == given_out(400)


def test_items_of_one_dialogue_do_not_hide_those_of_others() -> None:
    assert given_out(200, dialogue="same")[1] == 2  # item-0, and one of the 199 of the same dialogue
