"""Detect domain-independent speech acts by phrase patterns: greet, agree, decline, ask for another, take leave.

``texts/signs.txt`` lists phrases for every sign, matched against lower-case text without apostrophes; § stands for a title.
A phrase is a regular expression of ``re``, matched on whole words only; ``^`` is the beginning, ``$`` the end, and {…} are
words listed in the same file, or of the domain. A text may have several signs ("No, but thanks!"); the agents decide how to
combine them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.wording import Wording

FILLERS = {"few": r"(?: \w+)?(?: \w+)?", "aside": r"(?:(?:oh|oho|well|hmm|ah|um+)\W+)?"}
EDGE = r"[^\w§]*"  # between the beginning or end of a text and its first or last word


def patterns_for(wording: Wording) -> dict[str, re.Pattern[str]]:
    """Pattern of every sign, with the words of a domain."""
    words = {
        "uses": (*wording.uses, *wording.past),
        "past": wording.past,
        "nouns": (wording.noun, wording.nouns, *wording.also),
        "kinds": (wording.kind, wording.kinds),
    }
    fillers = FILLERS | listed_words() | {name: any_of(map(re.escape, phrases)) for name, phrases in words.items()}
    return {
        sign: re.compile("|".join(_whole_words(fill_phrase(line, fillers)) for line in lines))
        for sign, lines in sections_of("signs").items()
        if not sign.startswith("{")
    }


def listed_words() -> dict[str, str]:
    """Pattern of each word list that phrases refer to, by name."""
    return {name[1:-1]: any_of(lines) for name, lines in sections_of("signs").items() if name.startswith("{")}


def any_of(phrases: Iterable[str]) -> str:
    """Pattern that matches any of the phrases."""
    return f"(?:{'|'.join(phrases)})"


def fill_phrase(phrase: str, fillers: dict[str, str]) -> str:
    """Phrase with list names replaced by patterns."""
    for name, filler in fillers.items():  # str.format would take the repetitions of re, {2}, for names
        phrase = phrase.replace(f"{{{name}}}", filler)
    return phrase


def _whole_words(phrase: str) -> str:
    start = f"^{EDGE}" if phrase.startswith("^") else r"(?<!\w)"
    end = f"{EDGE}$" if phrase.endswith("$") else r"(?!\w)"
    return f"{start}(?:{phrase.removeprefix('^').removesuffix('$')}){end}"


Span = tuple[int, int]
"""Offsets of the first character and behind the last."""

# "Not" does not speak against what follows in "not yet seen", "not only", "not bad".
_NOT = r"not?(?! (?:yet|seen|only|bad|sure|idea|preference|problem|matter))"
_VERBS = r"do ?n.?t|did ?n.?t|does ?n.?t|isn.?t|wasn.?t|can.?t stand|never|hate|dislike|avoid|without|except|nothing"
_PHRASES = "anything but|instead of|rather than|tired of|less|neither|nor|enough of"
_AGAINST = re.compile(
    rf"\b(?:{_NOT}|{_VERBS}|{_PHRASES}|(?<!not ){any_of(sections_of('signs')['{bad}'])})\b", re.IGNORECASE
)
_SEGMENT = re.compile(r"[.;!?,\n]+|\b(?:(?<!anything )but|however|though)\b", re.IGNORECASE)
_LISTING = re.compile(r"\b(?:and|or|nor|any|a|the|films?|movies?|books?|ones?|stuff|things?)\b|§|\W", re.IGNORECASE)


def spoken_against(text: str, named: Sequence[Span]) -> set[Span]:
    """Spans of named items in segments that reject them.

    A segment that only goes on listing is like the one before it.

    >>> text = "No horror, war or westerns, but I like drama"
    >>> places = [(text.index(word), text.index(word) + len(word)) for word in ("horror", "war", "westerns", "drama")]
    >>> sorted(text[start:end] for start, end in spoken_against(text, places))
    ['horror', 'war', 'westerns']
    """
    against: set[Span] = set()
    before = False
    for start, end in _segments(text) if named else ():
        inside = [place for place in named if start <= place[0] < end]
        words = mask_spans(text, inside)[start:end]
        negative = bool(_AGAINST.search(words)) or (before and bool(inside) and not _LISTING.sub("", words))
        if negative:
            against.update(inside)
        before = negative and bool(inside)
    return against


def mask_spans(text: str, spans: Sequence[Span], *, mark: str = "§") -> str:
    """Text with spans masked; the offsets of other characters are kept."""
    for start, end in spans:
        text = text[:start] + mark + " " * (end - start - 1) + text[end:]
    return text


def _segments(text: str) -> Iterator[Span]:
    start = 0
    for mark in _SEGMENT.finditer(text):
        yield start, mark.start()
        start = mark.end()
    yield start, len(text)


ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "latter": -1, "former": 1}
NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}  # noqa: SIM905 - a list of words is easier to read
MAX_STARS, FEW_STARS = 10.0, 5.0  # what a bare number is out of: five, if it is at most that, else ten

_COUNT = r"\d{1,2}|" + "|".join(NUMBERS)
_ORDER = "|".join(ORDINALS)
_CHOOSING = r"(?:i(?:ll| will)? (?:take|choose|pick|want|like)|show|open|option|number|choice|no|nr|the|please)"
_CHOICE = re.compile(
    rf"^[^\w§]*(?:{_CHOOSING}\W+)*(?:(?P<count>{_COUNT})|(?P<order>{_ORDER}))\W*(?:please|pls|then)?\W*$|"
    rf"\b(?:option|number|choice) (?P<named>{_COUNT})\b|"
    rf"\b(?P<placed>{_ORDER}) (?:one|option|choice|pick|suggestion|recommendation|title|of)\b"
)
_STARS = re.compile(
    r"(?<![\d.])(?P<given>\d{1,2}(?:\.\d)?) ?(?:/|out of) ?(?P<of>\d{1,3})\b|"
    r"^[^\w§]*(?P<bare>10|\d(?:\.\d)?)(?: ?stars?)?[^\w§]*$"
)
_DAYS = "tonight|tomorrow|today|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)s?"
_HOURS = r"evening|afternoon|morning|\d{1,2} ?(?:am|pm|o ?clock)"
_WHEN = re.compile(
    rf"\b(?:(?:this|next|on|at|in the) )?(?:{_DAYS}|{_HOURS})(?: (?:night|evening|afternoon|morning))?(?: at \d{{1,2}})?\b"
)
_DAY_NAME = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b")
_DECADE = re.compile(
    r"\b(?:(?P<century>18|19|20)?(?P<tens>\d)0 ?s|(?P<word>twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)\b"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TENS = {"twent": 20, "thirt": 30, "fort": 40, "fift": 50, "sixt": 60, "sevent": 70, "eight": 80, "ninet": 90}


def choice_in(plain: str) -> int | None:
    """Number of the chosen option, from 1; -1: the last; None: none.

    >>> [choice_in(text) for text in ("2", "option two please", "the last one", "two weeks ago")]
    [2, 2, -1, None]
    """
    found = _CHOICE.search(plain)
    if not found:
        return None
    if count := found["count"] or found["named"]:
        return NUMBERS.get(count) or int(count)
    return ORDINALS[found["order"] or found["placed"]]


def stars_in(plain: str) -> float | None:
    """Numeric rating, scaled from -1 (no star) to 1 (all of them); None: none.

    >>> stars_in("8/10"), stars_in("5"), stars_in("I saw 2 of them")
    (0.6, 1.0, None)
    """
    found = _STARS.search(plain)
    if not found:
        return None
    given = float(found["given"] or found["bare"])
    of = float(found["of"] or (FEW_STARS if given <= FEW_STARS else MAX_STARS))
    return round(max(-1.0, min(1.0, 2 * given / of - 1)), 3) if of else None


def when_in(plain: str) -> str:
    """Day or time of day in the user's words; "" if none.

    >>> when_in("remind me on friday evening"), when_in("a boring day")
    ('on Friday evening', '')
    """
    found = _WHEN.search(plain)
    return _DAY_NAME.sub(lambda day: day[0].capitalize(), found[0]) if found else ""


def years_in(plain: str) -> tuple[int, int] | None:
    """First and last year mentioned, or those of a decade; None: neither.

    >>> years_in("something from the 80s"), years_in("from 2018 or 2019"), years_in("the nineties")
    ((1980, 1989), (2018, 2019), (1990, 1999))
    """
    if decade := _DECADE.search(plain):
        tens = _TENS[decade["word"]] if decade["word"] else int(decade["tens"]) * 10
        century = int(decade["century"]) * 100 if decade["century"] else (2000 if tens < 20 else 1900)
        return century + tens, century + tens + 9
    years = [int(found[0]) for found in _YEAR.finditer(plain)]
    return (min(years), max(years)) if years else None


QUOTES = "\"'“”‘’«»"
ABBREVIATED = r"(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bst)(?<!\bvs)"  # their full stop ends nothing

_OPENING = re.compile(rf"^[^\w]*(?:{any_of(sections_of('queries')['opening'])}[\s,:!.{QUOTES}]+)*", re.IGNORECASE)
_ENDS = any_of(fill_phrase(line, listed_words()) for line in sections_of("queries")["closing"])
_CLOSING = re.compile(
    rf"\s*(?:{ABBREVIATED}[.,;!?\n(]+(?=\s|$|\()|\b{_ENDS}(?!\w)).*$",
    re.IGNORECASE | re.DOTALL,
)


def query_in(text: str) -> str:
    """Possible title in a text; "" if nothing is left.

    >>> query_in("I loved Heat because of the heist"), query_in("can you search for 'Anna Karinina' please?")
    ('Heat', 'Anna Karinina')
    """
    found = _OPENING.sub("", text.strip(), count=1).lstrip(f"{QUOTES} ")
    return _CLOSING.sub("", found, count=1).strip(f"{QUOTES} :-.,!?")
