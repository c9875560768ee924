"""Export rows: data frames, LaTeX (booktabs), Markdown, and HTML for notebooks."""

import html
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from trialogue.errors import UsageError
from trialogue.render.markup import html_table, latex_table, markdown_table

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
            return latex_table(*_texts(rows))
        case "markdown":
            return markdown_table(*_texts(rows))
    raise UsageError(f"a table is 'frame', 'records', 'latex' or 'markdown', got {form!r}.")


def frame(rows: Sequence[Row]) -> Any:
    """pandas or polars data frame, whichever is installed; otherwise a list of dictionaries."""
    records = [dict(row) for row in rows]
    for name in FRAMES:
        if find_spec(name) is not None:
            options: dict[str, Any] = {"infer_schema_length": None} if name == "polars" else {}
            return import_module(name).DataFrame(records, **options)
    return records


def rows_html(title: str, sentences: Sequence[str], rows: Sequence[Row]) -> str:
    """Sentences above a table, as HTML for notebooks."""
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)
    table = html_table(*_texts(rows)) if rows else ""
    return f"<div><h4>{html.escape(title)}</h4>{said}{table}</div>"


def _texts(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    heads = list(rows[0]) if rows else []
    return heads, [[_text(row.get(head)) for head in heads] for row in rows]


def _text(value: object) -> str:
    """A cell as text: empty where undefined, numbers with four significant digits."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
