"""Title linker: find the items that a text names, with their positions.

A title is found in any of its usual forms: with or without year, article and subtitle, in any case, punctuation and
spelling of numbers, with "&" for "and", as one word or several, and with one typo in a long word. Of overlapping matches
that the surrounding evidence accepts as titles (see ``evidence``), the first one is taken, and of those the
longest.

The layout of a reply makes no difference: it is divided into sentences and slots (``catalogue.layout``), no title crosses
their bounds, and what fills a slot in a list of titles is trusted more than the same words in a sentence (``slots``).

Where several items share a form, the item is chosen in this order: the one whose year follows the title; the one whose year,
alone among theirs, occurs in the same row of a list or anywhere in the text; the one mentioned most recently (``context``);
the one with most ratings (``popularity``); the latest; the first in the catalogue. A form that is only part of several
titles ("The Hunger Games", where every title continues) names a series and is not linked, unless year or context identify
one item. A year in brackets that none of the items has refers to a film missing from the catalogue: nothing is linked.

Accuracy is measured in ``benchmarks/LINKER.md``.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.layout import Layout, Part, PlainText, layout_of, plain_text
from trialogue.catalogue.linking.clauses import TextEvidence, has_article_before
from trialogue.catalogue.linking.evidence import (
    GOES_ON_TITLE,
    OTHER_YEAR,
    OWN_YEAR,
    THRESHOLD,
    observations,
    points_of,
)
from trialogue.catalogue.linking.index import Entry, Match, TitleIndex
from trialogue.catalogue.linking.ordinary import is_ordinary, word_list
from trialogue.catalogue.linking.slots import FILLS_SLOT, ReadPart, with_trust
from trialogue.catalogue.linking.titles import common_form, tokens
from trialogue.catalogue.linking.variants import PART, Spelling, variants
from trialogue.records import Dialogue, Mention, MentionedBy, Utterance

LINKER_VERSION = 2  # raised when the same text and catalogue may give other mentions
YEAR_TOLERANCE = 1  # catalogues differ on premiere or release
LONE_MENDED = 9  # letters of a misspelt word that may be a title all by itself
MAX_FORMS = 1 << 15  # words whose mended forms are remembered
MOST_CATEGORIES = 60  # values of an attribute that divides the catalogue, such as genres
WELL_KNOWN, KNOWN = 0.9, 0.6  # share of the catalogue that has fewer ratings

_YEAR_BEHIND = re.compile(r"\s*[(\[]\s*(?P<closed>\d{4})\s*[)\]]|,?\s+(?P<open>\d{4})(?!\w)")
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_FAME = ("little known", "known", "well known")


class Candidate(NamedTuple):
    """A candidate match of a title, with its evidence and the decision."""

    start: int
    """Offset of the first character."""
    end: int
    """Offset behind the last character, of the year behind the title if that is taken for its."""
    item_ids: tuple[str, ...]
    """Items that go by these words, most exactly so."""
    observations: tuple[str, ...]
    """Observations, the kind of words first."""
    points: float
    """Sum of the observations' points; a match above ``THRESHOLD`` is a title."""
    chosen: str | None
    """Id of the item that is meant; None: not meant as a title, or not distinguished from others of its series."""


class TitleLinker:
    """Finds the titles of a catalogue in text.

    >>> from trialogue.catalogue import Item
    >>> films = Catalogue.from_items([Item(id="7", title="The Shining", year=1980), Item(id="9", title="It", year=2017)])
    >>> linker = TitleLinker(films)
    >>> [(found.title, found.start, found.end) for found in linker.find("Is it as scary as The Shining, or as IT (2017)?")]
    [('The Shining (1980)', 18, 29), ('It (2017)', 37, 46)]
    """

    def __init__(
        self, catalogue: Catalogue, *, popularity: Mapping[str, float] | None = None, typos: bool = True
    ) -> None:
        """Index the titles; takes about 0.5 s for 10,000 of them.

        Args:
            catalogue: the items; those without a word in their title are never found.
            popularity: something like the number of ratings by item id (``Ratings.popularity()``); items that are not
                in it have none. Tells apart items of one title, and makes words that are the title of a little known item
                less likely to mean it.
            typos: whether to mend one slip in a word of six letters or more that no title has.
        """
        self.catalogue = catalogue
        self.typos = typos
        self._items = tuple(catalogue.values())
        self._index = TitleIndex(self._items)
        self._counts = [float(popularity.get(item.id, 0)) if popularity else 0.0 for item in self._items]
        self._fame = _popularity(self._counts)
        self._categories = _categories(self._items)
        words = (form for item in self._items for variant in variants(item) for form in variant.forms)
        self._forms = _Forms(Spelling(words if typos else (), but=_is_a_word))

    @cached_property
    def signature(self) -> str:
        """Identifier of the linker's configuration: version, non-default options and the catalogue's fingerprint."""
        options = ("" if self.typos else ",typos=no") + (",popularity" if self._fame else "")
        return f"linker(v{LINKER_VERSION}{options},catalogue={self.catalogue.fingerprint})"

    def find(self, text: str, *, context: Sequence[str] = ()) -> tuple[Mention, ...]:
        """Find the items that a text names, in order of position, without overlaps.

        Time grows with the length of the text only.

        Args:
            text: any text; "" names nothing.
            context: ids of items named before, the latest last.
        """
        plain = plain_text(text)
        found: list[Mention] = []
        for part in self._read(plain.text):
            behind = 0
            for match in sorted(part.matches, key=_longest_first) if len(part.matches) > 1 else part.matches:
                start = part.around.tokens[match.first].start
                if start < behind:
                    continue
                end, chosen = self._decide(part, match, context)
                if chosen is not None:
                    behind = end
                    found.append(self._mention(chosen, *plain.original(start, end)))
        return tuple(found)

    def explain(self, text: str, *, context: Sequence[str] = ()) -> tuple[Candidate, ...]:
        """Every candidate match with its evidence, and why it was linked or not."""
        plain = plain_text(text)
        found = (self._weigh(part, match, context) for part in self._read(plain.text) for match in part.matches)
        return tuple(_place_in_original(candidate, plain) for candidate in found)

    def link_utterance(self, utterance: Utterance, *, context: Sequence[str] = (), replace: bool = False) -> Utterance:
        """Add mentions to an utterance; mentions annotated by anyone but a linker are kept unchanged.

        Args:
            utterance: what was said.
            context: ids of items named before, the latest last.
            replace: whether to put what the linker finds in the place of annotated mentions, too.
        """
        found = utterance.mentions
        by_a_linker = found is None or (len(found) > 0 and all(map(_is_linked, found)))
        if not (by_a_linker or replace):
            return utterance
        return utterance.model_copy(update={"mentions": self.find(utterance.text, context=context)})

    def link(self, dialogue: Dialogue, *, replace: bool = False) -> Dialogue:
        """Add mentions to all utterances of a dialogue; earlier mentions disambiguate later ones.

        Utterances that are annotated already, be it as naming none, stay as they are, unless ``replace``. Linking
        twice gives the same as linking once.
        """
        context: list[str] = []
        linked = []
        for utterance in dialogue.utterances:
            linked.append(self.link_utterance(utterance, context=context, replace=replace))
            context += filter(None, map(self._resolve_id, linked[-1].mentions or ()))
        return dialogue.model_copy(update={"utterances": tuple(linked)})

    def _resolve_id(self, mention: Mention) -> str | None:
        """Id in our catalogue; foreign ids may be from another catalogue, so they are resolved by title."""
        if mention.origin == self.signature:
            return mention.item_id
        items = self.catalogue.find_title(mention.title)
        return items[0].id if len(items) == 1 else None

    def _mention(self, chosen: str, start: int, end: int) -> Mention:
        title = self.catalogue[chosen].title_with_year
        return Mention(title=title, item_id=chosen, start=start, end=end, origin=self.signature, by=MentionedBy.LINKED)

    def _read(self, text: str) -> list[ReadPart]:
        """The parts of a plain text with their matches."""
        laid_out = layout_of(text)
        words = tokens(laid_out.text, form_of=self._forms.__getitem__)
        if len(laid_out.parts) == 1 and laid_out.parts[0].layout is Layout.PROSE:
            around = TextEvidence(laid_out.text, words, laid_out.parts[0])
            return [self._read_part(around)]
        whole = TextEvidence(
            laid_out.text, words, Part(0, len(laid_out.text), Layout.PROSE, "", (0, len(laid_out.text)))
        )
        starts = [word.start for word in words]
        parts = []
        for part in laid_out.parts:
            inside = words[bisect_left(starts, part.start) : bisect_left(starts, part.end)]
            around = TextEvidence(laid_out.text, inside, part, whole=whole)
            parts.append(self._read_part(around))
        return with_trust(parts)

    def _read_part(self, around: TextEvidence) -> ReadPart:
        return ReadPart(around, tuple(self._matches(around)), self._categories)

    def _matches(self, around: TextEvidence) -> Iterator[Match]:
        is_slot = around.part.layout is not Layout.PROSE
        for match in self._index.matches(around.tokens):
            if match.behind - match.first > 1 or _may_stand_alone(around, match.first) or (is_slot and not match.first):
                yield match

    def _decide(self, part: ReadPart, match: Match, context: Sequence[str]) -> tuple[int, str | None]:
        """(the end of the words, the item that is meant): as ``_weigh`` finds, sooner where one observation decides."""
        around = part.around
        entries, end, dated = self._narrow_by_year(around, match)
        # In brackets, so that it is no continuation of the title; all that can be against a title is less than its points.
        if dated == OWN_YEAR and around.text[end - 1] in ")]" and not has_article_before(around, match.first):
            return end, self._choose(entries, around, context)
        candidate = self._weigh(part, match, context)
        return candidate.end, candidate.chosen

    def _weigh(self, part: ReadPart, match: Match, context: Sequence[str]) -> Candidate:
        around = part.around
        entries, end, dated = self._narrow_by_year(around, match)
        seen = observations(around, match, entries[0])
        seen += part.observations_of(match)
        if part.is_described and FILLS_SLOT in seen and GOES_ON_TITLE in seen:
            seen.remove(GOES_ON_TITLE)
        seen += [dated] if dated else []
        seen += [_FAME[max([self._fame[entry.place] for entry in entries])]] if self._fame else []
        points = points_of(seen)
        chosen = self._choose(entries, around, context) if points > THRESHOLD else None
        ids = tuple([self._items[entry.place].id for entry in entries])
        return Candidate(around.tokens[match.first].start, end, ids, tuple(seen), points, chosen)

    def _narrow_by_year(self, around: TextEvidence, match: Match) -> tuple[tuple[Entry, ...], int, str | None]:
        """(the items it can be, the end of the words, what a year behind them says)."""
        end = around.tokens[match.behind - 1].end
        entries = match.entries
        if len(entries) > 1:
            fullest = min(entry.kind for entry in entries)
            entries = tuple(entry for entry in entries if entry.kind == fullest)
            if around.word(match.first)[
                :1
            ].isupper():  # who writes "Holiday" means that title rather than "The Holiday"
                entries = tuple(entry for entry in entries if not entry.bare) or entries
        behind = _YEAR_BEHIND.match(around.text, end, around.part.end)
        if behind is None:
            return entries, end, None
        given = int(behind["closed"] or behind["open"])
        fitting = tuple(entry for entry in match.entries if self._is_from(entry, given))
        if fitting:
            return fitting, behind.end(), OWN_YEAR
        known = all(self._items[entry.place].year is not None for entry in match.entries)
        return entries, end, OTHER_YEAR if behind["closed"] and known else None

    def _is_from(self, entry: Entry, year: int) -> bool:
        known = self._items[entry.place].year
        return known is not None and abs(known - year) <= YEAR_TOLERANCE

    def _choose(self, entries: tuple[Entry, ...], around: TextEvidence, context: Sequence[str]) -> str | None:
        """Id of one of several items; None if nothing tells the members of a series apart."""
        if len(entries) == 1:
            return self._items[entries[0].place].id
        items = {self._items[entry.place].id: self._items[entry.place] for entry in entries}
        for start, end in dict.fromkeys((around.part.row, (0, len(around.text)))):
            years = {int(found[0]) for found in _YEAR.finditer(around.text, start, end)}
            dated = [item_id for item_id, item in items.items() if item.year in years]
            if len(dated) == 1:
                return dated[0]
        named = next((item_id for item_id in reversed(context) if item_id in items), None)
        if named is not None or entries[0].kind == PART:
            return named
        best = max(
            entries, key=lambda entry: (self._counts[entry.place], self._items[entry.place].year or 0, -entry.place)
        )
        return self._items[best.place].id


class _Forms(dict[str, str]):
    """The common form of each word, mended; a dictionary, because it is asked for every word of every text."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__()
        self._spelling = spelling

    def __missing__(self, word: str) -> str:
        if len(self) >= MAX_FORMS:
            self.clear()
        form = common_form(word)
        self[word] = form = self._spelling.correct(form) or form
        return form


def _is_a_word(form: str) -> bool:
    return is_ordinary(form) or form in word_list("proper_names")


def _may_stand_alone(around: TextEvidence, place: int) -> bool:
    """Whether one word is worth weighing: a mended one has to be long, a function word have a capital or a year."""
    form, word = around.tokens[place].form, around.words[place]
    if form in word_list("function_words") and word.islower():
        return _YEAR_BEHIND.match(around.text, around.tokens[place].end) is not None
    return len(form) >= LONE_MENDED or common_form(word) == form


def _is_linked(mention: Mention) -> bool:
    return mention.by is MentionedBy.LINKED


def _place_in_original(candidate: Candidate, plain: PlainText) -> Candidate:
    """The candidate with offsets into the text as it was written."""
    if plain.edges is None:
        return candidate
    start, end = plain.original(candidate.start, candidate.end)
    return candidate._replace(start=start, end=end)


def _categories(items: Sequence[Item]) -> frozenset[str]:
    """Values of attributes with few of them, such as genres, without spaces in the common form."""
    values: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for name, value in item.attributes.items():
            if len(values[name]) <= MOST_CATEGORIES and name != OTHER_TITLES:
                values[name].update(
                    each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, str)
                )
    few = (each for each in values.values() if len(each) <= MOST_CATEGORIES)
    return frozenset("".join(token.form for token in tokens(value)) for value in chain.from_iterable(few))


def _longest_first(match: Match) -> tuple[int, int]:
    return match.first, -match.behind


def _popularity(counts: Sequence[float]) -> list[int]:
    """Popularity of each item (``_FAME``), by the share of items with fewer ratings; empty if all have equally many."""
    ordered = sorted(counts)
    if not ordered or ordered[0] == ordered[-1]:
        return []
    shares = [bisect_left(ordered, count) / len(ordered) for count in counts]
    return [(share > KNOWN) + (share > WELL_KNOWN) for share in shares]
