"""A place is kept for each participant who consents: nobody works in vain, and no more are let in than are needed."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.study.test_services import counted, lapse
from tests.study.walking import entered, now_at, running, send, walk
from trialogue.study.models import Item, Participant, Submission
from trialogue.study.services import assigning, entering, steps

pytestmark = pytest.mark.usefixtures("store")
ASKED: dict[str, Any] = {
    "phases": ["consent", "before", "tasks", "exit"],
    "before": [{"questions": [{"name": "age", "question": "How old are you?", "number": {}}]}],
    "raters_per_item": 1,
}
SCREENED: dict[str, Any] = {
    "phases": ["consent", "screening", "tasks", "exit"],
    "screening": {
        "questions": [{"name": "adult", "question": "Are you 18 or older?", "choice": ["yes", "no"]}],
        "admit": {"adult": ["yes"]},
    },
    "raters_per_item": 1,
}


def agreed(person: Participant) -> Participant:
    """Somebody who has consented."""
    assert send(person, now_at(person)).kind == "stored"
    person.refresh_from_db()
    return person


def test_who_consented_has_a_place_while_they_are_asked_other_things() -> None:
    study = running(**ASKED)
    first = agreed(entered(study))
    assert first.assignments.filter(state="leased").count() == 3
    assert entering.enter(study, {}).why == "full"
    walk(first)
    assert first.state == "completed"
    assert counted(study)


def test_of_those_who_read_the_consent_the_last_place_is_of_whoever_agrees_first_and_others_are_reported_at_once() -> (
    None
):
    study = running(**ASKED)
    quick, slow = entered(study), entered(study)
    agreed(quick)
    agreed(slow)
    assert (slow.state, slow.reason, slow.reached) == ("failed", "full", "consented")
    assert slow.consented_at is not None
    assert steps.current(slow) is None
    assert not slow.assignments.exists()
    assert walk(quick)[-1].key == "exit"


def test_a_place_that_is_let_lie_is_free_for_others_and_kept_by_whichever_user_answers() -> None:
    study = running(**ASKED)
    late = agreed(entered(study))
    lapse(late)
    other = agreed(entered(study))
    assert other.assignments.filter(state="leased").count() == 3
    until = timezone.now() + timedelta(minutes=1)
    other.assignments.update(lease_until=until)
    now_at(other)  # to look at a page writes nothing
    assert min(other.assignments.values_list("lease_until", flat=True)) == until
    assert send(other, now_at(other)).kind == "stored"
    assert min(other.assignments.values_list("lease_until", flat=True)) > until
    assert send(late, now_at(late)).kind == "stored"  # an answer to a questionnaire needs no place
    assert steps.current(late) is None
    late.refresh_from_db()
    assert (late.state, late.reason) == ("failed", "full")


def test_a_place_that_others_took_is_made_up_for_by_other_items() -> None:
    study = running(items=6, **ASKED)
    late = agreed(entered(study))
    mine = set(late.assignments.values_list("item_id", flat=True))
    lapse(late)
    assigning.release_expired(study)
    Item.objects.filter(pk__in=mine).update(taken=1)  # as if somebody had them
    send(late, now_at(late))
    seen = [step.key for step in walk(late)]
    assert seen == ["task:4", "task:5", "task:6", "exit"]
    assert not mine & set(late.assignments.filter(state="done").values_list("item_id", flat=True))


def test_who_does_not_fit_gives_their_place_back() -> None:
    study = running(**SCREENED)
    person = agreed(entered(study))
    assert entering.enter(study, {}).why == "full"
    send(person, now_at(person), {"adult": "no"})
    assert entering.enter(study, {}).why == "entered"
    assert counted(study)


def test_without_a_consent_a_place_is_kept_from_the_beginning() -> None:
    study = running(**{**ASKED, "phases": ["before", "tasks", "exit"]})
    person = entered(study)
    assert entering.enter(study, {}).why == "full"
    assert Participant.objects.count() == 1
    walk(person)
    assert person.state == "completed"


def test_a_page_that_showed_another_order_is_never_stored_under_the_order_of_now() -> None:
    study = running(raters_per_item=2)
    late = entered(study)
    walk(late, until="task")
    shown = now_at(late)
    before = {each.item_id: each.slot_id for each in late.assignments.all()}
    lapse(late)
    walk(entered(study), until="task")  # gets the slots that lie there, the first of each item
    again = now_at(late)
    after = {each.item_id: each.slot_id for each in late.assignments.filter(state="leased")}
    assert after.keys() == before.keys()
    assert not set(after.values()) & set(before.values())
    assert again.key != shown.key
    assert send(late, shown).kind == "late"
    assert not Submission.objects.filter(participant=late, step__startswith="task").exists()
    walk(late)
    assert late.state == "completed"
    assert late.assignments.filter(state="done").count() == 3
    assert counted(study)
