"""Read rows of tables: CSV and TSV as written by common programs (including Excel), JSON Lines, and JSON lists.

Parquet files and folders of the library ``datasets``, with rows of any shape supported in JSON Lines (extra ``parquet``).

Rows are read as if they were lines of JSON: conversations in a chat format, ShareGPT's, prediction/reference pairs,
Trialogue's records, or a table whose headings are unambiguous. Line numbers in messages are row numbers.
"""

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trialogue.datasets.base import Head
from trialogue.datasets.door.values import DECIMAL_COMMA, Identifiers, identifier, is_absent, members, plain_number
from trialogue.datasets.door.worded_scales import worded_scale
from trialogue.datasets.json_documents import ParseReport, first_object, kind_of, read_objects, read_text
from trialogue.errors import DataError, Problem
from trialogue.extras import need
from trialogue.records.files.opening import open_bytes

PARQUET, ARROW_FILE = b"PAR1", b"ARROW1"
INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
EXTRA = "parquet"
MESSAGES = ("messages", "conversations")
"""Columns of lists of records, which some writers turn inside out: a record of lists."""


def is_arrow(path: Path) -> bool:
    """Whether a file is Parquet or Arrow, or a folder holds a ``datasets`` data set or only Parquet files."""
    if path.is_dir():
        names = {entry.name for entry in path.iterdir() if entry.name[0] not in "._"}
        return bool(names) and (bool({INFO, SPLITS} & names) or all(name.endswith(".parquet") for name in names))
    try:
        with path.open("rb") as stream:
            return stream.read(len(ARROW_FILE)).startswith((PARQUET, ARROW_FILE))
    except OSError:
        return False


def arrow_columns(path: Path) -> list[str]:
    """Names of the columns.

    Raises:
        MissingExtraError: pyarrow is not installed.
        DataError: the file is damaged, or a folder holds no data.
    """
    return list(next((schema for schema, _ in _batches(path)), []))


def arrow_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Iterate over the rows in order of file names; errors as in ``arrow_columns``."""
    for _, rows in _batches(path):
        for row in rows:
            yield {name: _rows_of_columns(value) if name in MESSAGES else value for name, value in row.items()}


def _rows_of_columns(value: object) -> object:
    """A record of lists as a list of records."""
    if not isinstance(value, dict) or not value or not all(isinstance(column, list) for column in value.values()):
        return value
    if len({len(column) for column in value.values()}) > 1:
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def _batches(path: Path) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """(names of the columns, rows) of every batch."""
    arrow = need("pyarrow", extra=EXTRA, purpose="read Parquet and Arrow files")
    files = (
        sorted(file for file in path.rglob("*") if file.suffix in (".parquet", ".arrow")) if path.is_dir() else [path]
    )
    if not files:
        raise DataError(Problem("the folder contains no data.", str(path), hint="Was it saved completely?"))
    for file in files:
        try:
            for batch in _file_batches(file):
                yield list(batch.schema.names), batch.to_pylist()
        except (arrow.ArrowException, OSError) as error:
            hint = "Is the file complete?"
            raise DataError(Problem(f"the file is damaged ({error}).", str(file), hint=hint)) from error


def _file_batches(file: Path) -> Iterator[Any]:
    ipc, parquet = (need(f"pyarrow.{name}", extra=EXTRA, purpose="read it") for name in ("ipc", "parquet"))
    with file.open("rb") as stream:
        start = stream.read(len(ARROW_FILE))
        stream.seek(0)
        if start.startswith(PARQUET):
            yield from parquet.ParquetFile(stream).iter_batches()
        elif start == ARROW_FILE:
            reader = ipc.open_file(stream)
            yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            yield from ipc.open_stream(stream)


DELIMITERS = ",;\t|"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # what Excel calls "Unicode text"
SEPARATOR_LINE = re.compile(r"\s*sep=(.)\s*$", re.IGNORECASE)  # Excel's own first line


@dataclass(frozen=True)
class Row:
    """One row: its position in the file and its cells by column."""

    line: int
    cells: dict[str, Any]

    def cell(self, column: str | None) -> Any:
        """The value of a cell; None if it is missing, or there is no such column. A heading may be blank: "" is a column."""
        return None if column is None else self.cells.get(column)

    def text(self, column: str | None) -> str:
        """A cell as text; "" if missing."""
        value = self.cell(column)
        return "" if value is None else value if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Table:
    """All rows of a file."""

    columns: list[str]
    rows: list[Row]

    def identifiers(self, column: str | None) -> Identifiers:
        """How identifiers of a column compare."""
        return Identifiers() if column is None else Identifiers.of(row.cells.get(column) for row in self.rows)

    def item_identifiers(self, column: str | None, separator: str) -> Identifiers:
        """How identifiers in the lists of a column compare."""
        if column is None:
            return Identifiers()
        unheard = ParseReport("", lambda _: None)
        return Identifiers.of(part for row in self.rows for part in items(row, column, separator, unheard) or ())


def read_table(path: Path, report: ParseReport, *, delimiter: str | None = None) -> Table:
    """Read the rows of a file, detecting Parquet, JSON (first bracket or brace) or delimited text.

    Blank rows are skipped. Rows of another length than the header, broken quotes and headings given twice are reported to
    ``report``.

    Raises:
        DataError: no such file, empty, or not UTF-8 (or UTF-16 with its mark).
    """
    if is_arrow(path):
        rows = [Row(number, cells) for number, cells in enumerate(arrow_rows(path), start=1)]
        return in_points(Table(arrow_columns(path), rows), report)
    head = Head(path)
    if head.is_json_object or head.is_json_list:
        rows = [Row(line, cells) for line, cells in read_objects(path, report)]
        return in_points(Table(list(dict.fromkeys(column for row in rows for column in row.cells)), rows), report)
    return in_points(_parse_delimited(_text(path), report, delimiter), report)


def in_points(table: Table, report: ParseReport) -> Table:
    """The table with answers such as "Strongly agree" as points of their scale, which is reported."""
    scales = {
        column: scale
        for column in table.columns
        if (scale := worded_scale(row.cells.get(column) for row in table.rows)) is not None
    }
    for column, scale in scales.items():
        words = {point: word for word, point in reversed(list(scale.points.items()))}
        ends = f"1 is {words[1]!r}, {scale.high} is {words[scale.high]!r}"
        report.mend(f"answers in words were read as points of a scale: {ends}", column)
    if not scales:
        return table
    rows = [
        replace(row, cells=row.cells | {column: scale.read(row.cells.get(column)) for column, scale in scales.items()})
        for row in table.rows
    ]
    return Table(table.columns, rows)


def columns_of(path: Path, *, delimiter: str | None = None) -> list[str]:
    """Headings of a table, reading only its beginning; empty if it does not look like one."""
    if is_arrow(path):
        return arrow_columns(path)
    head = Head(path)
    if head.is_json_object or head.is_json_list:
        return list(first_object(head.text) or ())
    text = _text(path)[: 1 << 16] if _is_utf_16(path) else head.text
    text, found = _split_separator_line(text)
    first = next((line for line in text.splitlines() if line.strip()), "")
    return [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter or found or _delimiter(first)), [])]


def _is_utf_16(path: Path) -> bool:
    with open_bytes(path) as stream:
        return stream.read(2) in UTF_16


def _text(path: Path) -> str:
    if not _is_utf_16(path):
        return read_text(path)
    with open_bytes(path) as stream:
        try:
            return stream.read().decode("utf-16")
        except UnicodeDecodeError as error:
            raise DataError(
                Problem(f"the first bytes say UTF-16, but the file is not ({error}).", str(path))
            ) from error


def _split_separator_line(text: str) -> tuple[str, str | None]:
    first, _, rest = text.partition("\n")
    found = SEPARATOR_LINE.match(first)
    return (rest, found[1]) if found else (text, None)


def _delimiter(header: str) -> str:
    """The delimiter that a header has most of, outside quotes; a comma if it has none."""
    counts = Counter(re.sub(r'"[^"]*"', "", header))
    return max(DELIMITERS, key=lambda delimiter: counts[delimiter])


def _parse_delimited(text: str, report: ParseReport, delimiter: str | None) -> Table:
    body, said = _split_separator_line(text)
    offset = text.count("\n") - body.count("\n")
    first = next((line for line in body.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter or said or _delimiter(first), strict=True)
    columns: list[str] = []
    rows: list[Row] = []
    for line, cells in _records(reader, offset, report):
        if not any(cell.strip() for cell in cells):
            report.mend("a blank row was skipped", line=line)
        elif not columns:
            columns = _header(cells, line, report)
        elif (row := _row(columns, cells, line, report)) is not None:
            rows.append(row)
    return Table(columns, rows)


def _records(reader: Any, offset: int, report: ParseReport) -> Iterator[tuple[int, list[str]]]:
    """(line it begins in, cells) of every record of a csv reader, until one is broken."""
    while True:
        line = offset + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            hint = 'A quoted cell ends with ", and a " inside it is doubled. For very long texts, use JSON Lines.'
            report.wrong(f"the row cannot be read ({error}).", line=line, hint=hint)
            return
        yield line, cells


def _header(cells: list[str], line: int, report: ParseReport) -> list[str]:
    columns = [cell.strip() for cell in cells]
    for column, times in Counter(column for column in columns if column).items():
        if times > 1:
            report.wrong(f"{times} columns share this name.", column, line=line, hint="Rename all but one.")
    return columns


def _row(columns: list[str], cells: list[str], line: int, report: ParseReport) -> Row | None:
    surplus = [cell for cell in cells[len(columns) :] if cell.strip()]
    if surplus or len(cells) < len(columns):
        what = f"this row has {len(cells)} cells, the header has {len(columns)}."
        report.wrong(what, line=line, hint="Is a text with a delimiter not quoted, or is the file cut off?")
        return None
    return Row(line, dict(zip(columns, cells, strict=False)))


def number(row: Row, column: str, report: ParseReport) -> float | None:
    """Parse a cell as a number, reporting mistakes; None if it is blank or marked missing. "4,5" is read as 4.5."""
    value = row.cells.get(column)
    if is_absent(value):
        return None
    if isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip()):
        report.mend("a decimal comma was read as a decimal point", column, line=row.line)
    found = plain_number(value)
    if found is None:
        kind = "expected a number"
        report.wrong(f"{kind}, got {kind_of(value)}.", column, line=row.line, kind=kind)
    return found


def items(row: Row, column: str | None, separator: str, report: ParseReport) -> list[object] | None:
    """Parse a cell as a list; None if there is no such column, or the cell is blank or null. "[]" is the empty list."""
    value = None if column is None else row.cells.get(column)
    if value is None or column is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and value.strip().startswith("["):
        value = parsed_list(value)
        if value is None:
            report.wrong('the list is not valid JSON. Quote its texts, as in ["a", "b"].', column, line=row.line)
            return []
    parts = value.split(separator) if isinstance(value, str) else members(value)
    return [part for part in parts if identifier(part)]


def texts(row: Row, column: str | None, separator: str, report: ParseReport) -> list[str] | None:
    """``items`` as texts."""
    found = items(row, column, separator, report)
    return None if found is None else [identifier(part) for part in found]


def parsed_list(text: str) -> list[Any] | None:
    """Parse a list written as JSON or Python; None if it is neither."""
    value = unpack(text)
    return value if isinstance(value, list) else None


def unpack(value: Any) -> Any:
    """What a text of a JSON or Python list or object holds; any other value as it is.

    >>> unpack('[{"a": null}]'), unpack("{'a': None}"), unpack("[sic]"), unpack(3)
    ([{'a': None}], {'a': None}, '[sic]', 3)
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value
