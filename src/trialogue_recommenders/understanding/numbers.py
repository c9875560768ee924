"""Extract numbers and times from an utterance: the chosen option, stars out of ten, a decade, Friday evening."""

import re

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
