"""Read item files: Trialogue's JSON Lines, tables with a header, and JSON Lines of other objects."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.item_columns import ItemColumns, obvious_columns
from trialogue.catalogue.linking.titles import article_first, split_year
from trialogue.errors import DataError, Problem
from trialogue.records import read_records
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.records.files.jsonl import MAX_PROBLEMS, problems_of, read_lines
from trialogue.records.files.opening import open_bytes

DELIMITERS = ",\t;"
BLANK = frozenset(["", "(no genres listed)", "\\N"])
"""What files write for no value: MovieLens and IMDb have words of their own."""

Cells = dict[str, Any]


def read_items(path: Path, columns: ItemColumns | None = None) -> Iterator[Item]:
    """Read the items of a file in order; an empty file has none.

    Args:
        path: the file.
        columns: which column, or path into an object, is what; None: told by the headings.

    Raises:
        DataError: it cannot be read, with every mistake in it.
    """
    with open_bytes(path) as stream:
        start = stream.read(1 << 10).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        ours = columns is None and b'"kind"' in start.partition(b"\n")[0]
        return read_records(path, Item) if ours else _items(_Objects(path), columns, str(path))
    lines = _lines(path)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return iter(())
    delimiter = (columns.delimiter if columns is not None else None) or max(DELIMITERS, key=first.count)
    return _items(_Table(lines, delimiter), columns, str(path))


def _lines(path: Path) -> list[str]:
    lines: list[str] = []
    for number, text in read_lines(path):  # decodes, and says where it cannot; leaves out blank lines
        lines.extend(
            "\n" * (number - 1 - len(lines))
        )  # puts them back, so that the reader's line numbers are the file's
        lines.append(text)
    return lines


class _Table:
    """Rows of a table by column."""

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self._rows = csv.reader(lines, delimiter=delimiter, strict=True)
        self.header = [name.strip() for name in next(row for row in self._rows if row)]

    @property
    def line(self) -> int:
        """The line read last."""
        return self._rows.line_num

    def __next__(self) -> Cells:
        row = next(row for row in self._rows if row)
        if len(row) != len(self.header):
            raise ValueError(f"this row has {len(row)} fields, but the header has {len(self.header)}.")
        return dict(zip(self.header, row, strict=True))


class _Objects:
    """Objects of JSON Lines; what the first one holds is the header."""

    def __init__(self, path: Path) -> None:
        self._lines = list(read_lines(path))
        self._place = 0
        self.line = self._lines[0][0]
        self.header = list(next(self))
        self._place = 0

    def __next__(self) -> Cells:
        if self._place == len(self._lines):
            raise StopIteration
        self.line, text = self._lines[self._place]
        self._place += 1
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError("expected an object.")
        return value


def _items(rows: _Table | _Objects, columns: ItemColumns | None, file: str) -> Iterator[Item]:
    known = obvious_columns(rows.header, file, rows.line) if columns is None else columns
    missing = (
        [] if isinstance(rows, _Objects) else [name for name in known.columns().values() if name not in rows.header]
    )
    if missing:
        what = f"there is no column {' and no column '.join(missing)}. The columns are: {', '.join(rows.header)}."
        raise DataError(Problem(what, file, rows.line))
    problems: list[Problem] = []
    while len(problems) < MAX_PROBLEMS:
        try:
            item = _item(next(rows), known)
        except StopIteration:
            break
        except csv.Error as error:
            hint = "Check its quotes."
            problems.append(Problem(f"not a valid row of a table ({error}).", file, rows.line, hint=hint))
        except ValidationError as error:
            problems.extend(problems_of(error, file, rows.line))
        except (ValueError, RecursionError) as error:
            problems.append(Problem(_reason(error), file, rows.line))
        else:
            if not problems:
                yield item
    if problems:
        raise DataError(problems)


def _reason(error: Exception) -> str:
    return f"not valid JSON ({error})." if isinstance(error, json.JSONDecodeError) else str(error)


def _item(cells: Cells, columns: ItemColumns) -> Item:
    title, year = split_year(_text(cells, columns.title))
    year_cell = _text(cells, columns.year)
    attributes = {name: _values(cells, column, columns.separator) for name, column in columns.attributes.items()}
    others = [other for column in columns.other_titles for other in _values(cells, column, columns.separator)]
    if others:
        attributes[OTHER_TITLES] = tuple(dict.fromkeys((*attributes.get(OTHER_TITLES, ()), *others)))
    return Item(
        id=_text(cells, columns.id),
        title=article_first(title),
        year=_year(year_cell) if year_cell else year,
        description=_text(cells, columns.description) or None,
        attributes={name: values for name, values in attributes.items() if values},
    )


def _value(cells: Cells, column: str) -> Any:
    found = cells[column] if column in cells else value_at(cells, column)
    return None if found is ABSENT else found


def _text(cells: Cells, column: str | None) -> str:
    """A cell as text; "" if there is none."""
    value = None if column is None else _value(cells, column)
    if isinstance(value, list | dict):
        raise ValueError(f"expected a text or a number in {column}, got a list or an object.")
    text = "" if value is None else str(value).strip()
    return "" if text in BLANK else text


def _year(cell: str) -> int:
    try:
        return int(float(cell))  # spreadsheets write whole numbers as 1999.0
    except (ValueError, OverflowError) as error:
        raise ValueError(f"the year is {cell!r}, but must be a whole number or empty.") from error


def _values(cells: Cells, column: str, separator: str) -> tuple[str, ...]:
    """Values of an attribute: the members of a list, or the parts of a text."""
    value = _value(cells, column)
    parts = value if isinstance(value, list) else [] if value is None else str(value).split(separator)
    texts = (str(part).strip() for part in parts if part is not None and not isinstance(part, list | dict))
    return tuple(dict.fromkeys(text for text in texts if text not in BLANK))
