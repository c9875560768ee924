"""Whether a message rejects a value that the need asks for, or wishes for another one of the same attribute.

Values are masked (``§o`` for one of the need, ``§x`` for another); each clause that holds one is compared with what people
say to wish for something or to turn it down. English only; measured in ``benchmarks/GATES.md``.
"""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain, zip_longest

from trialogue.metrics.gates.phrases import Phrases, any_of, patterns

OWN, OTHER = "§o", "§x"

_THINGS = (
    r"(?:\s+(?:movies?|films?|ones?|stuff|genres?|flicks?|titles?|things?|pictures?|category|picks?|stor(?:y|ies)))?"
)
_FEW = r"(?:\s+(?!(?:not|no|never|too|than|over|with|but|if|or|and)\b)[\w'’-]+){0,4}?\s+"
"""Up to four words, none of which changes what is wished for."""
_FILLERS = (
    r"(?:\s+(?:a|an|any|the|more|another|really|of|to|be|watch|watching|see|seeing|some|films?|movies?|all|these|those|that|this|"
    r"much|kind|for|in|about|so|many|from|with|anything|something|\w+ly)){0,4}\s+"
)
_CLAUSE = re.compile(
    r"(?<=[.!?;])\s+(?!(?:no|nah|nope|pass|ugh|eww?|not)\b)|\s+\|\s+|"
    r",\s+(?!i(?:['’]ll| will|['’]d| would)? (?:pass|skip))(?=(?:and\s+)?(?:i|this|that|it|you|he|she|they|my|our)\b)|"
    r"(?:,\s*|(?<!thing)\s+)(?=(?:but|although|though|because|whereas|while)\s)|,\s*(?=so\s)|"
    r"(?<!thing)\s+(?=so\s(?:i|we|you|it|that|this|let|maybe|please|not|no|§))|\s[-–—]\s",
    re.IGNORECASE,
)
_SPACES = re.compile(r"(\s)\s+")
_SAME = {form: forms for line in patterns("value_forms") for forms in [tuple(line.split(" = "))] for form in forms}
"""Ways to write a value, by each of them."""
_FUNCTION = frozenset(patterns("function_words"))
_QUOTED = re.compile(r"(?<!\w)[\"“][^\"“”]{6,}[\"”]")
"""What others said, or a title."""
_WORD = re.compile(r"\w+")
MIN_LETTERS, MIN_LETTERS_OF_PLURAL = 3, 4  # of a word that has other forms; "news" has none
_BEST, _MOST = r"(?=,? the better| (?:is|are) (?:always |much )?better)", "(?= as possible)"
_DOUBLED = "bdgmnpt"  # "bigger"
_DECADE = re.compile(r"(19|20)?(\d0)s")
_DECADES = dict(
    zip(
        ("20", "30", "40", "50", "60", "70", "80", "90"),
        ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"),
        strict=True,
    )
)
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
_WISHES_NOTHING = (
    *map(_list, ("both_values", "items_described", "negated_wishes")),
    any_of("rejections", OWN=OTHER, OTHER=OWN, THINGS=_THINGS, FEW=_FEW, FILLERS=_FILLERS),
)
"""The last: who turns another value down does not wish for it."""
_TAKEN_BACK = any_of("taken_back")
_OTHER_PEOPLE = _list("other_people")
_ASKS = _list("questions_of_fact")


def holds_value(text: str, values: frozenset[str]) -> bool:
    """Whether a message holds one of some values, which are ``one_object``: without one it contradicts no need."""
    return _values_in(text, values) is not None


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
    if _TAKEN_BACK.search(masked):
        return False
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
    every = _values_in(text, one_object(own | others))
    if every is None:
        return ""
    pieces, values = every
    masks = (_mask_of(each, own) or written for each, written in values)
    return "".join(chain.from_iterable(zip_longest(pieces, masks, fillvalue="")))


@lru_cache(maxsize=20_000)
def _values_in(text: str, values: frozenset[str]) -> tuple[list[str], list[tuple[str, str]]] | None:
    """What stands around the values in a message, and each with how it is written; None for none.

    Most messages are said of many needs.
    """
    every, names = _values(values)
    if every is None:
        return None
    # Marks of the user's own are left out, and of several spaces the first: whole runs would be tried from each of them.
    text = _QUOTED.sub(" ", _SPACES.sub(r"\1", text.replace("§", "")))
    pieces, found, end = [], [], 0
    for match in every.finditer(text):
        pieces.append(text[end : match.start()])
        found.append((names[(match.lastindex or 1) - 1], match[0]))
        end = match.end()
    return ([*pieces, text[end:]], found) if found else None


@lru_cache(maxsize=4_096)
def one_object(values: frozenset[str]) -> frozenset[str]:
    """The one of equal sets that came first: it is compared with itself at once."""
    return values


@lru_cache(maxsize=20_000)
def _mask_of(value: str, own: frozenset[str]) -> str:
    """What stands for a value: one of the need, or another one; "" for one with some of the words of the need's.

    Who needs "running" may say "running shoes", and who needs "daily news" may say "news".
    """
    words = _words_of(value)
    needed = [_words_of(each) for each in own if each.strip()]
    if any(each <= words for each in needed):
        return OWN
    return "" if any(words < each for each in needed) else OTHER


@lru_cache(maxsize=20_000)
def _words_of(value: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_SAME.get(value.casefold(), (value.casefold(),))[0]))


@lru_cache(maxsize=4_096)
def _values(values: frozenset[str]) -> tuple[re.Pattern[str] | None, tuple[str, ...]]:
    """(what finds values in groups of their own, the longest first; these), for all needs of the same attributes."""
    said = (value for value in values if value.strip() and value.casefold() not in _FUNCTION)
    names = tuple(sorted(said, key=lambda value: (-len(value), value)))
    if not names:
        return None, ()
    forms = "|".join(f"({'|'.join(map(_forms_of, _SAME.get(value.casefold(), (value,))))})" for value in names)
    return re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE), names


@lru_cache(maxsize=20_000)
def _forms_of(value: str) -> str:
    """An expression for a value in its usual forms: in the plural, with or without a hyphen, a decade in words or digits.

    A comparative counts where it says what is best: "the spicier the better".
    """
    words = re.split(r"[\s-]+", value.strip())
    if decade := _DECADE.fullmatch(value.strip()):
        century, tens = decade.groups()
        named = _DECADES.get(tens)
        return rf"(?:{century}|['’])?{tens}s" + (f"|{named}" if named and century == "19" else "")
    *first, last = words
    if last.isalpha() and len(last) >= MIN_LETTERS:
        stem, *ends = _endings_of(last)
        if not first:
            ends += [
                f"{'i' if ends[0] == 'y' else ''}{f'{last[-1]}?' if last[-1] in _DOUBLED else ''}er{_BEST}",
                f"y{_MOST}",
            ]
        last = f"{stem}(?:{'|'.join(ends)})"
    else:
        last = re.escape(last)
    return "[ -]".join((*map(re.escape, first), last))


def _endings_of(word: str) -> tuple[str, ...]:
    """(what all forms of a word begin with, how each ends)."""
    if word[-1] in "yY" and word[-2] not in "aeiouAEIOU":
        return word[:-1], "y", "ies"
    if word[-1] in "eE":
        return word[:-1], "e", "es"
    if word[-1] in "sS" and len(word) > MIN_LETTERS_OF_PLURAL and word[-2] not in "sui":
        return word[:-1], "s", ""
    return word, "e?s", ""
