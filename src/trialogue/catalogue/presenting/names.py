"""Runs of words that are written like a name: capitals, small words between them, numbers."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trialogue.catalogue.linking.ordinary import word_set

SMALL = word_set(
    "of the a an and in on for to with from at by or vs & nor but as into de la le les du des von van der die das el "
    "los las et y e il lo da di mit und im zum zur für über unter ohne aus nach bei vom ein eine einer dem den à au "
    "aux sur sans pour un une dans en con sin por para del al"
)
"""Words that titles write small."""
BEFORE_RESTART = frozenset({"and", "or", "&", "nor", "but", "as"})
MOST_WORDS = 12

_WORD = re.compile(r"\d+:\d\d|[^\W_]+(?:['’·.-][^\W_]+)*|&")
_LINKED = re.compile(r"[ \t]+|: |['’]| [-–—] |(?<=[a-z])! (?=[A-Z])|\. (?=[A-Z0-9])")
_ABBREVIATED = frozenset({"dr", "mr", "mrs", "ms", "st", "vs", "vol", "no", "pt", "jr", "sr"})


class Word(NamedTuple):
    """A word of a text."""

    text: str
    """As it is written."""
    low: str
    """In small letters."""
    is_capital: bool
    """Whether it begins with a capital, a digit, or a letter of a script without capitals."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""


def words_of(text: str, start: int = 0, end: int | None = None) -> tuple[Word, ...]:
    """The words of a piece of a text."""
    return _words_of(text, start, len(text) if end is None else end)


@lru_cache(maxsize=256)  # one rule after the other asks for those of a reply
def _words_of(text: str, start: int, end: int) -> tuple[Word, ...]:
    new = tuple.__new__  # half the time of Word(...)
    words = []
    for word in _WORD.findall(text, start, end):  # sooner found again than asked for its place
        start = text.index(word, start)
        words.append(new(Word, (word, word.casefold(), not word[0].islower(), start, start := start + len(word))))
    return tuple(words)


def runs(text: str, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """(first, behind) of each longest run of words that is written like a name; it begins and ends with a capital.

    >>> text = "You could try The Silver Moon of Arden or maybe Up."
    >>> [" ".join(word.text for word in words_of(text)[slice(*run)]) for run in runs(text, words_of(text))]
    ['You', 'The Silver Moon of Arden', 'Up']
    """
    place = 0
    while place < len(words):
        if not words[place].is_capital:
            place += 1
            continue
        behind = _run_behind(text, words, place)
        yield place, behind
        place = behind


def _run_behind(text: str, words: Sequence[Word], first: int) -> int:
    behind = first + 1
    look = behind
    while look < len(words) and look - first < MOST_WORDS and _are_linked(text, words[look - 1], words[look]):
        if words[look].is_capital:
            behind = look + 1
        elif words[look].low not in SMALL:
            break
        look += 1
    return behind


def _are_linked(text: str, one: Word, other: Word) -> bool:
    gap = text[one.end : other.start]
    if gap in ("", " "):
        return True
    if gap.startswith(".") and one.low not in _ABBREVIATED and len(one.text) > 1:
        return False
    return _LINKED.fullmatch(gap) is not None


def is_titled(words: Sequence[Word]) -> bool:
    """Whether words are written as a title: a capital or digit first, and no small word that titles do not write small.

    >>> [is_titled(words_of(text)) for text in ("The Silver Moon", "Open the app", "1917", "Lost in Translation")]
    [True, False, True, True]
    """
    if not words or not words[0].is_capital or len(words) > MOST_WORDS:
        return False
    return all(word.is_capital or word.low in SMALL or not word.text[0].isalpha() for word in words)
