"""Render the tables of a document for papers and notebooks: LaTeX, Markdown and HTML."""

import html
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trialogue.render.document import Document, Medium, Part, Section, Sentences, Table
from trialogue.render.markup import escape_latex, html_table, latex_table, markdown_table, plain_markdown, tabular
from trialogue.render.table import AnyCell, Cell
from trialogue.render.table import Table as Cells

COLUMN = 241.0
"""Points of one of two columns of a paper, in the ACM's format."""
SIZE, SMALL = 8.0, 7.0  # points of footnotesize and scriptsize there
GAP = 6.0  # points between two columns
HEADS, NAMES = (14, 10, 7), (60, 24, 16, 12, 9, 6)
"""Characters of a line of a head, and of a name, the widest first: a table takes the first that fit."""
_EMS = {0.28: "il.,:;[]!|'", 0.34: "fj -", 0.4: "rst()", 0.45: "cez", 0.51: "ago0123456789/_+=#*", 0.57: "bdhknpquvxyS"}
_WIDTHS = {char: ems for ems, chars in _EMS.items() for char in chars}
WIDE, WIDEST = 0.79, 1.03
"""Ems of other letters in Computer Modern, and of the widest."""


def document_latex(document: Document) -> str:
    """The tables of a document for a paper, each with a caption that stands alone; its answer is a comment above them.

    Needs booktabs. A table that has to fit a column is a ``table``, any other one a ``table*``. Where there is none, a
    comment says so.
    """
    comments = [f"% {escape_latex(sentence)}" for sentence in _answer(document)]
    tables = document.tables_of(Medium.PAPER)
    if not tables:
        return f"% {escape_latex(document.title)}: nothing could be measured.\n"
    floats = [_float(table, f"{document.name}-{number}") for number, table in enumerate(tables, start=1)]
    return "\n\n".join(["\n".join(["% needs \\usepackage{booktabs}", *comments]), *floats]) + "\n"


def _answer(document: Document) -> list[str]:
    return [*document.answer, *document.further, *document.against]


def _float(table: Table[Any], label: str) -> str:
    kind = "table*" if table.points is None else "table"
    body, notes = _tabular(table)
    lines = [
        rf"\begin{{{kind}}}",
        r"\centering\small" if table.points is None else r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape_latex(table.caption or table.label)}}}",
        rf"\label{{tab:{label}}}",
        body,
        *([rf"\par\smallskip\raggedright\scriptsize {escape_latex(' '.join(notes))}"] if notes else []),
        rf"\end{{{kind}}}",
    ]
    return "\n".join(lines)


def table_latex(table: Table[Any]) -> str:
    """A table as a booktabs ``tabular``."""
    return _tabular(table)[0] + "\n"


def _tabular(table: Table[Any]) -> tuple[str, list[str]]:
    """(LaTeX, notes) of a table."""
    fitted, head = (table, None) if table.points is None else _fit(table, table.points)
    cells = fitted.cells(Medium.PAPER)
    is_plain = not any(isinstance(cell, Cell) for row in cells.rows for cell in row)
    notes = [*_note_lines(cells), *fitted.notes(Medium.PAPER)]
    if is_plain and head is None:
        return latex_table(cells.heads, cells.texts), notes
    heads = " & ".join(_head(text, head) if place else escape_latex(text) for place, text in enumerate(cells.heads))
    rows = [" & ".join(_latex(cell, is_stacked=head is not None) for cell in row) for row in cells.rows]
    rows = [rf"\addlinespace[2pt] {row}" for row in rows] if head is not None else rows
    rule = len(rows) - cells.below_rule
    groups = [group for group in (rows[:rule], rows[rule:]) if group]
    return tabular("l" + "r" * (len(cells.heads) - 1), [heads], groups), notes


def _fit(table: Table[Any], points: float) -> tuple[Table[Any], int]:
    """The table with names and lines of heads that fit, and the characters of such a line; without its last columns where
    nothing else helps."""
    columns = list(table.columns)
    while True:
        for head in HEADS:
            for longest in NAMES:
                short = [replace(each, longest=longest) if each.longest is not None else each for each in columns]
                fitted = replace(table, columns=short)
                if _width(fitted.cells(Medium.PAPER), head) <= points or (len(columns), longest) == (2, NAMES[-1]):
                    return fitted, head
        columns.pop()


def _width(cells: Cells, head: int) -> float:
    """Points that a table needs on paper, at most."""
    found = 0.0
    for place, title in enumerate(cells.heads):
        lines = [(line, SIZE) for line in (_lines(title, head) if place else [title])]
        for row in cells.rows:
            value, *intervals = str(row[place]).split("\n")
            lines += [(value, SIZE), *((line, SMALL) for line in intervals)]
        found += max(size * sum(_ems(char) for char in line) for line, size in lines) + GAP
    return found


def _ems(char: str) -> float:
    return _WIDTHS.get(char, WIDEST if char in "mwMW%@" or ord(char) > 0x2FFF else WIDE)


def _lines(title: str, head: int | None) -> list[str]:
    return textwrap.wrap(title, head or 1000) or [""]


def _head(title: str, head: int | None) -> str:
    lines = [escape_latex(line) for line in _lines(title, head)]
    return lines[0] if head is None else r"\shortstack[r]{" + r"\\".join(lines) + "}"


def _latex(cell: AnyCell, *, is_stacked: bool) -> str:
    """A cell; its interval below it, or after it."""
    if not isinstance(cell, Cell):
        return escape_latex(cell)
    value = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.leads else escape_latex(cell.text)
    number = "" if cell.number is None else f"({cell.number})"
    marks = "".join(rf"\textsuperscript{{{escape_latex(mark)}}}" for mark in (cell.letters, number) if mark)
    interval = escape_latex(cell.interval)
    if is_stacked:
        return rf"\shortstack[r]{{{value}{marks}\\{{\scriptsize {interval}}}}}" if interval else value + marks
    return f"{value}{f' {interval}' if interval else ''}{marks}"


def _note_lines(cells: Cells) -> list[str]:
    return [f"({number}) {note}" for number, note in enumerate(cells.notes, start=1)]


def document_markdown(document: Document) -> str:
    """The answer, the tables of a document for a paper with their notes, and the threats, in Markdown."""
    parts = [f"## {plain_markdown(document.title)}", *map(plain_markdown, _answer(document))]
    parts += _markdown(document.sections)
    for heading, texts in document.threat_lists():
        parts += [f"{heading}:", "\n".join(f"- {plain_markdown(text)}" for text in texts)]
    return "\n\n".join(parts) + "\n"


def _markdown(parts: Sequence[Part], *, has_title: bool = False) -> Iterator[str]:
    """Blocks of Markdown; tables have no heading where that of their section stands above them."""
    for part in parts:
        match part:
            case Section() if Medium.PAPER in part.where:
                inner = list(_markdown(part.parts, has_title=part.fold))
                folded = part.fold and inner
                yield from [f"<details><summary>{plain_markdown(part.title)}</summary>"] if folded else []
                yield from inner
                yield from ["</details>"] if folded else []
            case Table() if part.rows and Medium.PAPER in part.where:
                title = (
                    f"### {part.heading.rstrip(':')}" if part.heading else f"**Table.** {part.caption or part.label}"
                )
                yield from [] if has_title else [plain_markdown(title)]
                yield table_markdown(part).rstrip()
                notes = [*_note_lines(part.cells(Medium.PAPER)), *part.notes(Medium.PAPER)]
                yield from ["  \n".join(map(plain_markdown, notes))] if notes else []
            case Sentences() if Medium.PAPER in part.where:
                texts = [plain_markdown(text) for text in part.texts]
                is_list = part.style == "warnings" and texts
                yield from ["\n".join(f"- {text}" for text in texts)] if is_list else texts


def table_markdown(table: Table[Any]) -> str:
    """A table as a GitHub Markdown table; values that may be the best are bold."""
    cells = table.cells(Medium.PAPER)
    rows = [[_markdown_cell(cell) for cell in row] for row in cells.rows]
    return markdown_table(cells.heads, rows)


def _markdown_cell(cell: AnyCell) -> str:
    return str(replace(cell, text=f"**{cell.text}**") if isinstance(cell, Cell) and cell.leads else cell)


def document_html(document: Document) -> str:
    """The answer and the tables of a document for a paper, for notebooks."""
    said = "".join(f"<p>{html.escape(each)}</p>" for each in _answer(document))
    tables = [(table, table.cells(Medium.PAPER)) for table in document.tables_of(Medium.PAPER)]
    drawn = "".join(
        html_table(cells.heads, cells.texts)
        + "".join(
            f"<p><small>{html.escape(note)}</small></p>" for note in (*_note_lines(cells), *table.notes(Medium.PAPER))
        )
        for table, cells in tables
    )
    return f"<div><h4>{html.escape(document.title)}</h4>{said}{drawn}</div>"
