"""Whether a message is empty or breaks off in mid-sentence. English only; measured in ``benchmarks/GATES.md``.

Only messages without a mark at their end are looked at. People leave it out, too, and end short messages on any word, so
longer ones are judged by their last words: an article, a conjunction, an adjective after its article, or half a word.
Half of the truncated messages are not recognised this way; a model's own ``finish_reason`` is certain.
"""

import re
from bisect import bisect_left
from functools import lru_cache

from trialogue.metrics.gates.phrases import any_of, patterns

MIN_WORDS = 5
MIN_WORDS_BEFORE_HALF_WORD = 4
"""Words before half a word of four letters or more; before a shorter one twice as many: messages end in names and slips."""
MIN_LETTERS = 4

EMPTY = re.compile(r"\A[\s.…_-]*\Z")
"""Empty messages: nothing, or dots; a lone question mark is a real message."""
_ENDS = re.compile(r"(?:[.!?…)\"'”’*\]}:;]|[^\w\s,(\[{&/+\"-])\s*\Z")
_OPENS = re.compile(r"(?:[(\[{“&]|\s[-–—\"'])\s*\Z")
"""Marks after which something must follow."""


def _one_of(name: str) -> str:
    return f"(?:{'|'.join(patterns(name))})"


_OPEN = any_of(
    "open_endings", ARTICLE=_one_of("articles"), ADVERB=_one_of("adverbs"), ADJECTIVE=_one_of("adjectives")
).pattern
_OPEN_END = re.compile(rf"(?<!\w)(?:{_OPEN})\s*\Z", re.IGNORECASE)
_CLOSED_END = re.compile(rf"(?<!\w){_one_of('closed_endings')}\s*\Z", re.IGNORECASE)
_ASKED = re.compile(
    r"(?<!\w)(?:what|which|who|whom|whose|where|how|why|when|know|sure|guess|remember|idea|wonder|see|that)(?!\w)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?;]\s+")
_LAST_WORD = re.compile(r"(?<![\w'’-])([a-z]{3,})\Z")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_WORD_ENDINGS = frozenset(("", *patterns("word_endings")))
_SHORT_FORMS = frozenset(patterns("short_forms"))


@lru_cache(maxsize=20_000)
def breaks_off(text: str) -> bool:
    """Whether a message is empty or stops in mid-sentence.

    >>> breaks_off("I am looking for a film that has the"), breaks_off("what is it about"), breaks_off("")
    (True, False, True)
    """
    bare = text.strip()
    if EMPTY.search(bare):
        return True
    words = _WORD.findall(bare)
    if len(words) < MIN_WORDS:
        return False
    if _OPENS.search(bare):
        return True
    if _ENDS.search(bare):
        return False
    if _is_half_word(bare, words):
        return True
    sentence = _SENTENCES.split(bare)[-1]
    opened = _OPEN_END.search(sentence)
    if opened is None:
        return False
    is_short = len(words) < 2 * MIN_WORDS and " " not in opened[0].strip()
    return not (_CLOSED_END.search(sentence) and (_ASKED.search(sentence) or is_short))


def _is_half_word(text: str, words: list[str]) -> bool:
    """Whether the last word is no word, but the beginning of a common one."""
    found = _LAST_WORD.search(text)
    if found is None:
        return False
    last = found[1]
    if len(words) <= MIN_WORDS_BEFORE_HALF_WORD * (1 if len(last) >= MIN_LETTERS else 2):
        return False
    known = _known_words()
    place = bisect_left(known, last)
    if place == len(known) or not known[place].startswith(last) or last in _SHORT_FORMS:
        return False
    rest = known[place].removeprefix(last)
    return rest not in _WORD_ENDINGS and not (last.endswith("e") and rest in ("d", "r"))


@lru_cache(maxsize=1)
def _known_words() -> list[str]:
    """Common words in alphabetical order."""
    # Imported when a message is looked at: an evaluation without one loads no catalogue.
    from trialogue.catalogue.linking.ordinary import word_list

    return sorted(word_list("ordinary_words").union(*(line.split() for line in patterns("long_words"))))
