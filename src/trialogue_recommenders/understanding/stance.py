"""Detect whether a user wants or rejects the things named in a text."""

import re
from collections.abc import Iterator, Sequence

from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.understanding.speech_acts import any_of

Span = tuple[int, int]
"""Offsets of the first character and behind the last."""

# "Not" does not speak against what follows in "not yet seen", "not only", "not bad".
_NOT = r"not?(?! (?:yet|seen|only|bad|sure|idea|preference|problem|matter))"
_VERBS = r"do ?n.?t|did ?n.?t|does ?n.?t|isn.?t|wasn.?t|can.?t stand|never|hate|dislike|avoid|without|except|nothing"
_PHRASES = "anything but|instead of|rather than|tired of|less|neither|nor|enough of"
_AGAINST = re.compile(
    rf"\b(?:{_NOT}|{_VERBS}|{_PHRASES}|(?<!not ){any_of(sections_of('signs')['{bad}'])})\b", re.IGNORECASE
)
_SEGMENT = re.compile(r"[.;!?,\n]+|\b(?:(?<!anything )but|however|though)\b", re.IGNORECASE)
_LISTING = re.compile(r"\b(?:and|or|nor|any|a|the|films?|movies?|books?|ones?|stuff|things?)\b|§|\W", re.IGNORECASE)


def spoken_against(text: str, named: Sequence[Span]) -> set[Span]:
    """Spans of named items in segments that reject them.

    A segment that only goes on listing is like the one before it.

    >>> text = "No horror, war or westerns, but I like drama"
    >>> places = [(text.index(word), text.index(word) + len(word)) for word in ("horror", "war", "westerns", "drama")]
    >>> sorted(text[start:end] for start, end in spoken_against(text, places))
    ['horror', 'war', 'westerns']
    """
    against: set[Span] = set()
    before = False
    for start, end in _segments(text) if named else ():
        inside = [place for place in named if start <= place[0] < end]
        words = mask_spans(text, inside)[start:end]
        negative = bool(_AGAINST.search(words)) or (before and bool(inside) and not _LISTING.sub("", words))
        if negative:
            against.update(inside)
        before = negative and bool(inside)
    return against


def mask_spans(text: str, spans: Sequence[Span], *, mark: str = "§") -> str:
    """Text with spans masked; the offsets of other characters are kept."""
    for start, end in spans:
        text = text[:start] + mark + " " * (end - start - 1) + text[end:]
    return text


def _segments(text: str) -> Iterator[Span]:
    start = 0
    for mark in _SEGMENT.finditer(text):
        yield start, mark.start()
        start = mark.end()
    yield start, len(text)
