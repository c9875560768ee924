"""Which of the titles that a text presents a catalogue does not have, and what is known of those."""

import re
from collections.abc import Sequence
from functools import cached_property

from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.linking.linker import YEAR_TOLERANCE, TitleLinker
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.catalogue.linking.titles import common_form, parse_title, title_key
from trialogue.catalogue.linking.variants import PART, variants
from trialogue.catalogue.presenting.looks import is_english
from trialogue.catalogue.presenting.names import BEFORE_RESTART, SMALL, words_of
from trialogue.catalogue.presenting.presented import Presented, Sign, presented_titles
from trialogue.catalogue.presenting.real_items import RealItems
from trialogue.catalogue.presenting.title_index import TitleIndex
from trialogue.records import Mention, MentionedBy, Utterance

_JOINER = re.compile(r"\s+(?:and|or|&|(?P<ends>with|by|from|in|on|at|as|for|starring))\s+")


_AND = re.compile(r"\s+(?:and|&)\s+")
_WHOSE = re.compile(r"\w+['’]s\s+(?=\w)")


class TitleCheck:
    """Finds titles that a text presents and that a catalogue has under no name, however misspelt.

    >>> from trialogue.catalogue import Catalogue, Item
    >>> linker = TitleLinker(Catalogue.from_items([Item(id="7", title="The Shining", year=1980)]))
    >>> real = RealItems((Item(id="1", title="Alien", year=1979),), "films.csv")
    >>> found = TitleCheck(linker, real=real).unknown_titles("Try The Shinning (1980), Alien (1979) or Moon Lake (1975).")
    >>> [(each.title, each.by.value) for each in found]
    [('Alien (1979)', 'listed'), ('Moon Lake (1975)', 'presented')]
    """

    def __init__(self, linker: TitleLinker, *, real: RealItems | None = None, date: int | None = None) -> None:
        """``linker``: of the catalogue; ``real``: other items that exist; ``date``: year up to which items are in the
        catalogue, None: as it says itself."""
        self.linker, self._real = linker, real
        self._date = linker.catalogue.date if date is None else date
        self._called: dict[tuple[str, str], bool] = {}  # whether words are the title of an item, by its id

    def check_utterance(self, utterance: Utterance) -> Utterance:
        """An utterance with its ``unrecognised`` and ``outside`` titles; both None where titles cannot be recognised."""
        return utterance.model_copy(update=self.findings(utterance.text, utterance.mentions))

    def findings(self, text: str, mentions: tuple[Mention, ...] | None) -> dict[str, tuple[Mention, ...] | None]:
        """The ``mentions``, ``unrecognised`` and ``outside`` titles of an utterance."""
        named = [each for each in mentions or () if self._is_named(each, text)]
        presented = self._find_presented(text)
        found = self._find_lacking(text, presented, named)
        if (
            mentions is not None and found
        ):  # "The Paper" in "The Paper Lantern"; an item that is declared for another title
            mentions = tuple(each for each in named if not (_is_linked(each) and _is_inside(each, found)))
        unrecognised = outside = None
        if _is_readable(text, presented, mentions or ()):
            unrecognised = tuple(each for each in found if each.by is not MentionedBy.LISTED)
            if self._real is not None:
                outside = tuple(each for each in found if each.by is MentionedBy.LISTED)
        return {"mentions": mentions, "unrecognised": unrecognised, "outside": outside}

    def unknown_titles(self, text: str, mentions: Sequence[Mention] = ()) -> tuple[Mention, ...]:
        """Titles that a text presents and the catalogue does not have, in order; ``by`` says what is known of them.

        Args:
            text: a reply.
            mentions: items that were found in it, with their places; what overlaps with one is in the catalogue.
        """
        return self._find_lacking(text, self._find_presented(text), mentions)

    def _find_lacking(
        self, text: str, presented: Sequence[Presented], mentions: Sequence[Mention]
    ) -> tuple[Mention, ...]:
        known = list(mentions)
        if all(any(_holds(one, each) and self._may_be(one, each) for one in known) for each in presented):
            return ()
        if not any(each.origin == self.linker.signature for each in mentions):  # else it has looked already
            known += self.linker.find(text)
        placed = [each for each in known if each.start is not None and each.end is not None]
        found: list[Mention] = []
        for each in presented:
            places = [
                (one.start or 0, one.end or 0)
                for one in placed
                if (one.start or 0) < each.end and each.start < (one.end or 0) and self._may_be(one, each)
            ]
            rest = _without_known_head(each, places)
            found += [] if rest is None else map(self._mention, self._unknown(rest, places))
        return tuple(found)

    def _is_named(self, mention: Mention, text: str) -> bool:
        """Whether a text names the item that an agent declares for it, however misspelt; others are taken as found."""
        item = self.linker.catalogue.get(mention.item_id or "")
        if mention.by is not MentionedBy.DECLARED or item is None:
            return True
        if mention.start is None:
            return _names(text, item) or any(each.item_id == item.id for each in self.linker.find(text))
        words = text[mention.start : mention.end]
        if (words, item.id) not in self._called:
            self._called[words, item.id] = _names(words, item) or TitleIndex([item]).has(parse_title(words).title)
        return self._called[words, item.id]

    def _find_presented(self, text: str) -> tuple[Presented, ...]:
        return presented_titles(text, is_no_title=self._values.__contains__, is_title=self._is_title)

    def _is_title(self, words: str) -> bool:
        return self._own.has(words) or (self._real is not None and self._real.titles.has(words))

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
        if any(_covers(*place, presented) for place in places) or self._own.has(presented.title, presented.year):
            return True
        whose = _WHOSE.match(presented.title)  # "Marvel's Black Panther"
        return whose is not None and self._is_known(
            presented._replace(start=presented.start + whose.end(), title=presented.title[whose.end() :]), places
        )

    @cached_property
    def _own(self) -> TitleIndex:
        return TitleIndex(self.linker.catalogue.values())

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
        by, origin = MentionedBy.PRESENTED, self.linker.signature
        if self._real is not None and self._real.titles.has(presented.title, presented.year):
            by, origin = MentionedBy.LISTED, self._real.origin
        elif presented.year is not None and self._date is not None and presented.year > self._date:
            by = MentionedBy.NEWER
        return Mention(
            title=presented.title if presented.year is None else f"{presented.title} ({presented.year})",
            start=presented.start,
            end=presented.end,
            origin=origin,
            by=by,
        )


def _is_readable(text: str, presented: Sequence[Presented], mentions: Sequence[Mention]) -> bool:
    """Whether an unknown title would be recognised in a text as the known ones are: where it is not English and known ones
    were found, some title has to stand in quotation marks or lists, or with a year."""
    return bool(presented) or not any(map(_is_linked, mentions)) or is_english(text)


def _names(words: str, item: Item) -> bool:
    """Whether words hold a whole title of an item."""
    key = f" {title_key(words)} "
    return any(f" {' '.join(each.forms)} " in key for each in variants(item) if each.kind != PART)


def _holds(mention: Mention, presented: Presented) -> bool:
    """Whether all that is presented is said of an item."""
    return (
        mention.start is not None
        and mention.end is not None
        and mention.start <= presented.start
        and presented.end <= mention.end
    )


def _without_known_head(presented: Presented, places: Sequence[tuple[int, int]]) -> Presented | None:
    """What is left behind a known title and a small word: of "Heat with Al Pacino" nothing, of "Heat and Wave" "Wave"."""
    if presented.sign in (Sign.QUOTED, Sign.SLOT):  # what has bounds of its own has no company in it
        return presented
    for start, end in places:
        head = presented.title[: end - presented.start]
        is_head = start <= presented.start < end < presented.end
        joiner = _JOINER.match(presented.title, len(head)) if is_head else None
        if joiner is not None:
            behind = words_of(presented.title, joiner.end())
            if joiner["ends"] in ("with", "by", "starring") or (
                joiner["ends"] and not any(is_ordinary(common_form(word.text)) for word in behind)
            ):
                return None  # "Heat with Al Pacino", "Heat in Venice", not "Heat on Fire"
            if joiner["ends"]:
                continue
            return presented._replace(start=presented.start + joiner.end(), title=presented.title[joiner.end() :])
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
