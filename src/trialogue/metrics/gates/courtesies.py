"""Whether a message is only thanks, goodbye and politeness. English only; measured in ``benchmarks/GATES.md``."""

import re
from functools import lru_cache

from trialogue.metrics.gates.phrases import patterns

MAX_WORDS = 30
MAX_OTHER_WORDS = 0.2
"""Share of words that no courtesy has, such as a name; of films there are more."""
MAX_PLAIN_WORDS = 8
MAX_SOFT_WORDS = 15


def _words_pattern(name: str) -> str:
    return rf"(?<!\w)(?:{'|'.join(patterns(name))})(?!\w)"


_COURTESY = re.compile(_words_pattern("courtesies"), re.IGNORECASE)
_CONTENT = re.compile(rf"\?|{_words_pattern('contents')}", re.IGNORECASE)
_PLAIN = re.compile(rf"(?:{'|'.join(patterns('courteous_words'))})\Z", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SMILES = re.compile(r"\A[^\w?]*[^\w\s.,!?…_-][^\w?]*\Z")
"""Emoji and smileys alone."""
_WAVES = re.compile("[🙏👋🤗💐]")
"""Emoji for thanks and goodbye."""
MAX_IDLE_WORDS = {"user": 15, "system": 20}
_IDLE = re.compile(
    r"[?\d\"“«]|n['’]t\b|(?<=[\w,;] )(?!I\b|I['’])[A-Z]\w|(?i:\b(?:want(?:ed)?|looking for|prefer|recommend|suggest|"
    r"another|something|instead|else|more|other|older|newer|likes?|loved?|seen|watched|read|heard|need|find|know|tell|show|"
    r"which|what|who|when|where|how|why|is it|does|did|genre|movies?|films?|books?|not|no|never|but|or|only|too|maybe|"
    r"actually|wait)\b)"
)
"""Signs of a message that asks, wishes, rejects, tells, or names something by a capital, a number or quotation marks."""
ASSENT = frozenset(
    [
        "ok",
        "okay",
        "sure",
        "yes",
        "yeah",
        "yep",
        "yup",
        "no",
        "nope",
        "i",
        "would",
        "will",
        "do",
        "am",
        "that",
        "that's",
        "fine",
        "alright",
        "it",
        "it's",
    ]
)
"""Words of short answers to questions: alone, they are content."""
_REFUSES = re.compile(r"\A\W*(?:no|nope)\W+(?:thanks?|thx|thank you)\W*\Z", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def is_thanks(text: str) -> bool:
    """Whether a message is only thanks, goodbye and politeness.

    >>> is_thanks("Thanks a lot, bye!"), is_thanks("Thanks, another one?"), is_thanks("ok")
    (True, False, False)
    """
    if _SMILES.search(text):
        return _WAVES.search(text) is not None
    if _COURTESY.search(text) is None or _CONTENT.search(text) is not None:
        return False
    length = len(_WORD.findall(text))
    return length <= MAX_WORDS and _other_words(_COURTESY.sub(" ", text)) <= MAX_OTHER_WORDS * length


@lru_cache(maxsize=20_000)
def is_phatic(text: str) -> bool:
    """Whether a message is at most eight words such as "yes, indeed", or a smile: between thanks, it is one of them.

    >>> is_phatic("Me too!"), is_phatic("Heat"), is_phatic("Will it end well?")
    (True, False, False)
    """
    if _SMILES.search(text):
        return True
    words = _WORD.findall(text)
    if {word.casefold().replace("’", "'") for word in words} <= ASSENT:
        return False  # an answer to a question
    return 0 < len(words) <= MAX_PLAIN_WORDS and _CONTENT.search(text) is None and not _other_words(text)


@lru_cache(maxsize=20_000)
def is_soft_thanks(text: str) -> bool:
    """Whether a short message holds a courtesy, and asks for nothing: after it, courtesies go on where nothing is said.

    >>> is_soft_thanks("It sounds beautiful. Thank you!"), is_soft_thanks("Thanks, but something older")
    (True, False)
    """
    return is_courteous(text) and _CONTENT.search(text) is None and len(_WORD.findall(text)) <= MAX_SOFT_WORDS


@lru_cache(maxsize=20_000)
def is_idle(text: str, speaker: str) -> bool:
    """Whether a short message asks nothing, wishes nothing, rejects nothing and names nothing, whatever it says.

    >>> is_idle("Then we're both happy.", "system"), is_idle("Have a look at Heat", "user"), is_idle("Not that", "user")
    (True, False, False)
    """
    return len(_WORD.findall(text)) <= MAX_IDLE_WORDS[speaker] and _IDLE.search(text) is None


def is_courteous(text: str) -> bool:
    """Whether a message holds a courtesy."""
    return _COURTESY.search(text) is not None or _WAVES.search(text) is not None


def refuses(text: str) -> bool:
    """Whether the message declines an offer with thanks: it neither ends the dialogue nor continues it."""
    return _REFUSES.search(text) is not None


def _other_words(text: str) -> int:
    return sum(_PLAIN.match(each.replace("’", "'")) is None for each in _WORD.findall(text))
