"""Short forms of a title: without article or subtitle, the subtitle alone, "2" for "Part II".

Correct words with one inserted, deleted, substituted or transposed letter if the correction is unique.

Why not rapidfuzz: ``process.extract`` with ``OSA.distance`` of at most 1 gives the same answers for 3,500 typos and made-up
words, but takes 2,100 µs per uncached word where this index takes 44 (5,466 words of ml-latest-small; 1,500 µs if the words
are split by length). The linker's budget is 40 µs for a whole utterance.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from trialogue.catalogue.item import Item
from trialogue.catalogue.layout import plain_text
from trialogue.catalogue.linking.titles import parse_title, tokens

FULL, OTHER, PART = 0, 1, 2
"""Completeness of a form: a whole title, a whole alternative title of the item, or a part of one. Lower is better."""

ARTICLES = frozenset({"the", "a", "an"})
COUNTERS = frozenset({"part", "chapter", "volume", "episode"})  # left out before a number: "The Godfather 2"
GENERIC = COUNTERS | {
    "the",
    "a",
    "movie",
    "film",
    "story",
    "series",
    "season",
    "special",
    "edition",
    "cut",
    "or",
    "and",
}
LETTERED = {"v": "5", "x": "10"}  # Roman numbers at the end of a title only: "Rocky V"; elsewhere they are letters
MAX_WORDS = 60  # the longest titles of films have some 40
MAX_PIECES = 5  # no title has more subtitles; a file of another kind may

_BETWEEN = re.compile(r":\s+|\s+[-–—:]\s+")


@dataclass(frozen=True, slots=True)
class Variant:
    """One form of a title."""

    forms: tuple[str, ...]
    """Its words in the common form; never empty."""
    kind: int
    """``FULL``, ``OTHER`` or ``PART``."""
    bare: bool
    """Whether its leading English article was left out."""


def variants(item: Item) -> Iterator[Variant]:
    """All forms of an item's titles, the full one first; the same words may occur twice, as different kinds.

    A title of punctuation only has none, nor has one of more than 60 words.

    >>> forms = [variant.forms for variant in variants(Item(id="1", title="Alien: Part II"))]
    >>> [" ".join(form) for form in forms]
    ['alien part 2', 'alien 2', 'alien']
    """
    parsed = parse_title(item.title)
    yield from _of_title(parsed.title, FULL)
    for title in dict.fromkeys((*parsed.others, *item.other_titles)):
        yield from _of_title(parse_title(title).title, OTHER)


def _of_title(title: str, kind: int) -> Iterator[Variant]:
    pieces = [piece for piece in _BETWEEN.split(title) if piece.strip()]
    yield from _of_words(_forms(title), kind)
    if 1 < len(pieces) <= MAX_PIECES:
        for words in _runs([_forms(piece) for piece in pieces]):
            yield from _of_words(words, PART)


def _forms(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in tokens(plain_text(text).text))


def _runs(pieces: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Neighbouring pieces but not all of them, and the first with the last; those that say nothing are left out."""
    count = len(pieces)
    runs = [sum(pieces[start:end], ()) for start in range(count) for end in range(start + 1, count + 1)]
    if count > 2:
        runs.append(pieces[0] + pieces[-1])
    for words in runs:
        if words != sum(pieces, ()) and not all(word in GENERIC or word.isdigit() for word in words):
            yield words


def _of_words(words: tuple[str, ...], kind: int) -> Iterator[Variant]:
    if words and words[-1] == "or":  # "Dr. Strangelove or: How I Learned to Stop Worrying"
        words = words[:-1]
    if not 0 < len(words) <= MAX_WORDS:
        return
    spellings = [words]
    short = tuple(
        word
        for place, word in enumerate(words)
        if not (word in COUNTERS and 0 < place < len(words) - 1 and words[place + 1].isdigit())
    )
    spellings.append(short)
    if len(words) > 1 and words[-1] in LETTERED:
        spellings.append((*words[:-1], LETTERED[words[-1]]))
    for spelling in dict.fromkeys(spellings):
        yield Variant(spelling, kind, bare=False)
        if spelling[0] in ARTICLES and len(spelling) > 1:
            yield Variant(spelling[1:], kind, bare=True)


SHORTEST_MENDED = 6  # letters; one letter makes too many words of a shorter one
MAX_SEEN = 1 << 14  # words that are remembered


class Spelling:
    """Index of the longer words of a vocabulary by misspellings at edit distance one.

    >>> Spelling(["insidious", "phillips"]).correct("incidious")
    'insidious'
    """

    def __init__(self, words: Iterable[str], *, but: Callable[[str], bool] = lambda _word: False) -> None:
        """Index a vocabulary.

        Args:
            words: the vocabulary.
            but: tells words that are right although they are not in it, and are left alone.
        """
        self._but = but
        self._known = frozenset(words)
        self._words = frozenset(word for word in self._known if len(word) >= SHORTEST_MENDED and word.isalpha())
        self._longest = max(map(len, self._words), default=0)
        without: dict[str, set[str]] = defaultdict(set)
        for word in self._words:
            for shorter in _deletions(word):
                without[shorter].add(word)
        self._without = dict(without)
        self._seen: dict[str, str | None] = {}

    def correct(self, word: str) -> str | None:
        """The unique word of the vocabulary at edit distance one; None if it is a word itself, or none or several match."""
        if not SHORTEST_MENDED - 1 <= len(word) <= self._longest + 1:
            return None
        if word not in self._seen:
            if len(self._seen) == MAX_SEEN:
                self._seen.clear()
            self._seen[word] = self._correct(word)
        return self._seen[word]

    def _correct(self, word: str) -> str | None:
        if word in self._known or not word.isalpha() or self._but(word):
            return None
        if word.removesuffix("s") in self._known or f"{word}s" in self._known:
            return None  # a plural is no slip
        near = set(self._without.get(word, ()))  # a letter too few
        for shorter in _deletions(word):
            if shorter in self._words:
                near.add(shorter)  # a letter too many
            near.update(other for other in self._without.get(shorter, ()) if _one_slip(word, other))
        return near.pop() if len(near) == 1 else None


def _deletions(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


def _one_slip(word: str, other: str) -> bool:
    """Whether words of equal length differ in one letter, or in two neighbours that are swapped."""
    if len(word) != len(other):
        return False
    places = [place for place, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
    if len(places) == 1:
        return True
    first = places[0]
    return places == [first, first + 1] and word[first] == other[first + 1] and word[first + 1] == other[first]
