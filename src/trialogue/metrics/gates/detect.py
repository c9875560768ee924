"""Detectors, one per gate: whether a dialogue's user shows the fault, or None if unknown."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from trialogue.long_work import PerObject
from trialogue.metrics.gates.assistant_role import MIN_MOVES, role_in
from trialogue.metrics.gates.contradicted_needs import contradicts, holds_value, one_object
from trialogue.metrics.gates.courtesies import ends_without_end, is_thanks
from trialogue.metrics.gates.cut_endings import breaks_off, breaks_off_in_word, ends_with_mark, is_unfinished
from trialogue.metrics.gates.phrases import names_own
from trialogue.metrics.gates.repeats import (
    MIN_REPEATED_WORDS,
    Bag,
    are_alike,
    bag_of,
    is_specific,
    repeats_content,
    words_of,
)
from trialogue.records import Dialogue, Ending, Mention, Need, Utterance
from trialogue.records.kinds.suspicions import Gate

if TYPE_CHECKING:
    from trialogue.catalogue.facts import FactIndex

MAX_SMALL_WORDS = 5  # of a title that may be ordinary words
MIN_REPETITIONS = 3  # of one message; people say it twice if they are not understood

LOOKS_FOR = re.compile(
    r"\b(?:watch|see|read|play|find|hear|buy|try|called|titled|named|is it|like|films?|movie|book|game|one|album) \W*\Z",
    re.IGNORECASE,
)
"""Words before a title that make it one, however it is written."""
AVOIDS = re.compile(
    r"\b(?:avoid|exclude|dislike|hate|rule out|(?:not|n['’]?t)(?: \w+)? (?:like|want|enjoy|watch))\b[^.?!]*\?",
    re.IGNORECASE,
)
"""Questions for what the user does not want."""
LATIN = re.compile(r"[A-Za-z\u00aa-\u024f]")
OTHER_LETTER = re.compile(r"[^\W\d_A-Za-z\u00aa-\u024f]")
WORD_GATES = (Gate.ASSISTANT_ROLE, Gate.ENDLESS_THANKS, Gate.LOOP, Gate.TRUNCATED, Gate.NEED_CONTRADICTED)
"""Gates that look for English words, or for words separated by spaces."""

Vocabulary = Mapping[str, frozenset[str]]
"""Values by attribute that any need asks for: what users could wish for."""


def vocabulary_of(needs: Iterable[Need]) -> dict[str, frozenset[str]]:
    """Attribute values that needs ask for, by attribute."""
    values: dict[str, set[str]] = {}
    for need in needs:
        for each in need.constraints:
            values.setdefault(each.attribute, set()).update(each.values)
    return {name: frozenset(own) for name, own in values.items()}


def gates_in(
    dialogue: Dialogue, vocabulary: Vocabulary | None = None, facts: "FactIndex | None" = None
) -> dict[Gate, bool | None]:
    """For every gate, whether the dialogue's user shows the fault; None: not decidable from the dialogue.

    Args:
        dialogue: a dialogue with a real or simulated user.
        vocabulary: values that users could ask for, from all needs that are evaluated together; None: from this need.
        facts: of the catalogue that needs are of, for descriptions of items; None: only titles are recognised.
    """
    if vocabulary is None:
        vocabulary = vocabulary_of([dialogue.need] if dialogue.need else [])
    # The detectors look for English words: in Chinese they would find nothing, and "no fault" would be false. What they
    # do find is left out as well: shares of the dialogues in which something is known would all be 1.
    unknown = () if _in_latin_letters(dialogue) else WORD_GATES
    faults = {gate: None if gate in unknown else detector(dialogue) for gate, detector in DETECTORS.items()}
    faults[Gate.NEED_CONTRADICTED] = None if unknown else need_contradicted(dialogue, vocabulary)
    if facts is not None and faults[Gate.TARGET_LEAKED] is False:
        # Imported here, since most evaluations need no catalogue.
        from trialogue.metrics.gates.descriptions import description_in
        from trialogue.metrics.gates.named_targets import names_target

        leaks = names_target(dialogue, facts.catalogue) or description_in(dialogue, facts) is not None
        faults[Gate.TARGET_LEAKED] = leaks
    return faults


def _in_latin_letters(dialogue: Dialogue) -> bool:
    """Whether at least half of the letters of the user's messages are Latin; also without letters."""
    text = "".join([said.text for _, said, _ in _user_utterances(dialogue)])
    if text.isascii():
        return True
    latin = len(LATIN.findall(text))
    return 2 * latin >= latin + len(OTHER_LETTER.findall(text))


def _said_by_user(dialogue: Dialogue) -> list[tuple[str, Utterance, Utterance | None]]:
    """The user's messages, each between what the other side said last and the message after it."""
    found, before = [], ""
    for said, after in zip_longest(dialogue.utterances, dialogue.utterances[1:]):
        if said.speaker == "user":
            found.append((before, said, after))
        else:
            before = said.text
    return found


def _turns_of(dialogue: Dialogue) -> list[tuple[str, str]]:
    """Speaker and text of every turn: consecutive messages joined."""
    turns = list[tuple[str, list[str]]]()
    for each in dialogue.utterances:
        if turns and turns[-1][0] == each.speaker:
            turns[-1][1].append(each.text)
        else:
            turns.append((each.speaker, [each.text]))
    return [(speaker, " ".join(texts)) for speaker, texts in turns]


# One detector after the other asks for those of a dialogue.
_user_utterances, _turns = PerObject(_said_by_user, 1), PerObject(_turns_of, 1)


def target_leaked(dialogue: Dialogue) -> bool | None:
    """Whether the user named an item that satisfies the need first; None without need or linked items.

    A short title that is written small, in a message that has capitals, names nothing.
    """
    need = dialogue.need
    wanted = frozenset((*need.targets, *need.acceptable)) if need is not None else frozenset()
    said_by_user = [said.mentions for _, said, _ in _user_utterances(dialogue)]
    if not wanted or None in said_by_user:
        return None
    if not any(mention.item_id in wanted for mentions in said_by_user for mention in mentions or ()):
        return False
    named: set[str | None] = set()
    heard: list[str] = []
    for each in dialogue.utterances:
        mentions = [mention for mention in each.mentions or () if mention.item_id in wanted]
        if each.speaker != "user":
            heard.append(each.text)
            named.update(mention.item_id for mention in mentions)
        elif any(said.item_id not in named and not _is_in_passing(said, each.text, heard) for said in mentions):
            return True
    return False


def _is_in_passing(mention: Mention, text: str, heard: Sequence[str]) -> bool:
    """Whether a title is ordinary words, as "a dry summer" is not The Dry, or was in the system's words already."""
    from trialogue.catalogue.linking.ordinary import kind_of  # here, since most evaluations need no catalogue
    from trialogue.catalogue.linking.titles import tokens

    if mention.start is None:
        return False
    words, before = text[mention.start : mention.end], text[: mention.start]
    is_small = text[:1].isupper() and len(words.split()) <= MAX_SMALL_WORDS
    if words.islower() and (is_small or kind_of(tuple(each.form for each in tokens(words))) == "stock phrase"):
        return LOOKS_FOR.search(before) is None
    is_apart = "," in words and "," not in mention.title
    return is_apart or names_own(before) or _holds("\n".join((*heard, "")), words)


def _holds(text: str, words: str) -> bool:
    """Whether a text holds words that are not part of others."""
    place = text.find(words)
    while place >= 0:
        if not text[place - 1 : place].isalnum() and not text[place + len(words) :][:1].isalnum():
            return True
        place = text.find(words, place + 1)
    return False


def assistant_role(dialogue: Dialogue) -> bool | None:
    """Whether a user message sounds like an assistant's, or the user's messages make two different moves of one."""
    made: set[int] = set()
    for _, said, _ in _user_utterances(dialogue):
        shows, moves = role_in(said.text)
        made |= moves
        if shows or len(made) >= MIN_MOVES:
            return True
    return False


def premature_stop(dialogue: Dialogue) -> bool | None:
    """Whether the user left satisfied without a result, or after one message; None if the ending was not recorded.

    A user who gives up, or whose agenda is at its end, did not say that they have what they wanted.
    """
    if dialogue.ended_by is None or dialogue.ended_by.is_failure:
        return None
    if dialogue.ended_by is not Ending.USER_ENDED:
        return False
    if len(_user_utterances(dialogue)) < 2:
        return True
    need = dialogue.need
    if need is None or not need.acceptable:
        return False
    named = [m for each in dialogue.utterances if each.speaker == "system" for m in each.mentions or ()]
    return not any(mention.item_id in need.acceptable for mention in named)


def endless_thanks(dialogue: Dialogue) -> bool | None:
    """Whether several user turns in a row are only thanks and goodbye; consecutive messages are one turn."""
    return ends_without_end(_turns(dialogue))


def loop(dialogue: Dialogue) -> bool | None:
    """Whether the user repeats themselves; short answers, thanks, and the same answer to the same message are exempt.

    An agent that says one thing again and again is answered alike, which is its doing.
    """
    turns = _turns(dialogue)
    return _repeats_words(dialogue) or (repeats_content(turns) and not ends_without_end(turns))


def _repeats_words(dialogue: Dialogue) -> bool:
    messages = _user_utterances(dialogue)
    if len(messages) < MIN_REPETITIONS:
        return False
    long = [
        bag_of(words)
        for _, said, _ in messages
        if len(words := words_of(said.text)) >= MIN_REPEATED_WORDS and not is_thanks(said.text)
    ]
    if len(long) < MIN_REPETITIONS:
        return False
    counts = Counter(long)
    again = [
        each for each in counts if sum(counts[other] for other in counts if are_alike(each, other)) >= MIN_REPETITIONS
    ]
    return any(_occasions(each, dialogue) >= MIN_REPETITIONS for each in again)


def _occasions(repeated: Bag, dialogue: Dialogue) -> int:
    """How often a message is said, counted once for all that answer the same message of the agent.

    One that only answers questions, such as "I have not seen that movie", is not counted.
    """
    answered: list[Bag] = []
    before, asks = Bag(), False
    for each in dialogue.utterances:
        words = words_of(each.text)
        bag = bag_of(words) if len(words) >= MIN_REPEATED_WORDS else frozenset()
        if each.speaker != "user":
            before, asks = bag, "?" in each.text
        elif are_alike(repeated, bag) and (not asks or is_specific(each.text)):
            answered += [] if any(are_alike(before, other) for other in answered) else [before]
    return len(answered)


def is_truncated(dialogue: Dialogue) -> bool | None:
    """Whether a user turn is empty, was cut off by the model, or ends in mid-sentence.

    Of several messages in a row the last is judged: the others go on in the next one, as in transcribed speech.
    """
    users = [
        (said, "" if after is None else after.text)
        for _, said, after in _user_utterances(dialogue)
        if after is None or after.speaker != "user" or said.meta.get("finish_reason")
    ]
    texts = [said.text for said, _ in users]
    if any(said.meta.get("finish_reason") == "length" or breaks_off(said.text) for said, _ in users):
        return True
    if any(breaks_off_in_word(said.text, reply) for said, reply in users):
        return True
    # Of those who set marks after their sentences, more is no ending. Few words, such as "trains and love", need none.
    unmarked = [each for each in texts if len(each.split()) >= MIN_REPEATED_WORDS and not ends_with_mark(each)]
    return len(unmarked) == 1 and any(map(ends_with_mark, texts)) and is_unfinished(unmarked[0])


def need_contradicted(dialogue: Dialogue, vocabulary: Vocabulary) -> bool | None:
    """Whether the user rejects a value of the need, or asks for a contradicting one; None without constraints."""
    need = dialogue.need
    if need is None or not need.constraints:
        return None
    # Rejecting a needed value, or asking for a value of the same attribute that is not needed, contradicts the need.
    wanted = vocabulary_of([need])
    own = frozenset[str]().union(*wanted.values())
    others = frozenset[str]().union(*(vocabulary.get(name, frozenset()) - values for name, values in wanted.items()))
    every = one_object(own | others)
    # What they would avoid was asked for: another value is no wish.
    return any(
        contradicts(text, own, frozenset() if AVOIDS.search(before) else others)
        for before, said, _ in _user_utterances(dialogue)
        if holds_value(text := _without_titles(said), every)
    )


def _without_titles(said: Utterance) -> str:
    """A text without titles of several words, whose words are no values: "Star Wars" is no wish for war."""
    text = said.text
    if not said.mentions:
        return text
    for start, end in sorted(((each.start or 0, each.end or 0) for each in said.mentions), reverse=True):
        if " " in text[start:end]:
            text = f"{text[:start]}It{text[end:]}"
    return text


DETECTORS: Mapping[Gate, Callable[[Dialogue], bool | None]] = {
    Gate.TARGET_LEAKED: target_leaked,
    Gate.ASSISTANT_ROLE: assistant_role,
    Gate.PREMATURE_STOP: premature_stop,
    Gate.ENDLESS_THANKS: endless_thanks,
    Gate.LOOP: loop,
    Gate.TRUNCATED: is_truncated,
}
