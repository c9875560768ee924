"""Classify how a text names an item: as a recommendation, a question, a rejection or a comparison.

Not every title in a system's turn is a recommendation: "Have you seen Heat?" asks, "not Heat" rejects, "films like Heat"
compares. The rules look at the sentence around the title and are for English; in other languages every named item counts as
recommended. ``benchmarks/NEEDS.md`` measures how often they apply to texts that we did not write.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from trialogue.catalogue.layout import Layout, Part, layout_of
from trialogue.records import Mention

NEAR = 60  # characters before a title in which words can be about it
LONG = 300  # characters of a sentence on either side of a title that are looked at


class Naming(StrEnum):
    """Ways in which an item is named."""

    RECOMMENDED = "recommended"
    """It is put forward, or nothing says otherwise."""
    ASKED = "asked"
    """The other party is asked about it: whether they know it, or their opinion."""
    AGAINST = "against"
    """The text advises against it, or rejects it."""
    COMPARED = "compared"
    """Another item is compared with it, or explained by it."""


_TITLE = "§"
_LETTER = re.compile(r"[^\W\d_]")
_END = re.compile(r"[.!?](?=\s|$)|(?<![.!?])[.!?]+(?=[\"')\]]*\s)|\n")  # a run of marks is tried once, from its first
_LIKING = r"(?:lik|lov|enjoy|watch|mention|pick|rat|see|saw|seen|nam|said)(?:e[ds]?|ed|s)?"

# In small letters: patterns that pass over capitals take three times as long.
_ASKS = re.compile(
    r"\b(?:(?:have|had|haven.?t) you (?:ever |already |not )?(?:seen|watched|read|heard|tried|been|played|visited)|"
    r"(?:have|had) you (?:seen|watched|read) it|did(?:n.?t)? you (?:like|enjoy|see|watch|read|find|love|mean)|"
    r"do you (?:already |really |also )?(?:know|like|love|remember|mean|enjoy)|(?:do|did) you mean|"
    r"what (?:do|did|would) you (?:think|like|make|say|enjoy|love)\b|how (?:do|did) you (?:like|find|feel)|"
    r"which (?:one|of|would|do|did|\w+ do)\b[^?]*\b(?:mean|prefer|like|seen|know)|are you familiar with|"
    r"what (?:is it that|makes|won|part|was it)|why do you (?:like|love)|was )",
)
_WHICH = re.compile(r"\b(?:which (?:one|of)|is it one of|do you mean|did you mean)\b")
_OFFERS = re.compile(
    r"\b(?:would you like to|do you want to|why not|why don.?t you|can.?t go wrong with|cannot go wrong with|not only|"
    r"could not (?:be|recommend)|couldn.?t (?:be|recommend)|not sure if you|if you have(?: not|n.?t)|if not)\b",
)
_AGAINST = re.compile(
    r"\b(?:not|cannot|never|avoid|skip|except|without|instead of|rather than|other than|apart from|stay away from|"
    r"\w+n['’]t)(?:\W+\w+){0,4}\W*$",
)
_COMPARED = re.compile(
    r"(?:\b(?:something|anything|films?|movies?|books?|ones?|more|others?|just|much|lot|titles?|places?|shows?) like|"
    r"\b(?:similar|close|next|compared) to|\b(?:unlike|than|near|around|resembl\w+)|\breminds? \w+ of|\bfans? of|"
    r"\b(?:style|vein|spirit|mood|tradition) of|\bas \w+ as|\bgoing on from|\bbased on|\bfrom the (?:director|makers?) of|"
    rf"\b(?:if|since|because|as|when|that|who|which|and|also)\W+(?:(?:you|they|people|i see you)\W+)?"
    rf"(?:also\W+|really\W+|already\W+)*{_LIKING}|"
    r"\b(?:you|people|they|those|viewers|users)\W+(?:also\W+|really\W+)?"
    r"(?:who\W+)?(?:liked|loved|enjoyed|mentioned|named|picked|rated|said|saw|told me about))"
    r"\W*(?:the \w+\W+)?$",
)


def namings_in(text: str, mentions: Sequence[Mention]) -> list[Naming]:
    """Classify how a text names each of several items, in order; linear in text length and number of items.

    A mention without a place counts as recommended. Punctuation inside of titles with places ends no sentence.

    >>> text = "Since you liked Heat, try Ronin. Have you seen Thief?"
    >>> places = [Mention(title=t, start=text.index(t), end=text.index(t) + len(t)) for t in ("Heat", "Ronin", "Thief")]
    >>> [each.value for each in namings_in(text, places)]
    ['compared', 'recommended', 'asked']
    """
    plain = _mask_titles(text, mentions) if mentions else ""
    last = max((each.start or 0 for each in mentions), default=0)
    if _LETTER.search(plain, 0, last) is None:  # no word before any title, as in a bare list: rules go by those
        return [Naming.RECOMMENDED] * len(mentions)
    ends = [found.end() for found in _END.finditer(plain)]
    parts = layout_of(plain).parts
    leads = _leads(plain, parts)
    return [_naming_of(plain, ends, parts, leads, mention) for mention in mentions]


def recommended_mentions(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Items that a text recommends, in the order of the text; those without a place in it last.

    Args:
        text: what was said.
        mentions: the items that it names; those without a place are looked for by their title.

    >>> text = "Since you liked Heat, try Ronin or Thief."
    >>> [each.title for each in recommended_mentions(text, [Mention(title=t) for t in ("Thief", "Ronin", "Heat")])]
    ['Ronin', 'Thief']
    """
    return list(_recommendable(text, tuple(mentions))) if mentions else []


@lru_cache(maxsize=20_000)  # systems repeat themselves
def _recommendable(text: str, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    placed = sorted((_locate(mention, text) for mention in mentions), key=_place_of)
    pairs = zip(placed, namings_in(text, placed), strict=True)
    return tuple(mention for mention, naming in pairs if naming is Naming.RECOMMENDED)


def _locate(mention: Mention, text: str) -> Mention:
    """A mention with its place, looked for by its title where it has none."""
    if mention.start is not None and mention.end is not None:
        return mention
    start = text.casefold().find(mention.title.casefold())
    if start < 0 or len(text.casefold()) != len(text):
        return mention
    return mention.model_copy(update={"start": start, "end": start + len(mention.title)})


def _place_of(mention: Mention) -> tuple[bool, int]:
    return mention.start is None, mention.start or 0


def _naming_of(
    plain: str, ends: Sequence[int], parts: Sequence[Part], leads: Mapping[str, str], mention: Mention
) -> Naming:
    if mention.start is None or mention.end is None:
        return Naming.RECOMMENDED
    place = bisect_right(parts, mention.start, key=lambda part: part.start) - 1
    part = parts[place] if place >= 0 else Part(0, len(plain), Layout.PROSE, "", (0, len(plain)))
    before, after = _sentence(plain, ends, part, mention.start, mention.end)
    near = before[-NEAR:].lower()
    if _WHICH.search(leads.get(part.group, "")) or _asks_about(near, after):
        return Naming.ASKED
    if _OFFERS.search(near):
        return Naming.RECOMMENDED
    if _COMPARED.search(near):
        return Naming.COMPARED
    return Naming.AGAINST if _AGAINST.search(near) else Naming.RECOMMENDED


def _asks_about(before: str, after: str) -> bool:
    """Whether a sentence asks about a title; an offer is a question, too."""
    return after.rstrip().endswith("?") and _ASKS.search(before) is not None and not _OFFERS.search(before)


def _mask_titles(text: str, mentions: Sequence[Mention]) -> str:
    """The text with as many ``§`` in the place of each title as it has characters."""
    masked = list(text)
    for each in mentions:
        if each.start is not None and each.end is not None and 0 <= each.start < each.end <= len(text):
            masked[each.start : each.end] = _TITLE * (each.end - each.start)
    return "".join(masked)


def _sentence(plain: str, ends: Sequence[int], part: Part, start: int, end: int) -> tuple[str, str]:
    """(what stands before a place in its sentence, what stands behind it), of long sentences the nearest part.

    No sentence is longer than the item of a list or the paragraph that it stands in.
    """
    place = bisect_right(ends, start)
    begins = max(ends[place - 1] if place else 0, part.start)
    behind = bisect_left(ends, end + 1)
    closes = min(ends[behind] if behind < len(ends) else len(plain), max(part.end, end))
    return plain[max(begins, start - LONG) : start], plain[max(end, closes - LONG) : closes]


def _leads(plain: str, parts: Sequence[Part]) -> dict[str, str]:
    """What stands before each list, by its name; lists without marks have none."""
    leads: dict[str, str] = {}
    for before, part in pairwise(parts):
        if part.layout not in (Layout.PROSE, Layout.LINE) and part.group != before.group:
            leads.setdefault(part.group, plain[max(before.start, before.end - LONG) : before.end].lower())
    return leads
