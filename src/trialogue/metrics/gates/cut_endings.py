"""Whether a message is empty or breaks off in mid-sentence. English only; measured in ``benchmarks/GATES.md``.

Only messages without a mark at their end are looked at. People leave it out, too, and end short messages on any word, so
longer ones are judged by their last words: an article, a conjunction, an adjective after its article, or half a word. Of
users whose other messages all end with a mark, more endings say that one was cut off. A third of the truncated messages
is not recognised this way; a model's own ``finish_reason`` is certain.
"""

import re
from bisect import bisect_left
from functools import lru_cache

from trialogue.metrics.gates.phrases import any_of, patterns

MIN_WORDS = 5
MIN_WORDS_OF_OPEN = 4
"""Words of a message with two last words that are never last."""
LEAST_BEFORE_HALF_WORD = ((6, 4), (4, 5), (0, 9))
"""Letters of half a word, and words of a message with it: messages end in names and slips."""
MIN_LETTERS = 4
MIN_WORDS_OF_CAREFUL = 10
"""Words of a message whose end is judged by how its user ends the others."""

EMPTY = re.compile(r"\A[\s.…_-]*\Z")
"""Empty messages: nothing, or dots; a lone question mark is a real message."""
_MARK = re.compile(r"[.!?…)\"'”’*\]}:;]|[^\w\s,(\[{&/+\"-]")
_OPENS = re.compile(r"(?:[(\[{“&]|(?<!\w)[£$€]|\s[-–—\"']|\w-|\d:|[:.?!] \d[.)] [^.]{0,60}(?:\. )?\d[.)])\s*\Z")
"""Marks after which something must follow, such as the next number of a list."""
_MAY_OPEN = re.compile(r"(?:[(\[{“&£$€–—\"':-]|\d[.)])\Z")
_MARKER = re.compile(r"(?:\A|[\s:.])([b-jB-J2-9])([.)])\s*\Z")


def _one_of(name: str) -> str:
    return f"(?:{'|'.join(patterns(name))})"


_OPEN_END = any_of(
    "open_endings",
    r"(?<!\w)@\s*\Z",
    ARTICLE=_one_of("articles"),
    ADVERB=_one_of("adverbs"),
    ADJECTIVE=_one_of("adjectives"),
)
_NEVER_LAST = any_of("never_last", r"(?<![\w'’-])@\s*\Z")
_CLOSED_END = any_of("closed_endings", r"(?<!\w)@\s*\Z")
_STRANDED = any_of("stranded_endings", r"(?<![\w'’-])@\s*\Z")
_GAPS = any_of(
    "gaps",
    SUBJECT=r"(?:i|you|u|we|he|she|they|it|this|that|there|my|your|our|his|her|its|their|the|an?|many|most|some|people|every(?:one|body))\b",
    VERB=r"(?:is|was|did|does|do|are|were|would|will|can|could|should|has|have|['’]s)",
)
_UNFINISHED = any_of("unfinished_endings", r"(?:(?<![\w'’])|(?=,))@\s*\Z")
_ASKED = re.compile(
    r"(?<!\w)(?:what|which|who|whom|whose|where|how|why|when|know|sure|guess|remember|idea|wonder|see|that)(?!\w)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?<!\w)(?:what|where|how|who)(?: \w+){1,3} (?:do|be|is|are|was|were)\Z", re.IGNORECASE)
_SENTENCES = re.compile(r"[.!?;]\s+")
_LAST_WORD = re.compile(r"(?<![\w'’-])([a-z]{3,})\Z")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_WORD_ENDINGS = frozenset(("", *patterns("word_endings")))
_SHORT_FORMS = frozenset(patterns("short_forms"))


@lru_cache(maxsize=20_000)
def breaks_off(text: str) -> bool:
    """Whether a message is empty or stops in mid-sentence; in half a word only of a user who sets marks after messages.

    >>> breaks_off("I am looking for a film that has the"), breaks_off("what is it about"), breaks_off("")
    (True, False, True)
    """
    bare = text.strip()
    if EMPTY.search(bare):
        return True
    words, is_marked = _WORD.findall(bare), _has_mark(bare)
    if not is_marked and len(words) >= MIN_WORDS_OF_OPEN and _NEVER_LAST.search(bare):
        return True
    if not is_marked and _is_half_word(bare, words):
        return True
    if len(words) < MIN_WORDS:
        return False
    if (_MAY_OPEN.search(bare, len(bare) - 2) and _OPENS.search(bare)) or _is_lone_marker(bare):
        return True
    if is_marked:
        return False
    if _is_unclosed(bare) or _is_letters(bare, words):
        return True
    sentence = _SENTENCES.split(bare)[-1]
    opened = _OPEN_END.search(sentence)
    stranded = _STRANDED.search(sentence)
    has_gap = stranded is not None and _has_gap(sentence[: stranded.start()])
    if stranded is not None and not has_gap and len(words) > MIN_WORDS:
        return True
    if opened is None or (has_gap and " " not in opened[0].strip()):
        return False
    is_short = len(words) < 2 * MIN_WORDS and " " not in opened[0].strip()
    if is_short and opened[0].strip().casefold() == "or":
        return False  # people ask "is it sad, or" and wait
    return not (_CLOSED_END.search(sentence) and (_ASKED.search(sentence) or is_short))


def _has_gap(before: str) -> bool:
    """Whether words leave a place for a last word that belongs to them: "the one I told you", before "of"."""
    return _GAPS.search(before) is not None


@lru_cache(maxsize=20_000)
def ends_with_mark(text: str) -> bool:
    """Whether a message of more than one word ends with a mark."""
    return _has_mark(text) and len(text.split()) > 1


def _has_mark(text: str) -> bool:
    """Whether a message ends with a mark."""
    return _MARK.match(text.rstrip()[-1:]) is not None


def breaks_off_in_word(text: str, reply: str) -> bool:
    """Whether a message ends in the first letters of a word of the reply, which are no word themselves.

    >>> breaks_off_in_word("More than anything else the shoes should be really cushi", "They are cushioned well.")
    True
    """
    words = _WORD.findall(text) if len(text) >= 4 * MIN_WORDS - 1 and not _has_mark(text) else []
    if len(words) < 2 * MIN_WORDS or len(words[-1]) < MIN_LETTERS:
        return False
    last, replied = words[-1].casefold(), {each.casefold() for each in _WORD.findall(reply)}
    is_word = last in replied or last in _vocabulary() or any(last == each.casefold() for each in words[:-1])
    return not is_word and any(each.startswith(last) and each[len(last) :] not in _WORD_ENDINGS for each in replied)


def is_unfinished(text: str) -> bool:
    """Whether a message that begins with a capital ends as those of somebody who sets marks do not.

    >>> is_unfinished("I want a modern western, since for me music is half of the film and I")
    True
    """
    bare = text.strip()
    words = _WORD.findall(bare)
    if len(words) < MIN_WORDS_OF_CAREFUL or _has_mark(bare) or not bare[0].isupper():
        return False
    last = words[-1]
    is_part = last.isalpha() and last.islower() and not _is_word(last) and _begins_word(last)
    stranded = _STRANDED.search(bare)
    if stranded is not None and _has_gap(_SENTENCES.split(bare[: stranded.start()])[-1]):
        return False
    return is_part or (_UNFINISHED.search(bare) is not None and _QUESTION.search(bare) is None)


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    return frozenset(_known_words())


def _is_unclosed(text: str) -> bool:
    """Whether a bracket or a quotation is still open."""
    opened = max(text.rfind("("), text.rfind("“"), text.rfind('"') if text.count('"') % 2 else -1)
    is_last = opened > max(text.rfind(")"), text.rfind("”"))
    return is_last and text[opened + 1 : opened + 2].isalnum() and (not opened or text[opened - 1] in " (")


def _is_lone_marker(text: str) -> bool:
    """Whether a text ends with the marker of the next entry of a list, such as "c)" or "3."."""
    found = _MARKER.search(text, max(0, len(text) - 3))
    before = "" if found is None else f"{chr(ord(found[1].lower()) - 1)}{found[2]} "
    return bool(before) and re.search(rf"(?:\A|[\s:.]){re.escape(before)}", text, re.IGNORECASE) is not None


def _is_letters(text: str, words: list[str]) -> bool:
    """Whether a longer message ends with one or two letters that are no word."""
    last = words[-1]
    if len(words) < MIN_WORDS_OF_CAREFUL or len(last) > 2 or not text.endswith(f" {last}") or not last.islower():
        return False
    return last.isalpha() and not _is_word(last)


def _is_word(word: str) -> bool:
    """Whether letters are a word or a short form of one; by its ending, too."""
    from trialogue.catalogue.linking.ordinary import is_ordinary  # as below

    return word in _vocabulary() or word in _SHORT_FORMS or (len(word) >= MIN_LETTERS and is_ordinary(word))


def _begins_word(part: str) -> bool:
    """Whether a common word begins with some letters."""
    known = _known_words()
    place = bisect_left(known, part)
    return place < len(known) and known[place].startswith(part)


def _is_half_word(text: str, words: list[str]) -> bool:
    """Whether the last word is no word, but the beginning of a common one."""
    found = _LAST_WORD.search(text)
    if found is None:
        return False
    last = found[1]
    if len(words) < next(least for letters, least in LEAST_BEFORE_HALF_WORD if len(last) >= letters):
        return False
    known = _known_words()
    place = bisect_left(known, last)
    if place == len(known) or not known[place].startswith(last) or last in _SHORT_FORMS:
        return False
    rest = known[place].removeprefix(last)
    return rest not in _WORD_ENDINGS and rest != "g" and not (last.endswith("e") and rest in ("d", "r"))


@lru_cache(maxsize=1)
def _known_words() -> list[str]:
    """Common words in alphabetical order."""
    # Imported when a message is looked at: an evaluation without one loads no catalogue.
    from trialogue.catalogue.linking.ordinary import word_list

    lines = (*patterns("long_words"), *patterns("short_words"))
    return sorted(word_list("ordinary_words").union(*(line.split() for line in lines)))
