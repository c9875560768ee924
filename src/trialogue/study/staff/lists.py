"""Lists for the platform as CSV, such that a spreadsheet takes no cell for a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

RISKY = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "＝",
    "＋",
    "－",
    "＠",
)  # what makes a formula, full-width forms included


def neutral(cell: object) -> str:
    """A cell as text, with an apostrophe before what a spreadsheet would run; numbers stay as they are.

    >>> neutral("=1+1"), neutral(-3), neutral("-3.5"), neutral(' "=1+1')
    ("'=1+1", '-3', '-3.5', '\\' "=1+1')
    """
    text = "" if cell is None else str(cell)
    if isinstance(cell, int | float) or _is_number(text):
        return text
    return "'" + text if any(_is_risky(line) for line in [text, *text.splitlines()]) else text


def _is_risky(line: str) -> bool:
    return line.lstrip(" \"'").startswith(RISKY)


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.replace(".", "", 1).isdigit() and digits.isascii()


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """A download; ``name`` is the file's, without its ending."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([neutral(cell) for cell in row] for row in rows)
    response = HttpResponse(file.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response
