"""Lists of a platform against ours."""

from pathlib import Path

import pytest

from tests.study.walking import entered, running, walk
from trialogue.errors import DataError, UsageError
from trialogue.study.models import Assignment, Audit
from trialogue.study.services import deciding, entering, steps
from trialogue.study.services.reconciliation import due, reconcile, reconcile_rows
from trialogue.study.services.staff_access import let_in

pytestmark = pytest.mark.usefixtures("store")


def test_returned_people_give_back_their_slots_and_differences_are_reported(tmp_path: Path) -> None:
    study = running(platform={"name": "prolific"})
    came = entering.enter(study, {"PROLIFIC_PID": "p1", "SESSION_ID": "s1"})
    entering.enter(study, {"PROLIFIC_PID": "p2", "SESSION_ID": "s2"})
    entering.enter(study, {"PROLIFIC_PID": "made-up", "SESSION_ID": "p2", "STUDY_ID": "p9"})
    assert came.participant is not None
    step = steps.current(came.participant)
    assert step is not None
    steps.submit(came.participant, step.token, {"agree": ["yes"]})
    steps.current(came.participant)
    assert Assignment.objects.filter(state="leased").count() == 3
    path = tmp_path / "prolific.csv"
    path.write_text(
        "\ufeffSubmission id,Participant id,Status\ns1,p1,RETURNED\ns2,p2,AWAITING REVIEW\ns3,p9,APPROVED\n"
    )
    found = reconcile(study, path, who="boss")
    assert (found.freed, found.unfinished, found.unknown) == (["p1"], ["p2"], ["p9"])
    assert found.unlisted == ["made-up"]
    assert Assignment.objects.filter(state="leased").count() == 0
    log = Audit.objects.get(study=study, what="reconcile")
    assert log.detail == {"freed": 1, "unknown": 1, "unfinished": 1, "unlisted": 1}


def test_whatever_the_platform_says_about_somebody_who_completed_here_is_said_with_what_to_do(tmp_path: Path) -> None:
    study = running(platform={"name": "prolific"})
    people = {name: entered(study, PROLIFIC_PID=name, SESSION_ID=f"s{name}") for name in ("a", "b", "c")}
    for each in people.values():
        if each is not people["c"]:
            walk(each)
    rows = [("a", "RETURNED"), ("b", "TIMED-OUT"), ("c", "UNDER AUDIT")]
    found = reconcile_rows(study, rows)
    assert (found.gone, found.strange, found.freed) == (["a", "b"], {"c": "UNDER AUDIT"}, [])
    lines = list(due(found, "Prolific"))
    assert lines[0].startswith("a: completed here, but returned or timed out on Prolific")
    assert "'UNDER AUDIT' on Prolific is not known" in lines[2]
    assert deciding.counting_people(study) == {people["a"].pk, people["b"].pk}  # completed here: it counts


def test_a_list_without_the_right_columns_is_refused(tmp_path: Path) -> None:
    study = running()
    path = tmp_path / "list.csv"
    path.write_text("name,grade\na,1\n")
    with pytest.raises(DataError, match="It has: name, grade"):
        reconcile(study, path, who="boss")
    with pytest.raises(DataError, match="cannot be read"):
        reconcile(study, tmp_path / "none.csv", who="boss")


def test_staff_get_what_they_are_given_and_no_weak_password() -> None:
    from django.contrib.auth.models import User

    with pytest.raises(UsageError, match="too short"):
        let_in("boss", "short")
    assert let_in("boss", "a long sentence of words", manage=True) == ["look", "manage"]
    boss = User.objects.get(username="boss")
    assert boss.is_staff
    assert boss.has_perm("study.manage_study")
    assert not boss.has_perm("study.export_study")
    assert not boss.is_superuser
