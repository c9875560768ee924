"""Sanitise untrusted text for HTML, SVG and terminals."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence

# Not allowed in XML 1.0, or lone halves of a pair that UTF-8 cannot hold, or terminal escapes.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # would turn the rest of a line around
_BREAKS = re.compile(r"\s+")
_MINUS = re.compile(r"(?<![^\s(\[,;:=±])-(?=\.?\d)")  # neither inside a name or a date, nor an option
_BRACKETED = re.compile(r"\[[−+.,\d]+, [−+.,\d]+\]")
_RTL = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RIGHT_TO_LEFT = re.compile(f"{_RTL}+(?:[\\s_.-]+{_RTL}+)*")
_RELATION = re.compile(r"(?<=\b[pα]) ([=<>]) (?=[.\d])")
_PERCENT = re.compile(r"(?<=\d) %")
REPLACEMENT = "\ufffd"
INVISIBLE = "\u2060"  # word joiner: takes a place, so that offsets into the text stay right, and no room
MAX_NAMES = 5  # in a sentence
MAX_ROWS = 12  # of a figure, in its description: the tables hold the others


_TURNING = re.compile(
    "(\u2068[^\u2066-\u2069\\n<]*\u2069)|[\u202a-\u202e\u2066-\u2069]"
)  # and isolates that are closed


def printable(text: str) -> str:
    r"""Replace unprintable characters by U+FFFD; line breaks and tabs are kept.

    Marks that turn the direction of what follows have no effect any more, unless they are closed: after one in a name,
    "9.00" would be read as "00.9".

    >>> printable("a\x1b[31m") == "a\ufffd[31m"
    True
    """
    return _TURNING.sub(lambda found: found[1] or INVISIBLE, _UNFIT.sub(REPLACEMENT, text))


def one_line(text: str) -> str:
    """Printable, on one line, with single blanks, and without marks that turn the direction of what follows."""
    return _BREAKS.sub(" ", printable(_BIDI.sub("", text))).strip()


def typeset(text: str) -> str:
    """A sentence or cell with minus signs for hyphens before numbers; intervals, percentages and levels stay on one line.

    What is written from right to left stands in isolates, so that it does not turn the numbers beside it around.

    >>> typeset("kappa 0.23 [-0.05, 0.51], 95 % of gpt-4 on 2024-05-13")
    'kappa 0.23 [−0.05,\\xa00.51], 95\\xa0% of gpt-4 on 2024-05-13'
    """
    text = _MINUS.sub("−", text)
    text = _BRACKETED.sub(lambda found: found[0].replace(" ", "\xa0"), text)
    text = _RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", text)
    text = _RELATION.sub("\xa0\\1\xa0", text)
    return _PERCENT.sub("\xa0%", text)


def shorten(text: str, longest: int) -> str:
    """Shorten to a number of columns by cutting the middle, because names differ at their ends.

    >>> shorten("kbrd_redial_checkpoint_epoch_12", 20)
    'kbrd_redial…epoch_12'
    """
    text = one_line(text)
    if columns(text) <= longest:
        return text
    # Two fifths for the end: names of checkpoints and runs differ there, but begin with what people know them by.
    tail = longest * 2 // 5
    end = text[-tail:] if tail else ""
    start = text[: longest - 1 - tail]
    while columns(start) + 1 + columns(end) > longest and (start or end):
        start, end = (start[:-1], end) if columns(start) >= columns(end) else (start, end[1:])
    return f"{start}…{end}"


def short_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Display name by name; names that would look alike get numbers.

    >>> list(short_names(["a" * 9 + "1" + "b" * 9, "a" * 9 + "2" + "b" * 9, "c"], 8).values())
    ['aaaa…bbb', 'aa…bb #2', 'c']
    """
    known = list(dict.fromkeys(names))
    found = {name: name for name in known if columns(one_line(name)) <= longest}
    taken = {one_line(name) for name in found}
    numbers: dict[str, int] = {}
    for name in known:
        if name in found:
            continue
        text = cut = shorten(name, longest)
        number = numbers.get(cut, 1)  # of the last one that was cut alike
        while text in taken:
            number += 1
            mark = f" #{number}"
            text = shorten(name, max(longest - len(mark), 3)) + mark
        numbers[cut] = number
        taken.add(text)
        found[name] = text
    return {name: found[name] for name in known}


def distinct_texts(texts: Sequence[str]) -> list[str]:
    """Texts of which those that differ at most in case get a number from the second on; empty ones stay.

    >>> distinct_texts(["Value", "value", "", "Value (2)"])
    ['Value', 'value (2)', '', 'Value (2) (2)']
    """
    seen: set[str] = set()
    found = []
    for text in texts:
        numbered = (text if number == 1 else f"{text} ({number})" for number in itertools.count(1))
        found.append(next(each for each in numbered if not text or each.casefold() not in seen))
        seen.add(found[-1].casefold())
    return found


def columns(text: str) -> int:
    """Width in columns of a terminal: wide characters count two, combining ones none."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def slug(text: str) -> str:
    """A file name's worth of a name: lower-case letters, digits and hyphens; "measure" if nothing is left.

    >>> slug("distinct(n=2)@ratio|v1"), slug("満足度")
    ('distinct-n-2-ratio-v1', 'measure')
    """
    # NFKD takes the accents off letters before what is not ASCII goes: "café" becomes "cafe", not "caf".
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "measure"


def describe_rows(rows: Sequence[str], *, most: int = MAX_ROWS) -> str:
    """Rows of a figure in its description; those beyond the first ones are counted.

    >>> describe_rows(["A 0.3", "B 0.2", "C 0.1"], most=2)
    'A 0.3; B 0.2; and 1 more'
    """
    return "; ".join([*rows[:most], *([f"and {len(rows) - most} more"] if len(rows) > most else [])])


MAX_NUMBER = 40  # characters of a cell that is still read as a number, its interval and a word
_NUMBER = re.compile(r"[<>~+−-]?\s*[.\d\[]|—$")


def passages(sentences: Sequence[str], systems: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Sentences in order as (system or "", text); sentences about one system are grouped.

    >>> passages(["In short.", "aria: good.", "bolt: bad.", "That is all."], ["aria", "bolt"])
    [[('', 'In short.')], [('aria', 'good.'), ('bolt', 'bad.')], [('', 'That is all.')]]
    """
    found: list[list[tuple[str, str]]] = []
    for sentence in sentences:
        named = [system for system in systems if system and sentence.startswith(f"{system}: ")]
        system = max(named, key=len, default="")
        said = (system, sentence[len(system) + 2 :] if system else sentence)
        if system and found and found[-1][0][0]:
            found[-1].append(said)
        else:
            found.append([said])
    return found


def columns_of_words(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """Columns that hold words: those with mostly non-numeric, multi-line or long cells.

    >>> sorted(columns_of_words([["aria", "0.7 [0.5, 0.9]", "too few"], ["bolt", "—", "too few"]]))
    [0, 2]
    """
    columns = list(zip(*rows, strict=False))
    return frozenset(place for place, cells in enumerate(columns) if _words(cells))


def _words(cells: Sequence[str]) -> bool:
    if any("\n" in cell or len(cell) > MAX_NUMBER for cell in cells):
        return True
    return 2 * sum(_NUMBER.match(cell) is None for cell in cells) > len(cells)
