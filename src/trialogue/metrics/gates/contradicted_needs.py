"""Whether a message rejects a value that the need asks for, or wishes for another one of the same attribute.

Values are masked (``§o`` for one of the need, ``§x`` for another); each clause that holds one is compared with what people
say to wish for something or to turn it down. English only; measured in ``benchmarks/GATES.md``.
"""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain, zip_longest

from trialogue.metrics.gates.phrases import Phrases, any_of

OWN, OTHER = "§o", "§x"

_THINGS = (
    r"(?:\s+(?:movies?|films?|ones?|stuff|genres?|flicks?|titles?|things?|pictures?|category|picks?|stor(?:y|ies)))?"
)
_FEW = r"(?:\s+(?!(?:not|no|never|too|than|over|with|but|if|or|and)\b)[\w'’-]+){0,4}?\s+"
"""Up to four words, none of which changes what is wished for."""
_FILLERS = (
    r"(?:\s+(?:a|an|any|the|more|another|really|of|to|be|watch|watching|see|seeing|some|films?|movies?|all|these|those|that|this|"
    r"much|kind|for|in|about|so|many|\w+ly)){0,3}\s+"
)
_CLAUSE = re.compile(
    r"(?<=[.!?;])\s+(?!(?:no|nah|nope|pass|ugh|eww?|not)\b)|\s+\|\s+|"
    r",\s+(?!i(?:['’]ll| will|['’]d| would)? (?:pass|skip))(?=(?:and\s+)?(?:i|this|that|it|you|he|she|they|my|our)\b)|"
    r"(?:,\s*|(?<!thing)\s+)(?=(?:but|so|although|though|because|whereas|while)\s)|\s[-–—]\s",
    re.IGNORECASE,
)
_SPACES = re.compile(r"(\s)\s+")
_SELF = re.compile(r"\b(?:i|i['’]\w+|me|we|us|neither|im|ill|id|let['’]?s)\b", re.IGNORECASE)
_ASKS_FOR = re.compile(
    r"\byou(?:['’]d| would| could| can| might)? (?:\w+ )?(?:suggest|recommend|find|show|have for me)\b", re.IGNORECASE
)
"""A question that asks for items, and not whether something is so."""


def _list(name: str) -> Phrases:
    return any_of(name, OWN=OWN, OTHER=OTHER, THINGS=_THINGS, FEW=_FEW, FILLERS=_FILLERS)


_REJECTS_OWN = _list("rejections")
_REJECTS_NOTHING = _list("no_rejections")
_REJECTS_LATER = _list("rejections_later")
_ASKS_FOR_OWN = re.compile(rf"\b(?:said|want(?:ed)?|asked|like|love|prefer|need|more)\b[^.?!]*{OWN}", re.IGNORECASE)
"""The need itself is wished for: what is turned down in the next sentence is an item."""
_WISHES_OTHER = _list("wishes")
_WISHES_NOTHING = tuple(map(_list, ("both_values", "items_described", "negated_wishes")))
_OTHER_PEOPLE = _list("other_people")
_ASKS = _list("questions_of_fact")


def contradicts(text: str, own: AbstractSet[str], others: AbstractSet[str]) -> bool:
    """Whether a message contradicts a need.

    Args:
        text: message of the user.
        own: values that the need asks for.
        others: other values of the same attributes.

    >>> contradicts("No horror, please", {"horror"}, {"comedy"}), contradicts("Is it a comedy?", {"horror"}, {"comedy"})
    (True, False)
    """
    masked = _mask(text, frozenset(own), frozenset(others))
    return (OWN in masked or OTHER in masked) and _contradicts(masked)


@lru_cache(maxsize=20_000)  # behind its masks a wish is the same for many needs
def _contradicts(masked: str) -> bool:
    if _REJECTS_LATER.search(masked) and not _ASKS_FOR_OWN.search(masked):
        return True
    return any(_clause_contradicts(each) for each in _CLAUSE.split(masked) if OWN in each or OTHER in each)


def _clause_contradicts(clause: str) -> bool:
    if _ASKS.search(clause) and not _ASKS_FOR.search(clause):
        return False
    if _OTHER_PEOPLE.search(clause) and not _SELF.search(clause):
        return False
    if OWN in clause and _REJECTS_OWN.search(clause) and not _REJECTS_NOTHING.search(clause):
        return True
    if OTHER not in clause or any(each.search(clause) for each in _WISHES_NOTHING):
        return False
    return _WISHES_OTHER.search(clause) is not None


def _mask(text: str, own: frozenset[str], others: frozenset[str]) -> str:
    every = _values_in(text, _one_object(own | others))
    if every is None:
        return ""
    mine = _values(own)
    pieces, values = every
    masks = (OWN if mine is not None and mine.fullmatch(each) else OTHER for each in values)
    return "".join(chain.from_iterable(zip_longest(pieces, masks, fillvalue="")))


@lru_cache(maxsize=20_000)
def _values_in(text: str, values: frozenset[str]) -> tuple[list[str], list[str]] | None:
    """The values in a message, and what stands around them; None for none. Most messages are said of many needs."""
    every = _values(values)
    if every is None:
        return None
    # Marks of the user's own are left out, and of several spaces the first: whole runs would be tried from each of them.
    pieces = every.split(_SPACES.sub(r"\1", text.replace("§", "")))
    return (pieces[::2], pieces[1::2]) if len(pieces) > 1 else None


@lru_cache(maxsize=4_096)
def _one_object(values: frozenset[str]) -> frozenset[str]:
    """The one of equal sets that came first: it is compared with itself at once."""
    return values


@lru_cache(maxsize=4_096)
def _values(values: frozenset[str]) -> re.Pattern[str] | None:
    """What finds values, the longest first; needs of the same attributes share the one for all of their values."""
    alternatives = sorted((value for value in values if value.strip()), key=lambda value: (-len(value), value))
    if not alternatives:
        return None
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, alternatives))})(?!\w)", re.IGNORECASE)
