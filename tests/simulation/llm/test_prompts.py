"""Prompts: what is filled in, what is signed, and what never stands in them."""

import re

import pytest

from tests.simulation.made import films
from trialogue.errors import UnknownNameError
from trialogue.records import Constraint, Need
from trialogue.simulation.llm.prompts import (
    NAMES,
    PLACEHOLDER,
    PROMPTS,
    check_prompt,
    describe_need,
    describe_persona,
    describe_target,
    describe_tastes,
    fill_in,
    signature_of,
)

IDS = tuple(films())
NEED = Need(
    id="n",
    constraints=(
        Constraint(attribute="genre", values=("Thriller", "Crime")),
        Constraint(attribute="decade", values=("1990s",), relaxable=True),
    ),
    targets=(IDS[0],),
    acceptable=IDS[:2],
    examples=(IDS[2],),
    known=(IDS[2], IDS[3], IDS[4]),
    disliked=(IDS[4],),
    requests=("director", "actor"),
)


def test_a_need_is_reported_without_what_satisfies_it() -> None:
    titles = [films()[item].title_with_year for item in IDS[:5]]
    assert describe_need(NEED, films()).split("\n") == [
        "- genre: Thriller or Crime",
        "- decade: 1990s (you can do without)",
        f"- You know and like: {titles[2]}.",
        f"- You know already, and want something new: {titles[3]}.",
        f"- You did not like: {titles[4]}.",
        "- Once something suits, ask about its director and its actor.",
    ]
    assert not any(films()[item].title in describe_need(NEED, films()) for item in NEED.acceptable)


def test_a_target_is_described_by_all_that_the_catalogue_says() -> None:
    item = films()[IDS[0]]
    lines = describe_target(NEED, films()).split("\n")
    assert lines[0] == f"- {item.title_with_year}. This title stays your secret."
    assert f"- its genre: {', '.join(item.attributes['genre'])}" in lines
    assert lines[-1] == f"- its year: {item.year}"


def test_tastes_are_reported_with_attributes_and_without_what_satisfies_the_need() -> None:
    text = describe_tastes(NEED, films(), ("genre",))
    liked, other, disliked = (films()[IDS[place]] for place in (2, 3, 4))
    assert f"- You like: {liked.title_with_year} ({', '.join(liked.attributes['genre'])})." in text
    assert f"- You do not like: {disliked.title_with_year} (" in text
    assert f"- You know, too: {other.title_with_year}." in text
    assert not any(films()[item].title in text for item in NEED.acceptable)


def test_an_empty_need_and_an_empty_persona_add_nothing_to_the_prompt() -> None:
    assert describe_need(Need(id="n"), films()) == ""
    assert describe_persona("") == ""
    assert describe_persona("a nurse from Leeds").startswith("Who you are: a nurse from Leeds\n")


@pytest.mark.parametrize("kind", PROMPTS)
def test_every_prompt_has_only_places_that_are_filled_in(kind: str) -> None:
    for text in PROMPTS[kind].values():
        assert check_prompt(text) == text
        whole = fill_in(text, dict.fromkeys(NAMES, "{domain} <value>"))
        assert PLACEHOLDER.search(whole.replace("{domain} <value>", "")) is None
        assert not re.search(r"\n{3}", whole)


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    assert fill_in("{who} {need}", {"who": "{need}", "need": "x"}) == "{need} x"
    with pytest.raises(UnknownNameError, match="domian"):
        check_prompt("You look for {domian}.")


def test_a_signature_changes_with_the_kind_and_with_every_text() -> None:
    own = {name: signature_of(name, texts) for name, texts in PROMPTS.items()}
    assert len(set(own.values())) == len(PROMPTS)
    changed = {**PROMPTS["single"], "first": "Go."}
    assert signature_of("single", changed) != own["single"] == signature_of("single", dict(PROMPTS["single"]))
