"""The page of one session, decisions, erasure, the export and the report so far, as staff use them."""

import csv
import io
import json
import time
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client, override_settings

from tests.study.hostile import HOSTILE
from tests.study.pages.studies import Form, entered, running, sent, source, walked
from tests.study.pages.test_staff import member, text
from trialogue.inputs.study_data import InterimLook
from trialogue.study.export import export_study
from trialogue.study.models import Audit, Decision, Participant, Study, Submission
from trialogue.study.services import previews
from trialogue.subjects.people.methods import looks_of

pytestmark = pytest.mark.usefixtures("database")


def somebody(study: Study) -> Participant:
    """The participant of a study in which one took part."""
    return study.participants.get()


def at(study: Study) -> str:
    """The page of that participant."""
    return f"/staff/{study.slug}/people/{somebody(study).code}/"


def test_a_session_is_shown_turn_by_turn_with_checks_times_and_what_the_browser_noticed() -> None:
    study, client = running(attention={"checks": 1}), Client()
    page = entered(client, study)
    while "token" in Form(source(page)).hidden:
        form = Form(source(page))
        posted = {**form.filled(), "events": '[["paste", 10], ["blur", 20], ["focus", 5020], ["submit", 9000]]'}
        page = client.post(form.action, posted, follow=True)  # type: ignore[assignment]
    shown = text(member(), at(study))
    for title in ("Consent", "Questions before", "Questionnaire before 1", "Task 1", "Attention check", "Task 2"):
        assert f"<h3>{title}</h3>" in shown
    assert shown.count('<li class="turn">') == Submission.objects.count()
    assert "pasted once" in shown
    assert "5 s in other windows" in shown
    assert "check failed: expected" in shown or "check passed" in shown
    for system in ("secret-one", "secret-two", "secret-three"):
        assert f"<bdi>{system}</bdi>" in shown
    assert '<dt>meaning</dt><dd dir="auto">Entirely meaningless</dd>' in shown
    assert "secret-item-" in shown
    assert 'name="decision"' not in shown  # who may only look decides nothing


@pytest.mark.parametrize("kind", ["preference", "realism", "labelling", "chat"])
def test_a_session_of_every_type_is_shown(kind: str) -> None:
    study = running(kind)
    pages = walked(Client(), study)
    while kind == "chat" and "token" in Form(source(pages[-1])).hidden and len(pages) < 80:
        pages.append(sent(Client(), pages[-1]))
    shown = text(member(), at(study))
    assert "<h3>Consent</h3>" in shown
    assert "Have you seen" in shown or "Number" in shown or kind == "chat"


def test_hostile_answers_and_reasons_stay_texts() -> None:
    study, boss = running(text=HOSTILE[0]), member("boss", "manage_study")
    walked(Client(), study, remarks=HOSTILE[0])
    boss.post(at(study), {"decision": "exclude", "reason": HOSTILE[0]})
    for path in (at(study), "/staff/rating/people/"):
        assert HOSTILE[0] not in text(boss, path)


def test_decisions_are_kept_shown_and_written_into_the_lists_of_the_platform() -> None:
    study, boss = running(platform={"name": "prolific"}), member("boss", "manage_study", "export_study")
    client = Client()
    page = entered(client, study, "?PROLIFIC_PID=p1&SESSION_ID=s1")
    while "token" in Form(source(page)).hidden:
        page = sent(client, page)
    address = at(study)
    assert boss.post(address, {"decision": "refuse", "reason": ""}).status_code == 422
    assert boss.post(address, {"decision": "nonsense"}).status_code == 422
    assert boss.post(address, {"decision": "bonus", "amount": "a lot"}).status_code == 422
    assert not Decision.objects.exists()
    for given in ({"decision": "accept"}, {"decision": "bonus", "amount": "1,50"}):
        assert boss.post(address, given).headers["Location"] == f"{address}#decisions"
    shown = text(boss, address)
    assert "accepted" in shown
    assert "bonus 1.50" in shown
    assert Decision.objects.get(kind="bonus").amount == Decimal("1.5")
    rows = {
        name: list(csv.DictReader(io.StringIO(text(boss, f"/staff/rating/lists/{name}.csv"))))
        for name in ("approve", "bonus")
    }
    assert rows["approve"][0]["decision"] == "approve"
    assert rows["bonus"][0]["amount"] == "1.50"
    looks = member("ann")
    assert looks.post(address, {"decision": "refuse", "reason": "because I can"}).status_code == 403


@pytest.mark.parametrize("amount", ["1,500", "0.001", "1.555", "1e3", "NaN", "-1", "1.50 GBP", "１.50"])
def test_an_amount_that_may_mean_another_one_is_asked_for_again(amount: str) -> None:
    study, boss = running(), member("boss", "manage_study")
    walked(Client(), study)
    assert boss.post(at(study), {"decision": "bonus", "amount": amount}).status_code == 422
    assert not Decision.objects.exists()


def test_a_double_click_adds_one_bonus_and_an_old_page_decides_nothing() -> None:
    study, boss = running(), member("boss", "manage_study")
    walked(Client(), study)
    form = {"decision": "bonus", "amount": "1.50", "known": "0"}
    assert 'name="known" value="0"' in text(boss, at(study))
    assert [boss.post(at(study), form).status_code for _ in range(2)] == [302, 422]
    assert Decision.objects.count() == 1
    old = member("ann", "manage_study").post(at(study), {"decision": "refuse", "reason": "too fast", "known": "0"})
    assert "in the meantime" in source(old)  # type: ignore[arg-type]
    assert Decision.objects.count() == 1
    assert boss.post(at(study), {**form, "known": "1"}).status_code == 302


def test_the_list_of_participants_leads_to_sessions_and_to_those_whose_pay_is_open() -> None:
    study, boss = running(items=8), member("boss", "manage_study")
    walked(Client(), study)
    entered(Client(), study)
    done = study.participants.get(state="completed")
    assert done.code in text(boss, "/staff/rating/people/?show=open")
    assert text(boss, "/staff/rating/people/").count("<tr>") == 3  # the head and two
    boss.post(f"/staff/rating/people/{done.code}/", {"decision": "accept"})
    assert done.code not in text(boss, "/staff/rating/people/?show=open")
    assert done.code in text(boss, "/staff/rating/people/?show=nonsense")


def test_a_participant_is_erased_by_code_or_platform_id_after_a_second_look() -> None:
    study, boss = running(platform={"name": "prolific"}, items=8), member("boss", "manage_study")
    for person in ("p1", "p2"):
        entered(Client(), study, f"?PROLIFIC_PID={person}&SESSION_ID=s")
    path, code = "/staff/rating/data/erase/", study.participants.get(number=1).code
    assert f'value="{code}"' in text(boss, f"{path}?code={code}")
    for wrong in ({"name": ""}, {"name": "p1"}, {"name": "nobody", "sure": "yes"}):
        assert boss.post(path, wrong).status_code == 422
    assert study.participants.filter(state="withdrew").count() == 0
    for name in (code, "p2"):
        assert "The data of 1 participant were erased" in source(boss.post(path, {"name": name, "sure": "yes"}))  # type: ignore[arg-type]
    assert study.participants.filter(state="withdrew").count() == 2
    assert member("ann", "export_study").post(path, {"name": "p1", "sure": "yes"}).status_code == 403


def test_the_export_is_a_zip_of_the_same_files_and_is_logged(tmp_path: Path) -> None:
    study = running()
    walked(Client(), study)
    path = "/staff/rating/data/export/"
    assert member("ann").post(path).status_code == 403
    answer = member("eve", "export_study").post(path)
    written = {each.name: each.read_bytes() for each in export_study(study, tmp_path, who="test")}
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {Path(name).name: archive.read(name) for name in archive.namelist()}
    assert found == written
    assert Audit.objects.filter(what="export", who="eve").count() == 1


def test_the_report_so_far_is_made_beside_the_server_and_every_look_is_reported(tmp_path: Path) -> None:
    study, eve = running(), member("eve", "export_study")
    walked(Client(), study)
    path = "/staff/rating/report/"
    assert "no study folder" in text(eve, path)
    assert member("ann").get(path).status_code == 403
    with override_settings(FOLDER=tmp_path):
        assert eve.get(f"{path}page/").status_code == 404
        eve.post(path)
        for _ in range(600):
            if previews.state(study) != "making":
                break
            time.sleep(0.1)
        shown = text(eve, path)
        assert previews.state(study) == "made", shown
        assert "each of its 3 items has 2 answers: 6 in total, 2 received so far" in shown
        page = eve.get(f"{path}page/")
        assert "sandbox" in page.headers["Content-Security-Policy"]
        assert b"Which reply makes sense?" in page.content
        messages = {each.name: each for each in export_study(study, tmp_path / "export", who="test")}
        looks = json.loads(messages["study.json"].read_text())["early_looks"]
        assert [(look["done"], look["needed"]) for look in looks] == [(2, 6)]
        code = somebody(study).code
        member("boss", "manage_study").post("/staff/rating/data/erase/", {"name": code, "sure": "yes"})
        assert previews.state(study) == "none"
        assert not (tmp_path / "preview" / "rating").exists()
        assert eve.get(f"{path}page/").status_code == 404


def test_the_final_report_says_at_how_many_answers_results_were_looked_at() -> None:
    assert looks_of(()) == ()
    (said,) = looks_of([InterimLook(done=40, needed=180), InterimLook(done=80, needed=180)])
    assert "inspected 2 times before the planned number of answers was reached (at 40, 80 of 180)" in said
