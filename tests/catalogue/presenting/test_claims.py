"""What texts claim about items, and what the catalogue says to it."""

import random
import re
from itertools import product

import pytest

from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.presenting.claims import ClaimCheck
from trialogue.records import ClaimVerdict, ItemClaim, Mention

FILMS = [
    Item(
        id="heat",
        title="Heat",
        year=1995,
        attributes={"director": ("Michael Mann",), "genre": ("Crime", "Thriller"), "runtime": ("170",)},
    ),
    Item(
        id="amelie",
        title="Amelie",
        year=2001,
        attributes={"director": ("Jean-Pierre Jeunet",), "genre": ("Comedy", "Romance"), "runtime": ("122 min",)},
    ),
    Item(
        id="alien",
        title="Alien",
        year=1979,
        attributes={"director": ("Ridley Scott",), "genre": ("Horror", "Science Fiction")},
    ),
    Item(id="blue", title="Blue Mug", attributes={"colour": ("blue",), "price": ("12.50",)}),
    Item(id="red", title="Red Mug", attributes={"colour": ("red",), "price": ("9",)}),
]
CATALOGUE = Catalogue.from_items(FILMS)
CHECK = ClaimCheck(CATALOGUE)
SUPPORTED, CONTRADICTED, UNKNOWN = ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED, ClaimVerdict.UNKNOWN


def claims(text: str) -> tuple[ItemClaim, ...]:
    mentions = [
        Mention(title=item.title, item_id=item.id, start=found.start(), end=found.end())
        for item in FILMS
        for found in re.finditer(item.title, text)
    ]
    return CHECK.claims(text, mentions)


DIRECTED = (
    "Try {title}, directed by {name}.",
    "I recommend {title}. It was directed by {name}, and it holds up.",
    "{title} - director: {name}",
    "1. {title} (a film by {name})\n2. Something else",
    "You could watch {name}'s {title}.",
    "I suggest {title}, {name}'s best work.",
    "{title} by {name} is great.",
)
YEARS = (
    "{title} came out in {year}.",
    "Try {title}, released in {year}.",
    "{title} is a {year} film.",
    "How about the {year} film {title}?",
    "{title} is from {year}.",
)
TIMES = ("{title} runs {minutes} minutes.", "{title}. It is {hours}h {rest}m long.", "{title} ({minutes} min)")


@pytest.mark.parametrize("form", DIRECTED)
def test_directors_are_checked_in_every_form(form: str) -> None:
    makers = {item.title: item.attributes["director"][0] for item in FILMS[:3]}
    for title, name in product(makers, makers.values()):
        found = [each for each in claims(form.format(title=title, name=name)) if each.attribute == "director"]
        verdict = SUPPORTED if makers[title] == name else CONTRADICTED
        assert [(each.said, each.verdict) for each in found] == [(name, verdict)], (title, name)


@pytest.mark.parametrize("form", YEARS)
def test_years_are_checked_in_every_form(form: str) -> None:
    rng = random.Random(4)
    for item in FILMS[:3]:
        assert item.year is not None
        for year in (item.year, item.year + 1, item.year + 2, item.year - rng.randint(2, 40)):
            found = [each for each in claims(form.format(title=item.title, year=year)) if each.attribute == "year"]
            verdict = SUPPORTED if abs(year - item.year) <= 1 else CONTRADICTED
            assert [(each.said, each.verdict) for each in found] == [(str(year), verdict)]


@pytest.mark.parametrize("form", TIMES)
def test_running_times_are_checked_in_every_form(form: str) -> None:
    for title, length in (("Heat", 170), ("Amelie", 122)):
        for minutes in (length, length + 2, length - 15, length + 30):
            text = form.format(title=title, minutes=minutes, hours=minutes // 60, rest=minutes % 60)
            (found,) = (each for each in claims(text) if each.attribute == "runtime")
            assert found.verdict is (SUPPORTED if abs(minutes - length) <= 3 else CONTRADICTED), text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Heat is a crime thriller.", [("genre", "crime thriller", SUPPORTED)]),
        ("Heat is a romantic comedy.", [("genre", "romantic comedy", CONTRADICTED)]),
        ("Heat is a comedy thriller.", [("genre", "comedy thriller", SUPPORTED)]),
        ("Alien: a sci-fi film.", [("genre", "sci-fi", SUPPORTED)]),
        ("Alien is not a comedy.", []),
        ("Is Heat directed by Ridley Scott?", []),
        ("Heat was not directed by Ridley Scott.", []),
        ("If you liked films directed by Michael Mann, try Alien.", []),
        ("Heat stars Val Kilmer.", [("actor", "Val Kilmer", UNKNOWN)]),
        ("The Blue Mug costs $12.50.", [("price", "$12.50", SUPPORTED)]),
        (
            "The Blue Mug costs 9 euros; its colour is red.",
            [("price", "9 euros", CONTRADICTED), ("colour", "red", CONTRADICTED)],
        ),
        ("The Blue Mug's colour is great.", []),
        ("Heat is great, and so is Alien, directed by Ridley Scott.", [("director", "Ridley Scott", SUPPORTED)]),
        ("Amelie is about two hours long.", [("runtime", "two hours", SUPPORTED)]),
        ("Nothing here.", []),
    ],
)
def test_what_is_said_is_told_from_what_is_not(text: str, expected: list[tuple[str, str, ClaimVerdict]]) -> None:
    assert [(each.attribute, each.said, each.verdict) for each in claims(text)] == expected


def test_values_stand_where_the_claim_says() -> None:
    for text in (
        "Try Heat, directed by Ridley Scott.",
        "Heat came out in 1980.",
        "The 1979 film Alien is by Ridley Scott.",
    ):
        assert all(text[each.start : each.end] == each.said for each in claims(text))
