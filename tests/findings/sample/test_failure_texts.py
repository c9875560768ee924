"""Replies that are failures though nobody recorded one."""

import random

import pytest
from benchmarks.sample_cases import FAILURES, talk

from trialogue.findings.sample.failure_texts import suspicion_of, suspicion_of_all
from trialogue.findings.sample.units import UnitAudit
from trialogue.records import ClusterKind
from trialogue.records.kinds.suspicions import Suspicion

OPENINGS = (
    "Sorry, ",
    "I'm really sorry, ",
    "Oops! ",
    "Unfortunately, ",
    "I'm afraid ",
    "Regrettably, ",
    "My apologies: ",
    "",
)
FAULTS = (
    "I could not load {} just now",
    "{} is not in my database",
    "I don't have any information about {}",
    "an unexpected error occurred while looking for {}",
    "something went wrong while I was searching for {}",
    "I am having trouble finding anything like {}",
    "we ran into a snag with {}, please come back later",
    "I'm unable to recommend {} at the moment, try again tomorrow",
    "no results matched {}",
)
FILMS = ("Alien", "Blade Runner", "'Heat'", "Heat (1995)", "thrillers", "a Western with John Wayne")
LISTED = ["HTTP 500 while loading Heat (1995)", "[ERROR]", "(none)"] + [
    text for text in FAILURES if not text.startswith("Jaribu")
]


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


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_that_names_a_film_is_one_however_it_is_worded(fault: str) -> None:
    said = [f"{opening}{fault.format(film)}." for opening in OPENINGS[:-1] for film in FILMS]
    assert [text for text in said if suspicion_of(text) is None] == []


@pytest.mark.parametrize(
    "offer",
    [
        " Try Paddington (2014).",
        " How about Blade Runner?",
        " but Blade Runner is close.",
        " Paddington (2014) is like it.",
    ],
)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_offers_something_beside_is_none(fault: str, offer: str) -> None:
    end = "" if offer.startswith(" but") else "."
    assert suspicion_of(f"Sorry, {fault.format('Alien')}{end}{offer}") is None


@pytest.mark.parametrize(
    "text",
    [
        "It is about a fellow who fell in love and felt lost.",
        "A desolate story of regret and forgiveness.",
        "There are lots of scenes with impossible rescues.",
        "His plane crashed, and he never tells why.",
        "Do you mean Heat? It is not for children.",
    ],
)
def test_plots_are_no_failures(text: str) -> None:
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
