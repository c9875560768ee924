"""Catalogues of items, read from files, and search in them.

Search a catalogue by words, as tools do: BM25 over the words of items.

Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with k1 = 1.5, b = 0.75 and an
inverse document frequency that is never negative. Equal scores keep the order of the catalogue.
"""

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from pathlib import Path
from typing import Any

from trialogue.catalogue.files import EXAMPLE, MAPPINGS, ItemColumns, load_columns, read_items
from trialogue.catalogue.item import Item, with_ranges
from trialogue.catalogue.linking.titles import parse_title, title_key
from trialogue.errors import DataError, Problem
from trialogue.records import JsonValue, write_records

ENGLISH_ARTICLES = ("the ", "a ", "an ")


class Catalogue(Mapping[str, Item]):
    """Immutable collection of items by id, in insertion order.

    >>> films = Catalogue.from_items([Item(id="1", title="The Piano", year=1993, attributes={"genre": ("Drama",)})])
    >>> films["1"].title_with_year, [item.id for item in films.find_title("piano (1993)")]
    ('The Piano (1993)', ['1'])
    >>> films.items_with("genre", "drama")
    ('1',)
    """

    def __init__(self, items: Mapping[str, Item], *, date: int | None = None) -> None:
        self._items, self._date = dict(items), date

    @classmethod
    def from_items(cls, items: Iterable[Item], *, file: str = "", date: int | None = None) -> "Catalogue":
        """Create a catalogue from items.

        Args:
            items: the items; none at all gives an empty catalogue.
            file: where they come from, for messages.
            date: year up to which items are in it; None: that of the latest one.

        Raises:
            DataError: ids that several items have, all of them at once.
        """
        places: dict[str, list[int]] = defaultdict(list)
        kept: dict[str, Item] = {}
        for place, item in enumerate(items, start=1):
            places[item.id].append(place)
            kept.setdefault(item.id, item)
        problems = [
            Problem(
                f"{len(where)} items share the id {item_id!r} ({_join_words([f'no. {place}' for place in where])}).",
                file=file,
                field="id",
                hint="Give every item its own id, or remove the duplicates.",
            )
            for item_id, where in places.items()
            if len(where) > 1
        ]
        if problems:
            raise DataError(problems)
        return cls(kept, date=date)

    @classmethod
    def read(cls, path: Path | str, *, columns: ItemColumns | dict[str, Any] | None = None) -> "Catalogue":
        """Read a catalogue from a file: items as Trialogue JSON Lines, a table (CSV, TSV), or JSON Lines of other objects.

        Of a table, the columns ``id`` (or ``movieId``, ``item_id``, ...) and ``title`` (or ``name``, ...) are needed;
        ``year`` and ``description`` are optional; every other column is an attribute, with several values separated by
        ``|`` (``genres``, ``directors``, ... are taken as ``genre``, ``director``). Without a column ``year``, a year
        in brackets after the title is used. Without an id, the title is the id. A numeric attribute such as ``price``
        gets another one with its ranges, ``price range`` (see ``item``). Compressed files (``.gz``, ``.zst``) are read,
        too.

        Args:
            path: the file; or a mapping of its columns in YAML, with the name of the file beside it (see ``files``).
            columns: which column, or path into JSON, is what, as fields; None: told by the headings.

        Raises:
            DataError: every line that cannot be read, or all ids that occur twice, or no item at all.
        """
        items, known = items_in(Path(path), columns)
        if not items:
            raise DataError(Problem("this catalogue has no items.", file=str(path), hint="Is the file complete?"))
        return cls.from_items(with_ranges(items), file=str(path), date=known.date if known is not None else None)

    def write(self, path: Path | str) -> int:
        """Write the items as JSON Lines; returns their number."""
        return write_records(path, self.values())

    def __getitem__(self, item_id: str) -> Item:
        return self._items[item_id]

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def values(self) -> ValuesView[Item]:
        """The items, without a look-up of each."""
        return self._items.values()

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Catalogue({len(self)} items, {self.fingerprint})"

    @cached_property
    def date(self) -> int | None:
        """Year up to which items are in it: the declared one, else that of the latest item; None: no item has a year."""
        return self._date or max((item.year for item in self.values() if item.year is not None), default=None)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of twelve hex digits over ids, titles and years."""
        parts = [
            "\x1f".join((item.id, item.title, str(item.year), *item.other_titles, "\x1e")) for item in self.values()
        ]
        return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]

    def find_title(self, title: str, *, year: int | None = None) -> tuple[Item, ...]:
        """Find items by title in any spelling, the closest spelling first; () if there is none.

        Moved or missing English articles, case, accents, punctuation and number formats are ignored, and an item's
        other titles match, too. A year, passed separately or in brackets after the title, must be the item's year.
        """
        parsed = parse_title(title)
        year = parsed.year if year is None else year
        exact = title_key(parsed.title)
        found = [self._items[item_id] for item_id in self._ids_by_title.get(_bare(exact), ())]
        found.sort(key=lambda item: title_key(item.title) != exact)  # stable: catalogue order within
        return tuple(item for item in found if year is None or item.year == year)

    @cached_property
    def _ids_by_title(self) -> dict[str, tuple[str, ...]]:
        ids: dict[str, dict[str, None]] = defaultdict(dict)
        for item in self.values():
            for title in (item.title, *item.other_titles):
                ids[_bare(title_key(parse_title(title).title))][item.id] = None
        return {key: tuple(found) for key, found in ids.items()}

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """Sorted names of all attributes."""
        return tuple(sorted({name for item in self.values() for name in item.attributes}))

    def values_of(self, attribute: str) -> dict[str, int]:
        """Item counts by value of an attribute, most frequent first; {} for an unknown attribute."""
        counts = Counter(value for item in self.values() for value in item.attributes.get(attribute, ()))
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def items_with(self, attribute: str, value: str) -> tuple[str, ...]:
        """Ids of the items with an attribute value (case-insensitive), in catalogue order."""
        if (ids := self._ids_by_value.get(attribute)) is None:
            ids = self._ids_by_value[attribute] = defaultdict(dict)
            for item in self.values():
                for each in item.attributes.get(attribute, ()):
                    ids[each.casefold()][item.id] = None
        return tuple(ids.get(value.casefold(), ()))

    @cached_property
    def _ids_by_value(self) -> dict[str, dict[str, dict[str, None]]]:
        """Ids of items by attribute and value, of the attributes that somebody asked for."""
        return {}


def items_in(path: Path, columns: ItemColumns | dict[str, Any] | None = None) -> tuple[list[Item], ItemColumns | None]:
    """(items, the columns that were declared) of a file, or of a mapping that names its file, as ``Catalogue.read`` reads
    it; ids may occur twice.

    Raises:
        DataError: every line that cannot be read.
    """
    known = None if columns is None else load_columns(columns)
    if path.suffix.lower() in MAPPINGS:
        known = load_columns(path)
        if known.file is None:
            raise DataError(Problem("the mapping does not name its file.", str(path), field="file", hint=EXAMPLE))
        path = path.parent / known.file
    return list(read_items(path, known)), known


def _bare(key: str) -> str:
    """A title key without a leading English article."""
    article = next((article for article in ENGLISH_ARTICLES if key.startswith(article)), "")
    return key[len(article) :] or key


def _join_words(words: list[str], most: int = 5) -> str:
    shown = words if len(words) <= most else [*words[:most], f"{len(words) - most} more"]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


Facts = Mapping[str, JsonValue]
SEARCHED = ("title", "overview", "description", "genres", "director", "cast", "actors")
"""Fields whose words tau-Rec's tool finds, under its names and those of the bundled films."""
RESULTS = 20
K1, B = 1.5, 0.75
WORD = re.compile(r"\w+")


class Search:
    """Index of a catalogue."""

    def __init__(self, items: Mapping[str, Facts], *, fields: Sequence[str] | None = SEARCHED) -> None:
        """``fields``: whose words are found; None: those of all."""
        self._names = list(items)
        counts = [Counter(words_of(item, fields)) for item in items.values()]
        self._lengths = [each.total() for each in counts]
        self._mean = sum(self._lengths) / len(counts) if counts else 0.0
        self._places: dict[str, list[tuple[int, int]]] = {}
        for place, words in enumerate(counts):
            for word, times in words.items():
                self._places.setdefault(word, []).append((place, times))

    def best(self, query: str) -> list[str]:
        """Ids of at most 20 items that have a word of a query, the best first."""
        scores: dict[int, float] = {}
        for word in WORD.findall(query.lower()):
            held = self._places.get(word, [])
            rarity = math.log1p((len(self._names) - len(held) + 0.5) / (len(held) + 0.5))
            for place, times in held:
                size = K1 * (1 - B + B * self._lengths[place] / self._mean)
                scores[place] = scores.get(place, 0.0) + rarity * times * (K1 + 1) / (times + size)
        return [self._names[place] for place in sorted(scores, key=lambda place: (-scores[place], place))[:RESULTS]]


def words_of(item: Facts, fields: Iterable[str] | None = SEARCHED) -> Iterator[str]:
    """Words of the searched fields, in lower case."""
    for field in item if fields is None else fields:
        value = item.get(field)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield from WORD.findall(text.lower())
