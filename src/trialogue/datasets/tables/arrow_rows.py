"""Iterate over rows of Arrow data: Parquet files, and folders written by the library ``datasets`` (``save_to_disk``)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem
from trialogue.extras import need

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
