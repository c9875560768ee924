"""Short forms of a title: without article or subtitle, the subtitle alone, "2" for "Part II"."""

import re
from collections.abc import Iterator
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
