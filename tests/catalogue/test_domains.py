"""What a catalogue is about is told by its attributes; numbers become ranges that people ask for."""

import csv
from pathlib import Path

import pytest

from trialogue.catalogue import Catalogue, Item, domain_of, spoken_attributes
from trialogue.catalogue.domains import domain_name
from trialogue.catalogue.item import number_in, with_ranges


def catalogue(*names: str, values: int = 3) -> Catalogue:
    return Catalogue.from_items(
        Item(id=str(place), title=f"t{place}", attributes={name: (f"{name} {place % values}",) for name in names})
        for place in range(12)
    )


@pytest.mark.parametrize(
    ("names", "domain"),
    [
        (("genre", "director", "actor"), "film"),
        (("genre",), "film"),  # MovieLens
        (("genre", "author"), "book"),
        (("cuisine", "area"), "restaurant"),
        (("price", "colour", "type"), "product"),
        (("Product_Category", "Brand", "Price"), "product"),
        (("genre", "artist", "album"), "song"),
        (("mood", "shape"), "item"),
    ],
)
def test_the_domain_is_told_by_the_names_of_attributes(names: tuple[str, ...], domain: str) -> None:
    assert domain_name(catalogue(*names)) == domain


def test_users_talk_of_shared_values_and_neither_of_numbers_nor_of_descriptions() -> None:
    items = [
        Item(
            id=str(place),
            title=f"t{place}",
            attributes={
                "type": (("tent", "stove")[place % 2],),
                "price": (f"{place * 7 + 3}.99",),
                "sku": (f"X-{place}",),
                "text": ("a long description of what it is for and how to use it",),
                "colour": (("red", "blue", "green")[place % 3],),
            },
        )
        for place in range(40)
    ]
    known = Catalogue.from_items(with_ranges(items))
    assert spoken_attributes(known) == ("type", "colour", "price range")
    assert domain_of(known).do == "buy"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("19.99", 19.99),
        ("$1,299.00", 1299.0),
        ("1.299,00 €", 1299.0),
        ("1,299", 1299.0),
        ("EUR 5", None),
        ("12,5", 12.5),
        ("-3", -3.0),
        ("", None),
        ("M", None),
        ("5-6", None),
        ("1.2.3", None),
        ("٣", 3.0),
    ],
)
def test_numbers_are_read_with_currencies_and_either_decimal_mark(text: str, number: float | None) -> None:
    assert number_in(text) == number


def prices(*values: str) -> list[str]:
    items = [Item(id=str(at), title=str(at), attributes={"price": (value,)}) for at, value in enumerate(values)]
    return ["|".join(item.attributes.get("price range", ())) for item in with_ranges(items)]


def test_ranges_divide_the_items_evenly_at_round_numbers_in_their_currency() -> None:
    found = prices(*(f"${number}.50" for number in range(10, 110)))
    assert [found.count(each) for each in dict.fromkeys(found)] == [25, 25, 25, 25]
    assert list(dict.fromkeys(found)) == ["under $35", "between $35 and $60", "between $60 and $85", "over $85"]


@pytest.mark.parametrize("values", [["1"] * 20, list("1234567"), [*map(str, range(20)), "ask us"]])
def test_few_numbers_or_other_words_have_no_ranges(values: list[str]) -> None:
    assert set(prices(*values)) == {""}


def test_a_table_of_a_shop_needs_no_ids(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "price", "colour"])
        writer.writerows([[f"Lamp {number}", f"{number * 3}.00", "red"] for number in range(9)])
    known = Catalogue.read(path)
    assert known["Lamp 4"].title == "Lamp 4"
    assert known["Lamp 4"].attributes["price"] == ("12.00",)
    assert "price range" in known["Lamp 4"].attributes
