"""Recognise a catalogue's attribute values in text: "scary" is Horror, "with Hanks" is Tom Hanks, "comedies" is Comedy."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trialogue.catalogue import OTHER_TITLES, Catalogue, Token, tokens
from trialogue_recommenders.text_files import lines_of

LONGEST = 6  # words of a value that is looked for; what is longer is a remark, not a value
SHORTEST_SURNAME = 4  # letters; shorter last names are words ("Lee", "Day")
BEFORE_NAMES = frozenset(
    ["by", "with", "from", "starring", "director", "directors", "actor", "actors", "actress", "author", "mr", "ms"]
)


class Feature(NamedTuple):
    """An attribute value, such as genre = Horror, as written in the catalogue."""

    attribute: str
    """Name of the attribute."""
    value: str
    """One of its values."""


AnyOf = tuple[Feature, ...]
"""Alternative features of the same words, such as a person as director or as actor: an item needs one of them."""


class FoundFeature(NamedTuple):
    """An attribute value found in a text, with its span."""

    features: AnyOf
    """At least one."""
    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""


class Vocabulary:
    """All attribute values of a catalogue, by the words for them.

    >>> from trialogue.catalogue import Item
    >>> item = Item(id="1", title="It", attributes={"genre": ("Horror", "Sci-Fi"), "actor": ("Bill Skarsgård",)})
    >>> vocabulary = Vocabulary(Catalogue.from_items([item]))
    >>> [found.features[0].value for found in vocabulary.find("Scary science fiction with Skarsgard?")]
    ['Horror', 'Sci-Fi', 'Bill Skarsgård']
    """

    def __init__(self, catalogue: Catalogue) -> None:
        features = [
            Feature(attribute, value)
            for attribute in catalogue.attributes
            if attribute != OTHER_TITLES
            for value in catalogue.values_of(attribute)
        ]
        self._features = _index_by_phrase(features)
        self._surnames = _index_by_surname(features)
        self._longest = max((len(phrase) for phrase in self._features), default=0)

    def find(self, text: str) -> tuple[FoundFeature, ...]:
        """Attribute values named in a text, in order; of overlapping ones the first, then the longest."""
        words = tokens(text)
        return tuple(self._find(text, words))

    def _find(self, text: str, words: Sequence[Token]) -> Iterator[FoundFeature]:
        place = 0
        while place < len(words):
            found, behind = self._longest_phrase(words, place)
            if not found:
                found, behind = self._surname(text, words, place), place + 1
            for features in found:
                yield FoundFeature(features, words[place].start, words[behind - 1].end)
            place = behind

    def _longest_phrase(self, words: Sequence[Token], first: int) -> tuple[tuple[AnyOf, ...], int]:
        for behind in range(min(len(words), first + self._longest), first, -1):
            found = self._features.get(tuple(word.form for word in words[first:behind]))
            if found:
                return found, behind
        return (), first

    def _surname(self, text: str, words: Sequence[Token], place: int) -> tuple[AnyOf, ...]:
        """Person with a last name, if it is introduced or written like one and not as a part of other names."""
        found = self._surnames.get(words[place].form)
        if not found:
            return ()
        before = text[words[place - 1].start] if place else ""
        after = text[words[place + 1].start] if place + 1 < len(words) else ""
        if before.isupper() and words[place - 1].form != "i":  # "Maryl Streep", but not "Felicity Streep"
            return (found,) if before == found[0].value[0] else ()
        introduced = place > 0 and words[place - 1].form in BEFORE_NAMES
        capital = place > 0 and text[words[place].start].isupper() and not after.isupper()
        return (found,) if introduced or capital else ()


def _index_by_phrase(features: Sequence[Feature]) -> dict[tuple[str, ...], tuple[AnyOf, ...]]:
    """Features by phrase: an item must match all of the groups, any feature of each."""
    values: dict[tuple[str, ...], list[Feature]] = defaultdict(list)
    for feature in features:
        forms = _forms(feature.value)
        if 0 < len(forms) <= LONGEST and not all(form.isdigit() or len(form) < 2 for form in forms):
            values[forms].append(feature)
    found: dict[tuple[str, ...], tuple[AnyOf, ...]] = {forms: (tuple(named),) for forms, named in values.items()}
    for line in lines_of("kinds"):
        words, _, mixed = line.partition(" = ")
        phrases = [_forms(phrase) for phrase in words.split(", ")]
        meant = _mixture(mixed.split(" + "), found) if mixed else _any_value(phrases, values)
        found = {phrase: meant for phrase in phrases if meant} | found  # a value's own name comes first
    return found


def _mixture(parts: Sequence[str], found: dict[tuple[str, ...], tuple[AnyOf, ...]]) -> tuple[AnyOf, ...]:
    """All the kinds of a mixture, if the catalogue has them all."""
    meant = [found.get(_forms(part), ()) for part in parts]
    return tuple(one[0] for one in meant) if all(meant) else ()


def _any_value(phrases: Sequence[tuple[str, ...]], values: dict[tuple[str, ...], list[Feature]]) -> tuple[AnyOf, ...]:
    """Whatever the catalogue has of words that mean the same."""
    meant = tuple(feature for phrase in phrases for feature in values.get(phrase, ()))
    return (meant,) if meant else ()


def _index_by_surname(features: Sequence[Feature]) -> dict[str, AnyOf]:
    """Last words of values that are written like names of people; only where one person has it."""
    people: dict[str, dict[Feature, None]] = defaultdict(dict)
    for feature in features:
        words = feature.value.split()
        if 2 <= len(words) <= 4 and all(word[:1].isupper() for word in (words[0], words[-1])):
            last = _forms(words[-1])
            if len(last) == 1 and len(last[0]) >= SHORTEST_SURNAME:
                people[last[0]][feature] = None
    persons = Counter({surname: len({feature.value for feature in named}) for surname, named in people.items()})
    return {surname: tuple(named) for surname, named in people.items() if persons[surname] == 1}


def _forms(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in tokens(text))
