"""Cells of CSV files, such that a spreadsheet takes none for a formula."""

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
