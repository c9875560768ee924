"""Parquet files and folders of the library ``datasets``, with rows of any shape supported in JSON Lines (extra ``parquet``).

Rows are read as if they were lines of JSON: conversations in a chat format, ShareGPT's, prediction/reference pairs,
Trialogue's records, or a table whose headings are unambiguous. Line numbers in messages are row numbers.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.json_documents import bare_stem
from trialogue.datasets.tables.arrow_rows import arrow_rows, is_arrow
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import Note


def _recognise(head: Head) -> bool:
    return is_arrow(head.path)


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


FORMAT = SimpleFormat(
    name="arrow",
    summary="Parquet files, and folders of the 'datasets' library, with rows as in JSON Lines.",
    recognise=_recognise,
    reader=_read,
)
