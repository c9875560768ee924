"""Claims of a text about items of a catalogue: year, people, genres, running time, price, and any other column.

A claim is looked for behind an item's title, as far as the text is about it: to the end of its sentence or row of a list, or
of the following sentences that begin with "It" or "The film", and before it ("Christopher Nolan's ...", "the 1995 film"). It
is *supported* or *contradicted* by the catalogue, or *not in it*. Precision comes first: questions, negations and what is
said of other films are passed over; a genre is contradicted only if none of those named with it is the item's, an actor
never, since catalogues list few. English only. Measured in ``benchmarks/INVENTIONS.md``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from trialogue.catalogue.attribute_names import PEOPLE, normalise_words
from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.layout import Layout, layout_of
from trialogue.catalogue.linking.ordinary import word_set
from trialogue.records import ClaimVerdict, ItemClaim, Mention

ACTORS, DIRECTORS, WRITERS = PEOPLE
CALLED = {ACTORS: "actor", DIRECTORS: "director", WRITERS: "writer"}
GENRES = frozenset({"genre", "genres", "category", "categories"})
RUNTIMES = frozenset({"runtime", "running time", "duration", "length", "minutes", "runtime minutes", "runtimeminutes"})
PRICES = frozenset({"price", "prices", "cost", "costs"})
SAME_GENRE = {
    "sci-fi": "science fiction",
    "scifi": "science fiction",
    "sci fi": "science fiction",
    "science-fiction": "science fiction",
    "romantic": "romance",
    "rom-com": "romance",
    "romcom": "romance",
    "comedic": "comedy",
    "animated": "animation",
    "historical": "history",
    "biographical": "biography",
    "biopic": "biography",
    "film-noir": "noir",
    "film noir": "noir",
    "children": "children's",
    "kids": "children's",
    "thrillers": "thriller",
    "comedies": "comedy",
    "dramas": "drama",
    "westerns": "western",
    "musicals": "musical",
}
NEAR_YEARS, NEAR_MINUTES, NEAR_SHARE = 1, 3, 0.1
ALIKE_NAME = 0.85  # of the letters of a name, from which it is the other one misspelt
SHORTEST = 40  # minutes of a film
NO_NAMES = frozenset({"the", "it", "this", "that", "and", "you", "not", "film", "movie"})
LONGEST = 300  # characters behind a title that can be about it
BEFORE = 60  # characters before a title that can be about it

_TOKEN = r"(?:[A-ZÀ-Þ]\.|(?:Jr|Sr|St)\.|[A-ZÀ-Þ][\w'’-]*)"
_NAME = rf"{_TOKEN}(?:[ -]?(?:(?<=[ .-]){_TOKEN}|(?<= )(?:de|la|le|van|von|der|del|di|da|bin|el)(?= )))*"
_NAMES = rf"(?P<names>{_NAME}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_NAME})*)"
_MAKES = r"(?:directed|made|helmed|shot)"
_KINDS_BY = (
    "(?:film|movie|picture|drama|thriller|comedy|romance|horror|western|musical|documentary|adventure|fantasy|mystery)"
)
_DIRECTED = re.compile(
    rf"\b(?:{_MAKES}\s+by|dir\.|[\"']?directors?[\"']?\s*(?:is|was|are|:|,)?\s*[\"']?|{_KINDS_BY}\s+by|"
    rf"direction\s+(?:by|from))\s*{_NAMES}"
)
_DIRECTS = re.compile(rf"(?P<names>{_NAME})\s+{_MAKES}\b(?!\s+(?:before|another|other|also))")
_WRITTEN = re.compile(rf"\b(?:(?:written|penned)\s+by|authors?\s*(?:is|was|:)?|a\s+(?:novel|book)\s+by)\s+{_NAMES}")
_BY = re.compile(rf"\A[\"”’*_\s)]*(?:\(\d{{4}}\))?,?\s*by\s+{_NAMES}")
_ACTED = re.compile(rf"\b(?:starring|stars|featuring|features|with)\s+{_NAMES}")
_OWNED = re.compile(rf"(?P<names>{_NAME})['’]s?\s+(?:(?:classic|film|movie|masterpiece|epic|novel)\s+)?[\"“*'_]*\Z")
_OWNED_BEHIND = re.compile(rf"\A[\"”’*_\s)]*(?:\(\d{{4}}\))?(?:,|\s+(?:is|was))\s*(?P<names>{_NAME})['’]s?\s")
_DIRECTED_BEFORE = re.compile(rf"(?P<names>{_NAME})\s+{_MAKES}\s+[\"“*'_]*\Z")
_KINDS = (
    r"(?:film|movie|classic|thriller|drama|comedy|novel|book|western|musical|romance|adventure|mystery|picture|release)"
)
_YEAR = re.compile(
    r"\A[\"”’*_]*\s*\((?P<bracket>(?:18|19|20)\d\d)\)"
    r"|\b(?:released?|came\s+out|made|premiered|published|filmed|shot|dates|debuted|opened|year[\"']?)\s*(?:back\s+)?(?:in|from|:)\s*"
    r"(?P<in>(?:18|19|20)\d\d)\b|\b(?:from|of)\s+(?P<from>(?:18|19|20)\d\d)\b(?!s)"
    rf"|\b(?:a|an|the|this|['’]s)\s+(?P<kind>(?:18|19|20)\d\d)\s+(?:[\w-]+\s+){{0,3}}?{_KINDS}\b",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(
    r"(?<=[,;(] )(?P<bare>(?:18|19|20)\d\d)(?=\s*(?:[,;.)\n]|\Z))|(?<=\()(?P<open>(?:18|19|20)\d\d)(?=,)"
)
_YEAR_BEFORE = re.compile(
    rf"\b(?:the|a|this)\s+(?P<year>(?:18|19|20)\d\d)\s+(?:[\w-]+\s+){{0,3}}?{_KINDS},?\s+[\"“*'_]*\Z"
)
_NEAR = r"(?P<near>about|around|roughly|nearly|almost|over|under|just\s+(?:under|over))?\s*"
_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
NUMBERS = {word: str(number) for number, word in enumerate(_UNITS.split(), 1)} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "ninety": "90", "a hundred": "100"
}  # fmt: skip
_WORDED = "|".join(sorted(NUMBERS, key=len, reverse=True))
_MINUTES = re.compile(rf"{_NEAR}\b(?P<minutes>\d{{2,3}}|ninety|a\s+hundred)[\s-]?min(?:ute)?s?\b", re.IGNORECASE)
_HOURS = re.compile(
    rf"{_NEAR}\b(?P<hours>\d|one|two|three|four)\s?(?P<half>and\s+a\s+half\s+)?-?h(?:ours?|rs?)?\b"
    rf"(?:[\s,]*(?:and\s+)?(?P<minutes>\d{{1,2}}|(?:{_WORDED})(?:[\s-](?:{_WORDED}))?)\s?m(?:in(?:ute)?s?)?\b)?",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[$€£]\s?(?P<before>\d+(?:[.,]\d{1,2})?)|\b(?P<behind>\d+(?:[.,]\d{1,2})?)\s?(?:dollars|euros|pounds|USD|EUR)\b"
)
_KIND = re.compile(
    r"(?:\b(?:is|was|it['’]s|as|being)\s+(?:a|an|the|one\s+of\s+the|pure|more\s+of\s+a|sheer|straight)?\s*|\b(?:a|an|this)\s+"
    r"|[-–—:(,;]\s*)(?P<phrase>(?:[\w'’-]+[\s/,]+){0,6}?[\w'’-]+)(?=\s*(?:[.,;:!?)\n]|\Z|\s(?:about|that|which|with|starring|"
    r"directed|set|from|by|film|movie|flick|story|tale|picture|where|in|following|featuring|and\s+it)\b))",
    re.IGNORECASE,
)
MAY_FOLLOW = word_set(
    "film movie classic novel book picture release flick story tale and or but you i we with about from that which set in "
    "starring dark black of directed by for ever"
)
"""Words behind a genre that leave it what the item is; "plot" or "scenes" would not."""
_DENIED = re.compile(r"\b(?:not|never|less|hardly|nothing|without|un\w+)\b|n['’]t\b", re.IGNORECASE)
_STATED_GENRE = re.compile(r"\bgenres?\s*(?:is|are|:)\s*(?P<phrase>[^.;|\n]{2,60})", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n")
_GOES_ON = re.compile(r"\s*(?:It|It['’]s|This|The\s+(?:film|movie|book|novel|picture|one))\b")
_NOT = re.compile(
    r"\b(?:not|never|isn['’]t|wasn['’]t|no|unlike|than|other|similar\s+to|films|movies|something|anything)\s*(?:\w+\s+){0,2}\Z"
)
_ASKED = re.compile(r"\s*(?:Is|Was|Did|Does|Do|Are|Were|Has|Had|Who|When|Which|Isn['’]t|Wasn['’]t|Didn['’]t)\b")
_REPORTED = re.compile(
    r"\b(?:said|says|say|thinks?|thought|claims?|claimed|mentioned|told|heard|nobody|not|never|if)\s+(?:\w+\s+){0,3}[\"“*'_]*\Z",
    re.IGNORECASE,
)
_SUGGESTED = re.compile(r"\s*[\"”’*_)]*\s*\?\s+")
_LABELLED = re.compile(r"\s*(?:[-*•]\s*)?[A-Z][\w ]{2,18}:\s")
_ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|[A-Z])\.\Z")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


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

    def claims(self, text: str, mentions: Sequence[Mention]) -> tuple[ItemClaim, ...]:
        """Claims about the items that a text names, in the order of the text.

        Args:
            text: a reply.
            mentions: its items; those without a place, or of another catalogue, are passed over.
        """
        placed = sorted(
            (
                (each.start, each.end, each.item_id)
                for each in mentions
                if each.start is not None and each.end is not None
            ),
            key=lambda place: place[0],
        )
        found: list[ItemClaim] = []
        for place, (start, end, item_id) in enumerate(placed):
            item = self._catalogue.get(item_id or "")
            if item is None:
                continue
            stop = next((other for other, _, _ in placed[place + 1 :] if other > end), len(text))
            begin = max((behind for _, behind, _ in placed[:place]), default=0)
            found += self._claims_on(item, text, start, end, begin, _end_of_topic(text, end, stop))
        return tuple(sorted(found, key=lambda claim: (claim.start, claim.attribute)))

    def _claims_on(self, item: Item, text: str, start: int, end: int, begin: int, stop: int) -> Iterator[ItemClaim]:
        behind, before = text[end:stop], text[max(begin, start - BEFORE) : start]
        lead = text[max(begin, start - LONGEST) : start]
        lead = lead[max((mark.end() for mark in _SENTENCE.finditer(lead)), default=0) :]
        if _ASKED.match(lead) or _REPORTED.search(lead):
            return
        at = _Places(item, end)
        yield from self._people(at, behind)
        ahead = _Places(item, start - len(before))
        for pattern in (_OWNED, _DIRECTED_BEFORE):
            if (owner := pattern.search(before)) is not None:
                yield from _owner(ahead, owner, self._people_of_all)
        yield from _years(at, behind)
        if (year := _YEAR_BEFORE.search(before)) is not None:
            yield from _year_claim(ahead, int(year["year"]), year.span("year"))
        yield from self._genres(at, behind)
        yield from _minutes(at, behind)
        yield from _prices(at, behind)
        yield from self._columns(at, behind)

    def _people(self, at: "_Places", text: str) -> Iterator[ItemClaim]:
        for family, pattern in ((DIRECTORS, _DIRECTED), (WRITERS, _WRITTEN), (ACTORS, _ACTED)):
            for found in pattern.finditer(text):
                if not _NOT.search(text[: found.start()]):
                    yield from _name_claims(at, family, found["names"], found.start("names"))
        for found in _DIRECTS.finditer(text):
            if not _NOT.search(text[: found.start()]):
                yield from _name_claims(at, DIRECTORS, found["names"], found.start("names"))
        if (found_by := _BY.match(text)) is not None:
            is_book = at.values(WRITERS)[0] is not None and at.values(DIRECTORS)[0] is None
            yield from _name_claims(at, WRITERS if is_book else DIRECTORS, found_by["names"], found_by.start("names"))
        if (owner := _OWNED_BEHIND.match(text)) is not None:
            yield from _owner(at, owner, self._people_of_all)

    @cached_property
    def _people_of_all(self) -> frozenset[str]:
        """Directors and writers of all items, normalised."""
        names = {
            normalise_words(value)
            for item in self._catalogue.values()
            for attribute, values in item.attributes.items()
            if normalise_words(attribute) in DIRECTORS | WRITERS
            for value in values
        }
        return frozenset(names)

    def _genres(self, at: "_Places", text: str) -> Iterator[ItemClaim]:
        attribute, known = at.values(GENRES)
        if attribute is None:
            return
        own = {_genre(value) for value in known}
        for found in (*_KIND.finditer(text), *_STATED_GENRE.finditer(text)):
            if _DENIED.search(found["phrase"]) or _NOT.search(text[: found.start()]):
                continue
            said = self._genres_in(found["phrase"])
            if said:
                verdict = ClaimVerdict.SUPPORTED if own & {_genre(word) for word in said} else ClaimVerdict.CONTRADICTED
                yield at.claim(attribute, " ".join(said), known, verdict, found.span("phrase"))

    def _genres_in(self, phrase: str) -> list[str]:
        # "a romantic plot" is no kind of film: behind a genre come another one, a film, or no noun at all
        low = f" {' '.join(re.findall(r'[a-z0-9]+(?:[-’][a-z0-9]+)*', phrase.casefold()))} "
        names = sorted({*self._genre_names, *SAME_GENRE}, key=len, reverse=True)
        found = []
        for name in names:
            if f" {name} " in low and _genre(name) in self._genre_keys:
                place = low.index(f" {name} ")
                after = low[place + len(name) + 1 :].split()
                if not after or after[0].startswith("#") or after[0] in MAY_FOLLOW | self._first_words:
                    found.append((place, name))
                low = low.replace(f" {name} ", f" {'#' * len(name)} ")
        return [name for _, name in sorted(found)]

    @cached_property
    def _genre_names(self) -> frozenset[str]:
        return frozenset(
            value.casefold()
            for item in self._catalogue.values()
            for attribute, values in item.attributes.items()
            if normalise_words(attribute) in GENRES
            for value in values
        )

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(name.split()[0] for name in (*self._genre_names, *SAME_GENRE) if name)

    @cached_property
    def _genre_keys(self) -> frozenset[str]:
        return frozenset(map(_genre, self._genre_names))

    def _columns(self, at: "_Places", text: str) -> Iterator[ItemClaim]:
        """Claims that name a column: "the colour is red"."""
        for attribute, known in at.item.attributes.items():
            name = normalise_words(attribute)
            if attribute == OTHER_TITLES or name in ACTORS | DIRECTORS | WRITERS | GENRES | RUNTIMES | PRICES:
                continue
            for found in re.finditer(
                rf"\b{re.escape(name)}\s*(?:is|was|:|=)\s*(?P<value>[^.,;\n]{{1,40}})", text.casefold()
            ):
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


class _Places:
    """An item, and the offset of a piece of text in the whole."""

    def __init__(self, item: Item, offset: int) -> None:
        self.item, self._offset = item, offset

    def values(self, family: frozenset[str]) -> tuple[str | None, tuple[str, ...]]:
        """(name, values) of the item's attribute of a family; (None, ()) for none."""
        for attribute, values in self.item.attributes.items():
            if normalise_words(attribute) in family and values:
                return attribute, values
        return None, ()

    def claim(
        self, attribute: str, said: str, known: Sequence[str], verdict: ClaimVerdict, span: tuple[int, int]
    ) -> ItemClaim:
        """A claim at a place in the piece."""
        return ItemClaim(
            item_id=self.item.id,
            attribute=attribute,
            said=said.strip(),
            known=tuple(known),
            verdict=verdict,
            start=self._offset + span[0],
            end=self._offset + span[1],
        )


def _end_of_topic(text: str, end: int, stop: int) -> int:
    """Where a text stops to be about the item that it names before ``end``."""
    stop = min(stop, end + LONGEST)
    row = next((part for part in layout_of(text).parts if part.start <= end <= part.end + 1), None)
    if row is not None and row.layout is not Layout.PROSE:
        line = text.find("\n", end)
        while line >= 0 and _LABELLED.match(text, line + 1):
            line = text.find("\n", line + 1)
        return min(stop, line if line >= 0 else len(text))
    suggested = _SUGGESTED.match(text, end, stop)
    place = suggested.end() if suggested else end
    while (mark := _SENTENCE.search(text, place, stop)) is not None:
        if mark[0] == "." and _ABBREVIATION.search(text[max(0, mark.end() - 6) : mark.end()]):
            place = mark.end()
            continue
        if not _GOES_ON.match(text, mark.end(), stop):
            return mark.end()
        place = mark.end()
    return stop


def _name_claims(at: _Places, family: frozenset[str], names: str, offset: int) -> Iterator[ItemClaim]:
    """A claim for each name of a list of names that begins at an offset."""
    attribute, known = at.values(family)
    for each in re.finditer(_NAME, names):
        name = each[0].removesuffix("'s").removesuffix("’s").rstrip(" -")
        if len(name) < 4 or normalise_words(name) in NO_NAMES:
            continue
        if any(_is_same_name(name, other) for other in known):
            verdict = ClaimVerdict.SUPPORTED
        elif attribute is None or family is ACTORS or " " not in name:
            verdict = ClaimVerdict.UNKNOWN
        else:
            verdict = ClaimVerdict.CONTRADICTED
        start = offset + each.start()
        yield at.claim(attribute or CALLED[family], name, known, verdict, (start, start + len(name)))


def _is_same_name(one: str, other: str) -> bool:
    """Whether two names are of one person: equal but for slips, or one is the other's last name."""
    a, b = normalise_words(one), normalise_words(other)
    if a == b or (a.split()[-1:] == b.split()[-1:] and 1 in (len(a.split()), len(b.split()))):
        return True
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= ALIKE_NAME


def _owner(at: _Places, found: re.Match[str], people: frozenset[str]) -> Iterator[ItemClaim]:
    """Whose film it is ("Christopher Nolan's Heat"), if some end of the name is that of somebody who makes some."""
    words = found["names"].split(" ")
    names = [" ".join(words[place:]) for place in range(len(words))]
    name = next((each for each in names if normalise_words(each) in people), None)
    attribute = at.values(DIRECTORS)[0] or at.values(WRITERS)[0]
    if name is None or attribute is None:
        return
    makers = at.values(DIRECTORS)[1] or at.values(WRITERS)[1]
    known = [value for family in (DIRECTORS, WRITERS, ACTORS) for value in at.values(family)[1]]
    is_right = any(_is_same_name(name, other) for other in known)
    end = found.end("names")
    verdict = ClaimVerdict.SUPPORTED if is_right else ClaimVerdict.CONTRADICTED
    yield at.claim(attribute, name, makers, verdict, (end - len(name), end))


def _years(at: _Places, text: str) -> Iterator[ItemClaim]:
    for found in _YEAR.finditer(text):
        if _NOT.search(text[: found.start()]):
            continue
        group = next(name for name, value in found.groupdict().items() if value is not None)
        yield from _year_claim(at, int(found[group]), found.span(group))
    for found in _BARE_YEAR.finditer(text):
        yield from _year_claim(at, int(found[0]), found.span())


def _year_claim(at: _Places, year: int, span: tuple[int, int]) -> Iterator[ItemClaim]:
    known = at.item.year
    if known is None:
        yield at.claim("year", str(year), (), ClaimVerdict.UNKNOWN, span)
        return
    verdict = ClaimVerdict.SUPPORTED if abs(known - year) <= NEAR_YEARS else ClaimVerdict.CONTRADICTED
    yield at.claim("year", str(year), (str(known),), verdict, span)


def _minutes(at: _Places, text: str) -> Iterator[ItemClaim]:
    attribute, known = at.values(RUNTIMES)
    taken: list[tuple[int, int]] = []
    for found in (*_HOURS.finditer(text), *_MINUTES.finditer(text)):
        said = _minutes_in(found)
        if _NOT.search(text[: found.start()]):
            continue
        if said < SHORTEST or any(start < found.end() and found.start() < end for start, end in taken):
            continue
        taken.append(found.span())
        start = found.end("near") if found["near"] else found.start()
        start += len(text[start : found.end()]) - len(text[start : found.end()].lstrip())
        if attribute is None:
            yield at.claim("runtime", text[start : found.end()], (), ClaimVerdict.UNKNOWN, (start, found.end()))
            continue
        length = _length_of(known[0])
        if length is not None:
            is_rough = found["near"] or found["minutes"] is None
            is_near = abs(said - length) <= (NEAR_SHARE * length if is_rough else NEAR_MINUTES)
            verdict = ClaimVerdict.SUPPORTED if is_near else ClaimVerdict.CONTRADICTED
            yield at.claim(attribute, text[start : found.end()], known, verdict, (start, found.end()))


def _minutes_in(found: re.Match[str]) -> int:
    """Minutes that a time says, in digits or words."""
    parts = found.groupdict()
    hours = int(NUMBERS.get((parts.get("hours") or "0").casefold(), parts.get("hours") or "0"))
    words = re.split(r"[\s-]+(?!hundred)", (parts.get("minutes") or "0").casefold())
    minutes = sum(int(NUMBERS.get(word, word)) for word in words)
    return 60 * hours + minutes + (30 if parts.get("half") else 0)


def _length_of(value: str) -> float | None:
    """Minutes of a running time: "170", "170 min", "2h 50m"."""
    if (hours := _HOURS.search(value)) is not None:
        return _minutes_in(hours)
    number = _NUMBER.search(value)
    return float(number[0].replace(",", ".")) if number else None


def _prices(at: _Places, text: str) -> Iterator[ItemClaim]:
    attribute, known = at.values(PRICES)
    number = _NUMBER.search(known[0]) if known else None
    if attribute is None or number is None:
        return
    for found in _PRICE.finditer(text):
        said = float((found["before"] or found["behind"]).replace(",", "."))
        is_same = abs(said - float(number[0].replace(",", "."))) < 0.005
        verdict = ClaimVerdict.SUPPORTED if is_same else ClaimVerdict.CONTRADICTED
        yield at.claim(attribute, found[0], known, verdict, found.span())


def _genre(value: str) -> str:
    low = value.casefold().strip()
    return SAME_GENRE.get(low, low)
