"""Facts of a catalogue in texts: names in full and in part, years, and rare words of descriptions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.facts import Fact, FactIndex, FactKind


def film(item_id: str, year: int, people: tuple[str, ...], description: str = "", **more: tuple[str, ...]) -> Item:
    attributes = {"actor": people, "genre": ("Drama",), **more}
    return Item(id=item_id, title=item_id, year=year, attributes=attributes, description=description or None)


FILMS = Catalogue.from_items(
    [
        film(
            "a", 1980, ("Shelley Duvall", "Robert De Niro"), "A drama in a lighthouse.", director=("Stanley Kubrick",)
        ),
        film("b", 1999, ("Tom Cruise", "Peter Jackson"), "A lighthouse.", director=("Stanley Kubrick",)),
        film("c", 1980, ("Samuel L. Jackson", "Will Black", "Jordan Peele", "Robert Downey Jr.")),
        film("d", 2001, ("Michael Jordan", "Björk", "Pedro Almodóvar"), "A lighthouse keeper.", character=("Ripley",)),
    ]
)
INDEX = FactIndex(FILMS)


def keys(text: str) -> list[str]:
    return [each.fact.key for each in INDEX.find(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("something with tom cruise", ["tom cruise"]),  # whole names in any case
        ("Duvall or Kubrick?", ["shelley duvall", "stanley kubrick"]),
        ("kubrick with a duvall", []),  # last names alone are written with a capital letter
        ("with De Niro", ["robert de niro"]),
        ("with Pedro Almodovar", ["pedro almodovar"]),
        ("Björk!", ["bjork"]),
        ("Ripley is in it", ["ripley"]),
        ("Downey", ["robert downey"]),
        ("Kubrick's film of 1980", ["stanley kubrick", "1980"]),
        ("Peter Jackson", ["peter jackson"]),
        ("Jackson", []),  # two people's
        ("Jordan", []),  # somebody's first name
        ("Cruise and Black", []),  # everyday words
        ("Penelope Duvall", []),  # somebody else
        ("Duvall Control", []),
        ("Mrs. Duvall", []),
        ("Annabelle (1980)", []),  # the year of that title
        ("the 1980s", []),
        ("1950", []),  # no item's
        ("drama", []),  # a genre is no rare word
        ("the keeper", ["keeper"]),
        ("a lighthouse", []),  # in three of four descriptions
        ("", []),
    ],
)
def test_what_a_text_states(text: str, found: list[str]) -> None:
    assert keys(text) == found


def test_facts_have_places_and_items() -> None:
    (stated,) = INDEX.find("by Stanley Kubrick.")
    assert (stated.start, stated.end, stated.is_whole) == (3, 18, True)
    assert INDEX.items_with(stated.fact) == {"a", "b"}
    assert INDEX.attributes_of(stated.fact) == {"director"}
    assert stated.fact in INDEX.facts_of("a")
    assert stated.fact not in INDEX.facts_of("c")
    assert [each.is_whole for each in INDEX.find("Kubrick")] == [False]
    assert INDEX.items_with(Fact(FactKind.NAME, "nobody")) == frozenset() == INDEX.facts_of("none")


def test_a_word_is_rare_in_at_most_two_items_or_a_hundredth() -> None:
    """Of 300 items, three may have the word: 1%."""
    items = [film(str(number), 1990, (f"Abc Name{number}",), "whale" if number < 3 else "") for number in range(300)]
    assert [each.fact.key for each in FactIndex(Catalogue.from_items(items)).find("a whale")] == ["whale"]
    more = [*items, film("one more", 1990, ("Abc Other",), "whale")]
    assert FactIndex(Catalogue.from_items(more)).find("a whale") == ()


def test_an_empty_catalogue_has_no_facts() -> None:
    index = FactIndex(Catalogue.from_items([]))
    assert index.find("Tom Cruise 1999") == ()
    assert not index.may_name("Tom Cruise")


@given(st.text(max_size=60) | st.sampled_from(["Björk", "tom cruise", "De Niro", "Kubrick's", "Björk's film, 1980"]))
def test_whoever_is_found_may_be_named(text: str) -> None:
    if any(each.fact.kind is FactKind.NAME for each in INDEX.find(text)):
        assert INDEX.may_name(text)
