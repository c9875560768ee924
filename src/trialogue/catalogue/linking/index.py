"""Index of title forms: find every title of a catalogue in one pass over a text.

Words are compared without separators, so that "Spider-Man", "spider man" and "spiderman" are equal and "endgame" matches
"End Game"; a match starts and ends at a word boundary. The keys are sorted, and bisection decides whether the text read so
far is a prefix of any key, so the time grows with the text and not with the catalogue.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.ordinary import TELLING, kind_of
from trialogue.catalogue.linking.titles import Token
from trialogue.catalogue.linking.variants import FULL, Variant, variants

MAX_SEEN = 1 << 16  # words whose place among the keys is remembered
SHORTEST_PIECE = 4  # letters of a piece of a title, or of another title of an item, that is looked for
LOOSE_LENGTH = 6  # letters from which words may be split otherwise than in the title: "them all" is not "The Mall"


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with one of its forms, and how much of the title the form covers."""

    place: int
    """Index of the item in the catalogue."""
    forms: tuple[str, ...]
    """The words of the form."""
    kind: int
    """``FULL``, ``OTHER`` or ``PART`` (see variants)."""
    bare: bool
    """Whether the form lacks the title's article."""


class Match(NamedTuple):
    """Consecutive words of a text that match a form of a title."""

    first: int
    """Index of the first token."""
    behind: int
    """Index behind the last token."""
    entries: tuple[Entry, ...]
    """The items that go by it, in catalogue order, each once, as the fullest form it is."""


class TitleIndex:
    """Index of all title forms of a set of items."""

    def __init__(self, items: Sequence[Item]) -> None:
        found: dict[str, dict[int, Entry]] = defaultdict(dict)
        for place, item in enumerate(items):
            for variant in variants(item):
                if not _is_searched(variant):
                    continue
                entry = Entry(place, variant.forms, variant.kind, variant.bare)
                best = found["".join(variant.forms)].setdefault(place, entry)
                if (entry.kind, entry.bare) < (best.kind, best.bare):
                    found["".join(variant.forms)][place] = entry
        self._entries = {key: tuple(entries.values()) for key, entries in found.items()}
        self._keys = sorted(self._entries)
        self._seen: dict[str, int | None] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def matches(self, tokens: Sequence[Token]) -> Iterator[Match]:
        """Every match, including overlapping ones, ordered by first token, shorter ones first."""
        keys, entries, last, seen = self._keys, self._entries, len(tokens), self._seen
        for first, token in enumerate(tokens):
            read, behind = token.form, first + 1
            low = seen[read] if read in seen else self._first_key_with(read)
            while low is not None:
                if keys[low] == read and (match := _match(first, behind, tokens, entries[read])):
                    yield match
                if behind == last:
                    break
                read += tokens[behind].form
                behind += 1
                low = bisect_left(keys, read, low)
                if low == len(keys) or not keys[low].startswith(read):
                    break

    def _first_key_with(self, form: str) -> int | None:
        """Index of the first key that begins with a word; None if none does, as is so for most words."""
        if form not in self._seen:
            if len(self._seen) == MAX_SEEN:
                self._seen.clear()
            low = bisect_left(self._keys, form)
            begins = low < len(self._keys) and self._keys[low].startswith(form)
            self._seen[form] = low if begins else None
        return self._seen[form]


def _is_searched(variant: Variant) -> bool:
    """Whether a form is looked for: pieces and translations of titles only if they are hardly anything else."""
    if variant.kind == FULL:
        return True
    return kind_of(variant.forms) in TELLING and len("".join(variant.forms)) >= SHORTEST_PIECE


def _match(first: int, behind: int, tokens: Sequence[Token], entries: tuple[Entry, ...]) -> Match | None:
    words = tuple([token[0] for token in tokens[first:behind]])
    if len("".join(words)) < LOOSE_LENGTH:
        entries = tuple(entry for entry in entries if entry.forms == words)
    return Match(first, behind, entries) if entries else None
