"""Whether messages are only thanks, goodbye and politeness. Mostly English; measured in ``benchmarks/GATES.md``."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from trialogue.metrics.gates.phrases import patterns
from trialogue.metrics.gates.repeats import content_of

MAX_WORDS = 30
MAX_OTHER_WORDS = 0.2
"""Share of words that no courtesy has, such as a name; of films there are more."""
MAX_PLAIN_WORDS = 8
MAX_SOFT_WORDS = 15


_WORDS = r"(?<!\w)@(?!\w)"
_COURTESY = re.compile(_WORDS.replace("@", f"(?:{'|'.join(patterns('courtesies'))})"))
_CONTENT = re.compile(r"\?|" + _WORDS.replace("@", f"(?:{'|'.join(patterns('contents'))})"))
_PLAIN_WORDS = frozenset(each for each in patterns("courteous_words") if each.isalpha())
_PLAIN = re.compile(f"(?:{'|'.join(each for each in patterns('courteous_words') if not each.isalpha())})")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SMILES = re.compile(r"\A(?=[^\w?]*\Z)[\s.,!…-]*[^\w\s.,!?…-]")
"""Emoji and smileys alone."""
_WAVES = re.compile("[🙏👋🤗💐]")
"""Emoji for thanks and goodbye."""
MIN_CLOSING_TURNS = 3  # user turns in a row without content; two are polite
SOFT = 0.5  # what a turn counts that says something else as well, or is courteous by speaking of the other only
MIN_THANKS = 2  # of the user's; the others can be a smile or "you too"
MIN_COURTESIES = 4  # of both sides, where neither asks or names anything
MAX_QUIET_WORDS = 20
ECHO = 0.4
"""Of the words of content of a message, those of the message before: such a message says nothing of its own."""
_NEW = re.compile(r"(?<=[\w,;] )(?!I\b|I['’])[A-Z]\w+|\d+|[\"“«]")
"""Names, numbers and quotations, which say something if nobody said them before."""
_WISHES = re.compile(
    r"\?|\b(?:want(?:ed)?|looking for|prefer|recommend|suggest|instead|what about|how about|seen?|watch(?:ed|ing)?|tell me|"
    r"show me|another|something|else|others?|older|newer|only|too (?=\w)|wait|actually|but|don['’]?t like|movies?|films?|"
    r"books?|songs?|read|genres?|loved?|it is|they|s?he|check|yes|yeah|yup|sure)\b"
)
"""Signs of a message that asks, wishes, rejects, answers, or speaks of items."""
_TO_THE_OTHER = re.compile(r"\b(?:you|yours?|you['’]re|we|our|us)\b", re.IGNORECASE)
_GREETS = re.compile(r"\A\W*(?:hi|hey|hello|good (?:morning|day|evening))\b", re.IGNORECASE)
_ANSWERS = re.compile(r"\A\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|no|nope|absolutely|definitely)\b", re.IGNORECASE)
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
    if not is_courteous(text):
        return False
    if _SMILES.match(text):
        return _WAVES.search(text) is not None
    small = text.lower()
    if _CONTENT.search(small) is not None or _COURTESY.search(small) is None:
        return False
    length = len(_WORD.findall(text))
    return length <= MAX_WORDS and _other_words(_COURTESY.sub(" ", small)) <= MAX_OTHER_WORDS * length


@lru_cache(maxsize=20_000)
def is_phatic(text: str) -> bool:
    """Whether a message is at most eight words such as "yes, indeed", or a smile: between thanks, it is one of them.

    >>> is_phatic("Me too!"), is_phatic("Heat"), is_phatic("Will it end well?")
    (True, False, False)
    """
    if _SMILES.match(text):
        return True
    words = _WORD.findall(text)
    if {word.casefold().replace("’", "'") for word in words} <= ASSENT:
        return False  # an answer to a question
    return 0 < len(words) <= MAX_PLAIN_WORDS and _CONTENT.search(text.lower()) is None and not _other_words(text)


@lru_cache(maxsize=20_000)
def is_soft_thanks(text: str) -> bool:
    """Whether a short message holds a courtesy, and asks for nothing: after it, courtesies go on where nothing is said.

    >>> is_soft_thanks("It sounds beautiful. Thank you!"), is_soft_thanks("Thanks, but something older")
    (True, False)
    """
    return is_courteous(text) and _CONTENT.search(text.lower()) is None and len(_WORD.findall(text)) <= MAX_SOFT_WORDS


def ends_without_end(turns: Sequence[tuple[str, str]]) -> bool:
    """Whether three user turns in a row are thanks and goodbye, or both sides only exchange courtesies, in any words.

    Args:
        turns: speaker and text.

    >>> echoes = ["A good fit, thanks!", "I love a good fit.", "It fits so well!", "A perfect fit.", "A perfect fit!"]
    >>> ends_without_end([("system" if place % 2 else "user", text) for place, text in enumerate(echoes)])
    True
    """
    return _only_thanks(turns) or _only_courtesies(turns)


def _only_thanks(turns: Sequence[tuple[str, str]]) -> bool:
    """Whether the user's turns are thanks, whatever the system says; an answer to its question is none."""
    if sum(is_courteous(text) for speaker, text in turns if speaker == "user") < MIN_THANKS:
        return False
    row, thanks = 0.0, 0
    for (_, before), (speaker, text) in pairwise((("", ""), *turns)):
        if speaker != "user" or _refuses(text):
            continue
        if "?" in before and _ANSWERS.match(text) and not _closes(text):
            row, thanks = 0.0, 0
        elif is_thanks(text):
            row, thanks = row + 1, thanks + 1
        elif row and is_phatic(text):
            row += 1
        elif is_soft_thanks(text):
            row, thanks = row + SOFT, thanks + 1
        else:
            row, thanks = 0.0, 0
        if row >= MIN_CLOSING_TURNS and thanks >= MIN_THANKS:
            return True
    return False


def _closes(text: str) -> bool:
    """Whether an offer of more is declined with thanks: it begins the goodbyes."""
    return text.lstrip()[:2].casefold() == "no" and is_thanks(text)


def _only_courtesies(turns: Sequence[tuple[str, str]]) -> bool:
    """Whether neither side says anything new for three user turns, and most of what they say is courteous or an echo."""
    every, first = (("", ""), *turns, ("", "?")), 0
    for end, (_, text) in enumerate(every):
        if "?" in text:  # a question is no courtesy, nor is what follows one
            if end - first >= 2 * MIN_CLOSING_TURNS and _is_courteous_row(every, first, end):
                return True
            first = end + 1
    return False


def _is_courteous_row(turns: Sequence[tuple[str, str]], first: int, end: int) -> bool:
    """Whether such a row stands between two places, behind the first one; what stands before them was said, too."""
    count, whole, own, both = 0, 0, 0.0, 0.0
    for place in range(first + 1, end):
        speaker, text = turns[place]
        is_user = speaker == "user"
        if is_user and _refuses(text):
            continue
        # What is said before a row begins matters only if it can begin one.
        courtesy = _courtesy_of(turns, place) if count or is_user else None
        if courtesy is None or not (count or (courtesy and not _GREETS.match(text))):
            count, whole, own, both = 0, 0, 0.0, 0.0
            continue
        count, own, both = count + is_user, own + courtesy * is_user, both + courtesy
        whole += courtesy == 1.0  # short words alone are no courtesies
        if count >= MIN_CLOSING_TURNS and own >= MIN_THANKS and both >= MIN_COURTESIES and whole >= MIN_THANKS:
            return True
    return False


def _courtesy_of(turns: Sequence[tuple[str, str]], place: int) -> float | None:
    """How courteous a turn, no question, is, from 0 to 1; None: it is long, wishes or names something new."""
    text = turns[place][1]
    length, wishes, new = _wishes_in(text)
    if length > MAX_QUIET_WORDS:
        return None
    content = content_of(text)
    if is_thanks(text) or (content and len(content & content_of(turns[place - 1][1])) >= max(1.0, ECHO * len(content))):
        return 1.0
    if (wishes or (new and not _were_said(new, turns[:place]))) and not is_phatic(text):
        return None
    return 1.0 if is_courteous(text) else SOFT if length <= MIN_CLOSING_TURNS or _TO_THE_OTHER.search(text) else 0.0


def _were_said(names: Sequence[str], turns: Sequence[tuple[str, str]]) -> bool:
    """Whether all names stand in some turns; refusals are not looked at."""
    said = " ".join([text for speaker, text in turns if speaker != "user" or not _refuses(text)]).casefold()
    return all(each in said for each in names)


@lru_cache(maxsize=20_000)
def _wishes_in(text: str) -> tuple[int, bool, tuple[str, ...]]:
    """Number of words of a message; of a short one, whether it wishes, and what it names, in small letters."""
    length = len(_WORD.findall(text))
    if length > MAX_QUIET_WORDS:
        return length, False, ()
    return length, _WISHES.search(text.lower()) is not None, tuple(each.casefold() for each in _NEW.findall(text))


@lru_cache(maxsize=20_000)
def is_courteous(text: str) -> bool:
    """Whether a message holds a courtesy."""
    return _COURTESY.search(text.lower()) is not None or _WAVES.search(text) is not None


def _refuses(text: str) -> bool:
    """Whether the message declines an offer with thanks: it neither ends the dialogue nor continues it."""
    return is_courteous(text) and _REFUSES.match(text) is not None


def _other_words(text: str) -> int:
    words = (each.replace("’", "'") for each in _WORD.findall(text.lower()))
    return sum(each not in _PLAIN_WORDS and _PLAIN.fullmatch(each) is None for each in words)
