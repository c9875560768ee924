"""A study on Prolific from the draft to the last bonus: no money without its typed price, and never twice."""

import os
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.conf import settings

from tests.study.prolific_api import TOKEN, Prolific, serving
from tests.study.walking import running, walk
from trialogue.errors import UsageError
from trialogue.study.design.platforms import signed_link
from trialogue.study.models import Assignment, Audit, Decision, Participant, Study
from trialogue.study.recruiting import api
from trialogue.study.recruiting.api import Api, PlatformError
from trialogue.study.recruiting.decisions import Payer
from trialogue.study.recruiting.following import follow, waiting_for
from trialogue.study.recruiting.prolific import Recruiter
from trialogue.study.services import entering
from trialogue.study.services.deciding import decide

pytestmark = pytest.mark.usefixtures("store")
BASE = "https://study.example.org"
PAID: dict[str, Any] = {
    "platform": {
        "name": "prolific",
        "codes": {"completed": "C1", "failed_check": "C2"},
        "actions": {"completed": "AUTOMATICALLY_APPROVE"},
    },
    "payment": {"reward_cents": 200, "fee": 0.25},
}


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    with serving() as made:
        monkeypatch.setenv(api.ADDRESS, made.address)
        monkeypatch.setenv(api.TOKEN, TOKEN)
        monkeypatch.setattr(api, "PAUSE_S", 0.001)
        yield made


@pytest.fixture
def study() -> Study:
    return running(items=6, **PAID)  # 4 people of 3 items, 2 each; a quarter of them, 1, may be replaced


def recruiter(study: Study, folder: Path, **options: Any) -> Recruiter:
    return Recruiter(study, Api(**options), who="test")


def payer(study: Study, folder: Path, **options: Any) -> Payer:
    return Payer(study, Api(**options), who="test")


def person(study: Study, name: str) -> Participant:
    given = {"PROLIFIC_PID": name, "SESSION_ID": f"e-{name}", "STUDY_ID": "s1"}
    came = entering.enter(study, given).participant
    assert came is not None
    return came


def published(study: Study, folder: Path) -> Recruiter:
    made = recruiter(study, folder)
    made.create_draft(BASE)
    made.publish("10.00 GBP")
    return made


def states_of(study: Study, kind: str) -> list[str]:
    """States of the requests of a kind, in order."""
    return list(study.platform_requests.filter(kind=kind).values_list("state", flat=True))


def an_hour_later(study: Study) -> None:
    """Requests were sent an hour ago."""
    for each in study.platform_requests.all():
        study.platform_requests.filter(pk=each.pk).update(sent_at=each.sent_at - timedelta(hours=1, seconds=1))


def test_a_draft_holds_what_the_study_file_says(platform: Prolific, study: Study, tmp_path: Path) -> None:
    assert recruiter(study, tmp_path).create_draft(BASE) == "s1"
    draft = platform.studies["s1"]
    assert draft["external_study_url"].startswith("https://study.example.org/rating/?PROLIFIC_PID={{%PROLIFIC_PID%}}&")
    assert (draft["reward"], draft["total_available_places"], draft["estimated_completion_time"]) == (200, 4, 20)
    assert [(each["code"], each["code_type"], each["actions"]) for each in draft["completion_codes"]] == [
        ("C1", "COMPLETED", [{"action": "AUTOMATICALLY_APPROVE"}]),
        ("C2", "FAILED_ATTENTION_CHECK", [{"action": "MANUALLY_REVIEW"}]),
    ]
    with pytest.raises(UsageError, match="A draft already exists: s1"):
        recruiter(study, tmp_path).create_draft(BASE)


def test_a_draft_whose_answer_was_lost_is_found_and_not_made_again(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    platform.lose = "POST /studies/"
    with pytest.raises(PlatformError, match="did not answer"):
        recruiter(study, tmp_path).create_draft(BASE)
    assert recruiter(study, tmp_path).create_draft(BASE) == "s1"
    assert list(platform.studies) == ["s1"]


def test_nothing_is_published_without_the_typed_price_of_all_places(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    assert str(made.price()) == "10.00 GBP"  # 4 * 2.00 * 1.25
    for wrong in ("", "10.0 GBP", "10.00 EUR", "12.50 GBP"):
        with pytest.raises(UsageError, match="Nothing was published"):
            made.publish(wrong)
    assert platform.studies["s1"]["status"] == "UNPUBLISHED"
    made.publish("10.00 GBP")
    assert platform.studies["s1"]["status"] == "ACTIVE"
    with pytest.raises(UsageError, match="already published"):
        made.publish("10.00 GBP")


def test_a_publication_whose_answer_was_lost_is_looked_up(platform: Prolific, study: Study, tmp_path: Path) -> None:
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    platform.lose = "POST /studies/s1/transition/"
    with pytest.raises(PlatformError):
        made.publish("10.00 GBP")
    made.publish("10.00 GBP")
    assert platform.log.count("POST /studies/s1/transition/") == 1
    assert states_of(study, "publish") == ["confirmed"]


def test_a_dry_run_shows_every_request_and_changes_nothing(platform: Prolific, study: Study, tmp_path: Path) -> None:
    messages: list[str] = []
    recruiter(study, tmp_path, dry=True, tell=messages.append).create_draft(BASE)
    assert messages[0].startswith('POST /studies/ {"completion_codes"')
    assert not platform.log
    assert not study.platform_requests.exists()
    recruiter(study, tmp_path).create_draft(BASE)
    recruiter(study, tmp_path, dry=True, tell=messages.append).publish("")
    assert messages[1] == 'POST /studies/s1/transition/ {"action": "PUBLISH"}'
    assert platform.studies["s1"]["status"] == "UNPUBLISHED"
    assert not any(TOKEN in line for line in messages)


def test_places_come_back_by_themselves(platform: Prolific, study: Study, tmp_path: Path) -> None:
    made = published(study, tmp_path)
    gone, late, here = (person(study, name) for name in ("gone", "late", "here"))
    for name, status in (("gone", "RETURNED"), ("late", "TIMED-OUT"), ("here", "ACTIVE")):
        platform.submit(name, status)
    for number in range(api.PAGE):  # two pages
        platform.submit(f"other{number}", "APPROVED")
    found = made.sync()
    assert sorted(found.freed) == ["gone", "late"]
    assert len(found.unknown) == api.PAGE
    for each in (gone, late, here):
        each.refresh_from_db()
    assert [each.state for each in (gone, late, here)] == ["returned", "timed_out", "arrived"]
    assert platform.studies["s1"]["total_available_places"] == 4


def test_the_places_of_excluded_people_are_opened_there_too_up_to_what_was_confirmed(
    platform: Prolific, tmp_path: Path
) -> None:
    fast: dict[str, Any] = {"exclusion": ["too_fast"], "attention": {"checks": 0, "min_seconds_per_item": 60}}
    study = running(items=6, **PAID, **fast)
    made = published(study, tmp_path)
    for name in ("a", "b", "c"):
        walk(person(study, name))
        assert made.sync().places_due == 1  # one of three: the ceiling
    assert platform.studies["s1"]["total_available_places"] == 4  # nothing is spent that nobody confirmed
    with pytest.raises(UsageError, match=r"No place was opened: the price to confirm is 2\.50 GBP"):
        made.open_places("5.00 GBP")
    assert made.open_places("2.50 GBP") == 1
    assert made.open_places("2.50 GBP") == 0
    assert platform.studies["s1"]["total_available_places"] == 5
    assert platform.log.count("PATCH /studies/s1/") == 1
    assert made.sync().places_due == 0


def test_submissions_are_decided_as_staff_decided_with_reasons(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    states = {"good": "AWAITING REVIEW", "bad": "AWAITING REVIEW", "soon": "ACTIVE", "left": "TIMED-OUT"}
    people = {name: person(study, name) for name in (*states, "open")}
    for name, each in people.items():
        walk(each)
        platform.submit(name, states.get(name, "AWAITING REVIEW"))
    for name in ("good", "soon", "left"):
        assert decide(people[name], Decision.Kind.ACCEPT, who="maria") == ""
    assert decide(people["bad"], Decision.Kind.REFUSE, who="maria", reason="failed both checks") == ""
    money = payer(study, tmp_path)
    assert str(money.approval_price(money.pending_decisions())) == "2.50 GBP"  # one approval: 2.00 * 1.25
    for wrong in ("", "2.5", "5.00 GBP", "2.50 EUR"):
        with pytest.raises(UsageError, match=r"Nothing was sent: the price to confirm is 2\.50 GBP"):
            payer(study, tmp_path).decide(wrong)
    assert not any("transition" in line for line in platform.log if "submissions" in line)
    done = payer(study, tmp_path).decide("2.50 GBP")
    assert (done.approved, done.rejected) == ([people["good"].code], [people["bad"].code])
    assert (done.later, done.impossible) == ([people["soon"].code], [people["left"].code])
    assert {name: platform.submissions[f"e-{name}"]["status"] for name in people} == {
        "good": "APPROVED", "bad": "REJECTED", "soon": "ACTIVE", "left": "TIMED-OUT", "open": "AWAITING REVIEW"}  # fmt: skip
    platform.submissions["e-soon"]["status"] = "AWAITING REVIEW"
    assert payer(study, tmp_path).decide("2.50 GBP").approved == [people["soon"].code]
    assert not payer(study, tmp_path).decide("").approved
    assert payer(study, tmp_path).pending_decisions().contrary == []
    platform.submissions["e-good"]["status"] = "REJECTED"  # by hand, there
    assert payer(study, tmp_path).pending_decisions().contrary == [people["good"].code]


def test_an_approval_whose_answer_was_lost_is_not_sent_again(platform: Prolific, study: Study, tmp_path: Path) -> None:
    published(study, tmp_path)
    for name in ("a", "b"):
        each = person(study, name)
        walk(each)
        platform.submit(name, "AWAITING REVIEW")
        assert decide(each, Decision.Kind.ACCEPT, who="maria") == ""
    platform.lose = "transition"
    with pytest.raises(PlatformError, match="did not answer"):
        payer(study, tmp_path).decide("5.00 GBP")
    with pytest.raises(UsageError, match=r"the price to confirm is 2\.50 GBP"):  # the first was approved: one is left
        payer(study, tmp_path).decide("5.00 GBP")
    payer(study, tmp_path).decide("2.50 GBP")
    assert sum("transition" in line for line in platform.log if "submissions" in line) == 2


def test_the_place_of_somebody_who_completed_and_was_rejected_comes_back_and_a_second_look_changes_nothing(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made = published(study, tmp_path)
    one, gone, bad = person(study, "one"), person(study, "gone"), person(study, "bad")
    for each in (one, bad):
        walk(each)
    for name, status in (("one", "AWAITING REVIEW"), ("gone", "RETURNED"), ("bad", "REJECTED")):
        platform.submit(name, status)
    before = Assignment.objects.filter(state="done").count()
    found = made.sync()
    assert (found.freed, found.replaced) == (["gone"], ["bad"])
    assert Assignment.objects.filter(state="done").count() == before - 3
    assert bad.assignments.filter(state="rejected").count() == 3
    assert platform.studies["s1"]["total_available_places"] == 4  # Prolific opens a rejected place itself
    gone.refresh_from_db()
    ended = gone.finished_at
    found = made.sync()
    assert (found.freed, found.replaced) == ([], [])
    gone.refresh_from_db()
    assert gone.finished_at == ended
    assert Audit.objects.filter(what="reconcile").count() == 1  # nothing new, nothing logged


def test_whom_prolific_rejected_is_not_paid_and_takes_no_place_below_the_ceiling_of_replacements(
    platform: Prolific, tmp_path: Path
) -> None:
    fast: dict[str, Any] = {"exclusion": ["too_fast"], "attention": {"checks": 0, "min_seconds_per_item": 60}}
    study = running(items=6, **PAID, **fast)  # everybody is excluded, and one is replaced at most
    made = published(study, tmp_path)
    first, second, third = (person(study, name) for name in ("first", "second", "third"))
    for each in (first, second):
        walk(each)
    states = {each: set(each.assignments.values_list("state", flat=True)) for each in (first, second)}
    assert states == {first: {"replaced"}, second: {"done"}}  # the ceiling was reached
    for name in ("first", "second"):
        platform.submit(name, "REJECTED")
    assert made.sync().replaced == ["second"]  # the first one's items were given out again before
    for each in (first, second):
        assert set(each.assignments.values_list("state", flat=True)) == {"rejected"}
    assert platform.studies["s1"]["total_available_places"] == 4  # Prolific opens a rejected place itself
    walk(third)
    assert set(third.assignments.values_list("state", flat=True)) == {"replaced"}  # below the ceiling again
    assert made.sync().places_due == 1  # four are paid as planned, and the third besides


def test_rejected_work_is_asked_again_also_where_excluded_people_are_not_replaced(
    platform: Prolific, tmp_path: Path
) -> None:
    study = running(items=6, **PAID, replace_excluded=False)
    made = recruiter(study, tmp_path)
    made.create_draft(BASE)
    made.publish("10.00 GBP")
    bad = person(study, "bad")
    walk(bad)
    platform.submit("bad", "REJECTED")
    assert made.sync().replaced == ["bad"]  # its place opens there, and who comes finds something to do
    assert set(bad.assignments.values_list("state", flat=True)) == {"rejected"}


def test_who_came_by_a_link_that_we_signed_is_decided_about_and_paid_by_the_id_in_it(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    query = signed_link("", study=study.slug, person="one", key=settings.SECRET_KEY).removeprefix("?")
    came = entering.enter(study, dict(parse_qsl(query))).participant
    assert came is not None
    assert came.signed
    platform.submit("one", "AWAITING REVIEW")
    walk(came)
    assert decide(came, Decision.Kind.BONUS, who="maria", amount=Decimal("1.50")) == ""
    assert decide(came, Decision.Kind.ACCEPT, who="maria") == ""
    money = payer(study, tmp_path)
    assert money.decide("2.50 GBP").approved == [came.code]
    money.pay_bonuses("1.88 GBP")
    assert platform.paid == ["one,1.50"]


def _with_bonus(study: Study, platform: Prolific) -> Participant:
    one = person(study, "one")
    platform.submit("one", "AWAITING REVIEW")
    walk(one)
    assert decide(one, Decision.Kind.BONUS, who="maria", amount=Decimal("1.50")) == ""
    return one


def test_bonuses_are_paid_once_after_their_sum_was_typed(platform: Prolific, study: Study, tmp_path: Path) -> None:
    published(study, tmp_path)
    one = _with_bonus(study, platform)
    assert str(payer(study, tmp_path).bonus_price()) == "1.88 GBP"
    with pytest.raises(UsageError, match="Nothing was paid"):
        payer(study, tmp_path).pay_bonuses("1.5")
    assert not platform.paid
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    payer(study, tmp_path).pay_bonuses("0.00 GBP")
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert platform.paid == ["one,1.50"]
    decide(one, Decision.Kind.BONUS, who="maria", amount=Decimal("0.25"))
    payer(study, tmp_path).pay_bonuses("0.32 GBP")
    assert platform.paid == ["one,1.50", "one,0.25"]  # what was not paid before, and no more


def test_an_id_that_somebody_made_up_is_paid_nothing_and_pays_nobody_else(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    published(study, tmp_path)
    honest, hostile = person(study, "one"), person(study, "two,999.00\ntwo")
    platform.submit("two", "AWAITING REVIEW")
    for each in (honest, hostile):
        walk(each)
        assert decide(each, Decision.Kind.BONUS, who="maria", amount=Decimal("1.50")) == ""
    assert str(payer(study, tmp_path).bonus_price()) == "0.00 GBP"  # Prolific lists neither of the two ids
    platform.submit("one", "AWAITING REVIEW")
    assert str(payer(study, tmp_path).bonus_price()) == "1.88 GBP"
    payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert platform.paid == ["one,1.50"]
    assert payer(study, tmp_path).pending_payments().unlisted == [hostile.code]


@pytest.mark.parametrize("paid", [True, False])
def test_a_payment_whose_answer_was_lost_is_never_repeated_by_itself(
    platform: Prolific, study: Study, tmp_path: Path, paid: bool
) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    platform.lose = "/pay/"
    platform.silent = True
    with pytest.raises(PlatformError):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    for _ in range(2):  # Prolific does not tell what it paid: a person has to look
        with pytest.raises(UsageError, match=r"no answer arrived.*settle b1 --paid"):
            payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert len(platform.paid) == 1
    if not paid:
        with pytest.raises(UsageError, match="may still make the payment b1"):
            payer(study, tmp_path).settle("b1", paid=False)
        an_hour_later(study)
    payer(study, tmp_path).settle("b1", paid=paid)
    assert str(payer(study, tmp_path).bonus_price()) == ("0.00 GBP" if paid else "1.88 GBP")
    with pytest.raises(UsageError, match="no unsettled payment"):
        payer(study, tmp_path).settle("b1", paid=paid)


def test_reading_is_tried_again_where_the_platform_is_busy_and_its_errors_are_said_in_its_words(
    platform: Prolific, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = published(study, tmp_path)
    platform.busy = 2
    assert made.sync().freed == []
    monkeypatch.setenv(api.TOKEN, "wrong")
    with pytest.raises(PlatformError, match=r"\(401\): who are you\?"):
        recruiter(study, tmp_path).sync()


def test_without_token_payment_https_or_codes_nothing_is_asked(
    platform: Prolific, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="HTTPS"):
        recruiter(study, tmp_path).create_draft("http://study.example.org")
    with pytest.raises(UsageError, match="There is no draft"):
        recruiter(study, tmp_path).sync()
    free = running(name="free", **{**PAID, "payment": None})
    with pytest.raises(UsageError, match="payment"):
        recruiter(free, tmp_path)
    other = running(name="other", **{**PAID, "platform": {"name": "none"}})
    with pytest.raises(UsageError, match="prolific"):
        recruiter(other, tmp_path)
    codeless = running(name="codeless", **{**PAID, "platform": {"name": "prolific"}})
    with pytest.raises(UsageError, match="completion code in platform"):
        recruiter(codeless, tmp_path).create_draft(BASE)
    monkeypatch.delenv(api.TOKEN)
    with pytest.raises(UsageError, match=api.TOKEN):
        Api()
    assert not platform.log


def test_places_are_looked_for_again_and_again_and_trouble_is_a_line(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made, now = published(study, tmp_path), [0.0]
    lines: list[str] = []
    person(study, "gone")
    happens = {
        300.0: lambda: setattr(platform, "busy", 4),
        600.0: lambda: platform.submit("gone", "RETURNED"),
    }

    def wait(seconds: float) -> bool:
        now[0] += seconds
        happens.get(now[0], lambda: None)()
        return now[0] < 1500

    follow(made.sync, every_s=300, wait=wait, tell=lines.append)
    assert [each.partition(":")[0] for each in lines] == ["Places could not be synchronised with Prolific", "Prolific"]
    assert lines[1].startswith("Prolific: 1 returned, timed out or were rejected")
    assert (
        platform.log.count("GET /studies/s1/submissions/") == 1 + 4 + 3 * 2
    )  # empty; four tries; a page, and that nothing follows


def test_the_process_beside_a_server_ends_with_it() -> None:
    assert not waiting_for(os.getppid() + 1)(60)  # another parent: the server is gone
    assert waiting_for(os.getppid())(0.01)


def test_a_redirect_is_no_answer_and_takes_no_token_along(platform: Prolific, study: Study, tmp_path: Path) -> None:
    published(study, tmp_path)
    _with_bonus(study, platform)
    platform.moved = "/pay/"
    with pytest.raises(PlatformError, match=r"\(302\)"):
        payer(study, tmp_path).pay_bonuses("1.88 GBP")
    assert not platform.paid
    assert not platform.leaked
    platform.moved = ""
    payer(study, tmp_path).pay_bonuses("1.88 GBP")  # it was not paid, and that is known
    assert platform.paid == ["one,1.50"]


def test_a_list_that_cannot_be_understood_is_an_error_of_the_platform_and_ends_no_timer(
    platform: Prolific, study: Study, tmp_path: Path
) -> None:
    made, lines = published(study, tmp_path), list[str]()
    platform.mangled = True
    with pytest.raises(PlatformError, match="lacks id or participant_id or status"):
        made.sync()
    follow(made.sync, every_s=60, wait=lambda seconds: False, tell=lines.append)
    assert "could not be synchronised" in lines[0]


def test_a_draft_without_an_id_is_not_taken_for_one(
    platform: Prolific, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = recruiter(study, tmp_path)
    monkeypatch.setattr(platform, "answer", lambda *given: {})
    with pytest.raises(PlatformError, match="did not return the id"):
        made.create_draft(BASE)
    with pytest.raises(UsageError, match="no draft"):
        made.publish("10.00 GBP")


def test_the_amount_is_confirmed_not_its_spelling(platform: Prolific, tmp_path: Path) -> None:
    paid = PAID | {"payment": {"reward_cents": 100_000, "fee": 0.25}}
    made = recruiter(running(items=6, **paid), tmp_path)
    made.create_draft(BASE)
    assert str(made.price()) == "5,000.00 GBP"  # 4 * 1,000.00 * 1.25
    for wrong in ("5000 GBP", "5000.00", "5,00.00 EUR", "-5000.00 GBP", "5000.00 GBP 1"):
        with pytest.raises(UsageError, match=r"the price to confirm is 5,000\.00 GBP"):
            made.publish(wrong)
    made.publish(" 5000.00  GBP")
    assert platform.studies["s1"]["status"] == "ACTIVE"


def test_a_draft_of_a_study_without_payment_is_refused() -> None:
    from trialogue.study.recruiting.preflight import draft_body
    from trialogue.study.services.rows import file_of

    unpaid = file_of(running(items=6, **PAID)).model_copy(update={"payment": None})
    with pytest.raises(UsageError, match="The study file has no payment"):
        draft_body(unpaid, 4, base_url=BASE, study=running(name="s", items=6, **PAID))
