"""Render a document as files: CSV, LaTeX and Markdown tables, figures, and the folder that holds them with the page."""

import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.records.runs import writes_run
from trialogue.report.document import Document, Medium, Part, Section, Sentences, Table
from trialogue.report.markup import escape_latex, html_table, latex_table, markdown_table, plain_markdown
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import document_page


@writes_run()
def write_document(document: Document, folder: Path) -> Path:
    """Write a run: the findings (``.json``) and everything rendered from them; returns the path of the page.

    The same document gives the same bytes.
    """
    return write_files(document, folder)


def write_files(document: Document, folder: Path) -> Path:
    """Write the same files into a run that is being written."""
    write_text(folder / document.json_name, to_line(document.record) + "\n")
    return write_rendered(document, folder)


def write_rendered(document: Document, folder: Path) -> Path:
    """Write tidy rows (``.csv``), tables for papers, figures, and at last the page, whose path it returns."""
    for name, text in csv_files(document).items():
        write_text(folder / name, text)
    if document.paper:
        write_text(folder / f"{document.paper}.tex", document_latex(document))
        write_text(folder / f"{document.paper}.md", document_markdown(document))
    for table in document.tables:
        if table.paper and table.rows:
            write_text(folder / f"{table.paper}.tex", table_latex(table))
            write_text(folder / f"{table.paper}.md", table_markdown(table))
    for figure in document.figures:
        write_figure(figure, folder / "figures")
    page = folder / f"{document.name}.html"
    write_text(page, document_page(document))
    return page


def write_figure(figure: Figure, folder: Path) -> None:
    """Write a figure as SVG."""
    write_text(folder / f"{figure.name}.svg", figure.svg)


def csv_files(document: Document) -> dict[str, str]:
    """Text of each CSV file by name: the tidy rows of its tables under the keys of all of them."""
    return {name: tidy_csv(tables) for name, tables in document.csv_tables().items()}


def tidy_csv(tables: Sequence[Table[Any]]) -> str:
    """One CSV of several tables."""
    head = keys_of(tables)
    return csv_text(head, ([row.get(key) for key in head] for table in tables for row in table.tidy()))


def keys_of(tables: Sequence[Table[Any]]) -> list[str]:
    """Keys of all tables, those without rows included, each once and before the one that follows it in its own table."""
    found: list[str] = []
    for table in tables:
        place = len(found)
        for key in reversed([each.key for each in table.columns if each.key]):
            if key in found:
                place = found.index(key)
            else:
                found.insert(place, key)
    return found


def document_latex(document: Document) -> str:
    """The tables of a document for a paper, each with a caption that stands alone; its answer is a comment above them."""
    comments = [f"% {escape_latex(sentence)}" for sentence in (*document.answer, *document.further, *document.against)]
    floats = [
        "\n".join(
            [
                r"\begin{table*}",
                r"\centering\small",
                rf"\caption{{{escape_latex(table.caption or table.label)}}}",
                rf"\label{{tab:{document.name}-{number}}}",
                table_latex(table).rstrip(),
                *(rf"\par\smallskip {escape_latex(note)}" for note in table.notes(Medium.PAPER)),
                r"\end{table*}",
            ]
        )
        for number, table in enumerate(document.tables_of(Medium.PAPER), start=1)
    ]
    return "\n\n".join(["\n".join(["% needs \\usepackage{booktabs}", *comments]), *floats]) + "\n"


def document_markdown(document: Document) -> str:
    """The answer, the tables of a document for a paper with their notes, and the threats, in Markdown."""
    parts = [f"## {plain_markdown(document.title)}"]
    parts += [plain_markdown(each) for each in (*document.answer, *document.further, *document.against)]
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
                yield from [] if has_title else [f"### {plain_markdown(part.heading.rstrip(':') or part.label)}"]
                yield table_markdown(part).rstrip()
                yield from map(plain_markdown, part.notes(Medium.PAPER))
            case Sentences() if Medium.PAPER in part.where:
                is_list = part.style == "warnings"
                texts = [plain_markdown(text) for text in part.texts]
                yield from ["\n".join(f"- {text}" for text in texts)] if is_list and texts else texts


def document_html(document: Document) -> str:
    """The answer and the tables of a document for a paper, for notebooks."""
    said = "".join(f"<p>{html.escape(each)}</p>" for each in (*document.answer, *document.further, *document.against))
    tables = [(table, table.cells(Medium.PAPER)) for table in document.tables_of(Medium.PAPER)]
    drawn = "".join(
        html_table(cells.heads, cells.rows)
        + "".join(f"<p><small>{html.escape(note)}</small></p>" for note in table.notes(Medium.PAPER))
        for table, cells in tables
    )
    return f"<div><h4>{html.escape(document.title)}</h4>{said}{drawn}</div>"


def table_latex(table: Table[Any]) -> str:
    """A table as a booktabs ``tabular``."""
    cells = table.cells(Medium.PAPER)
    return latex_table(cells.heads, cells.rows) + "\n"


def table_markdown(table: Table[Any]) -> str:
    """A table as a GitHub Markdown table."""
    cells = table.cells(Medium.PAPER)
    return markdown_table(cells.heads, cells.rows)
