"""Whether two messages say nearly the same, however they are contracted, spelt or padded."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise, takewhile

from trialogue.metrics.gates.phrases import patterns

ALIKE = 0.8
"""Of the words of two messages, those that count as the same."""
MIN_REPEATED_WORDS = 5
"""Words of a message that counts as said again: "yes", "no" and "more" are no loop."""

Bag = frozenset[str]
"""The words of a message; behind a word that was said before stands which of its occurrences it is."""

_WORD = re.compile(r"\w+")
_SPELLINGS = dict(line.split(" = ") for line in patterns("spellings"))
"""Words written in more than one way, without their apostrophes."""
_CONTRACTED = re.compile(r"\b(\w+)'(s|re|ve|d|ll|m)\b")
_NEGATED = re.compile(r"\b(ca|wo|\w+)n't\b")
_ENDINGS = {"s": "is", "re": "are", "ve": "have", "d": "would", "ll": "will", "m": "am"}
_NEGATIONS = {"ca": "can", "wo": "will"}
_FUNCTION = frozenset(patterns("function_words"))
"""Words whose change leaves a message what it was."""


STEM = 5
"""Letters by which a word of content is known again, without a final s."""
LEAST_CONTENT = 3
"""Words in a question, and of the subject of a message, that can be said again."""
LEAST_NEAR_CONTENT = 2  # "read it" four times is four answers
LEAST_ALIKE, LEAST_NEAR = 3, 4
"""User turns that say the same, or nearly the same."""
LONGEST_ROW = 50  # turns looked at from each one: long talks take time in proportion
SAME_CONTENT, NEARLY_SAME = 0.6, 0.5
"""Of the words of the subjects of two messages, those that are the same."""
SAME_ANSWER = 0.3
"""Of the words of content of the shorter of two answers, those of the other: of another item, another thing is true."""
LEAST_REPHRASED = 7
"""Words of a message that is said again in other words; those of shorter ones are alike by their frame."""
SAME_LETTERS = 0.6
"""Of the threes of letters of two messages, those that are the same (Dice)."""
_UNSPECIFIC = frozenset(each[:STEM] for each in patterns("unspecific_words"))
_PLAIN = _UNSPECIFIC.union(each[:STEM].rstrip("s") for each in patterns("courteous_words"))
"""Stems that say nothing of what a message is about."""
_SAID = re.compile(r"[^.!?]+[.!?]?")
_JOINING = frozenset(("and", "but", "so"))
_ASKS = re.compile(
    r"\W*(?:and |but |so |ok(?:ay)? )*(?:what|who|where|how|when|why|is|does|do|can|are)\b", re.IGNORECASE
)
_ASSENT = re.compile(
    r"\A\W*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|fine|omg|please|of|course|great|good|right|alright)\W*)+\Z", re.IGNORECASE
)
_CHOICE = re.compile(r"\b(?:which|what|who|where|when|how|or)\b[^?]*\?", re.IGNORECASE)
"""Questions to which "yes" is no answer."""


@lru_cache(maxsize=20_000)
def words_of(text: str) -> tuple[str, ...]:
    """Words of a message with contractions, common misspellings and names for films made one.

    >>> words_of("I'd like a film that isn't sad")
    ('i', 'would', 'like', 'a', 'movie', 'that', 'is', 'not', 'sad')
    """
    plain = text.casefold().replace("’", "'")
    if "'" in plain:
        if "n't" in plain:
            plain = _NEGATED.sub(lambda m: f"{_NEGATIONS.get(m[1], m[1])} not", plain)
        plain = _CONTRACTED.sub(lambda m: f"{m[1]} {_ENDINGS[m[2]]}", plain)
    words = _WORD.findall(plain)
    if _SPELLINGS.keys().isdisjoint(words):
        return tuple(words)
    return tuple(part for word in words for part in _SPELLINGS.get(word, word).split())


@lru_cache(maxsize=4_000)  # a set of 20 words takes 2 KB
def bag_of(words: tuple[str, ...]) -> Bag:
    """The words of a message as a set.

    >>> sorted(bag_of(("no", "no", "more")))
    ['more', 'no', 'no 1']
    """
    bag = frozenset(words)
    if len(bag) == len(words):
        return bag
    counts: Counter[str] = Counter()
    every = []
    for word in words:
        every.append(f"{word} {counts[word]}" if counts[word] else word)
        counts[word] += 1
    return frozenset(every)


def are_alike(one: Bag, other: Bag) -> bool:
    """Whether two messages say nearly the same.

    Most of their words are the same, or they differ in function words and slips of spelling only: one other word of content,
    such as a genre, is another wish.
    """
    if not one or not other or len(one) > 2 * len(other) or len(other) > 2 * len(one):
        return False
    shared = len(one & other)
    union = len(one) + len(other) - shared
    if shared < 0.5 * union:
        return False
    rest, more = _content(one - other), _content(other - one)
    if not rest and not more:
        return True
    if shared < 0.6 * union:
        return False
    return shared >= ALIKE * union or _differ_in_slips(rest, more)


def repeats_content(turns: Sequence[tuple[str, str]]) -> bool:
    """Whether a user says one thing again in other words, turn after turn, or asks what was answered.

    Args:
        turns: speaker and text.

    >>> told = ["a place with vegan food and parking", "vegan food and a place for parking", "parking, and vegan food?"]
    >>> replies = ["Try Rio.", "There is Alma, by the river.", "Casa Verde?"]
    >>> repeats_content([turn for pair in zip(told, replies) for turn in zip(("user", "system"), pair)])
    True
    """
    said = [(text, before, after) for (_, before), (speaker, text), (_, after) in _threes(turns) if speaker == "user"]
    if len(said) < LEAST_ALIKE:
        return False
    if _asks_again(said) or _assents_to_choices(said) or _rephrases(said):
        return True
    about = [(_subject_of(text), before) for text, before, _ in said]
    rows = (
        about[place : place + LONGEST_ROW]
        for place, ((one, _), (other, _)) in enumerate(pairwise(about))
        if len(one & other) >= NEARLY_SAME * len(one | other) > 0
    )
    return any(
        (len(row[0][0]) >= LEAST_NEAR_CONTENT and _goes_on(row, NEARLY_SAME, LEAST_NEAR))
        or (len(row[0][0]) >= LEAST_CONTENT and _goes_on(row, SAME_CONTENT, LEAST_ALIKE))
        for row in rows
    )


def _goes_on(row: Sequence[tuple[frozenset[str], str]], least_share: float, least: int) -> bool:
    """Whether the first turns say the same as the very first, to so many different messages.

    People who are not understood repeat their wish, too, but seldom in one turn after the other.

    Args:
        row: the subject of each turn, and the message before it.
        least_share: of the words of both subjects, those that are the same.
        least: messages.
    """
    first = row[0][0]
    same = [
        before
        for _, before in takewhile(
            lambda turn: turn[0] and len(first & turn[0]) >= least_share * len(first | turn[0]), row
        )
    ]
    return len(same) >= least and _replies_differ(same, least)


def _replies_differ(replies: Sequence[str], least: int) -> bool:
    """Whether so many messages of the agent are different ones."""
    answered = list[Bag]()
    for reply in replies:
        bag = bag_of(words_of(reply))
        answered += [] if any(are_alike(bag, other) for other in answered) else [bag]
    return len(answered) >= least


def _rephrases(said: Sequence[tuple[str, str, str]]) -> bool:
    """Whether messages in a row share most of their letters, in any order, and most of them say nothing of their own.

    Who goes through values ("in white?", "in black?") asks for something else each time.
    """
    is_long = [len(words_of(text)) >= LEAST_REPHRASED for text, _, _ in said]
    for place in range(len(said) - LEAST_ALIKE + 1):
        if not all(is_long[place : place + LEAST_ALIKE]):
            continue
        row = said[place : place + LONGEST_ROW]
        texts = [*takewhile(partial(_share_letters, row[0][0]), (text for text, _, _ in row[1:]))]
        if len(texts) < LEAST_ALIKE - 1:
            continue
        contents = [*map(_own_words, (row[0][0], *texts))]
        counts = Counter(word for words in contents for word in words)
        news = sum(any(counts[word] == 1 for word in words) for words in contents)
        replies = [before for _, before, _ in row[: len(contents)]]
        if 2 * news <= len(contents) and _replies_differ(replies, LEAST_ALIKE):
            return True
    return False


def _share_letters(one: str, other: str) -> bool:
    some, others = _threes_of_letters(one), _threes_of_letters(other)
    return 2 * len(some & others) >= SAME_LETTERS * (len(some) + len(others)) > 0


@lru_cache(maxsize=256)  # those of one dialogue: a set of 60 takes 6 KB
def _threes_of_letters(text: str) -> frozenset[str]:
    """Every three letters of a message's words, spaces among them; none of a short message."""
    words = words_of(text)
    line = f" {' '.join(words)} " if len(words) >= LEAST_REPHRASED else ""
    return frozenset(line[place : place + 3] for place in range(len(line) - 2))


def _own_words(text: str) -> frozenset[str]:
    """Stems of what a message is about; how it is meant ("really", "personally") is not."""
    words = (word for word in words_of(text) if word not in _FUNCTION and not word.endswith("ly"))
    return frozenset(map(_stem, words)) - _UNSPECIFIC


def _assents_to_choices(said: Sequence[tuple[str, str, str]]) -> bool:
    """Whether the user only says yes, again and again, and not once to a question which of several things."""
    assents = [(words_of(text), _CHOICE.search(before) is not None) for text, before, _ in said if _assents(text)]
    times, unanswered = Counter(words for words, _ in assents), Counter(words for words, open_ in assents if open_)
    return any(times[words] >= LEAST_ALIKE and unanswered[words] >= LEAST_ALIKE - 1 for words in times)


@lru_cache(maxsize=20_000)
def _assents(text: str) -> bool:
    return _ASSENT.match(text) is not None


def _threes(turns: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every turn between those before and after it."""
    return zip((("", ""), *turns), turns, (*turns[1:], ("", "")), strict=False)


def _asks_again(said: Sequence[tuple[str, str, str]]) -> bool:
    """Whether one question is asked several times, or as many questions once more than it takes to get their answer."""
    asking = [(questions, after) for text, _, after in said if (questions := _questions_of(text))]
    if not asking:
        return False
    if max(Counter(chain.from_iterable(questions for questions, _ in asking)).values()) >= LEAST_ALIKE:
        return True
    answers: dict[frozenset[str], str] = {}
    again = 0
    for questions, after in asking:
        words = [*map(frozenset, questions)]
        if known := [content_of(answers[each]) for each in words if each in answers]:
            answer = content_of(after)
            again += any(len(one & answer) >= SAME_ANSWER * min(len(one), len(answer) or 1) for one in known)
        answers |= {each: after for each in words if each not in answers}
    return again >= LEAST_ALIKE - 1


@lru_cache(maxsize=20_000)
def _questions_of(text: str) -> frozenset[tuple[str, ...]]:
    """Words of the questions of a message, which needs no mark for one; without an "and" before it."""
    asked = [each for each in _SAID.findall(text) if each.endswith("?")]
    asked += [text] if "?" not in text and _ASKS.match(text) else []
    found = (tuple(word for word in words_of(each) if word not in _JOINING) for each in asked)
    return frozenset(each for each in found if len(each) >= LEAST_CONTENT)


@lru_cache(maxsize=20_000)
def content_of(text: str) -> frozenset[str]:
    """Stems of the words of content of a message.

    >>> sorted(content_of("It fits the evening"))
    ['eveni', 'fit']
    """
    return frozenset(_stem(word) for word in words_of(text) if word not in _FUNCTION)


def is_specific(text: str) -> bool:
    """Whether a message says what about: "I have not seen that movie" does not."""
    return not content_of(text) <= _UNSPECIFIC


@lru_cache(maxsize=20_000)
def _subject_of(text: str) -> frozenset[str]:
    """Stems of the words that say what a message is about; none: it is only thanks, assent or another one."""
    return content_of(text) - _PLAIN


def _stem(word: str) -> str:
    return word[:STEM] if len(word) > STEM else word.rstrip("s")


def _content(bag: Bag) -> list[str]:
    return sorted(word for each in bag if (word := each.partition(" ")[0]) not in _FUNCTION)


def _differ_in_slips(some: list[str], others: list[str]) -> bool:
    """Whether every word of content on either side is a misspelling of one on the other."""
    if len(some) != len(others):
        return False
    left = list(others)
    for word in some:
        near = next((each for each in left if is_slip(word, each)), None)
        if near is None:
            return False
        left.remove(near)
    return True


def is_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter put in, left out, replaced, or by two that changed places."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or len(long) - len(short) > 1:
        return False
    at = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long
