"""Decisions of staff, from the page of a session to Prolific: nothing is sent, and nothing paid, without its typed price."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client, override_settings

from tests.study.pages.studies import Form, entered, running, sent, source
from tests.study.pages.test_staff import member, text
from tests.study.prolific_api import TOKEN, Prolific, serving
from trialogue.study.models import Audit, Participant, Study
from trialogue.study.recruiting import api
from trialogue.study.recruiting.api import Api
from trialogue.study.recruiting.prolific import Recruiter

pytestmark = pytest.mark.usefixtures("database")
HERE = "/staff/rating/launch/"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with override_settings(FOLDER=tmp_path):
        yield tmp_path


@pytest.fixture
def platform(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    with serving() as made:
        monkeypatch.setenv(api.ADDRESS, made.address)
        monkeypatch.setenv(api.TOKEN, TOKEN)
        yield made


@pytest.fixture
def study(folder: Path) -> Study:
    return running(
        items=6,
        platform={"name": "prolific", "codes": {"completed": "C1"}},
        payment={"reward_cents": 200, "fee": 0.25},
    )


def published(study: Study, folder: Path) -> None:
    recruiter = Recruiter(study, Api(), who="test")
    recruiter.create_draft("https://study.example.org")
    recruiter.publish(str(recruiter.price()))


def took_part(study: Study, platform: Prolific, name: str) -> Participant:
    """Somebody who came to the end by the pages, and entered their code at Prolific."""
    client = Client()
    page = entered(client, study, f"?PROLIFIC_PID={name}&SESSION_ID=e-{name}")
    while "token" in Form(source(page)).hidden:
        page = sent(client, page)
    platform.submit(name, "AWAITING REVIEW")
    return study.participants.get(identity__ids__PROLIFIC_PID=name)


def test_what_staff_decide_about_people_comes_to_prolific_with_reasons_after_its_price_was_typed(
    platform: Prolific, study: Study, folder: Path
) -> None:
    published(study, folder)
    boss = member("boss", "manage_study")
    good, bad, rude = (took_part(study, platform, name) for name in ("good", "bad", "rude"))
    given = {
        good: [{"decision": "accept"}, {"decision": "bonus", "amount": "1.50"}],
        bad: [{"decision": "refuse", "reason": "failed both checks"}],
        rude: [{"decision": "accept"}, {"decision": "exclude", "reason": "wrote insults only"}],
    }
    for participant, decisions in given.items():
        for each in decisions:
            assert boss.post(f"/staff/rating/people/{participant.code}/", each).status_code == 302
    shown = text(boss, HERE)
    assert "Type 5.00 GBP to confirm" in shown  # two approvals: 2 * 2.00 * 1.25
    assert "Type 1.88 GBP to confirm" in shown  # 1.50 * 1.25
    assert "failed both checks" in shown
    asked = len(platform.log)
    for wrong in ("", "5", "5.00 EUR", "50.00 GBP"):
        answer = boss.post(HERE, {"act": "decide", "confirmed": wrong})
        assert answer.status_code == 422
        assert "Nothing was sent" in source(answer)  # type: ignore[arg-type]
    assert not any(line.startswith("POST") for line in platform.log[asked:])
    boss.post(HERE, {"act": "decide", "confirmed": "5.00 GBP"})
    assert {name: platform.submissions[f"e-{name}"]["status"] for name in ("good", "bad", "rude")} == {
        "good": "APPROVED", "bad": "REJECTED", "rude": "APPROVED"}  # fmt: skip
    assert platform.submissions["e-bad"]["message"] == "failed both checks"
    assert boss.post(HERE, {"act": "bonus", "confirmed": "15.00 GBP"}).status_code == 422
    assert not platform.paid
    boss.post(HERE, {"act": "bonus", "confirmed": "1.88 GBP"})
    boss.post(HERE, {"act": "bonus", "confirmed": "1.88 GBP"})  # a second click
    assert platform.paid == ["good,1.50"]
    boss.post(HERE, {"act": "sync"})
    assert bad.assignments.filter(state="rejected").count() > 0
    assert rude.assignments.filter(state="replaced").count() > 0
    after = text(boss, HERE)
    assert "No decisions are waiting" in after
    assert "No bonus is owed" in after
    assert {"recruiting: approve", "recruiting: reject", "recruiting: bonus"} <= set(
        Audit.objects.filter(who="boss").values_list("what", flat=True)
    )
    assert "sent to Prolific: approved" in text(boss, f"/staff/rating/people/{good.code}/")
    assert "sent to Prolific: rejected" in text(boss, f"/staff/rating/people/{bad.code}/")


def test_a_platform_that_does_not_answer_is_said_and_nothing_is_lost(
    platform: Prolific, study: Study, folder: Path
) -> None:
    boss = member("boss", "manage_study")
    assert "Create the draft" in text(boss, HERE)
    published(study, folder)
    platform.busy = 1
    assert "refused GET" in text(boss, HERE)
    assert "No decisions are waiting" in text(boss, HERE)


def test_only_those_who_manage_a_paid_study_of_this_server_see_the_page(
    platform: Prolific, study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(study, folder)
    looks, boss = member("ann", "export_study"), member("boss", "manage_study")
    assert looks.get(HERE).status_code == 403
    assert looks.post(HERE, {"act": "bonus", "confirmed": "0.00 GBP"}).status_code == 403
    assert HERE not in text(looks, "/staff/rating/")
    assert HERE in text(boss, "/staff/rating/")
    assert boss.post(HERE, {"act": "buy a boat"}).status_code == 422
    assert "Requests to Prolific" in text(boss, HERE)
    monkeypatch.delenv(api.TOKEN)
    assert "start the server with PROLIFIC_TOKEN" in text(boss, HERE)
    assert boss.post(HERE, {"act": "sync"}).status_code == 404
