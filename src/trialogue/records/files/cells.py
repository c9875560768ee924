"""Guard spreadsheet cells against formula injection, and undo it on reading."""

import csv
import io
from collections.abc import Iterable, Sequence

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # of formulas, full-width forms included


def guard_cell(cell: object) -> str:
    r"""Format a cell with an apostrophe before anything a spreadsheet would execute; numbers are unchanged, None is empty.

    >>> guard_cell("=1+1"), guard_cell(-3), guard_cell("-3.5"), guard_cell(' "=1+1')
    ("'=1+1", '-3', '-3.5', '\' "=1+1')
    """
    text = "" if cell is None else str(cell)
    if isinstance(cell, int | float) or _is_number(text):
        return text
    return "'" + text if _runs(text) else text


def unguard_cell(text: str) -> str:
    """Undo ``guard_cell``.

    >>> unguard_cell("'=1+1"), unguard_cell("it's"), unguard_cell(guard_cell("'=1+1"))
    ('=1+1', "it's", "'=1+1")
    """
    return text[1:] if text.startswith("'") and _runs(text[1:]) else text


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]], *, line_end: str = "\n") -> str:
    r"""Format a table as CSV with every cell guarded.

    Args:
        head: names of the columns.
        rows: cells, as many as there are columns.
        line_end: what ends each line.

    >>> csv_text(["who", "value"], [["=x", 0.5], ["a,b", None]])
    'who,value\n\'=x,0.5\n"a,b",\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator=line_end)
    writer.writerow(head)
    writer.writerows([guard_cell(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _runs(text: str) -> bool:
    """Whether any line of a text looks like a formula."""
    return any(line.lstrip(" \"'").startswith(BEGINNINGS) for line in [text, *text.splitlines()])


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.replace(".", "", 1).isdigit() and digits.isascii()
