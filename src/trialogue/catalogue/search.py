"""Search a catalogue by words, as tools do: BM25 over the words of items.

Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with k1 = 1.5, b = 0.75 and an
inverse document frequency that is never negative. Equal scores keep the order of the catalogue.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trialogue.records import JsonValue

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
