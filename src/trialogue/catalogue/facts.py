"""Find facts of a catalogue in texts: names of people, exact years, and rare words of descriptions.

A name is found whole, in any case, or by its last name alone where that is written with a capital letter, belongs to one
person of the catalogue, is nobody's first name and no everyday word, and stands beside no other word of a name. Genres,
decades and other attributes are no such facts: they hold for too many items.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, PEOPLE, Item, normalise_words
from trialogue.catalogue.linking.ordinary import is_ordinary, word_list, word_set
from trialogue.catalogue.linking.titles import Token, tokens

RARE = 0.01
"""Share of the items that may have a word in their descriptions for it to be a fact about them."""
RARE_COUNT = 2  # in catalogues so small that the share is less
SHORTEST = 3  # letters of a last name or a word
MAX_REMEMBERED = 20_000  # texts whose facts are remembered

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_NAMED = frozenset[str]().union(*PEOPLE) | word_set("character characters role roles")
_KEYWORDS = word_set("keyword keywords tag tags")
_SUFFIXES = word_set("jr sr")
_ADDRESSES = word_set("mr mrs ms miss dr captain")


class FactKind(StrEnum):
    """Kinds of facts."""

    NAME = "name"
    """A person who took part, or a character."""
    YEAR = "year"
    """The exact year."""
    WORD = "word"
    """A rare word of the description or of a keyword."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds for few items of a catalogue."""

    kind: FactKind
    key: str
    """Normalised words."""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact with its place in a text."""

    fact: Fact
    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""
    is_whole: bool = True
    """Whether a name is written in full."""


class FactIndex:
    """The facts of a catalogue, and the items for which each holds.

    >>> films = Catalogue.from_items([Item(id="1", title="Heat", year=1995, attributes={"actor": ("Al Pacino",)})])
    >>> [each.fact.key for each in FactIndex(films).find("The 1995 one with Pacino")]
    ['1995', 'al pacino']
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        ids: dict[Fact, dict[str, None]] = defaultdict(dict)
        attributes: dict[Fact, set[str]] = defaultdict(set)
        names: dict[str, tuple[str, ...]] = {}
        texts = {item.id: frozenset(_words_of(item)) for item in catalogue.values()}
        counts: dict[str, int] = defaultdict(int)
        for words in texts.values():
            for word in words:
                counts[word] += 1
        most = max(RARE_COUNT, int(RARE * len(catalogue)))
        common = _words_of_values(catalogue)
        for item in catalogue.values():
            if item.year is not None:
                ids[Fact(FactKind.YEAR, str(item.year))][item.id] = None
            for attribute, key, forms in _names_of(item):
                names[key] = forms
                ids[Fact(FactKind.NAME, key)][item.id] = None
                attributes[Fact(FactKind.NAME, key)].add(attribute)
            for word in texts[item.id]:
                if counts[word] <= most and word not in common:
                    ids[Fact(FactKind.WORD, word)][item.id] = None
        self._ids = {fact: frozenset(found) for fact, found in ids.items()}
        self._attributes = {fact: frozenset(found) for fact, found in attributes.items()}
        self._names = _by_last(names)
        self._first = {forms[0] for forms in names.values() if len(forms) > 1}
        self._of_items: dict[str, frozenset[Fact]] = {}
        self._found: dict[str, tuple[StatedFact, ...]] = {}

    def items_with(self, fact: Fact) -> frozenset[str]:
        """Ids of the items for which a fact holds."""
        return self._ids.get(fact, frozenset())

    def attributes_of(self, fact: Fact) -> frozenset[str]:
        """Attributes with a name as a value; none for other facts."""
        return self._attributes.get(fact, frozenset())

    def facts_of(self, item_id: str) -> frozenset[Fact]:
        """Facts that hold for an item; none if the catalogue does not have it."""
        if item_id not in self._of_items:
            item = self.catalogue.get(item_id)
            self._of_items[item_id] = frozenset() if item is None else frozenset(self._facts_of(item))
        return self._of_items[item_id]

    def _facts_of(self, item: Item) -> Iterator[Fact]:
        every = [Fact(FactKind.NAME, key) for _, key, _ in _names_of(item)]
        every += [Fact(FactKind.WORD, word) for word in _words_of(item)]
        every += [Fact(FactKind.YEAR, str(item.year))]
        yield from (fact for fact in every if fact in self._ids)

    def may_name(self, text: str) -> bool:
        """Whether a word of a text is somebody's last name; much faster than to find the name, and wrong in one way only."""
        return not text.isascii() or not self._names.keys().isdisjoint(_ASCII_WORD.findall(text.lower()))

    def find(self, text: str) -> tuple[StatedFact, ...]:
        """Facts that a text states of any items, in its order; linear in the length of the text."""
        found = self._found.get(text)
        if found is None:
            if len(self._found) >= MAX_REMEMBERED:
                self._found.clear()
            found = self._found[text] = tuple(self._find(text))
        return found

    def _find(self, text: str) -> Iterator[StatedFact]:
        words = tokens(text)
        behind = 0  # index of the token behind the last name: its words are no facts of their own
        for place, token in enumerate(words):
            form = token.form
            candidates = self._names.get(form)
            if candidates is not None and (named := self._name_at(words, place, candidates, text)) is not None:
                key, first = named
                if first >= behind:
                    behind = place + 1
                    is_whole = place - first + 1 >= len(key.split())
                    yield StatedFact(Fact(FactKind.NAME, key), words[first].start, token.end, is_whole)
                    continue
            fact = Fact(FactKind.YEAR if form.isdigit() else FactKind.WORD, form)
            if place >= behind and fact in self._ids and not _is_in_brackets(token, text):
                yield StatedFact(fact, token.start, token.end)

    def _name_at(
        self, words: Sequence[Token], place: int, candidates: Mapping[str, tuple[str, ...]], text: str
    ) -> tuple[str, int] | None:
        """(name that ends on a token, index of its first token): the longest whole one, else a last name alone."""
        whole = [
            (len(forms), key)
            for key, forms in candidates.items()
            if 1 < len(forms) <= place + 1
            and all(words[place - back].form == forms[-1 - back] for back in range(len(forms)))
        ]
        if whole:
            length, key = max(whole)
            return key, place - length + 1
        if len(candidates) != 1:
            return None
        ((key, forms),) = candidates.items()
        last = forms[-1]
        if len(last) < SHORTEST or last in self._first or is_ordinary(last) or not text[words[place].start].isupper():
            return None
        particle = forms[-2] if len(forms) > 2 else None  # De Niro, von Trier
        has_particle = particle is not None and place > 0 and words[place - 1].form == particle
        if not has_particle and _is_of_another_name(words, place, -1, text):
            return None
        return None if _is_of_another_name(words, place, 1, text) else (key, place - has_particle)


def _is_of_another_name(words: Sequence[Token], place: int, step: int, text: str) -> bool:
    """Whether the word before or behind is written as a part of the same name, or is a form of address."""
    if not 0 <= place + step < len(words):
        return False
    first, second = sorted((words[place], words[place + step]), key=lambda token: token.start)
    beside = words[place + step]
    if step < 0 and beside.form in _ADDRESSES:
        return True
    if text[first.end : second.start].strip() or not text[beside.start].isupper():
        return False
    return beside.form not in word_list("function_words")


def _is_in_brackets(token: Token, text: str) -> bool:
    """Whether a word stands alone in brackets: a year that does is that of the title before it."""
    return text[token.start - 1 : token.start] == "(" and text[token.end : token.end + 1] == ")"


def _names_of(item: Item) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(attribute, key, words) of every person and character of an item."""
    for attribute, values in item.attributes.items():
        if normalise_words(attribute) in _NAMED:
            for value in values:
                forms = tuple(token.form for token in tokens(value))
                bare = forms[:-1] if forms and forms[-1] in _SUFFIXES else forms
                if bare:
                    yield attribute, " ".join(bare), bare


def _by_last(names: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for key, forms in names.items():
        found[forms[-1]][key] = forms
    return dict(found)


def _words_of(item: Item) -> set[str]:
    """Words of the description and the keywords that say anything."""
    texts = [item.description or ""]
    texts += [
        value for name, values in item.attributes.items() if normalise_words(name) in _KEYWORDS for value in values
    ]
    dull = word_list("function_words")
    forms = {token.form for text in texts for token in tokens(text)}
    return {form for form in forms if len(form) >= SHORTEST and not form.isdigit() and form not in dull}


def _words_of_values(catalogue: Catalogue) -> frozenset[str]:
    """Words of attributes that users ask for, such as genres: in a description they are no rarer than these."""
    values = {
        value
        for item in catalogue.values()
        for name, values in item.attributes.items()
        if name != OTHER_TITLES and normalise_words(name) not in _NAMED | _KEYWORDS
        for value in values
    }
    return frozenset(token.form for value in values for token in tokens(value))
