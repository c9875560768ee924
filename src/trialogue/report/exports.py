"""Export tables: data frames, LaTeX (booktabs), Markdown, and HTML for notebooks."""

import html
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from trialogue.errors import UsageError
from trialogue.findings import Findings
from trialogue.report.league_table import Block, Cell, Column, Table, league_table
from trialogue.report.markup import escape_latex, html_table, latex_table, markdown_table, tabular
from trialogue.report.measures import labels, systems_in_order, table_leagues

Form = Literal["frame", "records", "latex", "markdown"]
"""A data frame (of pandas, else polars, else records), a list of dictionaries, or text."""
FRAMES = ("pandas", "polars")
"""Tried in this order; neither is needed."""
Row = Mapping[str, Any]


def export_rows(rows: Sequence[Row], form: str) -> Any:
    """Rows in the requested form; undefined values are None, or the data frame's equivalent.

    Raises:
        UsageError: no such form.
    """
    match form:
        case "frame":
            return frame(rows)
        case "records":
            return [dict(row) for row in rows]
        case "latex":
            return latex_rows(rows)
        case "markdown":
            return markdown_rows(rows)
    raise UsageError(f"a table is 'frame', 'records', 'latex' or 'markdown', got {form!r}.")


def frame(rows: Sequence[Row]) -> Any:
    """pandas or polars data frame, whichever is installed; otherwise a list of dictionaries."""
    records = [dict(row) for row in rows]
    for name in FRAMES:
        if find_spec(name) is not None:
            options: dict[str, Any] = {"infer_schema_length": None} if name == "polars" else {}
            return import_module(name).DataFrame(records, **options)
    return records


def latex_rows(rows: Sequence[Row]) -> str:
    """Rows as a booktabs ``tabular``."""
    heads = list(rows[0]) if rows else []
    return latex_table(heads, [[_text(row.get(head)) for head in heads] for row in rows])


def markdown_rows(rows: Sequence[Row]) -> str:
    """Rows as a GitHub Markdown table."""
    heads = list(rows[0]) if rows else []
    return markdown_table(heads, [[_text(row.get(head)) for head in heads] for row in rows])


def league_latex(findings: Findings) -> str:
    """League table as one or more ``tabular``s: systems by measures, values with intervals, the best in bold.

    Letters mark systems that do not differ significantly. The answer, with what it is conditional on, and the notes are
    comments above it. Needs the package booktabs.
    """
    table, names = _league(findings)
    comments = [f"% {escape_latex(text)}" for text in [*map(str, findings.answer), *_notes(table)]]
    return "\n\n".join(["\n".join(comments), *(_latex_block(block, names) for block in table.all_blocks)]) + "\n"


def league_markdown(findings: Findings) -> str:
    """Answer and league table in Markdown, with notes."""
    table, names = _league(findings)
    answer = " ".join(map(str, findings.answer))
    blocks = [markdown_table(*_cells(block, names, _bold_if_leading)) for block in table.all_blocks]
    return "\n".join([f"{answer}\n", *blocks, *(f"{note}  " for note in _notes(table))]).rstrip() + "\n"


def table_markdown(table: Table, names: Mapping[str, str]) -> str:
    """Unfolded blocks of a table in Markdown; ``names``: column heads by measure."""
    return "\n".join(markdown_table(*_cells(block, names, _bold_if_leading)) for block in table.blocks)


def findings_html(findings: Findings) -> str:
    """Answer and league table as HTML for notebooks."""
    table, names = _league(findings)
    answer = "".join(f"<p>{html.escape(str(statement))}</p>" for statement in findings.answer)
    blocks = "".join(html_table(*_cells(block, names)) for block in table.all_blocks)
    notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in _notes(table))
    return f"<div><h4>{html.escape(findings.title)}</h4>{answer}{blocks}{notes}</div>"


def rows_html(title: str, sentences: Sequence[str], rows: Sequence[Row]) -> str:
    """Sentences above a table, as HTML for notebooks."""
    heads = list(rows[0]) if rows else []
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)
    table = html_table(heads, [[_text(row.get(head)) for head in heads] for row in rows]) if rows else ""
    return f"<div><h4>{html.escape(title)}</h4>{said}{table}</div>"


def _league(findings: Findings) -> tuple[Table, Mapping[str, str]]:
    """The table, and headings of its columns by measure: no two measures share one."""
    leagues = table_leagues(findings)
    return league_table(leagues, systems_in_order(findings)), labels(leagues)


def _value(cell: Cell) -> str:
    return cell.text


def _bold_if_leading(cell: Cell) -> str:
    """A value in Markdown, bold where the system may be the best."""
    return f"**{cell.text}**" if cell.leads else cell.text


def _cells(
    block: Block, names: Mapping[str, str], value: Callable[[Cell], str] = _value
) -> tuple[list[str], list[list[str]]]:
    """(headings, rows) as text, a system first in each row; ``value`` writes that of a cell."""
    heads = [f"{names[column.name]} {column.arrow}".strip() for column in block.columns]
    rows = [
        [system, *(_plain(column.cells[system], value) for column in block.columns)]
        for system in (*block.systems, *block.baselines)
    ]
    return ["System", *heads], rows


def _notes(table: Table) -> list[str]:
    numbered = [*enumerate(table.notes, start=1), *enumerate(table.folded_notes, start=1)]
    return [f"({number}) {note}" for number, note in numbered]


def _plain(cell: Cell, value: Callable[[Cell], str]) -> str:
    parts = [value(cell), cell.interval, cell.letters, f"({cell.note})" if cell.note is not None else ""]
    return " ".join(part for part in parts if part)


def _latex_block(block: Block, names: Mapping[str, str]) -> str:
    head = " & ".join(["System", *(escape_latex(names[column.name]) + latex_arrow(column) for column in block.columns)])
    groups = [
        [
            " & ".join([escape_latex(system), *(_latex_cell(column.cells[system]) for column in block.columns)])
            for system in systems
        ]
        for systems in (block.systems, block.baselines)
        if systems
    ]
    return tabular("l" + "r" * len(block.columns), [head], groups)


def latex_arrow(column: Column) -> str:
    """Direction of a measure, to follow its label."""
    return {"↑": r" $\uparrow$", "↓": r" $\downarrow$"}.get(column.arrow, "")


def _latex_cell(cell: Cell) -> str:
    return latex_value(cell, f" {escape_latex(cell.interval)}" if cell.interval else "")


def latex_value(cell: Cell, interval: str = "") -> str:
    """A value, bold where the system may be the best, with its letters and the number of its note."""
    value = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.leads else escape_latex(cell.text)
    letters = rf"\textsuperscript{{{escape_latex(cell.letters)}}}" if cell.letters else ""
    note = rf"\textsuperscript{{({cell.note})}}" if cell.note is not None else ""
    return value + interval + letters + note


def _text(value: object) -> str:
    """A cell as text: empty where undefined, numbers with four significant digits."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
