"""Claims of a text about items of a catalogue: year, people, genres, running time, price, and any other column.

A claim is looked for behind an item's title, as far as the text is about it: to the end of its sentence or row of a list, or
of the following sentences that begin with "It" or "The film", and before it ("Christopher Nolan's ...", "the 1995 film"). It
is *supported* or *contradicted* by the catalogue, or *not in it*. Precision comes first: questions, negations and what is
said of other films are passed over; a genre is contradicted only if none of those named with it is the item's, an actor
never, since catalogues list few. English only. Measured in ``benchmarks/INVENTIONS.md``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, Item, normalise_words
from trialogue.catalogue.layout import Layout, layout_of
from trialogue.catalogue.presenting import statements as said_as
from trialogue.catalogue.presenting.claim_values import (
    Places,
    genre_of,
    makers_of,
    minute_claims,
    name_claims,
    names_said,
    owner_claims,
    price_claims,
    year_claims,
)
from trialogue.records import ClaimVerdict, ItemClaim, Mention


class ClaimCheck:
    """Checks what texts claim about items.

    >>> film = Item(id="1", title="Heat", year=1995, attributes={"director": ("Michael Mann",), "genre": ("Crime",)})
    >>> check = ClaimCheck(Catalogue.from_items([film]))
    >>> text = "Try Heat, a crime film directed by Tony Scott."
    >>> found = check.claims(text, [Mention(title="Heat", item_id="1", start=4, end=8)])
    >>> [(each.attribute, each.said, each.verdict.value) for each in found]
    [('genre', 'crime', 'supported'), ('director', 'Tony Scott', 'contradicted')]
    """

    def __init__(self, catalogue: Catalogue) -> None:
        """``catalogue``: the items with their attributes."""
        self._catalogue = catalogue

    def claims(self, text: str, mentions: Sequence[Mention], others: Sequence[Mention] = ()) -> tuple[ItemClaim, ...]:
        """Claims about the items that a text names, in the order of the text.

        Args:
            text: a reply.
            mentions: its items; those without a place, or of another catalogue, are passed over.
            others: titles that it presents and the catalogue lacks: what is said of those is not said of the items.
        """
        placed = sorted(
            (
                (each.start, each.end, each.item_id)
                for each in (*mentions, *others)
                if each.start is not None and each.end is not None
            ),
            key=lambda place: place[0],
        )
        found: list[ItemClaim] = []
        about: _Text | None = None
        for place, (start, end, item_id) in enumerate(placed):
            item = self._catalogue.get(item_id or "")
            if item is None:
                continue
            about = about or _Text(text, makers_forms(text), any(map(text.casefold().__contains__, self._first_words)))
            stop = next((other for other, _, _ in placed[place + 1 :] if other > end), len(text))
            begin = max((behind for _, behind, _ in placed[:place]), default=0)
            found += self._claims_on(item, about, start, end, begin, stop)
        once = {(each.item_id, each.attribute, each.start): each for each in reversed(found)}
        return tuple(sorted(once.values(), key=lambda claim: (claim.start, claim.attribute)))

    def _claims_on(
        self, item: Item, about: "_Text", start: int, end: int, begin: int, stop: int
    ) -> Iterator[ItemClaim]:
        text = about.text
        lead = max(begin, start - said_as.LONGEST)
        ends = said_as.SENTENCE if not begin else said_as.CLAUSE  # what stands between two items is said of the first
        lead = max((mark.end() for mark in ends.finditer(text, lead, start)), default=lead)
        if said_as.ASKED.match(text, lead, start) or said_as.REPORTED.search(text[lead:start]):
            return
        if said_as.ASIDE.search(text, lead, start):
            lead = max(lead, text.rfind(",", lead, start) + 1)
        stop = _end_of_topic(text, end, stop)
        topic = text[lead:start] + said_as.BLANK * (end - start) + text[end:stop]
        at = Places(item, lead)
        yield from self._people(at, topic, about.forms)
        yield from year_claims(at, topic)
        yield from minute_claims(at, topic)
        if about.has_genre:
            near = _end_of_topic(text, end, stop, said_as.IT_IS)
            yield from self._genres(at, topic[: near - lead])
        yield from price_claims(at, topic)
        yield from self._columns(Places(item, end), text[end:stop])

    def _people(self, at: Places, text: str, forms: Sequence[re.Pattern[str]]) -> Iterator[ItemClaim]:
        found = [*self._makers(at, text, forms)]
        for each in said_as.ACTED.finditer(text) if any(map(text.__contains__, said_as.ACTED_BY)) else ():
            if not said_as.NOT.search(text[: each.start()]):
                found += name_claims(at, said_as.ACTORS, each["names"], each.start("names"))
        before, _, behind = text.partition(said_as.BLANK)
        for pattern, part in ((said_as.OWNED, before), (said_as.OWNED_BEHIND, behind)):
            if ("'" in part or "’" in part) and (owner := pattern.search(text)) is not None:
                found += owner_claims(at, owner, self._people_of_all)
        yield from found
        taken = [(each.start, each.end) for each in found if each.verdict is not ClaimVerdict.UNKNOWN]
        for named in names_said(at, text):  # people whom the catalogue names for it, whatever is said of them
            if not any(start < named.end and named.start < end for start, end in taken):
                yield named

    def _makers(self, at: Places, text: str, forms: Sequence[re.Pattern[str]]) -> Iterator[ItemClaim]:
        """Who is said to have made the item: each name once, by the first form that says it."""
        taken: set[int] = set()
        for found in _makers_in(text, forms):
            if found.start("names") in taken or said_as.NOT.search(text[: found.start()]):
                continue
            wrote = said_as.WROTE.search(found[0]) is not None
            several = [*name_claims(at, makers_of(at, wrote=wrote), found["names"], found.start("names"))]
            is_acted = said_as.ACTS.search(text[: found.start("names")]) is not None
            for each in several[-1:] if is_acted else several:  # "stars Keanu Reeves, and Jonah Hill directed"
                if each.start not in taken:
                    taken.add(each.start)
                    yield each

    @cached_property
    def _people_of_all(self) -> frozenset[str]:
        """Directors and writers of all items, normalised."""
        names = {
            normalise_words(value)
            for item in self._catalogue.values()
            for attribute, values in item.attributes.items()
            if normalise_words(attribute) in said_as.DIRECTORS | said_as.WRITERS
            for value in values
        }
        return frozenset(names)

    def _genres(self, at: Places, text: str) -> Iterator[ItemClaim]:
        attribute, known = at.values(said_as.GENRES)
        if attribute is None:
            return
        own = {genre_of(value) for value in known}
        for found in (*said_as.KIND.finditer(text), *said_as.STATED_GENRE.finditer(text)):
            if said_as.DENIED.search(found["phrase"]) or said_as.NOT.search(text[: found.start()]):
                continue
            if said_as.BLANK not in text[: found.end()] and not said_as.LEADS_TO.match(text, found.end("phrase")):
                continue
            said = self._genres_in(found["phrase"])
            if said:
                verdict = (
                    ClaimVerdict.SUPPORTED if own & {genre_of(word) for word in said} else ClaimVerdict.CONTRADICTED
                )
                yield at.claim(attribute, " ".join(said), known, verdict, found.span("phrase"))

    def _genres_in(self, phrase: str) -> list[str]:
        # "a romantic plot" is no kind of film: behind a genre come another one, a film, or no noun at all
        low = f" {' '.join(re.findall(r'[a-z0-9]+(?:[-’][a-z0-9]+)*', phrase.casefold()))} "
        found = []
        for name in self._genres_by_length:
            if f" {name} " in low and genre_of(name) in self._genre_keys:
                place = low.index(f" {name} ")
                after = low[place + len(name) + 1 :].split()
                if not after or after[0].startswith("#") or after[0] in said_as.MAY_FOLLOW | self._first_words:
                    found.append((place, name))
                low = low.replace(f" {name} ", f" {'#' * len(name)} ")
        return [name for _, name in sorted(found)]

    @cached_property
    def _genre_names(self) -> frozenset[str]:
        return frozenset(
            value.casefold()
            for item in self._catalogue.values()
            for attribute, values in item.attributes.items()
            if normalise_words(attribute) in said_as.GENRES
            for value in values
        )

    @cached_property
    def _genres_by_length(self) -> list[str]:
        return sorted({*self._genre_names, *said_as.SAME_GENRE}, key=lambda name: (-len(name), name))

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(name.split()[0] for name in (*self._genre_names, *said_as.SAME_GENRE) if name)

    @cached_property
    def _genre_keys(self) -> frozenset[str]:
        return frozenset(map(genre_of, self._genre_names))

    def _columns(self, at: Places, text: str) -> Iterator[ItemClaim]:
        """Claims that name a column: "the colour is red"."""
        for attribute, known in at.item.attributes.items():
            name, low = normalise_words(attribute), text.casefold()
            if attribute == OTHER_TITLES or name in said_as.WITH_FORMS or name not in low:
                continue
            for found in re.finditer(rf"\b{re.escape(name)}\s*(?:is|was|:|=)\s*(?P<value>[^.,;\n]{{1,40}})", low):
                said = normalise_words(found["value"])
                others = self._values_of.get(attribute, frozenset())
                own = {normalise_words(value) for value in known}
                span = found.span("value")
                if said in own:
                    yield at.claim(attribute, text[slice(*span)], known, ClaimVerdict.SUPPORTED, span)
                elif said in others:
                    yield at.claim(attribute, text[slice(*span)], known, ClaimVerdict.CONTRADICTED, span)

    @cached_property
    def _values_of(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for item in self._catalogue.values():
            for attribute, values in item.attributes.items():
                found.setdefault(attribute, set()).update(map(normalise_words, values))
        return {attribute: frozenset(values) for attribute, values in found.items()}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, and what claims it can hold at all."""

    text: str
    forms: tuple[re.Pattern[str], ...]
    """How it may say who made an item."""
    has_genre: bool
    """Whether it may name a genre."""


def makers_forms(text: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of ``MAKERS`` whose words a text has."""
    return _forms_with(frozenset(filter(text.__contains__, said_as.MAKER_WORDS)))


@lru_cache(maxsize=1 << 12)
def _forms_with(words: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(pattern for groups, pattern in said_as.MAKERS if not any(map(words.isdisjoint, groups)))


def _makers_in(text: str, forms: Iterable[re.Pattern[str]]) -> Iterator[re.Match[str]]:
    """Who is said to have made the item whose title is blanked out, form by form."""
    start = text.find(said_as.BLANK)
    start = len(text[: max(0, start)].rstrip(said_as.OPENING)) if start >= 0 else -1
    for pattern in forms:
        if not pattern.pattern.startswith(said_as.TITLE):
            yield from pattern.finditer(text)
        elif start >= 0 and (found := pattern.match(text, start)) is not None:  # there is one title
            yield found


def _end_of_topic(text: str, end: int, stop: int, goes_on: re.Pattern[str] = said_as.GOES_ON) -> int:
    """Where a text stops to be about the item that it names before ``end``: behind the sentences that go on."""
    stop = min(stop, end + said_as.LONGEST)
    row = next((part for part in layout_of(text).parts if part.start <= end <= part.end + 1), None)
    if row is not None and row.layout is not Layout.PROSE:
        line = text.find("\n", end)
        while line >= 0 and said_as.LABELLED.match(text, line + 1):
            line = text.find("\n", line + 1)
        return min(stop, line if line >= 0 else len(text))
    suggested = said_as.SUGGESTED.match(text, end, stop)
    place = suggested.end() if suggested else end
    while (mark := said_as.SENTENCE.search(text, place, stop)) is not None:
        if mark[0] == "." and said_as.ABBREVIATION.search(text[max(0, mark.end() - 6) : mark.end()]):
            place = mark.end()
            continue
        if not goes_on.match(text, mark.end(), stop):
            return mark.end()
        place = mark.end()
    return stop
