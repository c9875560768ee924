"""The same study file and seed give the same plan for everybody, whichever machine, database or year it is."""

from typing import Any

import pytest

from tests.study.walking import entered, now_at, running, send, walk
from trialogue.study.models import Item, Study

pytestmark = pytest.mark.usefixtures("store")


def planned(**more: Any) -> list[Any]:
    """Orders, ranks and checks of a study, and what its first three participants get; the study is gone afterwards."""
    study = running(items=6, attention={"checks": 1, "min_seconds_per_item": 0}, **more)
    found: list[Any] = [
        (item.key, item.rank, item.content, item.expected, [slot.order for slot in item.slots.order_by("number")])
        for item in Item.objects.filter(study=study).order_by("key")
    ]
    for _ in range(3):
        person = entered(study)
        assert send(person, now_at(person)).kind == "stored"
        walk(person, until="task")
        person.refresh_from_db()
        tasks = person.assignments.order_by("position").values_list("item__key", "slot__number")
        found.append((person.number, person.plan, list(tasks)))
        walk(person)
    for each in study.participants.all():
        each.assignments.all().delete()
    Study.objects.filter(pk=study.pk).delete()
    return found


def test_the_same_file_and_seed_give_the_same_plan_and_another_seed_another() -> None:
    first = planned(seed=3)
    assert planned(seed=3) == first
    assert planned(seed=4) != first
