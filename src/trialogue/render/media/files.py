"""Render a document as files: CSV, LaTeX and Markdown tables, figures, and the folder that holds them with the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.records.runs import writes_run
from trialogue.render.document import Document, Table
from trialogue.render.media.page import document_page
from trialogue.render.media.papers import document_latex, document_markdown, table_latex, table_markdown
from trialogue.render.plots.base import Figure


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
