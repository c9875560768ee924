"""Render a document as plain text for the terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from trialogue.findings.threat import Severity
from trialogue.findings.threats.texts import severity_heading
from trialogue.render.document import Document, Medium, Part, Section, Sentences, Table
from trialogue.render.numbers import count
from trialogue.render.terminal import columns, draw_cells, split_cells, wrap_sentences

NARROWEST, WIDEST = 60, 130
MOST_THREATS = {Severity.BLOCKS: 3, Severity.DEMOTES: 2, Severity.NOTES: 1}  # the report has all


def document_text(document: Document, *, width: int | None = None) -> str:
    """Render the answer, what terminals show of the sections, and the threats.

    Args:
        document: what to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = columns(width, least=NARROWEST, most=WIDEST)
    said = [*([document.title] if document.is_titled else []), *document.answer, *document.further, *document.against]
    blocks = [wrap_sentences(said, width), *_blocks(document.sections, width)]
    blocks += [_threats(severity, texts, width) for severity, texts in document.threats_by_severity().items()]
    if document.closing:
        blocks.append(wrap_sentences(document.closing, width))
    return "\n\n".join(blocks)


def _threats(severity: Severity, texts: Sequence[str], width: int) -> str:
    """A severity in one paragraph: its first threats, and how many more there are."""
    shown = texts[: MOST_THREATS[severity]]
    rest = f" {len(texts) - len(shown):,} more in the report." if len(texts) > len(shown) else ""
    return wrap_sentences([f"{severity_heading(severity)}: {' '.join(shown)}{rest}"], width)


def parts_text(parts: Sequence[Part], *, width: int | None = None) -> str:
    """Render parts that belong to no document."""
    return "\n\n".join(_blocks(parts, columns(width, least=NARROWEST, most=WIDEST)))


def _blocks(parts: Sequence[Part], width: int, *, depth: int = 0) -> Iterator[str]:
    for part in parts:
        match part:
            case Section() if Medium.TERMINAL in part.where:
                blocks = list(_blocks(part.parts, width, depth=depth + 1))
                if depth and blocks:  # the tables of a section say what they are about; what stands in it does not
                    blocks[0] = f"{wrap_sentences([part.title], width)}\n{blocks[0]}"
                yield from blocks
            case Table() if part.rows and Medium.TERMINAL in part.where:
                yield from _table(part, width)
            case Sentences() if part.texts and Medium.TERMINAL in part.where:
                yield wrap_sentences(part.texts, width)


def _table(table: Table[Any], width: int) -> Iterator[str]:
    heading = f"{wrap_sentences([table.heading], width)}\n" if table.heading else ""
    cells = table.cells(Medium.TERMINAL)
    first, *others = split_cells(cells, width) if table.splits else [cells]
    yield heading + draw_cells(first, width)
    yield from (draw_cells(each, width) for each in others)
    if cells.notes:
        yield wrap_sentences((f"({number}) {note}" for number, note in enumerate(cells.notes, start=1)), width)
    if table.most is not None and len(table.rows) > table.most:
        yield f"{count(len(table.rows) - table.most, f'more {table.noun}')} in the report."
    if notes := table.notes(Medium.TERMINAL):
        yield wrap_sentences(notes, width)
