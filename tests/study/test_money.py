"""Money as a state machine: every fault at every arrow, backups, other payers, and what the platform changed meanwhile."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core import serializers

from tests.study.histories import a_few_and_more
from tests.study.money_kills import ARROWS
from tests.study.money_schedules import failures
from tests.study.prolific_api import TOKEN, Prolific
from tests.study.served import folder_of
from tests.study.test_recruiting import (
    BASE,
    PAID,
    _with_bonus,
    an_hour_later,
    payer,
    person,
    platform,
    published,
    recruiter,
    states_of,
    study,
)
from tests.study.walking import running, walk
from trialogue.errors import UsageError
from trialogue.study.models import Decision, PlatformRequest, Study
from trialogue.study.recruiting import api
from trialogue.study.recruiting.api import NOT_DONE, PlatformError
from trialogue.study.services.deciding import decide
from trialogue.study.services.launching import load

__all__ = ["platform", "study"]
pytestmark = pytest.mark.usefixtures("store")
ROOT = Path(__file__).parents[2]


def killed_schedules(platform: Prolific, folder: Path, *, count: int, seed: int) -> dict[str, Any]:
    """Schedules in processes that are killed, of a study made in a folder."""
    folder_of(folder, items=6, **PAID, replace_excluded=False)
    words = [sys.executable, "-m", "tests.study.money_kills", str(folder), str(count), str(seed)]
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "TRIALOGUE_STUDY")}
    ran = subprocess.run(words, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


UNCLEAR = [408, 409, 423, 425, 429, 499, 500, 502, 503, 504]


@pytest.mark.parametrize("seeds", a_few_and_more(range(80), few=range(20)))
def test_whatever_happens_between_granting_and_paying_everybody_is_paid_once(
    seeds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(api.TOKEN, TOKEN)
    study = running(items=6, **PAID)
    for number in range(1, 4):
        walk(person(study, f"p{number}"))
    assert failures(study, seeds) == {}


def test_payers_that_are_killed_at_any_arrow_pay_once(platform: Prolific, tmp_path: Path) -> None:
    ran = killed_schedules(platform, tmp_path / "study", count=ARROWS, seed=0)
    assert ran["wrong"] == []
    assert list(ran["killed"].values()) == [1] * ARROWS  # one at each of them, none of which is missed


@pytest.mark.parametrize("status", UNCLEAR)
def test_an_answer_that_does_not_say_whether_a_bonus_was_paid_leaves_it_unknown(
    platform: Prolific, study: Study, tmp_path: Path, status: int
) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    platform.says, platform.late = {"/pay/": status}, []
    with pytest.raises(PlatformError):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert states_of(study, "bonus") == ["unknown"]
    for _ in range(3):
        with pytest.raises(UsageError, match="no answer arrived"):
            payer(study, tmp_path).pay_bonuses("1.88 GBP")
    platform.arrive()
    payer(study, tmp_path).pay_bonuses("0.00 GBP")
    assert states_of(study, "bonus") == ["confirmed"]
    assert platform.paid == ["one,1.50"]


@pytest.mark.parametrize("status", sorted(NOT_DONE - set(range(300, 309))))
def test_a_clear_refusal_is_paid_at_the_next_try(platform: Prolific, study: Study, tmp_path: Path, status: int) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    real, answer = platform.answer, {"status": status}

    def refuse(method: str, path: str, *given: Any) -> dict[str, Any]:
        return {} if path.endswith("/pay/") and answer else real(method, path, *given)

    platform.answer = refuse  # type: ignore[method-assign, assignment]
    platform.says = {"/pay/": status}
    with pytest.raises(PlatformError):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert states_of(study, "bonus") == ["refused"]
    platform.says = {}
    answer.clear()
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert platform.paid == ["one,1.50"]


def test_a_restored_backup_from_before_a_bonus_pays_nothing_twice(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    backup = serializers.serialize("json", PlatformRequest.objects.all())
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    PlatformRequest.objects.all().delete()
    for each in serializers.deserialize("json", backup):
        each.save()
    owed = payer(study, tmp_path).pending_payments()
    assert owed.cents == {}
    assert len(owed.found) == 1  # said: Prolific has a payment that the ledger did not know
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert platform.paid == ["one,1.50"]
    assert payer(study, tmp_path).pending_payments().found == []


def test_settling_asks_the_platform_first_and_needs_to_be_told_which_way(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    platform.lose = "/pay/"
    with pytest.raises(PlatformError):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    an_hour_later(study)
    with pytest.raises(UsageError, match=r"Prolific lists the payment b1 as made\. It was recorded as paid"):
        payer(study, tmp_path).settle("b1", paid=False)
    payer(study, tmp_path).pay_bonuses("0.00 GBP")
    assert platform.paid == ["one,1.50"]


def test_one_unknown_payment_does_not_keep_others_from_theirs(platform: Prolific, study: Study, tmp_path: Path) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    platform.says, platform.late = {"/pay/": 504}, []
    with pytest.raises(PlatformError):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    platform.says, platform.late = {}, None
    two = person(study, "two")
    platform.submit("two", "APPROVED")
    walk(two)
    decide(two, Decision.Kind.BONUS, who="maria", amount=Decimal("1.00"))
    payer(study, tmp_path).pay_bonuses("1.25 GBP")
    assert platform.paid == ["two,1.00"]


def test_a_payment_that_would_cost_more_than_was_confirmed_is_not_made(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    real: Callable[..., dict[str, Any]] = platform.answer

    def dearer(method: str, path: str, *given: Any) -> dict[str, Any]:
        return real(method, path, *given) | ({"total_amount": 216.0} if "bonus-payments" in path else {})

    platform.answer = dearer  # type: ignore[method-assign, assignment]
    with pytest.raises(UsageError, match=r"Prolific charges 2\.16 GBP, but 1\.88 GBP was confirmed"):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert platform.paid == []


def test_all_submissions_are_decided_about_however_many_fit_on_a_page(platform: Prolific, tmp_path: Path) -> None:
    study = running(items=3, **PAID, raters_per_item=12)
    published_there = recruiter(study, tmp_path)
    published_there.create_draft(BASE)
    platform.cap = 5
    for number in range(12):
        each = person(study, f"p{number}")
        walk(each)
        platform.submit(f"p{number}", "AWAITING REVIEW")
        assert decide(each, Decision.Kind.ACCEPT, who="maria") == ""
    assert len(payer(study, tmp_path).decide("30.00 GBP").approved) == 12  # 12 * 2.00 * 1.25


def test_prices_are_those_of_the_platform_and_nothing_is_raised_there(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    platform.studies["s1"] |= {"reward": 333, "total_available_places": 3}
    assert [(each.setting, each.here, each.there, each.blocks) for each in made.preflight().differences] == [
        ("reward", "2.00 GBP", "3.33 GBP", False),
        ("places", "4", "3", False),
    ]
    with pytest.raises(UsageError, match=r"the price to confirm is 12\.49 GBP"):  # 3 * 3.33 * 1.25
        made.publish("10.00 GBP")
    made.publish("12.49 GBP")
    made.sync()
    assert platform.studies["s1"]["total_available_places"] == 3
    one = person(study, "one")
    walk(one)
    platform.submit("one", "AWAITING REVIEW")
    decide(one, Decision.Kind.ACCEPT, who="maria")
    with pytest.raises(UsageError, match=r"the price to confirm is 4\.17 GBP"):  # 3.33 * 1.25
        payer(study, tmp_path).decide("2.50 GBP")


@pytest.mark.parametrize("signed", [True, False])
def test_a_signed_study_is_a_signed_study_there_or_is_not_published(
    platform: Prolific, tmp_path: Path, signed: bool
) -> None:
    study = running(items=6, **PAID | {"platform": PAID["platform"] | {"signed": signed}})
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    assert platform.studies["s1"]["is_external_study_url_secure"] is signed
    platform.studies["s1"]["is_external_study_url_secure"] = False
    if not signed:
        made.publish("10.00 GBP")
        return
    for dry in (True, False):
        with pytest.raises(UsageError, match="does not sign its links"):
            recruiter(study, tmp_path, dry=dry).publish("10.00 GBP")
    assert platform.studies["s1"]["status"] == "UNPUBLISHED"


def test_a_code_that_prolific_does_not_know_blocks_the_publication(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    platform.studies["s1"]["completion_codes"] = [{"code": "C1"}]
    with pytest.raises(UsageError, match="a code that Prolific does not know"):
        made.publish("10.00 GBP")


def test_an_approval_whose_answer_was_lost_is_settled_by_the_status_and_costs_once(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    one = person(study, "one")
    walk(one)
    platform.submit("one", "AWAITING REVIEW")
    decide(one, Decision.Kind.ACCEPT, who="maria")
    platform.lose = "submissions/e-one/transition"
    with pytest.raises(PlatformError):
        payer(study, tmp_path).decide("2.50 GBP")
    assert states_of(study, "approve") == ["unknown"]
    assert payer(study, tmp_path).decide("").approved == []
    assert states_of(study, "approve") == ["confirmed"]
    assert sum("submissions/e-one/transition" in line for line in platform.log) == 1


def test_one_submission_that_prolific_refuses_to_decide_about_does_not_stop_the_others(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    for name in ("one", "two"):
        each = person(study, name)
        walk(each)
        platform.submit(name, "AWAITING REVIEW")
        decide(each, Decision.Kind.ACCEPT, who="maria")
    platform.says = {"submissions/e-one/transition": 400}
    done = payer(study, tmp_path).decide("5.00 GBP")
    assert len(done.failed) == 1
    assert len(done.approved) == 1
    platform.says = {}
    assert payer(study, tmp_path).decide("").approved == []  # the first had come through after all
    assert states_of(study, "approve") == ["confirmed", "confirmed"]


def test_a_study_that_is_loaded_again_keeps_its_draft(platform: Prolific, study: Study, tmp_path: Path) -> None:
    recruiter(study, tmp_path).create_draft(BASE)
    file = study.configuration | {"title": "Another title"}
    from tests.study.walking import item
    from trialogue.study.design.file import StudyFile
    from trialogue.study.design.items import BY_TYPE

    again = load(StudyFile.model_validate(file), [BY_TYPE["rating"].model_validate(item("rating", 1))], "other")
    assert again.pk != study.pk
    assert recruiter(again, tmp_path).remote_id == "s1"
