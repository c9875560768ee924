"""Layout of a reply: its sentences and its slots, which are items of lists, cells of tables, values of JSON and lines.

A reply says "try Heat" or lists titles: numbered, behind bullets, in a table, as JSON or HTML, on one line or on many. This
module knows nothing about titles. It divides a reply into parts that do not overlap; list marks, labels ("Title:"), keys and
rules belong to none. Words of different parts never make up a title, and what fills a slot is more likely a title than the
same words in a sentence.

What is divided is a ``plain_text``; offsets are into it, and it knows those into the original.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from trialogue.catalogue.layout.marks import Mark, inline_marks, line_marks
from trialogue.catalogue.layout.markup import starred_markup


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
    """Its kind."""
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
_LAID_OUT = re.compile(
    rf"[{_CHARACTERS}]|(?<!\d)\d{{1,3}}\s?[.):\]\-–—．、]|\b[a-j]\)\s|^(?:\W|\w+(?:\s\w+)?:|\w{{1,4}}[.)]\s)"
)
_LINE = re.compile(r"[^\n\r\u2028\u2029]+")
_WRAPPED = 60  # characters from which a line without a full stop may go on in the next
_SHORT = 90  # characters of a line that may be a title
_RULE = re.compile(r"[\s|:+=-]*\Z")
_MARKED = ("*", '"')  # a line that is emphasised or quoted as a whole is an item
_CELL = re.compile(r"[^|]+")
_OPENS_JSON = re.compile(r"[\[{](?=\s*[\"'\[{])")
_JSON = re.compile(r"\"(?P<double>[^\"]*)\"|(?<!\w)'(?P<single>(?:[^']|'(?!\s*[,\]}:]))*)'|(?P<mark>[\[\]{}])")
_KEY = re.compile(r"\s*:")


def layout_of(text: str) -> ReplyLayout:
    """The layout of a plain text.

    >>> laid_out = layout_of("Try these: 1. Heat 2. **Joker**")
    >>> [(part.layout.value, laid_out.text[part.start : part.end]) for part in laid_out.parts]
    [('prose', 'Try these: '), ('list item', 'Heat '), ('list item', '*Joker* ')]
    """
    if (text[:1].isalnum() and not _MAYBE_LAID_OUT.search(text)) or not _LAID_OUT.search(text):
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
