"""An answer without a preference leads to recommendations, whatever the catalogue is about."""

from pathlib import Path

import pytest

from trialogue.agents.registry import make_agent
from trialogue.catalogue import Item
from trialogue.records import Utterance, write_records
from trialogue_recommenders.conversation import ReferenceAgent

ANSWERS = (
    "Any {kind} is fine.",
    "any {kind} is ok with me",
    "All {kinds} are fine",
    "I like all {kinds}",
    "any {thing} will do",
    "Every {thing} is good for me",
    "no particular {kind}",
    "None in particular.",
    "no special wishes",
    "I'm flexible",
    "Your call!",
    "I leave that to you",
    "whatever",
    "surprise me",
)
CATALOGUES: dict[tuple[str, str, str], dict[str, tuple[str, ...]]] = {
    ("genre", "genres", "film"): {"genre": ("Drama", "Comedy"), "director": ("A. Baker", "C. Dane")},
    ("genre", "genres", "book"): {"genre": ("Crime", "History"), "author": ("E. Frost", "G. Hale")},
    ("category", "categories", "product"): {"category": ("Lamp", "Chair"), "colour": ("red", "blue")},
    ("cuisine", "cuisines", "place"): {"cuisine": ("Thai", "Greek"), "area": ("north", "south")},
}


def catalogue_in(folder: Path, values: dict[str, tuple[str, ...]]) -> str:
    names = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Juniper", "Larch")
    items = [
        Item(
            id=f"i{number}",
            title=f"{name} Number {number}",
            attributes={key: (own[number % len(own)],) for key, own in values.items()},
        )
        for number, name in enumerate(names)
    ]
    write_records(folder / "items.jsonl", items)
    return str(folder / "items.jsonl")


@pytest.mark.parametrize("words", CATALOGUES, ids=lambda words: words[2])
@pytest.mark.parametrize("name", ["genre-led", "guided", "item-centred"])
def test_who_has_no_preference_is_shown_something(name: str, words: tuple[str, str, str], tmp_path: Path) -> None:
    agent = make_agent(f"reference:{name}", catalogue=catalogue_in(tmp_path, CATALOGUES[words]))
    kind, kinds, thing = words
    for answer in ANSWERS:
        text = answer.format(kind=kind, kinds=kinds, thing=thing)
        said: list[Utterance] = []
        with agent.open("d", seed=0) as session:
            for message in ("hello", text, text):
                said.append(Utterance(speaker="user", text=message))
                said += session.reply(tuple(said)).utterances
        replies = [each for each in said if each.speaker == "system"]
        assert any("Number" in each.text for each in replies), (text, [each.text for each in replies])
        assert not any(text.strip(".") in each.text for each in replies), text  # nobody wonders what it means


@pytest.mark.parametrize("name", ["genre-led", "guided", "item-centred"])
@pytest.mark.parametrize(
    "text", ["I don't like any of them", "I do not really like all genres", "I never watch any films"]
)
def test_who_likes_none_has_a_preference(name: str, text: str) -> None:
    agent = make_agent(f"reference:{name}")
    assert isinstance(agent, ReferenceAgent)
    assert not agent.expert.listener.hear(text).says("open")
