"""Render a document as files: CSV, LaTeX and Markdown tables, figures, and the folder that holds them with the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.report.document import Document, Medium, Table
from trialogue.report.markup import latex_table, markdown_table
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import document_page


def write_document(document: Document, folder: Path | str) -> Path:
    """Write the findings (``.json``), tidy rows (``.csv``), tables for papers, figures, and at last the page.

    Every file appears whole or not at all; other files of the folder stay. The same document gives the same bytes.

    Returns:
        The path of the page.
    """
    folder = Path(folder)
    write_text(folder / f"{document.name}.json", to_line(document.record) + "\n")
    write_text(folder / f"{document.name}.csv", tidy_csv(document))
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
    """Write a figure as SVG and PNG."""
    write_text(folder / f"{figure.name}.svg", figure.svg)
    with open_replacing(folder / f"{figure.name}.png") as stream:
        stream.write(figure.png)


def tidy_csv(document: Document) -> str:
    """One CSV of all tables: their tidy rows under the keys of all of them."""
    rows = document.tidy()
    head = keys_of(document)
    return csv_text(head, ([row.get(key) for key in head] for row in rows))


def keys_of(document: Document) -> list[str]:
    """Keys of all tables, those without rows included, each once and before the one that follows it in its own table."""
    found: list[str] = []
    for table in document.tables:
        place = len(found)
        for key in reversed([each.key for each in table.columns if each.key]):
            if key in found:
                place = found.index(key)
            else:
                found.insert(place, key)
    return found


def table_latex(table: Table[Any]) -> str:
    """A table as a booktabs ``tabular``."""
    cells = table.cells(Medium.PAPER)
    return latex_table(cells.heads, cells.rows) + "\n"


def table_markdown(table: Table[Any]) -> str:
    """A table as a GitHub Markdown table."""
    cells = table.cells(Medium.PAPER)
    return markdown_table(cells.heads, cells.rows)


def tidy_rows(document: Document, tables: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Tidy rows of a document for data frames, all with the same keys; None where a row has no such value."""
    head = keys_of(document)
    return [{key: row.get(key) for key in head} for row in document.tidy()]
