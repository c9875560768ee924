"""Parse and normalise titles: years, moved articles, alternative titles, and one canonical form.

Two spellings of a title are equal if their *words* are: case, accents, punctuation, "&" or "and", Roman, Arabic or
spelled-out numbers and abbreviations of "Part", "Doctor", "Mister", "versus" are ignored.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

LONGEST_PARSED = 1000  # characters; what is longer is no printed title, and would take quadratic time
LONGEST_KEPT = 50  # characters; the forms of longer words are not remembered
FIRST_YEAR, LAST_YEAR = 1870, 2100  # a bracketed number outside is no year of release: "Blade Runner (2149)"

# Articles that catalogues move behind the title ("Matrix, The"), in the languages MovieLens does it for. Those that are
# also English words or initials at the end of a title ("..., I") are moved back in bracketed foreign titles only.
_ARTICLES = "The|A|An|La|Le|L'|Les|Il|Lo|Gli|El|Los|Las|Der|Die|Das|Den|Det|Un|Une|Una|Uno|Ein|Eine|Het|O|Os|Els"
_FOREIGN_ONLY = "I|De|As|En|Ett|Een|Ha"
_MOVED = re.compile(rf"^(?P<rest>.+), (?P<article>{_ARTICLES})(?P<after>:.*)?$", re.I | re.S)
_MOVED_FOREIGN = re.compile(rf"^(?P<rest>.+), (?P<article>{_ARTICLES}|{_FOREIGN_ONLY})(?P<after>:.*)?$", re.I | re.S)
_YEAR = re.compile(r"\s*\((?P<first>\d{4})(?:\s?[-–—]\s?(?:\d{4})?|\s[^()\d]{1,15})?\)\s*$")  # "(2006–)", "(2012 film)"
_BRACKET = re.compile(r"\s*\((?P<inside>[^()]*)\)\s*$")
_KNOWN_AS = re.compile(r"^(?:a\.?\s?k\.?\s?a\.?|aka|also known as)[\s:]+", re.IGNORECASE)
_UNFINISHED = re.compile(r"(?:\b(?:or|of)|:)$", re.IGNORECASE)  # such words go on in the bracket behind them

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without spaces: every character is a token
_TOKEN = re.compile(rf"[^\W\d{_CJK}]\.(?:[^\W\d]\.)+(?:[^\W\d](?!\w))?|[{_CJK}]|[^\W{_CJK}][\w\u0300-\u036f]*|&")
_ASCII_TOKEN = re.compile(r"[A-Za-z]\.(?:[A-Za-z]\.)+(?:[A-Za-z](?!\w))?|[A-Za-z0-9]+|&", re.ASCII)  # faster

_STROKED = str.maketrans({"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_ROMAN = (
    "- - ii iii iv - vi vii viii ix - xi xii xiii xiv xv xvi xvii xviii xix xx"  # I, V, X are letters far too often
)
_ORDINALS = "1st:first 2nd:second 3rd:third 4th:fourth 5th:fifth 6th:sixth 7th:seventh 8th:eighth 9th:ninth 10th:tenth"
_SAME = {
    **dict(pair.split(":") for pair in _ORDINALS.split()),
    **{word: str(number) for number, word in enumerate(_WORDS.split())},
    **{word: str(number) for number, word in enumerate(_ROMAN.split()) if word != "-"},
    "&": "and",
    "doctor": "dr",
    "mister": "mr",
    "versus": "vs",
    "pt": "part",
    "vol": "volume",
}


@dataclass(frozen=True)
class ParsedTitle:
    """Parts of a printed title."""

    title: str
    """The title itself, its article in front."""
    year: int | None
    """Year of release, where one was printed in brackets behind it."""
    others: tuple[str, ...] = ()
    """Other titles that were printed in brackets, articles in front."""


class Token(NamedTuple):
    """A word of a text in normalised form, with its position."""

    form: str
    """The word in the common form, such as ``"2"`` for "II"."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""


def parse_title(printed: str) -> ParsedTitle:
    """Parse a title as printed by MovieLens, INSPIRED or ReDial.

    A year is a four-digit number from 1870 to 2100 in the last brackets (of a span of years: the first); brackets before
    it hold other titles, unless the words before them are unfinished ("Birdman: Or (The Unexpected ...)").

    >>> parse_title("City of Lost Children, The (Cité des enfants perdus, La) (1995)")
    ParsedTitle(title='The City of Lost Children', year=1995, others=('La Cité des enfants perdus',))
    >>> parse_title("The Shining  (1980)")
    ParsedTitle(title='The Shining', year=1980, others=())
    >>> parse_title("(500) Days of Summer")
    ParsedTitle(title='(500) Days of Summer', year=None, others=())
    """
    rest, year = split_year(printed)
    others: list[str] = []
    if len(rest) > LONGEST_PARSED:
        return ParsedTitle(rest, year)
    while (bracket := _BRACKET.search(rest)) and bracket.start() > 0:
        before = rest[: bracket.start()]
        if _UNFINISHED.search(before) or not any(map(str.isalpha, bracket["inside"])):
            break
        others.insert(0, article_first(_KNOWN_AS.sub("", bracket["inside"].strip()), foreign=True))
        rest = before
    return ParsedTitle(article_first(rest), year, tuple(others))


def split_year(printed: str) -> tuple[str, int | None]:
    """Split a title into (title without the year in final brackets, year); nothing else is removed.

    >>> split_year("Amelie (Amélie) (2001)"), split_year("2001: A Space Odyssey")
    (('Amelie (Amélie)', 2001), ('2001: A Space Odyssey', None))
    """
    rest = printed.strip()
    found = _YEAR.search(rest[-30:])
    if not found or not FIRST_YEAR <= int(found["first"]) <= LAST_YEAR:
        return rest, None
    title = rest[: len(rest) - len(found[0])].rstrip()
    return (title, int(found["first"])) if title else (rest, None)


def article_first(title: str, *, foreign: bool = False) -> str:
    """Move a trailing article to the front; ``foreign`` adds articles that English titles may end in by chance.

    >>> article_first("Lord of the Rings: The Two Towers, The"), article_first("Avventura, L'")
    ('The Lord of the Rings: The Two Towers', "L'Avventura")
    """
    found = (_MOVED_FOREIGN if foreign else _MOVED).match(title.strip())
    if not found:
        return title.strip()
    space = "" if found["article"].endswith("'") else " "
    return f"{found['article']}{space}{found['rest']}{found['after'] or ''}"


def tokens(text: str, *, form_of: Callable[[str], str] | None = None) -> list[Token]:
    """Tokenise a text into normalised words; punctuation gives none.

    What follows an apostrophe is a word of its own ("Rosemary's": rosemary, s), letters with full stops are one ("E.T."),
    a Chinese, Japanese or Korean character is one.

    Args:
        text: any text.
        form_of: what to make of words of ordinary length; None: their common form.

    >>> [token.form for token in tokens("Rocky II & Amélie's E.T.")]
    ['rocky', '2', 'and', 'amelie', 's', 'et']
    """
    text = text.replace("_", " ")
    normalise, new = common_form if form_of is None else form_of, tuple.__new__  # half the time of Token(...)
    return [
        new(Token, (form, found.start(), found.end()))
        for found in (_ASCII_TOKEN if text.isascii() else _TOKEN).finditer(text)
        if (form := normalise(word) if len(word := found[0]) <= LONGEST_KEPT else _common_form(word))
    ]


@lru_cache(maxsize=1 << 16)
def common_form(word: str) -> str:
    """Normalise one word for comparison; "" if only punctuation is left."""
    return _common_form(word)


def _common_form(word: str) -> str:
    if not word.isascii():
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold()).translate(_STROKED)
        word = "".join(character for character in folded if character.isalnum())
    else:
        word = word.lower().replace(".", "")
    return _SAME.get(word, word)


def title_key(title: str) -> str:
    """Normalised words of a title, joined by single spaces; equal keys mean the same title.

    A title of punctuation only is its own key, so that it can be looked up, too.

    >>> title_key("WALL·E"), title_key("Fast & Furious: Part Two"), title_key("...")
    ('wall e', 'fast and furious part 2', '...')
    """
    return " ".join(token.form for token in tokens(title)) or title.strip()
