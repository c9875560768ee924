"""What fills a slot: its text without the marks around it and the year and the description behind it.

Layout of a reply: its sentences and its slots, which are items of lists, cells of tables, values of JSON and lines.

A reply says "try Heat" or lists titles: numbered, behind bullets, in a table, as JSON or HTML, on one line or on many. This
module knows nothing about titles. It divides a reply into parts that do not overlap; list marks, labels ("Title:"), keys and
rules belong to none. Words of different parts never make up a title, and what fills a slot is more likely a title than the
same words in a sentence.

What is divided is a ``plain_text``; offsets are into it, and it knows those into the original.

List marks: numbers, letters, bullets and labels before the items of a list, on lines of their own or within one.

A number is a mark only if it counts: "2." after "1.", or a 1. So "2012. What a film!" has none.

Inline markup of replies: emphasis, links, code and HTML become stars and line breaks, in place.

What is read is a text of the same length, so that offsets stay. All ways of marking words become the same stars: whether a
title stands in bold, in italics, in code or in a link makes no difference to what is found.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

_INLINE = "a|b|strong|i|em|u|cite|q|code|mark|ins|del|s|span|small|font|tt|kbd"
_ITEM = "li|td|dt|dd|h[1-6]|option"
_BLOCK = "th|ul|ol|dl|tr|table|thead|tbody|p|div|br|hr|section|article|blockquote|pre|body|html|caption|select"
_MARKUP = re.compile(
    rf"""(?P<fence>^[ \t]*(?:```+|~~~+)[ \t]*\w*[ \t]*$)
    | (?P<rule>^[ \t]*(?:[-_*=][ \t]*){{3,}}$)
    | <(?:(?P<item>{_ITEM})|/?(?P<block>{_ITEM}|{_BLOCK}))(?:\s[^<>]{{0,500}})?/?>
    | <(?P<closing>/)?(?P<inline>{_INLINE})(?:\s[^<>]{{0,500}})?>
    | !?\[(?P<linked>[^\[\]\n]{{1,300}})\]\((?=[^()\s]*[/.\#])(?:[^()\s]|\([^()\s]*\)){{1,500}}(?:[ ]"[^"\n]*")?\)
    | (?P<stars>\*{{2,3}}|__|~~|`+)
    | (?<![\w*])\*(?![\s*])(?P<starred>[^*\n]{{1,200}})(?<!\s)\*(?![\w*])
    | (?<!\w)_(?![\s_])(?P<underlined>[^_\n]{{1,200}})(?<!\s)_(?!\w)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_MAYBE_MARKUP = re.compile(r"[<\[*_`~]|^[ \t]*[-=]{3}", re.MULTILINE)


def starred_markup(text: str) -> str:
    """A text of the same length in which markup is stars, line breaks, bullets (of HTML's items) and spaces.

    >>> starred_markup("Try **Heat** or [Joker](http://x.org/1)!")
    'Try  *Heat*  or *Joker*                !'
    """
    return _MARKUP.sub(_star_of, text) if _MAYBE_MARKUP.search(text) else text


def _star_of(found: re.Match[str]) -> str:
    length = found.end() - found.start()
    if found["fence"] is not None or found["rule"] is not None:
        return " " * length
    if found["item"] is not None:
        return "\n•".ljust(length)
    if found["block"] is not None:
        return "\n".ljust(length)
    if found["inline"] is not None:
        return "*".ljust(length) if found["closing"] else "*".rjust(length)
    if found["linked"] is not None:
        opening = "!" if found[0].startswith("!") else ""
        return (" " * len(opening) + "*" + starred_markup(found["linked"]) + "*").ljust(length)
    if found["stars"] is not None:
        after = found.string[found.end() : found.end() + 1]
        return "*".rjust(length) if after.strip() and _opens(found) else "*".ljust(length)
    return f"*{found['starred'] or found['underlined']}*"


def _opens(found: re.Match[str]) -> bool:
    before = found.string[found.start() - 1] if found.start() else ""
    return not before or not (before.isalnum() or before in ".,!?:;)]”’\"'")


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


class Layout(StrEnum):
    """Kinds of parts."""

    PROSE = "prose"
    """Sentences; no slot."""
    ITEM = "list item"
    """An item of a list, with its number or bullet before it, on a line of its own or not; also a heading."""
    CELL = "table cell"
    """A cell of a column that can hold titles."""
    VALUE = "value"
    """A text in JSON, or behind a label ("Title: ..."), that can be a title."""
    LINE = "line"
    """A short line of its own, without a mark."""


class Part(NamedTuple):
    """A part of a reply, with what is common to all of its list."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""
    layout: Layout
    """Prose, or the form of the slot."""
    group: str
    """Name of its list, column or key in this reply: the slots of one list share it; "" for prose."""
    row: tuple[int, int]
    """Offsets of the line, row or JSON object that it is a part of: a year in it is about the item."""


class ReplyLayout(NamedTuple):
    """A reply and its parts."""

    text: str
    """The plain text with inline markup as stars."""
    parts: tuple[Part, ...]
    """Its parts in order, without overlaps; a text without layout is one."""

    @property
    def slots(self) -> tuple[Part, ...]:
        """The parts that hold one thing each."""
        return tuple(part for part in self.parts if part.layout is not Layout.PROSE)


NO_TITLES = frozenset(
    """# id no no. nr rank position index genre genres year date released release director directors directed actor actors
    cast star stars starring rating ratings rated score imdb reason reasons why because plot description summary overview
    synopsis language country runtime duration length tagline message text reply response answer content mood tone theme
    themes tags keywords type category status price act intent role speaker notes note comment comments link url about
    format platform where similarity confidence""".split()  # noqa: SIM905 - reads better
)
"""Labels, keys and heads of columns whose values are no titles."""

_CHARACTERS = r"\n\r\u2028\u2029|<*_`~{\[•\u20e3\u2460-\u24ff\u2776-\u2793"
_MAYBE_LAID_OUT = re.compile(rf"[{_CHARACTERS}0-9:)]")  # fast, and true of one text in ten
# What lays a text out, in four expressions that each begin with a few characters, which are found fast.
_SIGN = re.compile(rf"[{_CHARACTERS}]")
_COUNTED = re.compile(r"\d(?<!\d\d)\d{0,2}\s?[.):\]\-–—．、]")
_LETTERED = re.compile(r"\)(?<=[a-j]\))(?<!\w\w\))\s")
_BEGINS = re.compile(r"\W|\w+(?:\s\w+)?:|\w{1,4}[.)]\s")
_LINE = re.compile(r"[^\n\r\u2028\u2029]+")
_WRAPPED = 60  # characters from which a line without a full stop may go on in the next
_SHORT = 90  # characters of a line that may be a title
_RULE = re.compile(r"[\s|:+=-]*\Z")
_MARKED = ("*", '"')  # a line that is emphasised or quoted as a whole is an item
_CELL = re.compile(r"[^|]+")
_OPENS_JSON = re.compile(r"[\[{](?=\s*[\"'\[{])")
_JSON = re.compile(r"\"(?P<double>[^\"]*)\"|(?<!\w)'(?P<single>(?:[^']|'(?!\s*[,\]}:]))*)'|(?P<mark>[\[\]{}])")
_KEY = re.compile(r"\s*:")


@lru_cache(maxsize=256)  # who links a text, checks it and reads its claims asks in turn
def layout_of(text: str) -> ReplyLayout:
    """The layout of a plain text.

    >>> laid_out = layout_of("Try these: 1. Heat 2. **Joker**")
    >>> [(part.layout.value, laid_out.text[part.start : part.end]) for part in laid_out.parts]
    [('prose', 'Try these: '), ('list item', 'Heat '), ('list item', '*Joker* ')]
    """
    if (text[:1].isalnum() and not _MAYBE_LAID_OUT.search(text)) or not (
        _SIGN.search(text) or _COUNTED.search(text) or _LETTERED.search(text) or _BEGINS.match(text)
    ):
        return ReplyLayout(text, (Part(0, len(text), Layout.PROSE, "", (0, len(text))),))
    text = starred_markup(text)
    parts: list[Part] = []
    behind = 0
    for opening in _OPENS_JSON.finditer(text):
        if opening.start() >= behind:
            parts += _line_parts(text, behind, opening.start())
            behind = _add_json(text, opening.start(), parts)
    parts += _line_parts(text, behind, len(text))
    if sum(part.layout is Layout.LINE for part in parts) == 1:  # one line alone may be a sentence
        parts = [part._replace(layout=Layout.PROSE, group="") if part.layout is Layout.LINE else part for part in parts]
    return ReplyLayout(text, tuple(part for part in parts if part.start < part.end))


def _line_parts(text: str, start: int, end: int) -> Iterator[Part]:
    """Parts of whole lines: marked lines, rows of tables, short lines, and paragraphs."""
    lines = [found.span() for found in _LINE.finditer(text, start, end) if found[0].strip()]
    heads: list[str] | None = None
    paragraph: tuple[int, int] | None = None
    all_marks = line_marks(text, lines)
    numbers = {mark.number for mark in all_marks if mark is not None}
    for place, (line, mark) in enumerate(zip(lines, all_marks, strict=True)):
        if paragraph is not None and (mark is not None or not _goes_on(text, paragraph)):
            yield from _paragraph(text, *paragraph)
            paragraph = None
        if mark is not None:
            heads = None
            goes_on = mark.number is None or mark.number + 1 not in numbers
            yield from _items(text, mark, line, inline_marks(text, mark.end, line[1], after=mark) if goes_on else ())
        elif "|" in text[line[0] : line[1]]:
            follows = text[slice(*lines[place + 1])] if place + 1 < len(lines) else ""
            if _RULE.match(follows) and "-" in follows:
                heads = [text[slice(*cell)].strip(' "*').casefold() for cell in _cells(text, line)]
            elif not _RULE.match(text[slice(*line)]):
                yield from _row(text, line, heads)
        else:
            heads = None
            paragraph = line if paragraph is None else (paragraph[0], line[1])
    if paragraph is not None:
        yield from _paragraph(text, *paragraph)


def _goes_on(text: str, paragraph: tuple[int, int]) -> bool:
    begins = text.rfind("\n", *paragraph) + 1 or paragraph[0]
    return paragraph[1] - begins > _WRAPPED and text[paragraph[1] - 1] not in '.!?:"”*'


def _items(text: str, mark: Mark, line: tuple[int, int], others: Iterable[Mark]) -> Iterator[Part]:
    """The item behind a mark, and those of the marks that follow on its line."""
    marks = [mark, *others]
    for each, stop in zip(marks, [*(other.start for other in marks[1:]), line[1]], strict=True):
        row = line if len(marks) == 1 else (each.end, stop)
        if each.label in NO_TITLES:
            yield Part(each.end, stop, Layout.PROSE, "", row)
        elif each.style == "label":
            yield Part(each.end, stop, Layout.VALUE, each.label, row)
        else:
            yield Part(each.end, stop, Layout.ITEM, each.style, row)


def _cells(text: str, line: tuple[int, int]) -> list[tuple[int, int]]:
    """Cells of a row; its edges may have lines, too."""
    start, end = line
    while start < end and text[start] in " \t|":
        start += 1
    while start < end and text[end - 1] in " \t|":
        end -= 1
    return [found.span() for found in _CELL.finditer(text, start, end)]


def _row(text: str, line: tuple[int, int], heads: list[str] | None) -> Iterator[Part]:
    for column, cell in enumerate(_cells(text, line)):
        head = heads[column] if heads is not None and column < len(heads) else ""
        holds_titles = head not in NO_TITLES
        group = "row" if heads is None else f"column {column}"
        yield Part(*cell, Layout.CELL if holds_titles else Layout.PROSE, group if holds_titles else "", line)


def _paragraph(text: str, start: int, end: int) -> Iterator[Part]:
    """A paragraph, or what stands before a list on its line and the items of that list."""
    row = (start, end)
    marks = list(inline_marks(text, start, end))
    behind = marks[0].start if marks else end
    is_line = not marks and end - start <= _SHORT and text[start:end].rstrip()[-1:] != ":"
    is_marked = is_line and text[start:end].strip()[:1] in _MARKED and text[start:end].strip()[-1:] in _MARKED
    layout = Layout.ITEM if is_marked else Layout.LINE if is_line else Layout.PROSE
    yield Part(start, behind, layout, '"' if is_marked else "line" if is_line else "", row)
    if marks:
        yield from _items(text, marks[0], (behind, end), marks[1:])


def _add_json(text: str, start: int, parts: list[Part]) -> int:
    """Add the parts of the JSON (or nearly JSON) that begins at an offset; the offset behind it."""
    opened: list[tuple[int, int]] = []
    label, behind = "", start
    for found in _JSON.finditer(text, start):
        behind = found.end()
        if found["mark"] in ("[", "{"):
            opened.append((found.start(), len(parts)))
        elif found["mark"] is not None and opened:
            begins, first = opened.pop()
            if found["mark"] == "}":
                parts[first:] = [
                    part._replace(row=min(part.row, (begins, behind), key=_length)) for part in parts[first:]
                ]
            if not opened:
                break
        elif _KEY.match(text, behind):
            label = (found["double"] or found["single"] or "").casefold()
        else:
            parts += _value(text, *found.span("double" if found["double"] is not None else "single"), label)
    return behind


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def _value(text: str, start: int, end: int, label: str) -> Iterator[Part]:
    whole = (0, len(text))
    if "\n" in text[start:end]:
        yield from _line_parts(text, start, end)
    elif label in NO_TITLES:
        yield Part(start, end, Layout.PROSE, "", whole)
    else:
        yield Part(start, end, Layout.VALUE, f"{label}:", whole)


YEAR = r"(?:,?\s*[\[(（]?\d{4}年?[\])）]?(?!\w))?"
"""Pattern of a year, in brackets or not, or of nothing."""

_STOP = re.compile(
    rf"""[!?…]*\s*(?P<closing>["'”’»」』》〉】*]+)?{YEAR}\s*["'”’»*]*\s*
    (?:\Z|[(（\[|;/=~•…]|(?<=\s)[-–—]+(?=\s)|[–—]|-\s|:(?!\d)|\.(?!\w)|,\s+(?:the|an?|l[aeo]s?|il|el|die|der|das)\s*(?:[(\[]|\Z)
      |(?<=\s)(?:starring|stars|directed|by|featuring|is|was|because)\s
      |(?P<may_go_on>[,!?]+\s))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPENING = re.compile(r"[\s\"*'“‘«「『《〈【(\[]*")
_QUOTED = re.compile(r"[\"*'“‘«「『《〈【]")
_WORD = re.compile(r"\w+")


def stop_behind(text: str, part: Part, end: int) -> int | None:
    """Offset of what follows, if what fills a slot may end at an offset; None if the words go on.

    It is the end of the slot where a closing mark or a description follows, and else (behind "," "!" or "?") that of words
    which may be the rest of a name.

    Args:
        text: the text of a ``ReplyLayout``.
        part: the slot.
        end: offset behind a word in it.
    """
    found = _STOP.match(text, end, part.end)
    if found is None:
        return None
    is_closed = found["closing"] and _QUOTED.search(text, part.start, end)
    return found.end() if found["may_go_on"] and not is_closed else part.end


def filling_of(text: str, part: Part) -> tuple[int, int]:
    """Offsets of what fills a slot; of prose, all of it.

    >>> from trialogue.catalogue.layout.fillings import layout_of
    >>> laid_out = layout_of("1. **Heat** (1995) - a crime film\\n2. Up, 2009")
    >>> [laid_out.text[slice(*filling_of(laid_out.text, part))] for part in laid_out.slots]
    ['Heat', 'Up']
    """
    if part.layout is Layout.PROSE:
        return part.start, part.end
    opening = _OPENING.match(text, part.start, part.end)
    start = opening.end() if opening else part.start
    ends = (word.end() for word in _WORD.finditer(text, start, part.end))
    return start, next((end for end in ends if stop_behind(text, part, end) is not None), part.end)
