"""Read item files: JSON Lines, or tables with a header."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.titles import article_first, split_year
from trialogue.errors import DataError, Problem
from trialogue.records import read_records
from trialogue.records.files.jsonl import MAX_PROBLEMS, problems_of, read_lines
from trialogue.records.files.opening import open_bytes

REQUIRED_COLUMNS = ("id", "title")
DELIMITERS = ",\t;"
SINGULAR_COLUMN = {  # attributes are named in the singular, as each of their values is one genre
    "genres": "genre",
    "directors": "director",
    "actors": "actor",
    "other titles": "other title",
    "tags": "tag",
}


def read_items(path: Path) -> Iterator[Item]:
    """Read the items of a file in order; an empty file has none.

    Raises:
        DataError: it cannot be read, with every mistake in it.
    """
    with open_bytes(path) as stream:
        is_json = stream.read(1 << 10).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return read_records(path, Item) if is_json else _read_table(path)


def _read_table(path: Path) -> Iterator[Item]:
    lines: list[str] = []
    for number, text in read_lines(path):  # decodes, and says where it cannot; leaves out blank lines
        lines.extend(
            "\n" * (number - 1 - len(lines))
        )  # puts them back, so that the reader's line numbers are the file's
        lines.append(text)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return
    rows = csv.reader(lines, delimiter=max(DELIMITERS, key=first.count), strict=True)
    header = [name.strip().casefold() for name in next(row for row in rows if row)]
    if missing := [name for name in REQUIRED_COLUMNS if name not in header]:
        raise DataError(
            Problem(
                f"the header has no column {' and no column '.join(missing)}; it is: {', '.join(header)}.",
                file=str(path),
                line=rows.line_num,
                hint="A catalogue needs the columns id and title; year, description and attributes are optional.",
            )
        )
    yield from _read_rows(rows, header, str(path))


class CsvReader(Protocol):
    """What is used of the readers that ``csv.reader`` returns; their type has no public name."""

    line_num: int
    """Lines read so far, which is the number of the line read last."""

    def __next__(self) -> list[str]:
        """The next row."""
        ...


def _read_rows(rows: CsvReader, header: list[str], file: str) -> Iterator[Item]:
    problems: list[Problem] = []
    while len(problems) < MAX_PROBLEMS:
        try:
            if not (row := next(rows)):
                continue
            item = _item(row, header)
        except StopIteration:
            break
        except csv.Error as error:
            problems.append(
                Problem(f"not a valid row of a table ({error}).", file, rows.line_num, hint="Check its quotes.")
            )
        except ValidationError as error:
            problems.extend(problems_of(error, file, rows.line_num))
        except ValueError as error:
            problems.append(Problem(str(error), file, rows.line_num))
        else:
            if not problems:
                yield item
    if problems:
        raise DataError(problems)


def _item(row: list[str], header: list[str]) -> Item:
    if len(row) != len(header):
        raise ValueError(f"this row has {len(row)} fields, but the header has {len(header)}.")
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
    title, year = split_year(cells.pop("title"))
    year_cell = cells.pop("year", "")
    return Item(
        id=cells.pop("id"),
        title=article_first(title),
        year=_year(year_cell) if year_cell else year,
        description=cells.pop("description", "") or None,
        attributes=_attributes(cells),
    )


def _year(cell: str) -> int:
    try:
        return int(float(cell))  # spreadsheets write whole numbers as 1999.0
    except (ValueError, OverflowError) as error:
        raise ValueError(f"the year is {cell!r}, but must be a whole number or empty.") from error


def _attributes(cells: dict[str, str]) -> dict[str, tuple[str, ...]]:
    attributes: dict[str, tuple[str, ...]] = {}
    for name, cell in cells.items():
        values = tuple(value.strip() for value in cell.split("|") if value.strip())
        name = SINGULAR_COLUMN.get(name, name)
        attributes[name] = tuple(dict.fromkeys((*attributes.get(name, ()), *values)))
    return {name: values for name, values in attributes.items() if values}
