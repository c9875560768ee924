"""Read inputs with a mapping of their columns, and find the mapping with which a file is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from trialogue.analysis.saved_results import holds_run
from trialogue.datasets import AnyRecord, Repairs, recognise
from trialogue.datasets.base import Format
from trialogue.datasets.tables.format import Proposal, proposal, table_format
from trialogue.datasets.tables.mapping import Columns, load_mapping
from trialogue.datasets.tables.scores import score_table_format
from trialogue.errors import DataError
from trialogue.inputs.locations import Input, inputs_of
from trialogue.inputs.study_answers import export_files

Given = TypeVar("Given")


def with_mapping(given: Sequence[Given], mapping: Columns | None) -> list[Given | Input]:
    """Inputs in which names of files are resolved, to be read with a mapping; without one, as they are.

    Folders of runs, and what is no name, stay as they are.

    Args:
        given: names of corpora, files and folders, or anything else that is an input.
        mapping: which column is what.

    Raises:
        DataError: with every mistake of the mapping.
        UsageError: a path that leads to nothing.
    """
    if mapping is None:
        return list(given)
    columns = load_mapping(mapping)
    found: list[Given | Input] = []
    for each in given:
        is_name = isinstance(each, str | Path) and not holds_run(Path(each))
        found += inputs_of([str(each)], mapping=columns) if is_name else [each]
    return found


@dataclass(frozen=True)
class FileMapping:
    """How a file is read."""

    format_name: str | None
    """Its format; None if it is a table or nested JSON, which needs a mapping."""
    proposal: Proposal | None
    """The mapping; None for a file in a known format that no mapping reads in the same way."""


def mapping_of(path: Path) -> FileMapping:
    """How a file is read: its mapping; of a file in a known format, one that gives the same records, if there is one.

    Raises:
        DataError: there is no such file, or it is empty.
    """
    try:
        known = recognise(path)
    except DataError:
        if export_files(path):
            return FileMapping("study", None)
        found = proposal(path)
        scores = None if found.is_sure else score_table_format(path)
        return FileMapping(None, found) if scores is None else FileMapping(scores.name, None)
    if known.name == "arrow":
        return FileMapping(None, proposal(path))
    found = proposal(path)
    records = _read(path, known)
    if records is None:  # it looks like this format, and is another one
        return FileMapping(None, found)
    mapped = None if found.mapping is None or not found.is_sure else _read(path, table_format(found.mapping))
    return FileMapping(known.name, found if records == mapped else None)


def _read(path: Path, reader: Format) -> list[AnyRecord] | None:
    """The records of a file; None if it cannot be read in this way."""
    try:
        return list(Input(str(path), path, reader=reader).records(Repairs()))
    except DataError:
        return None
