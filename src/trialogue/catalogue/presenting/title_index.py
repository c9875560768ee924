"""Whether a set of items has a title, under any of its names and however misspelt."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.linker import YEAR_TOLERANCE
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.catalogue.linking.titles import title_key
from trialogue.catalogue.linking.variants import ARTICLES, variants

SHARED = 0.5  # of the pieces of both, from which two titles are compared letter by letter
ALIKE = 0.84  # of the letters, from which one is the other misspelt
ALIKE_WORD = 0.75  # of the letters of each word
GLUED = 0.92  # of the letters without spaces, where words are written as one or as two
TRIED = 8
MAX_SEEN = 1 << 14  # titles whose years are remembered

_NUMBER = re.compile(r"\d+")


class TitleNeighbours:
    """Finds the titles that a misspelt one may be meant as.

    >>> known = TitleNeighbours(["the shawshank redemption", "pulp fiction"])
    >>> known.like("the shawshenk redemtion"), known.like("the silver moon")
    (('the shawshank redemption',), ())
    """

    def __init__(self, titles: Iterable[str]) -> None:
        """Index titles in the common form, words joined by single spaces."""
        self._titles = tuple(dict.fromkeys(titles))
        self._sizes: list[int] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for place, title in enumerate(self._titles):
            pieces = set(_pieces(title))
            self._sizes.append(len(pieces))
            for piece in pieces:
                self._holding[piece].append(place)

    def like(self, title: str) -> tuple[str, ...]:
        """Titles that differ from this one by slips at most, the most similar first."""
        pieces = dict.fromkeys(_pieces(title))  # a set has another order in each process, and ties are cut off by order
        shared: Counter[int] = Counter()
        for piece in pieces:
            shared.update(self._holding.get(piece, ()))
        likely = [(place, count) for place, count in shared.items() if 2 * count > SHARED * len(pieces)]
        close = []
        for place, count in sorted(likely, key=lambda found: -found[1])[:TRIED]:
            if 2 * count >= SHARED * (len(pieces) + self._sizes[place]):
                close.append((_alike(title, self._titles[place]), self._titles[place]))
        return tuple(name for ratio, name in sorted(close, reverse=True) if ratio > 0)


def _alike(one: str, other: str) -> float:
    """Share of letters that two titles have in common; 0 where some word is another one, rather than misspelt."""
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return 0.0  # "Iron Man 3" is no slip for "Iron Man 2"
    whole = _ratio(one, other)
    words, others = one.split(), other.split()
    if len(words) == len(others) == 1:
        return whole if whole >= GLUED else 0.0  # "Shooter" is another title than "Scooter"
    if len(words) != len(others):
        glued = _ratio(one.replace(" ", ""), other.replace(" ", ""))
        return glued if glued >= GLUED else 0.0
    is_misspelt = all(a == b or (len(a) > 2 and _ratio(a, b) >= ALIKE_WORD) for a, b in zip(words, others, strict=True))
    return whole if is_misspelt and whole >= ALIKE else 0.0


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _pieces(title: str) -> Iterator[str]:
    padded = f"  {title} "
    return (padded[place : place + 3] for place in range(len(padded) - 2))


class TitleIndex:
    """Titles of items by their words.

    >>> films = TitleIndex([Item(id="1", title="Sonic the Hedgehog", year=2020, attributes={"other title": ("音速小子",)})])
    >>> [films.has(title, year) for title, year in (("Sonic", None), ("Sonic the Hedgehog", 1997), ("音速小子", 2020))]
    [True, False, True]
    """

    def __init__(self, items: Iterable[Item]) -> None:
        """Index items by their titles, other titles among them."""
        self._years: dict[str, set[int | None]] = defaultdict(set)
        for item in items:
            for variant in variants(item):
                self._years[" ".join(variant.forms)].add(item.year)
        self._years_of = lru_cache(maxsize=MAX_SEEN)(self._find)

    def has(self, title: str, year: int | None = None) -> bool:
        """Whether some item is called so, or much like it, and is of the year, give or take one; None: of any."""
        found = self._years_of(title)
        if year is None or None in found:
            return bool(found)
        return any(of is not None and abs(of - year) <= YEAR_TOLERANCE for of in found)

    def _find(self, title: str) -> set[int | None]:
        """Years of the items that are called so, or much like it."""
        key = title_key(title)
        bare = _bare(key)
        found = self._years.get(key) or self._beginning.get(bare)
        if not found and " " in bare:  # "The Heat" is another title than "Heat", "The Good Will Hunting" is not
            found = self._years.get(bare)
        return found or {of for name in self._neighbours.like(key) for of in self._years[name]}

    @cached_property
    def _beginning(self) -> dict[str, set[int | None]]:
        """Years of the items whose title begins with such words: "Sonic" for "Sonic the Hedgehog"."""
        found: dict[str, set[int | None]] = defaultdict(set)
        for name, years in self._years.items():
            words = _bare(name).split()
            for behind in range(1 if words and not is_ordinary(words[0]) else 2, len(words)):
                found[" ".join(words[:behind])] |= years
        return found

    @cached_property
    def _neighbours(self) -> TitleNeighbours:
        return TitleNeighbours(self._years)


def _bare(key: str) -> str:
    first, _, rest = key.partition(" ")
    return rest if first in ARTICLES else key
