"""Read item files: Trialogue's JSON Lines, tables with a header, and JSON Lines of other objects.

Which column of a table of items is what: told by obvious headings, or by a mapping in YAML.

A mapping names the file beside it, so that it stands for the catalogue wherever one is named::

    file: films.csv
    id: tconst
    title: primaryTitle
    attributes: {genre: genres}
    separator: ","
"""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError, field_validator

from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.linking.titles import article_first, split_year
from trialogue.errors import DataError, Problem
from trialogue.records import Record, read_records
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.records.files.jsonl import MAX_PROBLEMS, problems_of, read_lines
from trialogue.records.files.opening import open_bytes
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, read_fields

OBVIOUS = {
    "id": "id item_id itemid movie_id movieid film_id filmid book_id bookid product_id productid asin isbn tconst",
    "title": "title name item_name movie_title film_title book_title product_name product_title primarytitle",
    "year": "year release_year startyear publication_year",
    "description": "description overview synopsis",
}
"""Headings by field, the plainest one first; of others, one may occur."""
SINGULAR = {  # attributes are named in the singular, as each of their values is one genre
    "genres": "genre",
    "directors": "director",
    "actors": "actor",
    "tags": "tag",
}
ALIASES = frozenset(
    {"other title", "other titles", "other_title", "other_titles", "aliases", "alias", "aka", "akas", "also_known_as"}
    | {"alternative_title", "alternative_titles", "original_title", "originaltitle"}
)
"""Headings of columns of other titles."""
MAPPINGS = (".yaml", ".yml")
EXAMPLE = "For example: {file: films.csv, id: tconst, title: primaryTitle, attributes: {genre: genres}}"


class ItemColumns(Record):
    """Columns of a table of items, or paths into objects of JSON Lines."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    file: str | None = None
    """The table, beside the mapping (not a column)."""
    id: str = Field(min_length=1)
    """Id of the item."""
    title: str = Field(min_length=1)
    """Title; a year in brackets behind it is the year, if there is no column of it."""
    year: str | None = None
    """Column of the year of release; where it is missing or empty, a year in brackets behind the title counts."""
    description: str | None = None
    """Column of a text about the item."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """Column by attribute, or a list of columns that are named so."""
    other_titles: tuple[str, ...] = ()
    """Columns of other titles: translated, original, "also known as"."""
    separator: str = Field(default="|", min_length=1)
    """Separator of several values in a cell (not a column)."""
    date: int | None = Field(default=None, ge=1000, le=2999)
    """Year up to which items are in it, if that is not the year of the latest item (not a column)."""
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """Delimiter of cells, if not detected (not a column)."""

    @field_validator("attributes", mode="before")
    @classmethod
    def _named_by_their_columns(cls, given: object) -> object:
        return {str(name): name for name in given} if isinstance(given, list | tuple) else given

    def columns(self) -> dict[str, str]:
        """Columns by field."""
        single = {name: getattr(self, name) for name in OBVIOUS}
        several = {f"attributes.{name}": column for name, column in self.attributes.items()}
        others = {f"other_titles.{place}": column for place, column in enumerate(self.other_titles)}
        return {name: column for name, column in single.items() if column} | several | others


def obvious_columns(header: Iterable[str], file: str, line: int | None) -> ItemColumns:
    """Columns by their headings; every column that is none of the fields is an attribute.

    >>> obvious_columns(["movieId", "title", "genres"], "x.csv", 1).columns()
    {'id': 'movieId', 'title': 'title', 'attributes.genre': 'genres'}

    Raises:
        DataError: no column may be the title, or several may be one of the fields. Without an id, the title is the id.
    """
    names = {name.strip().casefold(): name for name in header}
    found: dict[str, str] = {}
    wrong: list[str] = []
    for field, known in OBVIOUS.items():
        keys = [key for key in known.split() if key in names]
        if field in keys or len(keys) == 1:
            found[field] = names[field if field in keys else keys[0]]
        elif keys:
            wrong.append(f"several columns may be the {field}: {', '.join(names[key] for key in keys)}")
        elif field == "title":
            wrong.append(f"no column is known to be the {field}")
    if wrong:
        what = f"{'; '.join(wrong)}. The columns are: {', '.join(names.values())}."
        hint = f"Name the columns id and title, or say which they are in a YAML file, and give that. {EXAMPLE}"
        raise DataError(Problem(what, file, line, hint=hint))
    found.setdefault("id", found["title"])
    rest = {key: name for key, name in names.items() if name not in found.values() and key}
    others = tuple(name for key, name in rest.items() if key in ALIASES)
    attributes = {SINGULAR.get(key, key): name for key, name in rest.items() if key not in ALIASES}
    return ItemColumns(**found, attributes=attributes, other_titles=others)


def load_columns(source: Path | ItemColumns | dict[str, Any]) -> ItemColumns:
    """Columns from a YAML file or a dictionary.

    Raises:
        DataError: with every mistake.
    """
    from pydantic import ValidationError

    if isinstance(source, ItemColumns):
        return source
    fields = dict(read_fields(source, hint=EXAMPLE)) if isinstance(source, Path) else source
    try:
        return ItemColumns.model_validate(fields)
    except ValidationError as error:
        file, lines = (str(source), lines_of(source)) if isinstance(source, Path) else ("mapping", None)
        mistakes = mistakes_of(error, fields, ItemColumns)
        problems = [
            each.problem(file, lines) if lines else Problem(each.what, file, hint=each.hint) for each in mistakes
        ]
        raise DataError(problems) from error


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
