"""Exactly k after exclusion, too: what excluded people judged is collected again, up to a ceiling that was confirmed."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.study.served import folder_of
from tests.study.test_attention import careful, careless
from tests.study.walking import FRAME, entered, item, running, walk
from trialogue.errors import UsageError
from trialogue.study.design.file import sha256_of_study
from trialogue.study.design.items import BY_TYPE
from trialogue.study.design.launch import Payment
from trialogue.study.design.platforms import budget_of
from trialogue.study.design.reading import study_of
from trialogue.study.models import Assignment, Audit, Item, Study
from trialogue.study.services import entering, launching
from trialogue.study.services.launching import load

FAST: dict[str, Any] = {"exclusion": ["too_fast"], "attention": {"checks": 0, "min_seconds_per_item": 60}}


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "trialogue", *words]
    return subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)


def kept(study: Study) -> set[int]:
    """Ratings of each item that are not those of excluded people."""
    return {
        Assignment.objects.filter(item=each, state=Assignment.State.DONE).count()
        for each in Item.objects.filter(study=study, kind="task")
    }


@pytest.mark.usefixtures("store")
def test_by_default_every_item_has_its_k_ratings_after_exclusion() -> None:
    why = [{"name": "why", "question": "Why?", "text": {"lines": 3}}]
    study = running(items=4, raters_per_item=3, items_per_participant=4, exclusion=["same_text"], questions=why)
    excluded = careless(study)
    assert excluded.flags
    assert kept(study) == {0}
    for _ in range(3):
        careful(study)
    assert kept(study) == {3}
    assert not Assignment.objects.filter(participant=excluded, state=Assignment.State.DONE).exists()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(("ceiling", "walked", "replaced"), [(0, 2, 0), (1, 3, 1), (2, 4, 2), (None, 3, 1)])
def test_no_more_people_are_replaced_than_the_ceiling_says(ceiling: int | None, walked: int, replaced: int) -> None:
    study = running(
        items=3, raters_per_item=2, replace_at_most=ceiling, **FAST
    )  # two people; a quarter, rounded up: one
    for _ in range(walked):
        walk(entered(study))
    everybody = Assignment.objects.filter(state=Assignment.State.REPLACED).values("participant").distinct()
    assert everybody.count() == replaced
    assert kept(study) == {2}  # nobody is left to come: k ratings, of people who are excluded as well
    assert entering.enter(study, {}).why == "full"


@pytest.mark.usefixtures("store")
def test_nobody_is_replaced_where_the_file_says_so() -> None:
    study = running(items=3, raters_per_item=1, replace_excluded=False, **FAST)
    walk(entered(study))
    assert kept(study) == {1}


def test_people_and_price_are_counted_before_launch() -> None:
    payment = {"reward_cents": 450, "currency": "GBP", "fee": 0.25}
    file = study_of({"study": "a", "title": "A", "type": "preference", "raters_per_item": 3, "items_per_participant": 4,
                     "payment": payment, "phases": ["tasks", "exit"]})  # fmt: skip
    found = budget_of(file, [("", f"i{number}") for number in range(20)])
    assert (found.people, found.replacements, found.most_people) == (
        15,
        4,
        19,
    )  # 20 * 3 / 4; a quarter of 15, rounded up
    assert found.price(19) == "106.88 GBP"  # 19 * 4.50 * 1.25 = 106.875
    once = budget_of(file, [("same", f"i{number}") for number in range(20)])
    assert (once.people, once.items_each) == (60, 1)  # all of one dialogue, of which everybody sees one
    assert Payment(reward_cents=1, fee=0.1).price(10).cents == 11  # exactly, not 11.000000000000002 rounded up


def paid(**more: Any) -> Study:
    fields = {"study": "paid", "type": "preference", **FRAME, "platform": {"name": "prolific"}, **more}
    file = study_of(fields)
    made = [BY_TYPE["preference"].model_validate(item("preference", number)) for number in range(3)]
    return load(file, made, sha256_of_study(file, b""))


@pytest.mark.usefixtures("store")
def test_a_study_that_pays_is_launched_by_repeating_how_many_people_that_are_at_most() -> None:
    study = paid(payment={"reward_cents": 150})
    for wrong in (None, 2, 4):
        with pytest.raises(UsageError, match=r"3 participants are paid \(4\.50 GBP\).*--confirm-places 3"):
            launching.launch(study, who="test", confirmed_places=wrong)
    study.refresh_from_db()
    assert study.state == "draft"
    assert launching.launch(study, who="test", confirmed_places=3).state == "running"
    confirmed = Audit.objects.get(what="places confirmed")
    assert confirmed.detail == {"places": 3, "price": "4.50 GBP"}


@pytest.mark.usefixtures("store")
def test_where_nobody_is_paid_or_replaced_nothing_is_to_be_confirmed() -> None:
    assert launching.launch(paid(replace_excluded=False), who="test").state == "running"
    assert launching.launch(paid(study="other", platform={"name": "none"}), who="test").state == "running"


def test_the_command_asks_and_says_the_price(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=6, payment={"reward_cents": 300, "currency": "EUR"})
    messages = run("check", str(folder))
    assert "at most 5 are paid (15.00 EUR)" in messages.stdout
    refused = run("study", "serve", str(folder), "--port", "0")
    assert refused.returncode == 2
    assert "--confirm-places 5" in refused.stderr
    assert run("study", "state", str(folder), "running").returncode == 2
    assert run("study", "state", str(folder), "running", "--confirm-places", "5").stdout == "rating: running\n"
