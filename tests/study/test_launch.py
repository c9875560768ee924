"""A study is launched step by step: pre-flight, a few people first, strata, and a pause when checks are failed."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from tests.study.prolific_api import TOKEN, Prolific, serving
from tests.study.test_recruiting import BASE, PAID, person, recruiter, states_of
from tests.study.walking import FRAME, OF_TYPE, answers, entered, running, walk
from trialogue.errors import DataError, UsageError
from trialogue.inputs.study_files import read_export
from trialogue.study.design.pages import phase_of
from trialogue.study.design.platforms import budget_of
from trialogue.study.design.reading import study_of
from trialogue.study.export import export_study
from trialogue.study.models import Audit, Participant, Study
from trialogue.study.recruiting import api
from trialogue.study.recruiting.api import PlatformError
from trialogue.study.recruiting.preflight import BLOCKS, advice_on, draft_body, line_of, name_of
from trialogue.study.recruiting.prolific import Recruiter
from trialogue.study.services import entering, launching, leaving, steps
from trialogue.study.services.reconciliation import reconcile_rows

pytestmark = pytest.mark.usefixtures("store")
GROUP = {"name": "group", "question": "Which group?", "choice": ["young", "old", "older"]}
STRATA = [
    {"name": "young", "when": {"group": ["young"]}, "raters": 1},
    {"name": "old", "when": {"group": ["old", "older"]}, "raters": 1},
]
STRATIFIED: dict[str, Any] = {
    "phases": ["consent", "screening", "tasks", "exit"],
    "screening": {"questions": [GROUP]},
    "strata": STRATA,
}
CHECKED: dict[str, Any] = {"attention": {"checks": 1, "min_seconds_per_item": 0}}


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    with serving() as made:
        monkeypatch.setenv(api.ADDRESS, made.address)
        monkeypatch.setenv(api.TOKEN, TOKEN)
        yield made


def drafted(study: Study, folder: Path) -> Recruiter:
    made = recruiter(study, folder)
    made.create_draft(BASE)
    return made


def ended(study: Study, *, careful: bool = True, **parameters: str) -> Participant:
    """Somebody who comes to the end, and passes the attention check or not."""
    from tests.study.counting_schedules import asked_answers

    one = entered(study, **parameters)
    while (step := steps.current(one)) is not None and step.kind != "exit":
        posted = answers(step)
        if phase_of(step.key) == "check" and careful:
            posted |= asked_answers(one, step)
        elif phase_of(step.key) == "check":
            right = asked_answers(one, step)
            posted |= {name: ["1" if values != ["1"] else "2"] for name, values in right.items()}
        assert steps.submit(one, step.token, posted).kind == "stored"
    one.refresh_from_db()
    return one


def screened(study: Study, group: str) -> Participant:
    """Somebody of a group, behind the screening."""
    one = entered(study)
    walk(one, until="screening")
    walk(one, {"group": group}, until="task")
    return one


# strata


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"phases": ["consent", "tasks", "exit"]}, "add the phase screening"),
        ({"raters_per_item": 3}, "add up to 2, but raters_per_item is 3"),
        ({"strata": [STRATA[0], STRATA[1] | {"name": "young"}]}, "two strata are called 'young'"),
        (
            {"strata": [STRATA[0], STRATA[1] | {"when": {"age": ["9"]}}]},
            "'age' is not a screening question with options",
        ),
        ({"strata": [STRATA[0], STRATA[1] | {"when": {"group": ["x"]}}]}, "no option 'x'. Options: young, old, older"),
        (
            {"screening": {"questions": [GROUP], "admit": {"group": ["young"]}}},
            "admit lets in nobody who answers 'old' to 'group'",
        ),
    ],
)
def test_strata_that_nobody_can_fill_are_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        study_of({"study": "x", "type": "rating", **FRAME, **OF_TYPE["rating"], **STRATIFIED, **more})


def test_a_place_of_a_stratum_is_for_its_members_and_others_learn_it_before_they_work() -> None:
    study = running(items=3, **STRATIFIED)  # three items each, one rating by each stratum: one person each
    young = screened(study, "young")
    second = screened(study, "young")
    assert (second.state, second.reason) == ("failed", "full")
    assert not second.assignments.exists()
    assert entering.enter(study, {}).why == "entered"  # there is a place for the old
    leaving.mark(young, "returned")
    third, old = screened(study, "young"), screened(study, "older")
    assert [each.state for each in (third, old)] == ["screened", "screened"]
    assert entering.enter(study, {}).why == "full"
    assert {each.slot.stratum for each in third.assignments.select_related("slot")} == {"young"}


def test_who_belongs_to_no_stratum_is_screened_out_and_who_withdraws_leaves_no_stratum_behind() -> None:
    strata = [STRATA[0], STRATA[1] | {"when": {"group": ["old"]}}]
    study = running(items=3, **{**STRATIFIED, "strata": strata})
    assert screened(study, "older").reason == "screened_out"
    young = screened(study, "young")
    assert young.stratum == "young"
    leaving.withdraw(young)
    young.refresh_from_db()
    assert young.stratum == ""


def test_the_export_says_who_was_of_which_stratum(tmp_path: Path) -> None:
    study = running(items=3, **STRATIFIED)
    entered(study)  # who has not been asked yet
    for group in ("young", "older"):
        walk(screened(study, group))
    export_study(study, tmp_path, who="test")
    with (tmp_path / "participants.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["stratum"] for row in csv.DictReader(stream)] == ["", "young", "old"]
    data, _ = read_export(tmp_path)
    assert len(data.people) == 3


def test_the_budget_counts_the_people_of_each_stratum() -> None:
    items = [(f"d{n}", f"i{n}") for n in range(4)]
    fields = {"study": "x", "type": "rating", **FRAME, **OF_TYPE["rating"], "items_per_participant": 3}
    assert budget_of(study_of(fields), items).people == 3  # 4 items, 2 each, 3 per person: 8 / 3
    assert budget_of(study_of({**fields, **STRATIFIED}), items).people == 4  # 4 / 3 in each of two


# soft launch


def test_a_soft_launch_admits_so_many_until_somebody_goes_on() -> None:
    study = running(items=6, launch={"first": 2}, items_per_participant=3)
    first, second, slow = (entered(study) for _ in range(3))
    walk(first)
    walk(second, until="task")
    walk(slow)
    assert (slow.state, slow.reason) == ("failed", "full")  # all three came at once, and two agreed before
    assert entering.enter(study, {}).why == "paused"
    leaving.mark(second, "returned")
    third = entered(study)
    walk(third)
    assert entering.enter(study, {}).why == "paused"
    launching.end_soft_launch(study, who="test")
    launching.end_soft_launch(study, who="test")  # a second click
    assert entering.enter(study, {}).why == "entered"
    assert Audit.objects.filter(what="soft launch ended").count() == 1


def test_who_is_rejected_makes_place_in_a_soft_launch() -> None:
    study = running(items=6, launch={"first": 1}, platform={"name": "prolific"})
    one = ended(study, PROLIFIC_PID="one", SESSION_ID="e1")
    assert one.state == "completed"
    assert entering.enter(study, {"PROLIFIC_PID": "two", "SESSION_ID": "e2"}).why == "paused"
    reconcile_rows(study, [("one", "REJECTED")])
    assert entering.enter(study, {"PROLIFIC_PID": "two", "SESSION_ID": "e2"}).why == "entered"


# pause


def test_too_many_failed_checks_pause_the_study_say_why_and_let_people_at_work_finish() -> None:
    study = running(items=30, launch={"most_failed": 0.5, "least_completed": 3}, **CHECKED)
    at_work = entered(study)
    walk(at_work, until="task")
    for careful in (False, True, False):
        study.refresh_from_db()
        assert study.state == "running"
        ended(study, careful=careful)
    study.refresh_from_db()
    assert study.state == "paused"
    why = launching.pause_reason(study)
    assert why is not None
    assert (why.failed, why.completed) == (2, 3)
    assert "2 of 3 participants who completed failed" in "\n".join(launching.status_lines(study))
    assert entering.enter(study, {}).why == "paused"
    walk(at_work)
    assert at_work.state == "completed"
    launching.set_state(study, "running", who="boss")
    study.refresh_from_db()
    assert launching.pause_reason(study) is None
    ended(study, careful=False)  # what was before the opening was looked at
    study.refresh_from_db()
    assert study.state == "running"
    assert launching.failures(study).completed == 1


def test_somebodys_own_pause_has_no_such_reason_and_exactly_the_bound_pauses_nothing() -> None:
    study = running(items=30, launch={"most_failed": 0.5, "least_completed": 2}, **CHECKED)
    ended(study, careful=False)
    ended(study)
    study.refresh_from_db()
    assert study.state == "running"  # one of two is not more than a half
    study = launching.set_state(study, "paused", who="boss")
    assert launching.pause_reason(study) is None
    with pytest.raises(DataError, match="most_failed never applies"):
        study_of({"study": "x", "type": "rating", **FRAME, **OF_TYPE["rating"], "launch": {"most_failed": 0.1}})


# pre-flight


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("reward", {"reward": 150}, "1.50 GBP"),
    ("places", {"total_available_places": 9}, "9"),
    ("signed", {"is_external_study_url_secure": False}, "false"),
    ("codes", {"completion_codes": [{"code": "C1", "code_type": "COMPLETED", "actions": []}]}, "C1"),
    ("address", {"external_study_url": "https://study.example.org/another/"}, "another"),
    ("address", {"external_study_url": "http://study.example.org/rating/"}, "http:"),
    ("host", {"external_study_url": "https://old.example.org/rating/"}, "old.example.org"),
    ("devices", {"device_compatibility": ["desktop"]}, "desktop"),
    ("minutes", {"estimated_completion_time": 5}, "5"),
    ("version", {"internal_name": "trialogue rating 000"}, "000"),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "change", "there"), CHANGES)
def test_the_preflight_shows_each_difference_and_what_to_do(
    platform: Prolific, tmp_path: Path, setting: Any, change: dict[str, Any], there: str
) -> None:
    study = running(items=6, **PAID | {"platform": PAID["platform"] | {"signed": True}})
    made = drafted(study, tmp_path)
    with override_settings(PUBLIC_HOSTS=["study.example.org"]):
        before = made.preflight()
        assert before.differences == ()
        platform.studies["s1"] |= change
        after = made.preflight()
        (found,) = [each for each in after.differences if each.setting == setting]
        assert there in found.there
        assert found.here
        assert name_of(setting) in line_of(found)
        assert len(advice_on(found)) > 20
        assert after.fingerprint != before.fingerprint
        if setting in BLOCKS - {"reward", "places"}:
            with pytest.raises(UsageError, match="Nothing was published"):
                made.publish(str(made.price()))
        else:
            made.publish(str(made.price()))


@pytest.mark.parametrize(
    ("setting", "change"),
    [
        ("ids", {"external_study_url": "https://study.example.org/rating/?PROLIFIC_PID={{%PROLIFIC_PID%}}"}),
        ("ids", {"external_study_url": "https://study.example.org/rating/?PROLIFIC_PID=me&STUDY_ID=x&SESSION_ID=y"}),
        ("code_types", {"completion_codes": [{"code": "C1", "code_type": "OTHER", "actions": []}]}),
        ("code_actions", {"completion_codes": [{"code": "C2", "code_type": "COMPLETED", "actions": []}]}),
        ("reward", {"reward": None}),
        ("places", {"total_available_places": None}),
    ],
)
def test_what_is_missing_there_is_a_difference(
    platform: Prolific, tmp_path: Path, setting: Any, change: dict[str, Any]
) -> None:
    made = drafted(running(items=6, **PAID), tmp_path)
    platform.studies["s1"] |= change
    found = {each.setting: each for each in made.preflight().differences}
    assert setting in found
    if None in change.values():
        assert found[setting].blocks
        assert "price is unknown" in line_of(found[setting])


def test_a_study_that_is_not_open_is_not_published_and_a_dry_run_shows_the_request(
    platform: Prolific, tmp_path: Path
) -> None:
    study = running(items=6, **PAID)
    made = drafted(study, tmp_path)
    launching.set_state(study, "paused", who="test")
    with pytest.raises(UsageError, match="Open the study first"):
        made.publish("10.00 GBP")
    recruiter(study, tmp_path, dry=True).publish("")
    assert platform.studies["s1"]["status"] == "UNPUBLISHED"


def test_a_study_that_was_changed_since_the_preflight_is_not_published(platform: Prolific, tmp_path: Path) -> None:
    made = drafted(running(items=6, **PAID), tmp_path)
    seen = made.preflight().fingerprint
    platform.studies["s1"] |= {"device_compatibility": ["mobile"]}
    with pytest.raises(UsageError, match="was changed meanwhile"):
        made.publish("10.00 GBP", seen=seen)
    made.publish("10.00 GBP", seen=made.preflight().fingerprint)
    assert platform.studies["s1"]["status"] == "ACTIVE"


def test_a_soft_launch_publishes_its_places_and_goes_on_with_the_others(platform: Prolific, tmp_path: Path) -> None:
    study = running(items=6, launch={"first": 1}, **PAID)
    made = drafted(study, tmp_path)
    assert platform.studies["s1"]["total_available_places"] == 1
    assert made.preflight().differences == ()
    made.publish("2.50 GBP")  # 2.00 * 1.25
    walk(person(study, "one"))
    platform.submit("one", "AWAITING REVIEW")
    assert made.sync().places_due == 0
    assert str(made.places_price(all_people=True)) == "7.50 GBP"
    with pytest.raises(UsageError, match=r"the price to confirm is 7\.50 GBP"):
        made.go_on("10.00 GBP")
    assert entering.enter(study, {"PROLIFIC_PID": "two", "SESSION_ID": "e2"}).why == "paused"
    platform.lose = "PATCH"
    with pytest.raises(PlatformError):
        made.go_on("7.50 GBP")
    assert platform.studies["s1"]["total_available_places"] == 4
    assert recruiter(study, tmp_path).go_on("7.50 GBP") == 0  # a second member of staff presses, too
    assert platform.studies["s1"]["total_available_places"] == 4
    assert entering.enter(study, {"PROLIFIC_PID": "two", "SESSION_ID": "e2"}).why == "entered"


def test_a_pause_here_is_a_pause_there_and_starting_again_is_confirmed_with_its_price(
    platform: Prolific, tmp_path: Path
) -> None:
    study = running(items=6, **PAID)
    made = drafted(study, tmp_path)
    made.publish("10.00 GBP")
    launching.set_state(study, "paused", who="rule: failed checks")
    assert made.sync().paused
    assert platform.studies["s1"]["status"] == "PAUSED"
    assert not made.sync().paused
    with pytest.raises(UsageError, match="Open the study first"):
        made.publish("10.00 GBP")
    launching.set_state(study, "running", who="boss")
    platform.studies["s1"]["total_available_places"] = 40  # raised there during the pause
    with pytest.raises(UsageError, match=r"the price to confirm is 100\.00 GBP"):
        made.publish("10.00 GBP")
    made.publish("100.00 GBP")
    assert platform.studies["s1"]["status"] == "ACTIVE"
    assert states_of(study, "start") == ["confirmed"]


class KilledError(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("act", ["publish", "start", "go_on"])
def test_a_process_that_is_killed_while_it_publishes_leaves_nothing_that_another_cannot_finish(
    platform: Prolific, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, after: bool
) -> None:
    study = running(items=6, launch={"first": 1}, **PAID)
    made = drafted(study, tmp_path)
    if act != "publish":
        made.publish("2.50 GBP")
    if act == "start":
        platform.studies["s1"]["status"] = "PAUSED"

    def dies(self: api.Api, method: str, path: str, body: Any) -> Any:
        if after:
            self._send(method, path, body)
        raise KilledError

    def carry_out() -> None:
        if act == "go_on":
            recruiter(study, tmp_path).go_on("7.50 GBP")
        else:
            recruiter(study, tmp_path).publish("2.50 GBP")

    with monkeypatch.context() as patched:
        patched.setattr(api.Api, "change", dies)
        with pytest.raises(KilledError):
            carry_out()
    if after and act == "start":
        with pytest.raises(UsageError, match="already published"):
            carry_out()
    else:
        carry_out()
    there = platform.studies["s1"]
    assert (there["status"], there["total_available_places"]) == ("ACTIVE", 4 if act == "go_on" else 1)


def test_the_command_prints_each_difference_and_publishes_what_it_has_shown(
    platform: Prolific, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from trialogue.cli.study import recruit

    made = drafted(running(items=6, **PAID), tmp_path)
    recruit._preflight(made)
    assert "matches the study file" in capsys.readouterr().out
    platform.studies["s1"] |= {"device_compatibility": ["mobile"], "external_study_url": "https://example.org/"}
    recruit._preflight(made)
    told = capsys.readouterr().out
    assert "Difference: Devices: desktop, mobile, tablet here, mobile on Prolific." in told
    assert "Blocks publication: Address: https://.../rating/ here, https://example.org/ on Prolific." in told
    with pytest.raises(UsageError, match="Correct the study URL"):
        recruit._publish(made, "10.00 GBP", dry=False)
    platform.studies["s1"] |= draft_body(made.file, 4, base_url=BASE, study=made.study)  # it is put right there
    recruit._publish(made, "10.00 GBP", dry=False)
    assert "Price of all 4 places on Prolific: 10.00 GBP" in capsys.readouterr().out
    assert platform.studies["s1"]["status"] == "ACTIVE"
