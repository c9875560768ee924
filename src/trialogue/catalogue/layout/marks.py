"""List marks: numbers, letters, bullets and labels before the items of a list, on lines of their own or within one.

A number is a mark only if it counts: "2." after "1.", or a 1. So "2012. What a film!" has none.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_CIRCLED = "\u2460-\u2473\u24f5-\u24fe\u2776-\u2793"
_BULLET = "•·‣▪▫◦●○■□▸►▶➤➜→⁃∙★☆✓✔✅"
_SYMBOLS = "\u2190-\u245f\u2500-\u2775\u2794-\u2bff\U0001f000-\U0001faff"
_NAMED = r"(?i:(?:option|movie|film|title|pick|choice|recommendation|suggestion|number|no\.?|nr\.?)[ ]?)?"
_TITLED = "title|name|movie|film|movie title|film title|book|song|item|show|recommendation|suggestion|pick|movie name"

_LINE_MARK = re.compile(
    rf"""[ \t>]*(?P<heading>\#{{1,6}}[ \t]+)?[ ]*(?:["*](?=\S))?
    (?:(?P<number>{_NAMED}[(\[]?\#?(?P<n>\d{{1,3}})(?:[.)\]．、。]+["*]?(?!\d)[ \t]*|:["*]?[ \t]+|[ \t]+[-–—][ \t]+)
        |{_NAMED}\#(?P<n2>\d{{1,3}})["*]?[ \t]+|(?P<n3>\d{{1,3}})[ \t]+(?=[^\s\d]))
      |(?P<circled>(?:[{_CIRCLED}]|\d{{1,2}}\u20e3|\U0001f51f)[.):]?[ \t]*)
      |(?P<letter>\(?(?:[a-jA-J]|i{{1,3}}|iv|vi{{0,3}}|ix|I{{1,3}}|IV|VI{{0,3}}|IX)[.)][ \t]+)
      |(?P<bullet>(?:[-–—*+][ \t]+|[-–—](?=[^\W\d])|[{_BULLET}][ \t]*|[{_SYMBOLS}]+[ \t]*|o[ \t]+(?=[A-Z]))
        (?:\[[ xX]?\][ \t]+)?))?
    (?P<label>["*]?[ ]*(?P<name>\w+(?:[ ]\w+)?)[ ]*["*]?[ ]?:(?!\S?\d)(?!//)[ ]*["*]?[ \t]*(?=\S))?
    """,
    re.VERBOSE,
)
_LABELS = re.compile(rf"(?:{_TITLED})\Z", re.IGNORECASE)
_INLINE_MARK = re.compile(
    rf"""(?<![^\s,;:(*])["*]?(?:[(\[\#]{{0,2}}(?P<n>\d{{1,2}})(?:[.)\]:]["*]?[ \t]+|[ \t]+[-–—][ \t]+)(?=\S)
    |\#(?P<n2>\d{{1,2}})[ \t]+(?=\S)
    |\(?(?P<letter>[a-j])\)[ \t]+(?=\S)
    |(?P<circled>(?:[{_CIRCLED}]|\d{{1,2}}\u20e3)[.):]?[ \t]*(?=\S)))
    |(?<!\S)(?P<bullet>[•‣▪●►▶➤])[ \t]*(?=\S)
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"\d+")


class Mark(NamedTuple):
    """A list mark."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset of the item behind it."""
    style: str
    """How it is written, the same for all items of a list, such as ``"N."``; "label" for a label without any."""
    number: int | None
    """Its number; None: a bullet or a letter."""
    label: str = ""
    """The label that follows it, in small letters: "title" of "- Title: Heat"."""


def line_marks(text: str, lines: Sequence[tuple[int, int]]) -> list[Mark | None]:
    """The mark of each line of a text, None where it has none."""
    marks = [_line_mark(text, *line) for line in lines]
    counting: dict[str, list[int]] = {}
    for place, mark in enumerate(marks):
        if mark is not None and (mark.number is not None or mark.style == "a"):
            counting.setdefault(mark.style, []).append(place)
    for style, places in counting.items():
        numbers = [found.number for place in places if (found := marks[place]) is not None]
        for at, place in enumerate(places):
            mark = marks[place]
            if mark is None or _counts(style, numbers, at):
                continue
            if style == "N" or not any(inline_marks(text, mark.end, lines[place][1], after=mark)):
                marks[place] = None
    return marks


def _counts(style: str, numbers: Sequence[int | None], at: int) -> bool:
    """Whether a number, letter or bare number before a line is one of a list."""
    number = numbers[at]
    if number is None:
        return len(numbers) > 1
    is_next = at > 0 and numbers[at - 1] in (number - 1, number)
    is_followed = at + 1 < len(numbers) and numbers[at + 1] in (number + 1, number)
    if style == "N":  # "12 Monkeys" and "2 Fast 2 Furious" begin with numbers, too
        return list(numbers) == list(range(1, len(numbers) + 1)) and len(numbers) > 2
    return number == 1 or is_next or is_followed


def _line_mark(text: str, start: int, end: int) -> Mark | None:
    found = _LINE_MARK.match(text, start, end)
    if found is None:
        return None
    label = found["name"].casefold() if found["label"] is not None else ""
    behind = found.end()
    if label and not _LABELS.match(label):
        behind = found.start("label")  # "Mission: Impossible" is no label, and "Genre: ..." is one of something else
    if found["number"] is not None:
        written = _DIGITS.sub("N", found["number"].strip(' "*\t'))
        return Mark(start, behind, written, int(found["n"] or found["n2"] or found["n3"]), label)
    if found["circled"] is not None:
        return Mark(start, behind, "circled", None, label)
    if found["letter"] is not None:
        return Mark(start, behind, "a", None, label)
    if found["bullet"] is not None:
        return Mark(start, behind, found["bullet"][0] if found["bullet"][0] in "-*+" else "•", None, label)
    if found["heading"] is not None:
        return Mark(start, behind, "#", None, label)
    return Mark(start, behind, "label", None, label) if _LABELS.match(label) else None


def inline_marks(text: str, start: int, end: int, *, after: Mark | None = None) -> Iterator[Mark]:
    """Marks of a list on one line: 1, 2, ... in one style, or two bullets and more.

    Args:
        text: a plain text.
        start: where to begin.
        end: where to end.
        after: the mark before ``start``, if the line begins with one: only what continues its list is a mark.
    """
    found = [_inline_mark(match) for match in _INLINE_MARK.finditer(text, start, end)]
    if after is None:
        style = next((mark.style for mark in found if mark.number == 1 or mark.number is None), None)
    else:
        style = after.style
    counted, expected = [], 1 if after is None or after.number is None else after.number + 1
    if style == "a" and after is not None:
        expected = 2
    for mark in (mark for mark in found if mark.style == style):
        if mark.number is None or mark.number == expected:
            counted.append(mark)
            expected += 1
    if len(counted) > (after is None):
        yield from counted


def _inline_mark(found: re.Match[str]) -> Mark:
    if found["bullet"] is not None or found["circled"] is not None:
        return Mark(*found.span(), "•" if found["bullet"] is not None else "circled", None)
    if found["letter"] is not None:
        return Mark(*found.span(), "a", ord(found["letter"]) - ord("a") + 1)
    number = found["n"] or found["n2"]
    return Mark(*found.span(), _DIGITS.sub("N", found[0].strip(' "*\t')), int(number))
