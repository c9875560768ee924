"""Detectors, one per gate: whether a dialogue's user shows the fault, or None if unknown."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from trialogue.metrics.gates import words
from trialogue.records import Dialogue, Ending, Need, Utterance
from trialogue.records.kinds.gates import Gate

IN_A_ROW = 3  # thanks, after which nothing is said any more
TIMES = 3  # that a user says the same; people do it twice where they are not understood
LEAST_SAME = 5  # words of a message that counts as said again: yes, no and more are no loop
ALIKE = 0.8  # of the words of two messages that count as the same

WORD = re.compile(r"\w+(?:['’]\w+)*")

LATIN = re.compile(r"[A-Za-z\u00aa-\u024f]")
OTHER_LETTER = re.compile(r"[^\W\d_A-Za-z\u00aa-\u024f]")
BY_WORDS = (Gate.ASSISTANT_ROLE, Gate.ENDLESS_THANKS, Gate.LOOP, Gate.TRUNCATED, Gate.NEED_CONTRADICTED)
"""Gates that look for words, English ones or separated by spaces."""

Vocabulary = Mapping[str, frozenset[str]]
"""Values by attribute that any need asks for: what users could wish for."""


def vocabulary_of(needs: Iterable[Need]) -> dict[str, frozenset[str]]:
    """Attribute values that needs ask for, by attribute."""
    found: dict[str, set[str]] = {}
    for need in needs:
        for each in need.constraints:
            found.setdefault(each.attribute, set()).update(each.values)
    return {name: frozenset(values) for name, values in found.items()}


def gates_in(dialogue: Dialogue, vocabulary: Vocabulary | None = None) -> dict[Gate, bool | None]:
    """For every gate, whether the dialogue's user shows the fault; None: not decidable from the dialogue.

    Args:
        dialogue: of anybody with anybody.
        vocabulary: what users could wish for, of all needs that are evaluated together; None: of this one alone.
    """
    known = vocabulary if vocabulary is not None else vocabulary_of([dialogue.need] if dialogue.need else [])
    found = {gate: detector(dialogue) for gate, detector in DETECTORS.items()}
    found[Gate.NEED_CONTRADICTED] = need_contradicted(dialogue, known)
    if not _in_latin_letters(dialogue):
        # The detectors look for English words: in Chinese they would find nothing, and "no fault" would be false. What they
        # do find is left out as well: shares of the dialogues in which something is known would all be 1.
        found |= dict.fromkeys(BY_WORDS)
    return found


def _in_latin_letters(dialogue: Dialogue) -> bool:
    """Whether at least half of the letters of the user's messages are Latin; also without letters."""
    text = "".join(each.text for each in _user_says(dialogue))
    latin = len(LATIN.findall(text))
    return 2 * latin >= latin + len(OTHER_LETTER.findall(text))


def _user_says(dialogue: Dialogue) -> list[Utterance]:
    return [each for each in dialogue.utterances if each.speaker == "user"]


def _user_turns(dialogue: Dialogue) -> list[str]:
    """Texts of the user's turns."""
    turns: list[str] = []
    before = ""
    for each in dialogue.utterances:
        if each.speaker == "user":
            turns.append(f"{turns.pop()} {each.text}" if before == "user" else each.text)
        before = each.speaker
    return turns


def target_leaked(dialogue: Dialogue) -> bool | None:
    """Whether the user named an item that satisfies the need first; None without a need or linked items."""
    need = dialogue.need
    wanted = frozenset((*need.targets, *need.acceptable)) if need is not None else frozenset()
    if not wanted or any(each.mentions is None for each in _user_says(dialogue)):
        return None
    named: set[str] = set()
    for each in dialogue.utterances:
        ids = {mention.item_id for mention in each.mentions or () if mention.item_id is not None}
        if each.speaker == "user" and (ids & wanted) - named:
            return True
        named |= ids
    return False


def assistant_role(dialogue: Dialogue) -> bool | None:
    """Whether a user message sounds like an assistant's."""
    return any(words.ASSISTANT.search(each.text) for each in _user_says(dialogue))


def premature_stop(dialogue: Dialogue) -> bool | None:
    """Whether the user left satisfied without a result, or after one message; None if the ending was not recorded.

    A user who gives up, or whose agenda is at its end, did not say that they have what they wanted.
    """
    if dialogue.ended_by is None or dialogue.ended_by.is_failure:
        return None
    if dialogue.ended_by is not Ending.USER_ENDED:
        return False
    if len(_user_says(dialogue)) < 2:
        return True
    need = dialogue.need
    if need is None or not need.acceptable:
        return False
    named = [m for each in dialogue.utterances if each.speaker == "system" for m in each.mentions or ()]
    return not any(mention.item_id in need.acceptable for mention in named)


def endless_thanks(dialogue: Dialogue) -> bool | None:
    """Whether several user turns in a row are only thanks and goodbye; consecutive messages are one turn."""
    row = 0
    for text in _user_turns(dialogue):
        if words.REFUSES.search(text):
            continue
        row = row + 1 if is_thanks(text) else 0
        if row >= IN_A_ROW:
            return True
    return False


def is_thanks(text: str) -> bool:
    """Whether a message is only thanks and goodbye.

    >>> is_thanks("Thanks a lot, bye!"), is_thanks("Thanks, another one?"), is_thanks("ok")
    (True, False, False)
    """
    bare = text.strip()
    return words.THANKING.search(bare) is not None and words.THANKS.search(bare) is not None


def loop(dialogue: Dialogue) -> bool | None:
    """Whether the user repeats themselves; short answers and thanks are exempt."""
    messages = _user_says(dialogue)
    if len(messages) < TIMES:
        return False
    said = [_count_words(each.text) for each in messages if not is_thanks(each.text)]
    long = [bag for bag in said if len(bag) >= LEAST_SAME]
    if len(long) < TIMES:
        return False
    return any(sum(_are_similar(each, other) for other in long) >= TIMES for each in long)


Bag = frozenset[tuple[str, int]]
"""The words of a message, each with which of its occurrences it is."""


def _count_words(text: str) -> Bag:
    counts: Counter[str] = Counter()
    bag = []
    for word in WORD.findall(text.casefold()):
        bag.append((word, counts[word]))
        counts[word] += 1
    return frozenset(bag)


def _are_similar(one: Bag, other: Bag) -> bool:
    """Whether two messages have nearly the same words."""
    short, long = sorted((len(one), len(other)))
    return short >= ALIKE * long and len(one & other) >= ALIKE * len(one | other)


def is_truncated(dialogue: Dialogue) -> bool | None:
    """Whether a user message is empty, was cut off by the model, or ends in mid-sentence."""
    return any(_breaks_off(each) for each in _user_says(dialogue))


def _breaks_off(said: Utterance) -> bool:
    if said.meta.get("finish_reason") == "length":
        return True
    text = said.text.strip()
    if words.EMPTY.search(text):
        return True
    if words.ENDS.search(text) or len(text.split()) < words.LEAST_WORDS:
        return False
    return words.BREAKS_OFF.search(text) is not None


def need_contradicted(dialogue: Dialogue, vocabulary: Vocabulary) -> bool | None:
    """Whether the user rejects a value of the need, or asks for a contradicting one; None without constraints."""
    need = dialogue.need
    if need is None or not need.constraints:
        return None
    wanted: dict[str, set[str]] = {}
    for each in need.constraints:
        wanted.setdefault(each.attribute, set()).update(each.values)
    # Rejecting a needed value, or asking for a value of the same attribute that is not needed, contradicts the need.
    own = [value for values in wanted.values() for value in values]
    others = [value for name, values in wanted.items() for value in vocabulary.get(name, frozenset()) - values]
    for text in (each.text for each in _user_says(dialogue)):
        lower = text.casefold()
        if any(value.casefold() in lower and _turns_down(text, value) for value in own):
            return True
        if any(value.casefold() in lower and _wishes(text, value) for value in others):
            return True
    return False


def _turns_down(text: str, value: str) -> bool:
    """Whether a value stands behind a negation."""
    return _turning_down(value).search(text) is not None


def _wishes(text: str, value: str) -> bool:
    """Whether a value stands behind a wish and is not turned down."""
    return _wishing(value).search(text) is not None and not _turns_down(text, value)


@lru_cache(maxsize=4096)
def _turning_down(value: str) -> re.Pattern[str]:
    return re.compile(rf"\b{words.NEGATION}{words.BETWEEN}{re.escape(value)}(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _wishing(value: str) -> re.Pattern[str]:
    return re.compile(rf"\b{words.WISH}{words.BETWEEN}{re.escape(value)}(?!\w)", re.IGNORECASE)


DETECTORS: Mapping[Gate, Callable[[Dialogue], bool | None]] = {
    Gate.TARGET_LEAKED: target_leaked,
    Gate.ASSISTANT_ROLE: assistant_role,
    Gate.PREMATURE_STOP: premature_stop,
    Gate.ENDLESS_THANKS: endless_thanks,
    Gate.LOOP: loop,
    Gate.TRUNCATED: is_truncated,
}
