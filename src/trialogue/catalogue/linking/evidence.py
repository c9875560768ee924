"""Evidence for and against a match being meant as a title: word class, capitalisation, quotes and context.

"It", "Her" and "Up" are titles and ordinary words, "Emma" is a title and a name. This module extracts observations;
the points below weigh them.

Weights of the evidence for a title.

The points are the coefficients, rounded to one decimal, of two logistic regressions: one for forms that are often something
else (``WEAK_KINDS``), one for forms that rarely are. They were fitted to our annotation of INSPIRED dev and to half of
ReDial's validation conversations, each with the titles of the corpus and with those of MovieLens as catalogue (``python
benchmarks/linker.py MIRROR --fit`` refits them). Points are log odds: 0 means as likely as not. Some are set by hand,
because people's conversations have hardly any lists or markup: "emphasised", "fills a slot", "in a long row of titles",
"number after a cue", and what weak words get for an article before them. ``benchmarks/TITLES.md`` measures what they do.
"""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files

from trialogue.catalogue.layout import Layout
from trialogue.catalogue.linking.clauses import (
    CALLED,
    ENDS_SENTENCE,
    FILM,
    GOES_ON,
    JOINED,
    JUDGED,
    LINKS,
    OFFERED,
    SEEN,
    TextEvidence,
    ends_longer_name,
    has_article_before,
    is_number_after_cue,
    predicates,
)
from trialogue.catalogue.linking.index import Entry, Match
from trialogue.catalogue.linking.ordinary import kind_of, word_set
from trialogue.catalogue.linking.variants import COUNTERS, OTHER, PART

WEAK_KINDS = frozenset(
    {
        "function word",
        "ordinary word",
        "maker",
        "name",
        "digits",
        "2 ordinary words",
        "2 words with a name",
        "3 words with a name",
        "stock phrase",
    }
)
"""Kinds of words (see ``ordinary.kind_of``) that often are not titles."""

THRESHOLD = 0.3  # a little above even odds: with it, people's replies have no more false links than before version 2

BASE = (0.6, 3.1)
"""Initial points: of words of a weak kind, and of others."""

POINTS: dict[str, tuple[float, float]] = tomllib.loads(
    files("trialogue.catalogue").joinpath("points.toml").read_text(encoding="utf-8")
)
"""Points of an observation: with words of a weak kind, and with others."""

OWN_YEAR, OTHER_YEAR, GOES_ON_TITLE = "its year behind it", "another year behind it", "title goes on"
CERTAIN = {"another title's article": -20.0, OWN_YEAR: 20.0, OTHER_YEAR: -20.0, GOES_ON_TITLE: -20.0}
"""Observations that decide regardless of all others."""


def points_of(seen: Sequence[str]) -> float:
    """Sum of the points of a match's observations; the first one is its kind.

    >>> points_of(["rare word", "capitals"]) > THRESHOLD > points_of(["function word", "small letters"])
    True
    """
    points = _OF_WEAK_KINDS if seen[0] in WEAK_KINDS else _OF_OTHERS
    return points[""] + sum([points.get(name, 0.0) for name in seen])


_OF_WEAK_KINDS, _OF_OTHERS = (
    {"": BASE[column], **CERTAIN, **{name: points[column] for name, points in POINTS.items()}} for column in (0, 1)
)


OPENING = frozenset("\"'“‘«„*")
APOSTROPHES = frozenset("'’")
CLOSES = re.compile(r"[.,!?…]*[\"'”’»“*]")

LONGEST_NAME = 60  # characters of what may be the rest of a title
_NAME_ENDS = re.compile(r"[(\[\"“”|]|\s[-–—]")
_NAMES = re.compile(r"[^\W_]+")
UNCAPITALISED = word_set("a an and as at but by de for from in into is of on or out s so t the to up vs with")
COUNTED = word_set("times time days weeks months years hours minutes nights or stars people movies films")
PLAUSIBLE_YEARS = range(1870, 2040)

CUES = frozenset({"after seen", "after movie", "after like", "after about"})
_CAPITALS_OF = {
    "function word": "capital of a function word",
    "ordinary word": "capital of an ordinary word",
    "name": "capital of a name",
}
ODD_CAPITALS = frozenset({*_CAPITALS_OF.values(), "all in capitals"})
_BEFORE = (
    (SEEN, "after seen"),
    (CALLED, "after movie"),
    (JUDGED, "after like"),
    (OFFERED, "after about"),
    (JOINED, "after and"),
)


def observations(around: TextEvidence, match: Match, entry: Entry) -> list[str]:
    """Names of all observations about a match; its kind (see ``ordinary.kind_of``) first."""
    first, behind = match.first, match.behind
    kind, before, after, form = kind_of(entry.forms), around.gap(first), around.gap(behind), around.form(behind)
    seen = [kind]
    if entry.bare:
        seen.append("no article")
    if entry.kind == OTHER:
        seen.append("other title")
    if entry.kind == PART:
        seen.append("part of a title")
    if len(entry.forms) != behind - first:
        seen.append("split otherwise")
    is_quoted = before[-1:] in OPENING and CLOSES.match(after) is not None
    # Quotes around these very words begin no sentence.
    begins = first == 0 or not ENDS_SENTENCE.isdisjoint(before[:-1] if is_quoted else before)
    capitals = _capitals(around, first, behind, kind, begins=begins)
    if capitals is not None:
        seen.append(capitals)
    if is_quoted:
        seen.append("quoted")
    elif before.endswith("-") or after == "-":
        seen.append("hyphen")
    is_owned = form == "s" and after in APOSTROPHES
    if is_owned:
        seen.append("apostrophe")
    at = len(seen)
    _add_evidence_before(seen, around, first, behind, before.strip())
    if behind < len(around.tokens) and (name := _evidence_behind(around, behind, form, after.strip())) is not None:
        seen.append(name)
    if capitals in ODD_CAPITALS and not CUES.isdisjoint(seen[at:]):
        seen.append("odd capital after a cue")
    if not around.shouts and _is_in_longer_name(around, first, behind, is_owned=is_owned):
        seen.append("in a longer name")
    if _continues_title(around, behind):
        seen.append(GOES_ON_TITLE)
    if not entry.bare and has_article_before(around, first):
        is_other = kind in WEAK_KINDS or around.part.layout not in (Layout.PROSE, Layout.LINE)
        seen.append("another title's article" if is_other else "article before it")
    if kind != "function word" and not ends_longer_name(around, first):
        seen += predicates(around, behind)
    if kind == "digits" and is_number_after_cue(around, first, behind):
        seen.append("number after a cue")
    return seen


def _capitals(around: TextEvidence, first: int, behind: int, kind: str, *, begins: bool) -> str | None:
    words = [word for word in around.words[first:behind] if word[0].isalpha()]
    if not words or around.shouts:
        return None
    if behind - first == 1 and len(words[0]) > 1 and words[0].isupper():
        return "all in capitals"
    # Small words inside a title ("of", "the") are written small by convention, so they say nothing about capitals.
    telling = words if len(words) == 1 else [word for word in words if word.lower() not in UNCAPITALISED]
    great = [word for word in telling if word[0].isupper()]
    if telling and not great:
        return "small letters" if around.uses_capitals else "no capitals anywhere"
    # The first word of a sentence has a capital anyway; only a second one is evidence.
    if begins and not [word for word in words[1:] if word[0].isupper()]:
        return "capital of a sentence"
    return "some capitals" if len(great) < len(telling) else _CAPITALS_OF.get(kind, "capitals")


def _add_evidence_before(seen: list[str], around: TextEvidence, first: int, behind: int, gap: str) -> None:
    if first == 0:
        if behind == len(around.tokens):
            seen.append("nothing else")
        return
    if gap.strip("\"'"):
        if gap in (",", ":", "-"):
            seen.append("after a mark")
        return
    place = first - 1
    if around.form(place) == "the" and place > 0:
        seen.append("after the")
        place -= 1
    seen.append(
        _word_before(around, place, capital=around.has_capital(first - 1) and not around.starts_sentence(first - 1))
    )


def _word_before(around: TextEvidence, place: int, *, capital: bool) -> str:
    form = around.form(place)
    for words, name in _BEFORE:
        if form in words:
            return name
    return "after a capital" if capital else "after another word"


def _evidence_behind(around: TextEvidence, behind: int, form: str, gap: str) -> str | None:
    if gap:
        return "before a bracket" if gap.startswith("(") else None
    if form in FILM:
        return "before movie"
    if around.has_capital(behind):
        return "before a capital"
    if form in ("and", "or", "of"):
        return "before of" if form == "of" else "before and"
    return "before is" if form in GOES_ON else "before another word"


def _is_in_longer_name(around: TextEvidence, first: int, behind: int, *, is_owned: bool) -> bool:
    """Whether a small word links it to another capital, as "Game" in "Game of Thrones", "Pan" in "Pan's Labyrinth"."""
    is_linked = around.form(behind) in LINKS and not around.gap(behind).strip()
    if (is_linked or is_owned) and around.has_capital(behind + 1):
        return True
    before = around.form(first - 1) in LINKS and around.has_capital(first - 2) and not around.gap(first).strip()
    return before and not around.starts_sentence(first - 2)


def is_name(words: str) -> bool:
    """Whether words may go on as a title does: few, and all great but the small ones.

    >>> is_name("The Return of the King"), is_name("A gripping story"), is_name("Great.")
    (True, False, False)
    """
    words = _NAME_ENDS.split(words, maxsplit=1)[0].rstrip()
    found = _NAMES.findall(words[:LONGEST_NAME])
    if len(words) > LONGEST_NAME or words.endswith(".") or not any(word[0].isupper() for word in found):
        return False
    return all(word[0].isupper() or word[0].isdigit() or word.lower() in UNCAPITALISED for word in found)


def _continues_title(around: TextEvidence, behind: int) -> bool:
    """Whether a number or a subtitle follows, so that the words are another title's beginning: "Frozen 2"."""
    gap = around.gap(behind).rstrip()
    if gap == ":" and behind < len(around.tokens):
        if around.part.layout in (Layout.PROSE, Layout.LINE):
            return around.has_capital(behind)
        return is_name(around.text[around.tokens[behind].start : around.part.end])  # or else a description
    if gap.strip(" -"):
        return False
    place = behind + (around.form(behind) in COUNTERS)
    number = around.form(place)
    if not (number.isascii() and number.isdigit()) or around.form(place + 1) in COUNTED:
        return False
    if around.gap(place + 1) in ("/", ".") and place + 1 < len(around.tokens):  # "Heat - 4/5", "Heat 7.5"
        return False
    return int(number[:9]) > 1 and int(number[:9]) not in PLAUSIBLE_YEARS
