"""Titles that a catalogue does not have, and those that it has under another spelling."""

import pytest

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.records import Mention, Utterance

ITEMS = [
    Item(id="1", title="The Shawshank Redemption", year=1994, attributes={"genres": ("Prison Drama",)}),
    Item(id="2", title="Oldboy", year=2003),
    Item(id="3", title="Heat", year=1995),
    Item(id="4", title="Harry Potter and the Chamber of Secrets", year=2002),
    Item(id="5", title="Harry Potter and the Goblet of Fire", year=2005),
    Item(id="6", title="Pride & Prejudice", year=2005),
    Item(id="7", title="Sonic the Hedgehog", year=2020),
    Item(id="8", title="The Paper", year=1994),
    Item(id="9", title="Walk the Line", year=2005),
]
CHECK = TitleCheck(TitleLinker(Catalogue.from_items(ITEMS)))


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("I recommend The Shawshank Redemption (1994).", []),
        ("I recommend The Shawshenk Redemtion.", []),
        ('Try "Oldboy" (2003).', []),
        ('Try "Oldboy" (2013).', ["Oldboy (2013)"]),
        ("Have you seen Harry Potter?", []),
        ("Have you seen Harry Potter and the Goblet of Fire, or Sonic?", []),
        ("I recommend Pride and Prejudice.", []),
        ("How about Heat with Al Pacino?", []),
        ("Try Heat and The Paper Lantern.", ["The Paper Lantern"]),
        ("Try The Paper Lantern or The Paper.", ["The Paper Lantern"]),
        ("Also Walk the Line (2005) is good.", []),
        ("Do you like Prison Drama?", []),
        ("1. Heat\n2. The Silver Moon\n3. Midnight Harbor (2011)", ["The Silver Moon", "Midnight Harbor (2011)"]),
        ("What do you like?", []),
    ],
)
def test_only_what_the_catalogue_lacks_is_found(text: str, unknown: list[str]) -> None:
    assert [each.title for each in CHECK.unknown_titles(text)] == unknown
    assert [each.item_id for each in CHECK.unknown_titles(text)] == [None] * len(unknown)


def test_items_that_somebody_annotated_are_known_whatever_they_are_called() -> None:
    text = "I recommend The Silver Moon."
    place = text.index("The")
    assert CHECK.unknown_titles(text, [Mention(title="x", item_id="77", start=place, end=len(text) - 1)]) == ()


def test_links_inside_of_unknown_titles_are_dropped() -> None:
    linker = TitleLinker(Catalogue.from_items(ITEMS))
    said = Utterance(speaker="system", text="Try The Paper Lantern, or Heat (1995).")
    found = TitleCheck(linker).check_utterance(linker.link_utterance(said))
    assert found.unrecognised is not None
    assert found.mentions is not None
    assert [each.title for each in found.unrecognised] == ["The Paper Lantern"]
    assert [each.item_id for each in found.mentions] == ["3"]
