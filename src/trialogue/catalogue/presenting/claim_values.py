"""Claims about people, years, running times and prices, against an item's values."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from trialogue.catalogue.item import Item, normalise_words
from trialogue.catalogue.presenting import statements as said_as
from trialogue.records import ClaimVerdict, ItemClaim


class Places:
    """An item, and the offset of a piece of text in the whole."""

    def __init__(self, item: Item, offset: int) -> None:
        self.item, self._offset, self._names = item, offset, tuple(item.attributes)

    def values(self, family: frozenset[str]) -> tuple[str | None, tuple[str, ...]]:
        """(name, values) of the item's attribute of a family; (None, ()) for none."""
        for attribute in _of_family(self._names, family):
            if values := self.item.attributes[attribute]:
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


@lru_cache(maxsize=1 << 10)  # the items of a catalogue have the same attributes
def _of_family(attributes: tuple[str, ...], family: frozenset[str]) -> tuple[str, ...]:
    return tuple(each for each in attributes if normalise_words(each) in family)


def name_claims(at: Places, family: frozenset[str], names: str, offset: int) -> Iterator[ItemClaim]:
    """A claim for each name of a list of names that begins at an offset."""
    attribute, known = at.values(family)
    for each in re.finditer(said_as.NAME, names):
        name = each[0].removesuffix("'s").removesuffix("’s").rstrip(" -")
        if len(name) < 4 or normalise_words(name) in said_as.NO_NAMES:
            continue
        if any(_is_same_name(name, other) for other in known):
            verdict = ClaimVerdict.SUPPORTED
        elif attribute is None or family is said_as.ACTORS or " " not in name:
            verdict = ClaimVerdict.UNKNOWN
        else:
            verdict = ClaimVerdict.CONTRADICTED
        start = offset + each.start()
        yield at.claim(attribute or said_as.CALLED[family], name, known, verdict, (start, start + len(name)))


def _is_same_name(one: str, other: str) -> bool:
    """Whether two names are of one person: equal but for slips, or one is the other's last name."""
    a, b = normalise_words(one), normalise_words(other)
    if a == b or (a.split()[-1:] == b.split()[-1:] and 1 in (len(a.split()), len(b.split()))):
        return True
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= said_as.ALIKE_NAME


def owner_claims(at: Places, found: re.Match[str], people: frozenset[str]) -> Iterator[ItemClaim]:
    """Whose film it is ("Christopher Nolan's Heat"), if some end of the name is that of somebody who makes some."""
    words = found["names"].split(" ")
    names = [" ".join(words[place:]) for place in range(len(words))]
    name = next((each for each in names if normalise_words(each) in people), None)
    attribute = at.values(said_as.DIRECTORS)[0] or at.values(said_as.WRITERS)[0]
    if name is None or attribute is None:
        return
    makers = at.values(said_as.DIRECTORS)[1] or at.values(said_as.WRITERS)[1]
    known = [value for family in (said_as.DIRECTORS, said_as.WRITERS, said_as.ACTORS) for value in at.values(family)[1]]
    is_right = any(_is_same_name(name, other) for other in known)
    end = found.end("names")
    verdict = ClaimVerdict.SUPPORTED if is_right else ClaimVerdict.CONTRADICTED
    yield at.claim(attribute, name, makers, verdict, (end - len(name), end))


def makers_of(at: Places, *, wrote: bool) -> frozenset[str]:
    """The family of attributes that says who made an item: writers, if it has no others, or is said to be written."""
    has_writers, has_directors = (at.values(family)[0] is not None for family in (said_as.WRITERS, said_as.DIRECTORS))
    is_book = (
        has_directors
        and not has_writers
        and at.values(said_as.ACTORS)[0] is None
        and at.values(said_as.RUNTIMES)[0] is None
    )
    return said_as.WRITERS if (wrote and not is_book) or (has_writers and not has_directors) else said_as.DIRECTORS


def names_said(at: Places, text: str) -> Iterator[ItemClaim]:
    """Supported claims for the item's people that are named in a text about it, whole or by their last name."""
    for family in (said_as.DIRECTORS, said_as.WRITERS, said_as.ACTORS):
        attribute, known = at.values(family)
        for name in known:
            last = name.split()[-1]
            if last not in text:  # as a rule; the pattern of a name costs more than all the rest
                continue
            for found in _either(name, last).finditer(text):
                if attribute is not None and len(last) > 3 and not said_as.NOT.search(text[: found.start()]):
                    yield at.claim(attribute, found[0], known, ClaimVerdict.SUPPORTED, found.span())
                    break


@lru_cache(maxsize=1 << 12)
def _either(name: str, last: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{re.escape(name)}|{re.escape(last)})\b")


def year_claims(at: Places, text: str) -> Iterator[ItemClaim]:
    """Claims on the year of the item that a text is about: any year, but for those of something else."""
    for found in said_as.YEAR.finditer(text):
        before = text[: found.start()]
        if said_as.OTHER_YEAR.search(before) or said_as.NOT.search(before):
            continue
        if text[found.end() :].lstrip(" ").startswith(said_as.BLANK) and not said_as.THE.search(before):
            continue  # another title, or part of this one: "try 1922 It Comes at Night"
        if said_as.IN_BRACKETS.search(before) and not said_as.OWN_BRACKETS.search(before):
            continue  # of a title that stands before it
        if found["decade"] is None:
            yield from _year_claim(at, int(found["year"]), 0, found)
        elif said_as.OF_DECADE.search(before):
            yield from _year_claim(at, int(found["decade"]), 9, found)


def _year_claim(at: Places, first: int, years: int, found: re.Match[str]) -> Iterator[ItemClaim]:
    """The claim that an item is of a year, or of one of the ``years`` behind it."""
    known = at.item.year
    if known is None:
        yield at.claim("year", found[0], (), ClaimVerdict.UNKNOWN, found.span())
        return
    is_near = first - said_as.NEAR_YEARS <= known <= first + years + said_as.NEAR_YEARS
    yield at.claim(
        "year", found[0], (str(known),), ClaimVerdict.SUPPORTED if is_near else ClaimVerdict.CONTRADICTED, found.span()
    )


def minute_claims(at: Places, text: str) -> Iterator[ItemClaim]:
    """Claims on the running time behind a title."""
    if not said_as.TIMED.search(text):
        return
    attribute, known = at.values(said_as.RUNTIMES)
    taken: list[tuple[int, int]] = []
    for found in (*said_as.HOURS.finditer(text), *said_as.MINUTES.finditer(text)):
        said = _minutes_in(found)
        if said_as.NOT.search(text[: found.start()]):
            continue
        if said < said_as.SHORTEST or any(start < found.end() and found.start() < end for start, end in taken):
            continue
        taken.append(found.span())
        start = (
            found.start("bare")
            if found.groupdict().get("bare")
            else found.end("near")
            if found["near"]
            else found.start()
        )
        start += len(text[start : found.end()]) - len(text[start : found.end()].lstrip())
        if attribute is None:
            yield at.claim("runtime", text[start : found.end()], (), ClaimVerdict.UNKNOWN, (start, found.end()))
            continue
        length = _length_of(known[0])
        if length is not None:
            is_rough = found["near"] or (found["minutes"] is None and not found.groupdict().get("bare"))
            is_near = abs(said - length) <= (said_as.NEAR_SHARE * length if is_rough else said_as.NEAR_MINUTES)
            if found["near"] and found["near"].casefold() in said_as.AT_LEAST:
                is_near = is_near or said <= length < said + 60
            verdict = ClaimVerdict.SUPPORTED if is_near else ClaimVerdict.CONTRADICTED
            yield at.claim(attribute, text[start : found.end()], known, verdict, (start, found.end()))


def _minutes_in(found: re.Match[str]) -> int:
    """Minutes that a time says, in digits or words."""
    parts = found.groupdict()
    hours = int(said_as.NUMBERS.get((parts.get("hours") or "0").casefold(), parts.get("hours") or "0"))
    words = re.split(r"[\s-]+(?!hundred|quarter)", (parts.get("minutes") or parts.get("bare") or "0").casefold())
    minutes = sum(int(said_as.NUMBERS.get(word, word)) for word in words)
    return 60 * hours + minutes + (30 if parts.get("half") or parts.get("later") else 0)


def _length_of(value: str) -> float | None:
    """Minutes of a running time: "170", "170 min", "2h 50m"."""
    if (hours := said_as.HOURS.search(value)) is not None:
        return _minutes_in(hours)
    number = said_as.NUMBER.search(value)
    return float(number[0].replace(",", ".")) if number else None


def price_claims(at: Places, text: str) -> Iterator[ItemClaim]:
    """Claims on the price behind a title."""
    attribute, known = at.values(said_as.PRICES)
    number = said_as.NUMBER.search(known[0]) if known else None
    if attribute is None or number is None:
        return
    for found in said_as.PRICE.finditer(text):
        said = float((found["before"] or found["behind"]).replace(",", "."))
        is_same = abs(said - float(number[0].replace(",", "."))) < 0.005
        verdict = ClaimVerdict.SUPPORTED if is_same else ClaimVerdict.CONTRADICTED
        yield at.claim(attribute, found[0], known, verdict, found.span())


def genre_of(value: str) -> str:
    """A genre in the form that all of its names share."""
    low = value.casefold().strip()
    return said_as.SAME_GENRE.get(low, low)
