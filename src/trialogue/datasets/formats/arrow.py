"""Parquet and Arrow files, and folders of the ``datasets`` library: their rows are read as lines of JSON."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from trialogue.datasets.base import AnyRecord, SimpleFormat, recognise
from trialogue.datasets.json_documents import bare_stem
from trialogue.datasets.tables.format import guess_mapping, table_format
from trialogue.datasets.tables.rows import arrow_rows, is_arrow
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import Note


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
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
    recognise=lambda head: is_arrow(head.path),
    reader=_read,
)
