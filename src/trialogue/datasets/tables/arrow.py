"""Parquet files and folders of the library ``datasets``, with rows of any shape supported in JSON Lines (extra ``parquet``).

Rows are read as if they were lines of JSON: conversations in a chat format, ShareGPT's, prediction/reference pairs,
Trialogue's records, or a table whose headings are unambiguous. Line numbers in messages are row numbers.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from trialogue.datasets.base import AnyRecord, SimpleFormat
from trialogue.datasets.json_documents import bare_stem
from trialogue.errors import DataError, Problem
from trialogue.extras import need
from trialogue.records.files.jsonl import Note

PARQUET, ARROW_FILE = b"PAR1", b"ARROW1"
INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
EXTRA = "parquet"
MESSAGES = ("messages", "conversations")
"""Columns of lists of records, which some writers turn inside out: a record of lists."""


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    from trialogue.datasets.registry import recognise
    from trialogue.datasets.tables.format import guess_mapping, table_format

    def rename(problem: Problem) -> Problem:
        return replace(problem, file=str(path))

    def report(problem: Problem) -> None:
        note(rename(problem))

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / f"{bare_stem(path)}.jsonl"
        with lines.open("w", encoding="utf-8") as stream:
            for row in arrow_rows(path):
                stream.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        try:
            try:
                reader = recognise(lines)
            except DataError:
                mapping = guess_mapping(lines, note=report)
                if mapping is None:
                    raise
                reader = table_format(mapping)
            yield from reader.read(lines, note=report)
        except DataError as error:
            raise DataError([rename(problem) for problem in error.problems]) from error


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
            yield {name: _records(value) if name in MESSAGES else value for name, value in row.items()}


def _records(value: object) -> object:
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


FORMAT = SimpleFormat(
    name="arrow",
    summary="Parquet files, and folders of the 'datasets' library, with rows as in JSON Lines.",
    recognise=lambda head: is_arrow(head.path),
    reader=_read,
)
