"""Evidence for and against a match being meant as a title: word class, capitalisation, quotes and context.

"It", "Her" and "Up" are titles and ordinary words, "Emma" is a title and a name. This module extracts observations;
``points`` weighs them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from trialogue.catalogue.linking.index import Entry, Match
from trialogue.catalogue.linking.ordinary import kind_of, word_set
from trialogue.catalogue.linking.titles import Token
from trialogue.catalogue.linking.variants import COUNTERS, OTHER, PART

OPENING = frozenset("\"'“‘«„*")
ENDS_SENTENCE = frozenset('.!?:;…\n"“(')
APOSTROPHES = frozenset("'’")
CLOSES = re.compile(r"[.,!?…]*[\"'”’»“*]")

SEEN = word_set("seen see saw watch watched watching rewatch rewatched")
CALLED = word_set("called titled named entitled movie film movies films trailer show")
JUDGED = word_set("like liked love loved enjoy enjoyed prefer hated favorite favorites favourite")
OFFERED = word_set("recommend suggest try consider out of about than heard for")
JOINED = word_set("and or in is was with including to from on the")
FILM = word_set("movie film movies films trailer trailers series franchise trilogy flick flicks")
GOES_ON = word_set("is was are were has had starring stars by from with directed came comes again yet too")
UNCAPITALISED = word_set("a an and as at but by de for from in into is of on or out s so t the to up vs with")
COUNTED = word_set("times time days weeks months years hours minutes nights or stars people movies films")
PLAUSIBLE_YEARS = range(1870, 2040)

CUES = frozenset({"after seen", "after movie", "after like", "after about"})
ODD_CAPITALS = frozenset(
    {"capital of a function word", "capital of an ordinary word", "capital of a name", "all in capitals"}
)
LINKS = frozenset({"of", "for", "from"})  # small words inside names: "Game of Thrones", "Bad Boys for Life"


class TextEvidence:
    """A tokenised text with cached lookups for evidence."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.words = [text[start:end] for _, start, end in tokens]
        """The words as they are written."""

    def word(self, place: int) -> str:
        """Word at an index as written; "" outside."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def form(self, place: int) -> str:
        """Word at an index in normalised form; "" outside."""
        return self.tokens[place].form if 0 <= place < len(self.tokens) else ""

    def gap(self, place: int) -> str:
        """Text between the word at an index and the preceding one (or the beginning, or the end)."""
        start = self.tokens[place - 1].end if place > 0 else 0
        end = self.tokens[place].start if place < len(self.tokens) else len(self.text)
        return self.text[start:end]

    def has_capital(self, place: int) -> bool:
        """Whether the word at an index is capitalised; "I" does not count."""
        word = self.word(place)
        return word[:1].isupper() and word != "I"

    def starts_sentence(self, place: int) -> bool:
        """Whether the word at an index starts a sentence or the text."""
        return place <= 0 or not ENDS_SENTENCE.isdisjoint(self.gap(place))

    @cached_property
    def shouts(self) -> bool:
        """Whether every word is capitalised, so that capitals carry no evidence; False for one or two words."""
        firsts = [word[0] for word in self.words if len(word) > 1 and word[0].isalpha()]
        return len(firsts) > 2 and not any(map(str.islower, firsts))

    @cached_property
    def uses_capitals(self) -> bool:
        """Whether any word except "I" is capitalised."""
        return any(word[0].isupper() and word != "I" for word in self.words)


def observations(around: TextEvidence, match: Match, entry: Entry) -> list[str]:
    """Names of all observations about a match; its kind (see ``ordinary.kind_of``) first."""
    first, behind = match.first, match.behind
    kind = kind_of(entry.forms)
    marks = list(_marks(around, first, behind))
    capitals = _capitals(around, first, behind, kind, begins=_begins(around, first, quoted="quoted" in marks))
    neighbours = [*_evidence_before(around, first, behind), *_evidence_behind(around, first, behind)]
    seen = [kind, *_of_form(entry, behind - first), *capitals, *marks, *neighbours]
    if not CUES.isdisjoint(neighbours) and not ODD_CAPITALS.isdisjoint(capitals):
        seen.append("odd capital after a cue")
    if _is_in_longer_name(around, first, behind):
        seen.append("in a longer name")
    if _continues_title(around, behind):
        seen.append("title goes on")
    return seen


def _of_form(entry: Entry, n_words: int) -> Iterator[str]:
    if entry.bare:
        yield "no article"
    if entry.kind == OTHER:
        yield "other title"
    if entry.kind == PART:
        yield "part of a title"
    if len(entry.forms) != n_words:
        yield "split otherwise"


def _begins(around: TextEvidence, first: int, *, quoted: bool) -> bool:
    """Whether a sentence begins here; quotes around these very words begin none."""
    gap = around.gap(first)
    return first == 0 or not ENDS_SENTENCE.isdisjoint(gap[:-1] if quoted else gap)


def _capitals(around: TextEvidence, first: int, behind: int, kind: str, *, begins: bool) -> list[str]:
    words = [word for word in around.words[first:behind] if word[0].isalpha()]
    if not words or around.shouts:
        return []
    if behind - first == 1 and len(words[0]) > 1 and words[0].isupper():
        return ["all in capitals"]
    # Small words inside a title ("of", "the") are written small by convention, so they say nothing about capitals.
    telling = words if len(words) == 1 else [word for word in words if word.lower() not in UNCAPITALISED]
    great = [word for word in telling if word[0].isupper()]
    if telling and not great:
        return ["small letters" if around.uses_capitals else "no capitals anywhere"]
    # The first word of a sentence has a capital anyway; only a second one is evidence.
    if begins and not any(word[0].isupper() for word in words[1:]):
        return ["capital of a sentence"]
    if len(great) < len(telling):
        return ["some capitals"]
    odd = {"function word": "a function word", "ordinary word": "an ordinary word", "name": "a name"}
    return [f"capital of {odd[kind]}" if kind in odd else "capitals"]


def _marks(around: TextEvidence, first: int, behind: int) -> Iterator[str]:
    before, after = around.gap(first), around.gap(behind)
    if before[-1:] in OPENING and CLOSES.match(after):
        yield "quoted"
    elif before.endswith("-") or after == "-":
        yield "hyphen"
    if around.form(behind) == "s" and after in APOSTROPHES:
        yield "apostrophe"


def _evidence_before(around: TextEvidence, first: int, behind: int) -> Iterator[str]:
    if first == 0:
        if behind == len(around.tokens):
            yield "nothing else"
        return
    gap = around.gap(first).strip()
    if gap.strip("\"'"):
        if gap in (",", ":", "-"):
            yield "after a mark"
        return
    place = first - 1
    if around.form(place) == "the" and place > 0:
        yield "after the"
        place -= 1
    yield _word_before(around, place, capital=around.has_capital(first - 1) and not around.starts_sentence(first - 1))


def _word_before(around: TextEvidence, place: int, *, capital: bool) -> str:
    form = around.form(place)
    for words, name in ((SEEN, "seen"), (CALLED, "movie"), (JUDGED, "like"), (OFFERED, "about"), (JOINED, "and")):
        if form in words:
            return f"after {name}"
    return "after a capital" if capital else "after another word"


def _evidence_behind(around: TextEvidence, first: int, behind: int) -> Iterator[str]:
    if behind == len(around.tokens):
        return
    gap, form = around.gap(behind).strip(), around.form(behind)
    if gap.startswith("("):
        yield "before a bracket"
    elif gap:
        return
    elif form in FILM:
        yield "before movie"
    elif around.has_capital(behind):
        yield "before a capital"
    elif form in ("and", "or", "of"):
        yield "before of" if form == "of" else "before and"
    else:
        yield "before is" if form in GOES_ON else "before another word"


def _is_in_longer_name(around: TextEvidence, first: int, behind: int) -> bool:
    """Whether a small word links it to another capital, as "Game" in "Game of Thrones", "Pan" in "Pan's Labyrinth"."""
    if around.shouts:
        return False
    linked = around.form(behind) in LINKS and not around.gap(behind).strip()
    owned = around.form(behind) == "s" and around.gap(behind) in APOSTROPHES
    if (linked or owned) and around.has_capital(behind + 1):
        return True
    before = around.form(first - 1) in LINKS and around.has_capital(first - 2) and not around.gap(first).strip()
    return before and not around.starts_sentence(first - 2)


def _continues_title(around: TextEvidence, behind: int) -> bool:
    """Whether a number or a subtitle follows, so that the words are another title's beginning: "Frozen 2"."""
    gap = around.gap(behind).rstrip()
    if gap == ":" and behind < len(around.tokens):
        return around.has_capital(behind)
    if gap.strip(" -"):
        return False
    place = behind + (around.form(behind) in COUNTERS)
    number = around.form(place)
    if not (number.isascii() and number.isdigit()) or around.form(place + 1) in COUNTED:
        return False
    return int(number[:9]) > 1 and int(number[:9]) not in PLAUSIBLE_YEARS
