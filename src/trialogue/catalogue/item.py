"""Items with their attributes, the words that name attributes, and numbers among the values.

Ranges of numeric attributes: nobody asks for $19.99, but for something under $20.

A numeric column such as ``price`` gets a second attribute ``price range`` with up to four values, which divide the items
evenly at round numbers. The exact value stays as it is.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

from pydantic import Field, field_validator

from trialogue.records import Record

OTHER_TITLES = "other title"
"""The attribute that holds other titles of the same item (original, foreign, "also known as")."""


class Item(Record):
    """An item that can be recommended, with its attributes."""

    kind: ClassVar[str] = "item"

    id: str = Field(min_length=1)
    """Unique within its catalogue."""
    title: str
    """Title, its article in front and without its year."""
    year: int | None = None
    """Year of release; None where it is unknown or the domain has none."""
    attributes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Values by attribute, such as ``{"genre": ("Crime", "Drama"), "director": ("Jane Campion",)}``. No blanks."""
    description: str | None = None
    """Description in one or two sentences."""

    @field_validator("attributes")
    @classmethod
    def _without_blanks(cls, attributes: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Other programs write what they do not know as ``[""]``: users would look for it, and say "I like"."""
        told = {name: tuple(value for value in values if value.strip()) for name, values in attributes.items()}
        return {name: values for name, values in told.items() if values or not attributes[name]}

    @property
    def title_with_year(self) -> str:
        """Title with the year in brackets, if known: the form in which corpora print items."""
        return self.title if self.year is None else f"{self.title} ({self.year})"

    @property
    def other_titles(self) -> tuple[str, ...]:
        """Alternative titles."""
        return self.attributes.get(OTHER_TITLES, ())


RANGE = " range"
"""Suffix of the attribute that has the ranges of another one."""
ENOUGH = 8  # different numbers from which on there are ranges: fewer are sizes or stars, which people say as they are
PARTS = 4
_NUMBER = re.compile(r"([$€£¥]?)\s*(-?\d[\d.,  ']*)\s*([$€£¥]|[A-Za-z]{0,4})")


def number_in(text: str) -> float | None:
    """The number that a text is, with a currency or unit around it at most; None for any other text.

    >>> [number_in(text) for text in ("19.99", "$1,299.00", "19,99 €", "1.299,00 EUR", "12'500", "3 kg", "Size 4", "1-2")]
    [19.99, 1299.0, 19.99, 1299.0, 12500.0, 3.0, None, None]
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    digits = re.sub(r"[  ']", "", found[2])
    point = max(digits.rfind("."), digits.rfind(","))
    # a mark with other than three digits behind it, or behind the other mark, is the decimal mark
    if point >= 0 and (len(digits) - point - 1 != 3 or {".", ","} <= set(digits)) and digits.count(digits[point]) == 1:
        digits = f"{re.sub('[.,]', '', digits[:point])}.{digits[point + 1 :]}"
    elif not re.fullmatch(r"-?\d{1,3}([.,]\d{3})*|-?\d+", digits):
        return None
    else:
        digits = re.sub("[.,]", "", digits)
    try:
        return float(digits)
    except ValueError:
        return None


def with_ranges(items: Sequence[Item]) -> list[Item]:
    """Items with a range for each numeric attribute that has at least eight different numbers."""
    names = sorted({name for item in items for name in item.attributes})
    ranges = {name: found for name in names if f"{name}{RANGE}" not in names and (found := _ranges(items, name))}
    return [_with_ranges(item, ranges) for item in items] if ranges else list(items)


def _with_ranges(item: Item, ranges: Mapping[str, Mapping[str, str]]) -> Item:
    own = {
        f"{name}{RANGE}": (by_value[item.attributes[name][0]],)
        for name, by_value in ranges.items()
        if item.attributes.get(name)
    }
    return item.model_copy(update={"attributes": {**item.attributes, **own}}) if own else item


def _ranges(items: Sequence[Item], name: str) -> dict[str, str]:
    """Range by value; {} if the attribute is not numeric, has several values, or too few different ones."""
    cells = [item.attributes[name] for item in items if item.attributes.get(name)]
    numbers = {cell[0]: number for cell in cells if (number := number_in(cell[0])) is not None}
    if len(set(numbers.values())) < ENOUGH or any(len(cell) > 1 or cell[0] not in numbers for cell in cells):
        return {}
    ordered = sorted(numbers[cell[0]] for cell in cells)
    quartiles = (ordered[len(ordered) * part // PARTS] for part in range(1, PARTS))
    cuts = sorted({cut for each in quartiles if ordered[0] < (cut := _round(each)) <= ordered[-1]})
    return {value: _label(number, cuts, value) for value, number in numbers.items()} if cuts else {}


def _round(number: float) -> float:
    """The number with its first two digits, the second of which is 0 or 5."""
    if not number:
        return 0.0
    unit = 10.0 ** (len(str(int(abs(number)))) - 2) * 5 if abs(number) >= 1 else 0.05
    return round(round(number / unit) * unit, 4)


def _label(number: float, cuts: Sequence[float], value: str) -> str:
    """The range of a number, in the currency or unit in which it is written."""
    found = _NUMBER.fullmatch(value.strip())
    before, after = (found[1], found[3]) if found else ("", "")
    before, after = (after, "") if after in {"$", "£"} else (before, f" {after}" if after else "")
    texts = [f"{before}{cut:,.10g}{after}" for cut in cuts]
    place = bisect_right(cuts, number)
    if place == 0:
        return f"under {texts[0]}"
    return f"over {texts[-1]}" if place == len(cuts) else f"between {texts[place - 1]} and {texts[place]}"


PEOPLE = tuple(
    frozenset(words.split())
    for words in (
        "star stars starring actor actors actress actresses cast acted acting performer performers",
        "director directors directed filmmaker filmmakers",
        "writer writers screenwriter screenwriters author authors written wrote",
    )
)
"""Words for attributes whose values are people."""
YEARS = frozenset(["decade", "decades", "year", "years", "era", "eras", "period"])
"""Words for an item's year and decade."""
ASKED = "asked"
"""Key in a message's ``meta``: the attributes that the agent was heard to ask about."""
_FAMILIES = (
    frozenset(["genre", "genres", "category", "categories"]),
    *PEOPLE,
    YEARS,
    frozenset(["price", "prices", "budget", "cost", "costs", "spend"]),
    frozenset(["colour", "color", "colours", "colors"]),
    frozenset(["brand", "brands", "make", "maker", "manufacturer"]),
)
"""Words that ask about the same attribute, which has the name of any of them."""
_WORD = re.compile(r"\w+(?:[-'’&]\w+)*")


def names_of(attribute: str) -> tuple[str, ...]:
    """Words for an attribute: its name, the plural, and English words that ask about the same.

    >>> names_of("star")[:3], names_of("mood")
    (('acted', 'acting', 'actor'), ('mood', 'moods'))
    """
    name = normalise_words(attribute)
    family = next((words for words in _FAMILIES if name in words), frozenset[str]())
    return tuple(sorted({*plurals_of(name), *family} if name not in family else family))


@lru_cache(maxsize=1 << 14)
def normalise_words(text: str) -> str:
    """Lower-case words, separated by single spaces."""
    return " ".join(_WORD.findall(text.replace("_", " ").casefold()))


def plurals_of(value: str) -> tuple[str, ...]:
    """A word or phrase with its English plurals."""
    return (value, f"{value}s", *((f"{value[:-1]}ies",) if value.endswith("y") else ()))
