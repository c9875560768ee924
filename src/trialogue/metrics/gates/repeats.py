"""Whether two messages say nearly the same, however they are contracted, spelt or padded."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from trialogue.metrics.gates.phrases import patterns

ALIKE = 0.8
"""Of the words of two messages, those that count as the same."""
MIN_REPEATED_WORDS = 5
"""Words of a message that counts as said again: "yes", "no" and "more" are no loop."""

Bag = frozenset[tuple[str, int]]
"""The words of a message, each with which of its occurrences it is."""

_WORD = re.compile(r"\w+")
_SPELLINGS = dict(line.split(" = ") for line in patterns("spellings"))
"""Words written in more than one way, without their apostrophes."""
_CONTRACTED = re.compile(r"\b(\w+)['’](s|re|ve|d|ll|m)\b")
_NEGATED = re.compile(r"\b(ca|wo|\w+)n['’]?t\b")
_ENDINGS = {"s": "is", "re": "are", "ve": "have", "d": "would", "ll": "will", "m": "am"}
_NEGATIONS = {"ca": "can", "wo": "will"}
_FUNCTION = frozenset(patterns("function_words"))
"""Words whose change leaves a message what it was."""


STEM = 5
"""Letters by which a word of content is known again, without a final s."""
LEAST_CONTENT, LEAST_OF_SENTENCE, LEAST_SPECIFIC = 3, 4, 2
"""Words of content in a message, and in one of its sentences, that can be said again; how many of them say what about."""
SAME_CONTENT = 0.7
"""Of the words of content of two messages or sentences, those that are the same."""
_UNSPECIFIC = frozenset(each[:STEM] for each in patterns("unspecific_words"))
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_SAID = re.compile(r"[^.!?]+[.!?]?")


@lru_cache(maxsize=20_000)
def words_of(text: str) -> tuple[str, ...]:
    """Words of a message with contractions, common misspellings and names for films made one.

    >>> words_of("I'd like a film that isn't sad")
    ('i', 'would', 'like', 'a', 'movie', 'that', 'is', 'not', 'sad')
    """
    plain = text.casefold().replace("’", "'")
    plain = _NEGATED.sub(lambda m: f"{_NEGATIONS.get(m[1], m[1])} not" if "'" in m[0] else m[0], plain)
    plain = _CONTRACTED.sub(lambda m: f"{m[1]} {_ENDINGS[m[2]]}", plain)
    return tuple(part for word in _WORD.findall(plain) for part in _SPELLINGS.get(word, word).split())


def bag_of(words: tuple[str, ...]) -> Bag:
    """The words of a message as a set."""
    counts: Counter[str] = Counter()
    bag = []
    for word in words:
        bag.append((word, counts[word]))
        counts[word] += 1
    return frozenset(bag)


def are_alike(one: Bag, other: Bag) -> bool:
    """Whether two messages say nearly the same.

    Most of their words are the same, or they differ in function words and slips of spelling only: one other word of content,
    such as a genre, is another wish.
    """
    if not one or not other:
        return False
    shared, union = len(one & other), len(one | other)
    rest, more = _content(one - other), _content(other - one)
    if not rest and not more:
        return shared >= 0.5 * union
    if shared < 0.6 * union:
        return False
    return shared >= ALIKE * union or _differ_in_slips(rest, more)


def repeats_content(turns: Sequence[tuple[str, str]], least: int) -> bool:
    """Whether a user says one thing again in other words, in answer to several messages, or asks one question again.

    Args:
        turns: what the user says, and what the system said before.
        least: how often.

    >>> told = ["a place with vegan food and parking", "vegan food and a place for parking", "parking, and vegan food?"]
    >>> repeats_content([(text, f"Try the {number} one.") for number, text in enumerate(told)], 3)
    True
    """
    asked = Counter(question for text, _ in turns for question in _questions_of(text))
    if asked and max(asked.values()) >= least:
        return True
    contents = [(_contents_of(text), bag_of(words_of(before))) for text, before in turns]
    for said in dict.fromkeys(each for found, _ in contents for each in found):
        answered: list[Bag] = []
        for found, before in contents:
            if any(_is_same(said, each) for each in found) and not any(are_alike(before, other) for other in answered):
                answered.append(before)
        if len(answered) >= least:
            return True
    return False


@lru_cache(maxsize=20_000)
def _questions_of(text: str) -> frozenset[tuple[str, ...]]:
    asked = (each for each in _SAID.findall(text) if each.endswith("?"))
    return frozenset(found for each in asked if len(found := words_of(each)) >= LEAST_CONTENT)


@lru_cache(maxsize=20_000)
def _contents_of(text: str) -> tuple[frozenset[str], ...]:
    """Stems of the content of a message, and of each of its sentences where it has several, if there is enough of it."""
    sentences = [each for each in _SENTENCES.split(text) if each.strip()]
    parts = [(text, LEAST_CONTENT), *((each, LEAST_OF_SENTENCE) for each in sentences if len(sentences) > 1)]
    stems = [
        (frozenset(_stem(word) for word in words_of(part) if word not in _FUNCTION), least) for part, least in parts
    ]
    return tuple(each for each, least in stems if len(each) >= least and len(each - _UNSPECIFIC) >= LEAST_SPECIFIC)


def _stem(word: str) -> str:
    return word[:STEM] if len(word) > STEM else word.rstrip("s")


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = one & other
    return len(shared) >= SAME_CONTENT * len(one | other) and len(shared - _UNSPECIFIC) >= LEAST_SPECIFIC


def _content(bag: Bag) -> list[str]:
    return sorted(word for word, _ in bag if word not in _FUNCTION)


def _differ_in_slips(some: list[str], others: list[str]) -> bool:
    """Whether every word of content on either side is a misspelling of one on the other."""
    if len(some) != len(others):
        return False
    left = list(others)
    for word in some:
        near = next((each for each in left if _is_slip(word, each)), None)
        if near is None:
            return False
        left.remove(near)
    return True


def _is_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter put in, left out, replaced, or by two that changed places."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or len(long) - len(short) > 1:
        return False
    at = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long
