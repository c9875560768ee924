"""Detector of titles: spans of a text that are presented as titles, without any catalogue.

A title is recognised by what surrounds it and by how it is written, never by being known: quotation marks or emphasis, a
year in brackets behind it, an item of a list or a cell of a table, a value under a key such as "title"; in a sentence,
capitals behind words such as "recommend", "watch", "the movie". Names of people, platforms, genres and greetings are left
out: what a text presents otherwise would count as invented where a catalogue lacks it, so precision comes first.

English is assumed only for the words before titles in sentences; the other signs are those of any language. Measured in
``benchmarks/INVENTIONS.md``.
"""

from collections.abc import Callable
from typing import NamedTuple

from trialogue.catalogue.layout import Layout, layout_of, plain_text
from trialogue.catalogue.presenting import words as known
from trialogue.catalogue.presenting.sentences import in_prose
from trialogue.catalogue.presenting.slots import in_slots
from trialogue.catalogue.presenting.words import Sign

__all__ = ["Presented", "Sign", "presented_titles"]


class Presented(NamedTuple):
    """A span that is presented as a title."""

    start: int
    """Offset of its first character in the text as it was written."""
    end: int
    """Offset behind its last character, the year left out."""
    title: str
    """Its words, in plain text."""
    year: int | None
    """The year in brackets behind it."""
    sign: Sign
    """What shows that the span is presented as a title."""


def presented_titles(
    text: str,
    *,
    is_no_title: Callable[[str], bool] = lambda _words: False,
    is_title: Callable[[str], bool] = lambda _words: False,
) -> tuple[Presented, ...]:
    """Spans that are presented as titles, in order, without overlaps.

    Args:
        text: a reply.
        is_no_title: of words in small letters, joined by single spaces, whether they are something else for sure, such as
            a genre or an actor of the catalogue.
        is_title: of words, whether they are the title of something; among such, small letters are taken for titles, too.

    >>> [each.title for each in presented_titles('I recommend The Silver Moon (2011), "Up" and Glass Harbor.')]
    ['The Silver Moon', 'Up', 'Glass Harbor']
    >>> presented_titles("I love movies with Tom Hanks. Do you like Comedy?")
    ()
    """
    plain = plain_text(text)
    laid_out = layout_of(plain.text)
    found: list[tuple[int, int, Sign]] = []
    for part in laid_out.parts:
        if part.layout is Layout.PROSE:
            found += in_prose(laid_out.text, part, is_no_title)
    found += in_slots(laid_out.text, laid_out.slots, is_no_title, is_title)
    kept: list[Presented] = []
    for start, end, sign in sorted(found):
        if kept and start < kept[-1].end:
            continue
        dated = known.YEAR_BEHIND.match(laid_out.text, end) or known.YEAR_AHEAD.search(
            laid_out.text, max(0, start - known.LEAD), start
        )
        year = int(dated[dated.lastgroup or 0]) if dated else None
        kept.append(Presented(start, end, laid_out.text[start:end], year, sign))
    if plain.edges is None:
        return tuple(kept)
    return tuple(
        each._replace(start=plain.original(each.start, each.end)[0], end=plain.original(each.start, each.end)[1])
        for each in kept
    )
