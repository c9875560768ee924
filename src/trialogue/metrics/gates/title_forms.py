"""The names by which a title is known: whole, in parts, without its maker, by its model's number, initials, or one word.

A part names an item only if no other title of the catalogue has one of its words. "Toy Story" is no name of "Toy Story 2".
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.evidence import PLAUSIBLE_YEARS
from trialogue.catalogue.linking.ordinary import is_ordinary, kind_of
from trialogue.catalogue.linking.titles import Token, parse_title, tokens
from trialogue.catalogue.linking.variants import ARTICLES, variants

Forms = tuple[str, ...]

MIN_WORDS = 3  # of a title in any case
LEAST_WORDS = 2  # of a part, but for articles
MIN_INITIALS = 3
MIN_DIGITS = 3
MAX_DROPPED = 3  # words of a maker
FEW_LETTERS = 4  # of a rare word
JOINING = ARTICLES | {"and", "of", "in", "on", "by", "at", "with", "for", "to"}
OF_SUBTITLES = frozenset({"a", "an", "how", "why", "my", "or"})
"""First words of subtitles that only tell what a title is about."""
RARE = "rare word"
OF_NAMES = frozenset({RARE, "name", "maker"})
NO_NAMES = frozenset({"stock phrase", "function word", "digits"})
"""Kinds of words that a part of a title may not be of."""

_TEENS = {word: 16 + place for place, word in enumerate(("sixteen", "seventeen", "eighteen", "nineteen"))}
_TENS = {
    word: 10 * place
    for place, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_NUMBER_WORDS = frozenset((*_TEENS, *_TENS))
_CENTURIES = range(13, 21)
_SUBTITLE = re.compile(r":\s|\s[-–—]\s")
_MODEL = re.compile(r"(?=\w*\d)(?=\w*[a-z])\w{3,}")


class How(Enum):
    """How a name has to be written to be one."""

    WHOLE = auto()
    """As a title: three words, or in capitals where nothing else explains them, or in quotation marks."""
    PART = auto()
    """In the same way."""
    MODEL = auto()
    """In any way."""
    INITIALS = auto()
    """In capitals among small letters, or with a digit."""
    WORD = auto()
    """Where something is named: "put on rogan", "Rogan, perhaps?"."""


class Name(NamedTuple):
    """What an item may be called."""

    forms: Forms
    how: How


class TitleNames:
    """Names of the items of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.forms = {item.id: forms for item in catalogue.values() if (forms := self.forms_of(item.title))}
        """Words of the titles that have one, by item."""
        self._titles_with = Counter(word for forms in self.forms.values() for word in frozenset(forms))
        self._known: dict[str, tuple[Name, ...]] = {}

    @staticmethod
    def forms_of(text: str) -> Forms:
        """Words of a text in their common form, numbers joined."""
        return tuple(token.form for token in joined_tokens(text))

    def __getitem__(self, item_id: str) -> tuple[Name, ...]:
        """The names of an item whose title has words, the whole title first."""
        if item_id not in self._known:
            self._known[item_id] = tuple(dict.fromkeys(self._names(self._catalogue[item_id], self.forms[item_id])))
        return self._known[item_id]

    def _names(self, item: Item, whole: Forms) -> Iterator[Name]:
        yield Name(whole, How.WORD if all(map(str.isdigit, whole)) else How.WHOLE)
        parts = [each.forms for each in variants(item)]
        bare = tuple(word for word in self.forms_of(parse_title(item.title).title) if word not in ARTICLES)
        tails = [*_tails(bare)]
        own = (part for part in (*parts, *tails) if part != whole and self._is_own(part))
        yield from (Name(part, How.PART) for part in own if not _is_series(part, whole))
        yield from (Name(model, How.MODEL) for model in _models(bare))
        yield from (
            Name((short,), How.INITIALS) for part in (whole, bare, *parts, *tails) if (short := _initials(part))
        )
        main = self.forms_of(_SUBTITLE.split(item.title)[0])
        if not any(word.isdigit() for word in whole):
            yield from (Name((word,), How.WORD) for word in _words(main) if self._titles_with[word] <= 1)

    def _is_own(self, part: Forms) -> bool:
        """Whether a part of a title has a word that no other title has, and is no everyday expression."""
        if sum(word not in ARTICLES for word in part) < LEAST_WORDS or kind_of(part) in NO_NAMES:
            return False
        return any(self._titles_with[word] <= 1 for word in part)


def joined_tokens(text: str) -> tuple[Token, ...]:
    """Words of a text, numbers in words made one.

    >>> [token.form for token in joined_tokens("Nineteen Eighty-Four or twenty one")]
    ['1984', 'or', '21']
    """
    words = tokens(text)
    if _NUMBER_WORDS.isdisjoint(word.form for word in words):
        return tuple(words)
    joined, place = [], 0
    while place < len(words):
        start = place
        value, place = _number_at(words, place)
        if value in _CENTURIES and place < len(words) and words[place].form in _NUMBER_WORDS:
            rest, place = _number_at(words, place)
            value = 100 * value + rest
        form = words[start].form if not value else str(value)
        joined.append(Token(form, words[start].start, words[place - 1].end))
    return tuple(joined)


def _number_at(words: Sequence[Token], place: int) -> tuple[int, int]:
    """The number of two digits at a place, 0 for none, and the place behind it."""
    form = words[place].form
    if form not in _TENS:
        return _TEENS.get(form, 0), place + 1
    unit = words[place + 1].form if place + 1 < len(words) else ""
    return (_TENS[form] + int(unit), place + 2) if len(unit) == 1 and unit.isdecimal() else (_TENS[form], place + 1)


def _is_series(part: Forms, whole: Forms) -> bool:
    """Whether a part is what stands before a subtitle that tells it from others: "Mad Max", and not "Educated: A Memoir"."""
    if any(word.isdigit() for word in part):
        return False
    rest = next((whole[at + len(part) :] for at in (0, 1) if whole[at : at + len(part)] == part), ())
    return bool(rest) and rest[0] not in OF_SUBTITLES


def _tails(forms: Forms) -> Iterator[Forms]:
    """What is left of a title without the names that it begins with: of a maker, or a hero."""
    for place in range(1, min(MAX_DROPPED + 1, len(forms))):
        dropped = forms[place - 1]
        if dropped not in JOINING and kind_of((dropped,)) not in OF_NAMES:
            return
        rest = forms[place:]
        while rest and rest[0] in JOINING:
            rest = rest[1:]
        if rest and not rest[0].isdigit():
            yield rest


def _models(forms: Forms) -> Iterator[Forms]:
    """Numbers of models: letters and digits, many digits in the plural, or a number before a name ("15 Pro")."""
    for place, word in enumerate(forms[1:], 1):
        if _MODEL.fullmatch(word):
            yield (word,)
        elif word.isdecimal() and len(word) > 1 and int(word[:9]) not in PLAUSIBLE_YEARS:
            if len(word) >= MIN_DIGITS:
                yield (f"{word}s",)
            if place + 1 < len(forms):
                yield forms[place:]


def _initials(forms: Forms) -> str:
    """First letters of a title's words, with its numbers; "" for fewer than three, or one word."""
    short = "".join(word if word.isdigit() else word[0] for word in forms) if len(forms) > 1 else ""
    return short if len(short) >= MIN_INITIALS and short[0].isalpha() and not is_ordinary(short) else ""


def _words(forms: Forms) -> Iterator[str]:
    """Rare words of a title; its first word is one only if no other one is, too: it may be a maker's."""
    for place, word in enumerate(forms):
        others = forms[:place] + forms[place + 1 :]
        is_first = place == 0 and any(kind_of((other,)) in OF_NAMES for other in others)
        if len(word) >= FEW_LETTERS and kind_of((word,)) == RARE and not is_first:
            yield word
