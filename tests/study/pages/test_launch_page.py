"""The launch page for logins that may manage, without a platform: soft launch, strata and pause."""

import re

import pytest

from tests.study.pages.test_staff import member, text
from tests.study.test_launch import CHECKED, STRATIFIED, ended, screened
from tests.study.walking import running
from trialogue.study.models import Study
from trialogue.study.services import entering

pytestmark = pytest.mark.usefixtures("database")
HERE = "/staff/rating/launch/"


def test_strata_soft_launch_and_failed_checks_are_shown_and_gone_on_with() -> None:
    study = running(items=6, **STRATIFIED, launch={"first": 1})
    screened(study, "young")
    boss = member("boss", "manage_study")
    shown = " ".join(re.sub(r"<[^>]+>", " ", text(boss, HERE)).split())
    assert "1 of 1" in shown
    assert "young 6 0 3 3" in shown  # needed, counted, in progress, open
    assert "old 6 0 0 6" in shown
    assert "Requests to Prolific" not in shown
    assert entering.enter(study, {}).why == "paused"
    assert boss.post(HERE, {"act": "go_on"}).status_code == 302
    assert boss.post(HERE, {"act": "go_on"}).status_code == 302  # by somebody else, at the same time
    assert "until you go on" not in text(boss, HERE)
    assert entering.enter(study, {}).why == "entered"
    assert boss.post(HERE, {"act": "publish"}).status_code == 404


def test_a_pause_by_the_rule_is_told_on_both_pages_and_ends_where_somebody_opens_the_study() -> None:
    study = running(items=9, launch={"most_failed": 0.4, "least_completed": 2}, **CHECKED)
    boss = member("boss", "manage_study")
    assert "more than 40% of the participants" in text(boss, HERE)
    for _ in range(2):
        ended(study, careful=False)
    for path in (HERE, "/staff/rating/"):
        assert "2 of 2 participants who completed failed" in text(boss, path)
    assert boss.post("/staff/rating/state/", {"state": "running", "launch": "1"})["Location"] == HERE
    assert Study.objects.get().state == "running"
    assert "too many failed checks" not in text(boss, HERE)


def test_a_draft_that_costs_money_is_opened_by_its_number_of_people_only() -> None:
    study = running(items=6, payment={"reward_cents": 100})
    Study.objects.update(state="draft")
    boss = member("boss", "manage_study")
    assert "Type 5 to confirm" in text(boss, HERE)  # 4 people and one replacement
    assert "Type 5" not in text(boss, "/staff/rating/")
    for wrong in ("", "4", "five", "5.0", "٥"):
        assert boss.post(HERE, {"act": "launch", "confirmed": wrong}).status_code == 422
    assert boss.post(HERE, {"act": "launch", "confirmed": "5"}).status_code == 302
    study.refresh_from_db()
    assert study.state == "running"
    assert study.audits.filter(who="boss", what="places confirmed").exists()
