"""Whether a set of items has a title, under any of its names and however misspelt."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.linker import YEAR_TOLERANCE
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.catalogue.linking.titles import title_key
from trialogue.catalogue.linking.variants import ARTICLES, variants
from trialogue.catalogue.presenting.neighbours import TitleNeighbours


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

    def has(self, title: str, year: int | None = None) -> bool:
        """Whether some item is called so, or much like it, and is of the year, give or take one; None: of any."""
        key = title_key(title)
        bare = _bare(key)
        found = self._years.get(key) or self._beginning.get(bare)
        if not found and " " in bare:  # "The Heat" is another title than "Heat", "The Good Will Hunting" is not
            found = self._years.get(bare)
        if not found:
            found = {of for name in self._neighbours.like(key) for of in self._years[name]}
        if year is None or None in found:
            return bool(found)
        return any(of is not None and abs(of - year) <= YEAR_TOLERANCE for of in found)

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
