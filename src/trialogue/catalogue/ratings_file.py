"""Read user-item ratings of any domain from a table."""

import csv
from collections.abc import Iterator
from pathlib import Path

from trialogue.catalogue.files import DELIMITERS
from trialogue.catalogue.ratings import Ratings, Scale
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import MAX_PROBLEMS, read_lines

COLUMNS = {
    "user": ("user", "user_id", "userid", "reader", "rater", "customer"),
    "item": ("item", "item_id", "itemid", "movieid", "book", "book_id", "isbn", "id"),
    "rating": ("rating", "stars", "score", "value"),
}
"""Columns with their accepted names; others are ignored."""
SCALES = (
    Scale(1, 5, 1),
    Scale(0.5, 5, 0.5),
    Scale(0, 5, 0.5),
    Scale(0, 1, 1),
    Scale(1, 10, 1),
    Scale(0, 10, 0.5),
    Scale(0, 100),
)
"""Scales that are tried, the narrowest first."""


def read_ratings(path: Path | str, *, scale: Scale | None = None) -> Ratings:
    """Read ratings from a table with a header (CSV, TSV or semicolons), one user, item and rating per line.

    Args:
        path: the file; it may be compressed.
        scale: the values that a rating can have; None: the first of ``SCALES`` that holds all of them.

    Raises:
        DataError: columns are missing, every line that cannot be read, an item rated twice by one user, or ratings on no
            known scale.
    """
    path = Path(path)
    rows: list[tuple[str, str, float]] = []
    places: dict[tuple[str, str], int] = {}
    problems: list[Problem] = []
    for line, row in _rows(path):
        user, item, given = row
        value = _number(given)
        if not user or not item or value is None:
            problems.append(
                Problem(f"this is not a rating: user {user!r}, item {item!r}, rating {given!r}.", str(path), line)
            )
        elif (first := places.setdefault((user, item), line)) != line:
            what = f"{user!r} already rated {item!r} in line {first}."
            problems.append(Problem(what, str(path), line, hint="Keep one rating, such as the latest."))
        else:
            rows.append((user, item, value))
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems)
    if not rows:
        raise DataError(Problem("this file has no ratings.", str(path), hint="Is the file complete?"))
    return Ratings.from_rows(rows, scale=scale or _scale([value for _, _, value in rows], path))


def _rows(path: Path) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """(line, (user, item, rating)) of each row."""
    lines = read_lines(path)
    number, header = next(((number, text) for number, text in lines if text.strip()), (1, ""))
    delimiter = max(DELIMITERS, key=header.count)
    places = _places(next(csv.reader([header], delimiter=delimiter), []), path, number)
    for number, text in lines:
        if text.strip():
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]
            cells += [""] * (max(places) + 1 - len(cells))
            yield number, (cells[places[0]], cells[places[1]], cells[places[2]])


def _places(header: list[str], path: Path, line: int) -> tuple[int, int, int]:
    names = [name.strip().casefold() for name in header]
    found = [next((names.index(name) for name in known if name in names), None) for known in COLUMNS.values()]
    missing = [name for name, place in zip(COLUMNS, found, strict=True) if place is None]
    if missing:
        what = f"the header has no column {' and no column '.join(missing)}; it is: {', '.join(names) or 'empty'}."
        raise DataError(Problem(what, str(path), line, hint="Ratings need the columns user, item and rating."))
    user, item, rating = (place or 0 for place in found)
    return user, item, rating


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None  # neither endless nor "not a number"


def _scale(values: list[float], path: Path) -> Scale:
    for scale in SCALES:
        if scale.holds(values).all():
            return scale
    known = "; ".join(map(str, SCALES))
    what = f"ratings from {min(values):g} to {max(values):g} fit no known scale ({known})."
    raise DataError(Problem(what, str(path), hint="Convert them to one of these, such as 1 to 5."))
