"""Somebody walks through a study: everything is stored once, in their own name, and slots are never more than k."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.study.walking import answers, entered, now_at, running, send, walk
from trialogue.study.models import Assignment, Audit, ChatTurn, Check, Identity, Item, Participant, Study, Submission
from trialogue.study.pages.steps import words
from trialogue.study.services import assigning, deciding, entering, leaving, steps

pytestmark = pytest.mark.usefixtures("store")
TWO_QUESTIONS = {
    "questions": [{"name": "what", "question": "What do you judge?", "choice": ["replies", "films"]}],
    "right": {"what": "replies"},
}


def lapse(person: Participant) -> None:
    """The lease of everything that somebody holds has run out."""
    person.assignments.update(lease_until=timezone.now() - timedelta(minutes=1))


def counted(study: Study) -> bool:
    """Whether the count of every item is that of its live slots, and no more than k."""
    for item in Item.objects.filter(study=study, kind="task"):
        live = Assignment.objects.filter(item=item, state__in=assigning.LIVE)
        slots = list(live.values_list("slot_id", flat=True))
        if len(slots) != item.taken or item.taken > item.needed or len(set(slots)) < len(slots):
            return False
    return True


def test_somebody_walks_through_a_rating_study() -> None:
    study = running(attention={"checks": 1, "min_seconds_per_item": 0})
    person = entered(study)
    keys = [step.key for step in walk(person)]
    assert sorted(keys) == [
        "check:4",
        "consent",
        "exit",
        "task:1",
        "task:2",
        "task:3",
    ]  # all items are tasks: a check that shows none
    assert (person.state, person.reached, person.consent_version) == ("completed", "completed", "7")
    assert Submission.objects.filter(participant=person).count() == 5  # all but the exit
    rated = Submission.objects.get(participant=person, step="task:1")
    assert sorted(rated.answers) == ["r1-sense", "r2-sense", "r3-sense"]
    assert Check.objects.get(participant=person).kind == "attention"
    assert counted(study)


def test_pages_are_in_the_browsers_language_or_in_the_studys() -> None:
    study = running(language="de", languages=["fr"])
    came = [entering.enter(study, {}, language=asked).participant for asked in ("fr", "")]
    assert [person.language for person in came if person is not None] == ["fr", "de"]


def test_a_double_submit_is_one_row_and_later_ones_change_nothing() -> None:
    person = entered(running())
    walk(person, until="task")
    step = now_at(person)
    kinds = [send(person, step, {"sense": point}).kind for point in ("1", "2", "5")]
    assert kinds == ["stored", "kept", "kept"]
    assert send(person, step, {"sense": "1"}).kind == "repeated"
    assert Submission.objects.get(step="task:1").answers["r1-sense"] == 1


def test_a_step_that_is_not_the_current_one_is_stale() -> None:
    from trialogue.study.services.rows import token_for

    person = entered(running())
    walk(person, until="task")
    for key in ("task:2", "exit", "after:1", "check:1"):
        assert steps.submit(person, token_for(person.pk, key), {"r1-sense": ["1"]}).kind == "stale"


def test_anothers_a_forged_and_an_empty_token_are_refused() -> None:
    study = running()
    one, two = entered(study), entered(study)
    token = now_at(one).token
    for given in (token, token[:-1], "", "\x00", "a:b:c", token.replace(":", "::")):
        assert steps.submit(two, given, {"agree": ["yes"]}).kind == "refused"
    assert not Submission.objects.exists()


def test_what_is_missing_or_impossible_is_reported_and_nothing_is_stored() -> None:
    person = entered(running())
    walk(person, until="task")
    step = now_at(person)
    outcome = steps.submit(person, step.token, {"r1-sense": ["3"], "r2-sense": ["6"]})
    assert outcome.kind == "invalid"
    assert outcome.parts["r2-"].wrong["sense"].code == "unknown"
    assert outcome.parts["r3-"].wrong["sense"].code == "missing"
    assert Submission.objects.filter(step__startswith="task").count() == 0


def test_consent_takes_a_yes_or_a_no_and_nothing_else() -> None:
    study = running()
    person = entered(study)
    assert steps.submit(person, now_at(person).token, {}).kind == "invalid"
    assert steps.submit(person, now_at(person).token, {"agree": ["no"]}).kind == "stored"
    person.refresh_from_db()
    assert (person.state, person.reason) == ("failed", "no_consent")
    assert steps.current(person) is None


def test_what_is_left_lying_is_given_to_others_and_comes_back_where_nobody_took_it() -> None:
    study = running(raters_per_item=1)
    late = entered(study)
    walk(late, until="task")
    lapse(late)
    other = entered(study)
    walk(other, until="task")
    assert other.assignments.filter(state="leased").count() == 3
    assert steps.current(late) is None
    late.refresh_from_db()
    assert (late.state, late.reason) == ("failed", "full")
    assert counted(study)


def test_who_comes_back_late_finds_their_own_items_again_if_they_are_free() -> None:
    study = running(raters_per_item=1)
    late = entered(study)
    walk(late, until="task")
    send(late, now_at(late))
    lapse(late)
    assert assigning.release_expired(study) == 3  # what they answered as well, since they may not come back
    assert sorted(late.assignments.values_list("state", flat=True)) == ["abandoned", "released", "released"]
    walk(late)
    assert late.state == "completed"
    assert late.assignments.filter(state="done").count() == 3
    assert counted(study)


def test_who_comes_back_late_gets_other_items_where_theirs_are_taken() -> None:
    study = running(
        items=6, raters_per_item=1, replace_excluded=False, attention={"checks": 1, "min_seconds_per_item": 0}
    )
    late = entered(study)
    walk(late, until="task")
    mine = set(late.assignments.values_list("item__key", flat=True))
    lapse(late)
    assigning.release_expired(study)
    other = entered(study)
    walk(other)
    theirs = set(other.assignments.values_list("item__key", flat=True))
    walk(late)
    assert late.state == "completed"
    done = set(late.assignments.filter(state="done").values_list("item__key", flat=True))
    assert len(done) == 3
    assert not done & theirs
    assert mine
    assert counted(study)


def test_a_page_that_is_shown_again_keeps_its_slots() -> None:
    study = running(raters_per_item=1)
    person = entered(study)
    walk(person, until="task")
    lapse(person)
    step = now_at(person)
    assert assigning.release_expired(study) == 0
    assert send(person, step).kind == "stored"


def test_an_answer_that_comes_after_its_slot_was_given_away_is_said_to_be_late_and_counts_stay_right() -> None:
    study = running(raters_per_item=1)
    late = entered(study)
    walk(late, until="task")
    step = now_at(late)
    lapse(late)
    walk(entered(study))
    assert send(late, step).kind == "late"
    assert late.events.filter(kind="late").count() == 1
    assert counted(study)


def test_an_answer_that_comes_late_is_stored_where_nobody_has_taken_its_place() -> None:
    study = running(raters_per_item=1)
    late = entered(study)
    walk(late, until="task")
    step = now_at(late)
    lapse(late)
    assert assigning.release_expired(study) == 3
    assert send(late, step).kind == "stored"
    assert counted(study)


def test_answers_of_somebody_who_leaves_are_collected_again_and_are_surplus_if_they_complete_after_all() -> None:
    study = running(raters_per_item=1)
    late = entered(study)
    walk(late, until="task")
    send(late, now_at(late))
    first = late.assignments.get(position=1)
    lapse(late)
    other = entered(study)
    walk(other)
    assert other.assignments.filter(item=first.item, state="done").exists()
    assert deciding.counting_people(study) == {other.pk}
    assert {each.counted for each in deciding.counts_by_item(study)} == {1}
    assert steps.current(late) is None  # all places are taken
    assert late.assignments.get(position=1).state == "abandoned"
    assert counted(study)


@pytest.mark.parametrize("state", ["returned", "timed_out"])
def test_slots_of_those_whom_the_platform_says_are_gone_are_opened_again_with_their_answers(state: str) -> None:
    study = running(raters_per_item=1)
    gone = entered(study)
    walk(gone, until="task")
    send(gone, now_at(gone))
    leaving.mark(gone, state)
    assert sorted(gone.assignments.values_list("state", flat=True)) == ["abandoned", "released", "released"]
    walk(entered(study))
    assert {each.counted for each in deciding.counts_by_item(study)} == {1}
    assert counted(study)


def test_never_more_than_k_and_every_position_equally_often() -> None:
    study = running(items=4, raters_per_item=3, items_per_participant=4)
    people = [entered(study) for _ in range(3)]
    for person in people:
        walk(person)
    assert entering.enter(study, {}).why == "full"
    assert counted(study)
    places = Counter(
        (system, place)
        for each in Assignment.objects.filter(state="done").select_related("slot")
        for place, system in enumerate(each.slot.order)
    )
    assert set(places.values()) == {4}  # 4 items x 3 raters over 3 positions


def test_who_is_too_late_for_the_last_slots_is_reported() -> None:
    study = running(raters_per_item=1)
    one, two = entered(study), entered(study)
    walk(one)
    walk(two)
    assert (two.state, two.reason) == ("failed", "full")


def test_nobody_sees_two_items_of_one_dialogue() -> None:
    study = running(items=6)
    Item.objects.filter(study=study, key__in=["item-0", "item-1", "item-2", "item-3"]).update(dialogue="same")
    person = entered(study)
    walk(person)
    seen = list(person.assignments.values_list("item__dialogue", flat=True))
    assert sorted(seen) == ["d4", "d5", "same"]


def test_withdrawal_deletes_answers_and_frees_slots_and_the_receipt_finds_them() -> None:
    study = running()
    came = entering.enter(study, {})
    assert came.participant is not None
    walk(came.participant)
    found = entering.find_by_receipt(study, f" {came.receipt.upper()} ")
    assert found == came.participant
    leaving.withdraw(came.participant)
    leaving.withdraw(came.participant)
    assert not Submission.objects.exists()
    assert set(Item.objects.filter(kind="task").values_list("taken", flat=True)) == {0}
    assert steps.current(came.participant) is None
    came.participant.refresh_from_db()
    assert leaving.return_link_of(came.participant) is None
    assert Audit.objects.filter(what="withdraw").count() == 1


def test_erasure_leaves_neither_ids_nor_answers() -> None:
    study = running(platform={"name": "prolific"})
    person = entered(study, PROLIFIC_PID="secret-pid", SESSION_ID="secret-session", STUDY_ID="s")
    walk(person)
    leaving.withdraw(person)
    code = person.code
    assert leaving.erase(study, "", who="staff") == leaving.erase(study, "nobody", who="staff") == 0
    assert leaving.erase(study, "secret-pid", who="staff") == 1
    assert not Identity.objects.exists()
    assert not Submission.objects.exists()
    stored = [str(row) for model in (Participant, Audit, Assignment) for row in model.objects.values()]
    assert not [row for row in stored if "secret" in row or code in row]
    person.refresh_from_db()
    assert person.identity_hash is None
    assert counted(study)


def test_the_same_person_comes_once_and_another_session_of_the_same_id_is_not_let_in() -> None:
    study = running(platform={"name": "prolific"})
    came = {"PROLIFIC_PID": "p", "SESSION_ID": "x"}
    assert entering.enter(study, came).why == "entered"
    assert entering.enter(study, came).why == "resumed"
    assert entering.enter(study, {**came, "SESSION_ID": "y"}).why == "taken"
    assert entering.enter(study, {}).why == "no_id"
    assert Participant.objects.count() == 1


def test_comprehension_gives_two_attempts() -> None:
    phases = ["consent", "comprehension", "tasks", "exit"]
    study = running(phases=phases, comprehension=TWO_QUESTIONS)
    lucky, not_so = entered(study), entered(study)
    walk(lucky, until="comprehension")
    send(lucky, now_at(lucky), {"what": "films"})
    again = now_at(lucky)
    assert (again.attempt, again.attempts) == (2, 2)
    walk(lucky, {"what": "replies"})
    assert lucky.state == "completed"
    walk(not_so, {"what": "films"})
    assert (not_so.state, not_so.reason) == ("failed", "comprehension")
    assert Check.objects.filter(participant=not_so, passed=False).count() == 2


def test_screening_lets_in_who_was_looked_for() -> None:
    screening = {
        "questions": [{"name": "adult", "question": "Are you 18 or older?", "choice": ["yes", "no"]}],
        "admit": {"adult": ["yes"]},
    }
    study = running(phases=["consent", "screening", "tasks", "exit"], screening=screening)
    one, other = entered(study), entered(study)
    walk(one, {"adult": "yes"})
    walk(other, {"adult": "no"})
    assert (one.state, other.state, other.reason) == ("completed", "failed", "screened_out")
    assert other.reached == "consented"


def test_training_shows_what_would_have_been_right() -> None:
    replies = {"a": "Yes.", "b": "No."}
    training = {
        "item": {"context": [{"speaker": "user", "text": "Hi"}], "responses": replies},
        "right": {"r1-sense": 5},
    }
    study = running(phases=["training", "tasks", "exit"], training=[training], consent=None)
    person = entered(study)
    send(person, now_at(person), {"sense": "2"})
    shown = now_at(person)
    assert shown.kind == "feedback"
    assert [(row.given, row.expected) for row in shown.content.rows] == [(2, 5)]  # type: ignore[union-attr]
    walk(person)
    assert person.state == "completed"
    assert not Check.objects.get(kind="training").passed


def test_codes_are_the_same_at_every_reload_and_say_what_became_of_somebody() -> None:
    codes = {"completed": "C0DE", "failed_check": "CHECK"}
    study = running(platform={"name": "prolific", "codes": codes}, attention={"checks": 2, "min_seconds_per_item": 0})
    good = entered(study, PROLIFIC_PID="a", SESSION_ID="x")
    assert leaving.return_link_of(good) is None
    walk(good, until="task")
    while (step := now_at(good)).key != "exit":
        item = Item.objects.filter(kind="check", key=step.key.replace(":", "-")).first()
        wanted = {name: str(value) for name, value in item.expected.items()} if item else {}
        assert send(good, step, wanted).kind == "stored"
        good.refresh_from_db()
    good.refresh_from_db()
    assert not good.flags
    back = leaving.return_link_of(good)
    assert back == leaving.return_link_of(good)
    assert back is not None
    assert back.url == "https://app.prolific.com/submissions/complete?cc=C0DE"
    bad = entered(study, PROLIFIC_PID="b", SESSION_ID="x")
    walk(bad, until="task")
    while (step := now_at(bad)).key != "exit":
        item = Item.objects.filter(kind="check", key=step.key.replace(":", "-")).first()
        wrong = {name: str(int(value) % 5 + 1) for name, value in item.expected.items()} if item else {}
        send(bad, step, wrong)
        bad.refresh_from_db()
    bad.refresh_from_db()
    assert "failed_checks" in bad.flags
    assert leaving.return_link_of(bad).code == "CHECK"  # type: ignore[union-attr]


def test_what_excluded_people_judged_is_given_out_again_if_the_study_says_so() -> None:
    study = running(replace_excluded=True, exclusion=["too_fast"], attention={"checks": 0, "min_seconds_per_item": 60})
    person = entered(study)
    walk(person)
    assert "too_fast" in person.flags
    assert set(Item.objects.filter(kind="task").values_list("taken", flat=True)) == {0}
    assert Submission.objects.filter(participant=person, step__startswith="task").count() == 3
    assert counted(study)


@pytest.mark.parametrize(("kind", "fields"), [
    ("preference", ["choice", "reason"]),
    ("realism", ["choice", "reason"]),
    ("labelling", ["label"]),
    ("chat", ["sense"]),
])  # fmt: skip
def test_every_type_is_walked_to_its_end(kind: str, fields: list[str]) -> None:
    study = running(kind)
    person = entered(study)
    walk(person)
    assert person.state == "completed"
    assert sorted(Submission.objects.get(step="task:2").answers) == fields


def test_a_chat_echoes_and_is_saved_turn_by_turn_and_judged_when_it_is_over() -> None:
    study = running("chat", items=1, items_per_participant=1)
    person = entered(study)
    walk(person, until="task")
    step = now_at(person)
    assert step.kind == "chat"
    assert steps.submit(person, step.token, answers(step)).kind == "stale"
    walk(person)
    said = list(ChatTurn.objects.values_list("speaker", "text"))
    assert said == [("user", "Hello there"), ("system", "Hello there")]


def test_returned_people_free_their_slots() -> None:
    study = running()
    person = entered(study)
    walk(person, until="task")
    leaving.mark(person, "returned")
    person.refresh_from_db()
    assert "returned your place" in words(person)[1]
    assert set(Item.objects.filter(kind="task").values_list("taken", flat=True)) == {0}
    assert steps.current(person) is None
