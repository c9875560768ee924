"""Which of the titles that a text presents a catalogue does not have."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from trialogue.catalogue.item import OTHER_TITLES
from trialogue.catalogue.linking.linker import YEAR_TOLERANCE, TitleLinker
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.catalogue.linking.titles import title_key
from trialogue.catalogue.linking.variants import ARTICLES, variants
from trialogue.catalogue.presenting.names import BEFORE_RESTART, SMALL, words_of
from trialogue.catalogue.presenting.neighbours import TitleNeighbours
from trialogue.catalogue.presenting.presented import Presented, Sign, presented_titles
from trialogue.records import Mention, MentionedBy, Utterance

_JOINER = re.compile(r"\s+(?:and|or|&|(?P<ends>with|by|from|in|on|at|as|for|starring))\s+")


_AND = re.compile(r"\s+(?:and|&)\s+")
_WHOSE = re.compile(r"\w+['’]s\s+(?=\w)")


class TitleCheck:
    """Finds titles that a text presents and that a catalogue has under no name, however misspelt.

    >>> from trialogue.catalogue import Catalogue, Item
    >>> linker = TitleLinker(Catalogue.from_items([Item(id="7", title="The Shining", year=1980)]))
    >>> check = TitleCheck(linker)
    >>> [found.title for found in check.unknown_titles("Try The Shinning (1980) or The Silver Moon (2011).")]
    ['The Silver Moon (2011)']
    """

    def __init__(self, linker: TitleLinker) -> None:
        """``linker``: of the catalogue."""
        self.linker = linker

    def check_utterance(self, utterance: Utterance) -> Utterance:
        """An utterance with its ``unrecognised`` titles."""
        found = self.unknown_titles(utterance.text, utterance.mentions or ())
        mentions = utterance.mentions
        if mentions is not None:  # "The Paper" in "The Paper Lantern"
            mentions = tuple(each for each in mentions if not (_is_linked(each) and _is_inside(each, found)))
        return utterance.model_copy(update={"unrecognised": found, "mentions": mentions})

    def unknown_titles(self, text: str, mentions: Sequence[Mention] = ()) -> tuple[Mention, ...]:
        """Titles that a text presents and the catalogue does not have, in order.

        Args:
            text: a reply.
            mentions: items that were found in it, with their places; what overlaps with one is in the catalogue.
        """
        presented = presented_titles(text, is_no_title=self._is_value)
        if not presented:
            return ()
        known = list(mentions)
        if not any(each.origin == self.linker.signature for each in mentions):  # else it has looked already
            known += self.linker.find(text)
        placed = [each for each in known if each.start is not None and each.end is not None]
        found: list[Mention] = []
        for each in presented:
            places = [(one.start or 0, one.end or 0) for one in placed if self._may_be(one, each)]
            rest = _without_known_head(each, places)
            found += [] if rest is None else map(self._mention, self._unknown(rest, places))
        return tuple(found)

    def _may_be(self, mention: Mention, presented: Presented) -> bool:
        """Whether an item that was found can be what is presented with a year: the film of 2003 is not that of 2013."""
        item = self.linker.catalogue.get(mention.item_id or "")
        if item is None or item.year is None or presented.year is None:
            return True
        return abs(item.year - presented.year) <= YEAR_TOLERANCE

    def _unknown(self, presented: Presented, places: Sequence[tuple[int, int]]) -> list[Presented]:
        """What the catalogue lacks of a span: nothing, the span, or one side of its "and" where the other is known."""
        if self._is_known(presented, places):
            return []
        for joiner in _AND.finditer(presented.title):
            sides = [
                presented._replace(
                    end=presented.start + joiner.start(), title=presented.title[: joiner.start()], year=None
                ),
                presented._replace(start=presented.start + joiner.end(), title=presented.title[joiner.end() :]),
            ]
            left = [side for side in sides if not self._is_known(side, places)]
            if len(left) < len(sides):
                return left
        return [presented]

    def _is_known(self, presented: Presented, places: Sequence[tuple[int, int]]) -> bool:
        if any(_covers(*place, presented) for place in places) or self._has(presented):
            return True
        whose = _WHOSE.match(presented.title)  # "Marvel's Black Panther"
        return whose is not None and self._is_known(
            presented._replace(start=presented.start + whose.end(), title=presented.title[whose.end() :]), places
        )

    def _has(self, presented: Presented) -> bool:
        key = title_key(presented.title)
        bare = _bare(key)
        found = self._years.get(key) or self._beginning.get(bare)
        if not found and " " in bare:  # "The Heat" is another title than "Heat", "The Good Will Hunting" is not
            found = self._years.get(bare)
        if found is None:
            found = {year for name in self._neighbours.like(key) for year in self._years[name]}
        if not found:
            return False
        if presented.year is None or None in found:
            return True
        return any(year is not None and abs(year - presented.year) <= YEAR_TOLERANCE for year in found)

    def _is_value(self, words: str) -> bool:
        return words in self._values

    @cached_property
    def _years(self) -> dict[str, set[int | None]]:
        """Years of the items of each form of a title."""
        found: dict[str, set[int | None]] = defaultdict(set)
        for item in self.linker.catalogue.values():
            for variant in variants(item):
                found[" ".join(variant.forms)].add(item.year)
        return dict(found)

    @cached_property
    def _beginning(self) -> dict[str, set[int | None]]:
        """Years of the items whose title begins with such words: "Sonic" for "Sonic the Hedgehog"."""
        found: dict[str, set[int | None]] = defaultdict(set)
        for name, years in self._years.items():
            words = _bare(name).split()
            for behind in range(1 if words and not is_ordinary(words[0]) else 2, len(words)):
                found[" ".join(words[:behind])] |= years
        return dict(found)

    @cached_property
    def _neighbours(self) -> TitleNeighbours:
        return TitleNeighbours(self._years)

    @cached_property
    def _values(self) -> frozenset[str]:
        """Values of the catalogue's attributes in small letters: genres, people, makers."""
        found: set[str] = set()
        for item in self.linker.catalogue.values():
            for name, value in item.attributes.items():
                if name != OTHER_TITLES:
                    values = value if isinstance(value, tuple) else (value,)
                    found.update(" ".join(each.casefold().split()) for each in values if isinstance(each, str))
        return frozenset(found)

    def _mention(self, presented: Presented) -> Mention:
        return Mention(
            title=presented.title if presented.year is None else f"{presented.title} ({presented.year})",
            start=presented.start,
            end=presented.end,
            origin=self.linker.signature,
            by=MentionedBy.PRESENTED,
        )


def _without_known_head(presented: Presented, places: Sequence[tuple[int, int]]) -> Presented | None:
    """What is left behind a known title and a small word: of "Heat with Al Pacino" nothing, of "Heat and Wave" "Wave"."""
    if presented.sign in (Sign.QUOTED, Sign.SLOT):  # what has bounds of its own has no company in it
        return presented
    for start, end in places:
        head = presented.title[: end - presented.start]
        joiner = _JOINER.match(presented.title, len(head)) if start == presented.start and end < presented.end else None
        if joiner is not None:
            if joiner["ends"] is not None:
                return None
            behind = joiner.end()
            return presented._replace(start=presented.start + behind, title=presented.title[behind:])
    return presented


def _covers(start: int, end: int, presented: Presented) -> bool:
    """Whether an item that was found there is what is presented, rather than a part of it: "Heat" in "Heat Wave".

    Capitals before a known title belong to the sentence ("Also Walk the Line (2005)"), if it has its year behind it, or
    is of several words to which no small word leads ("The Fellowship of the Ring").
    """
    if start >= presented.end or presented.start >= end:
        return False
    head, tail = presented.title[: max(0, start - presented.start)], presented.title[max(0, end - presented.start) :]
    if any(word.low not in SMALL for word in words_of(tail)):
        return False
    before = words_of(head)
    if all(word.low in SMALL for word in before):
        return True
    if end > presented.end:
        return True
    leads = before[-1].low not in SMALL or before[-1].low in BEFORE_RESTART
    return leads and len(words_of(presented.title[len(head) :])) > 1


def _is_linked(mention: Mention) -> bool:
    return mention.by is MentionedBy.LINKED and mention.start is not None


def _is_inside(mention: Mention, unrecognised: Sequence[Mention]) -> bool:
    start, end = mention.start or 0, mention.end or 0
    return any((each.start or 0) <= start and end <= (each.end or 0) for each in unrecognised)


def _bare(key: str) -> str:
    first, _, rest = key.partition(" ")
    return rest if first in ARTICLES else key
