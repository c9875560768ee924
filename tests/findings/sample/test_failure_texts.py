"""Replies that are failures though nobody recorded one."""

import random

import pytest
from benchmarks.sample_cases import FAILURES, talk

from trialogue.findings.sample.failure_texts import suspicion_of, suspicion_of_all
from trialogue.findings.sample.units import UnitAudit
from trialogue.records import ClusterKind
from trialogue.records.kinds.suspicions import Suspicion

LISTED = [text for text in FAILURES if not text.startswith("Jaribu")]


@pytest.mark.parametrize("text", LISTED)
def test_failures_are_recognised_in_many_languages(text: str) -> None:
    assert suspicion_of(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Trial and Error (1997) is fun.",
        "I'm sorry you had a bad day. Try Paddington (2014).",
        "Sorry to hear that! What do you usually enjoy?",
        "Which genres do you like?",
        "Unfortunately it isn't on Netflix, but Blade Runner is.",
        "It is a comedy of errors.",
        "No problem, have fun!",
        "1. Heat\n2. Ronin\nSorry that there are only two.",
        "Sorry, no luck with that one: 'Heat' is the closest.",
        "🙂 Enjoy!",
    ],
)
def test_replies_that_name_or_ask_something_are_none(text: str) -> None:
    assert suspicion_of(text) is None


def test_an_annotated_item_or_a_ranking_is_an_answer() -> None:
    assert suspicion_of("sorry, only this", names_items=False) is Suspicion.APOLOGY
    assert suspicion_of("sorry, only this", names_items=True) is None


def test_a_dialogue_is_suspect_if_it_ends_so_and_half_of_it_is() -> None:
    good, bad = "Have you seen Heat (1995)?", "Sorry, I cannot help with that."
    assert suspicion_of_all([good, bad]) is Suspicion.APOLOGY
    assert suspicion_of_all([good, good, bad]) is None
    assert suspicion_of_all([bad, good]) is None
    assert suspicion_of_all([]) is Suspicion.SILENT


def audited(replies: list[list[str]]) -> UnitAudit:
    audit = UnitAudit(ClusterKind.DIALOGUE)
    for place, each in enumerate(replies):
        audit.add(f"d{place}", f"dialogue:d{place}", asked=[f"I want film {place}"], replies=each)
    return audit


def test_a_failure_in_an_unknown_language_is_what_different_users_get_alike() -> None:
    said = [["Jaribu tena baadaye."] if place % 4 == 0 else [f"Try film {place}."] for place in range(20)]
    assert audited(said).facts()["suspects"] == {Suspicion.REPEATED: ("d0", "d4", "d8", "d12", "d16")}


def test_what_a_system_always_says_and_files_without_replies_are_no_failures() -> None:
    assert audited([["Enjoy."]] * 20).facts() == {}
    assert audited([[]] * 20).facts() == {}
    assert audited([["Enjoy."]] * 2 + [[f"film {place}"] for place in range(18)]).facts() == {}


def test_replies_that_recommend_are_no_failures() -> None:
    rng = random.Random(1)
    texts = [said.text for _ in range(200) for said in talk(rng) if said.speaker == "system"]
    assert [text for text in texts if suspicion_of(text) is not None] == []
