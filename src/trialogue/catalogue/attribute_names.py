"""English words that name an attribute of items, such as "actors" or "starring" for ``star``."""

import re
from functools import lru_cache

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
