"""Inputs of an experiment: corpora and files by name, and tables with column mappings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from trialogue.datasets.tables.format import TableFormat, missing_columns
from trialogue.datasets.tables.mapping import Mapping as ColumnMapping
from trialogue.datasets.tables.mapping import load_mapping, mapping_mistakes
from trialogue.errors import DataError, Problem, TrialogueError
from trialogue.inputs.locations import Input, inputs_of, reader_of, resolve_location
from trialogue.records import JsonValue, Record
from trialogue.records.files.validation import Mistake, Place
from trialogue.simulation.relative_paths import resolve_path

Columns = str | dict[str, JsonValue]
"""Column mapping of a table: the fields themselves, or a YAML file with them."""


class InputFile(Record):
    """A file (or corpus) with reading options."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    file: str = Field(min_length=1)
    """The file, folder or corpus."""
    system: str | None = Field(default=None, min_length=1)
    """The system's name, in place of those in the file."""
    format: str | None = Field(default=None, min_length=1)
    """Its format; null: recognised by its content."""
    mapping: Columns | None = None
    """Column mapping of a table."""


def as_list(given: object) -> object:
    """Wrap a single input in a list."""
    return [given] if isinstance(given, str | dict) else given


Named = str | InputFile
"""An input: a name alone, or with reading options."""
Names = Annotated[tuple[Named, ...], BeforeValidator(as_list)]


@dataclass(frozen=True)
class NameContext:
    """Context for resolving the names in a file."""

    folder: Path = Path()
    """The folder of the file."""
    mapping: Columns | None = None
    """The mapping of tables that have none of their own and are in no format that is recognised."""

    def columns(self, given: Columns) -> ColumnMapping:
        """Column mapping, loaded from its file if necessary.

        Raises:
            DataError: it is none.
        """
        return load_mapping(resolve_path(self.folder, Path(given)) if isinstance(given, str) else given)

    def inputs(self, named: Named) -> list[Input]:
        """Inputs behind one name: the file, or those in a folder.

        Raises:
            TrialogueError: there is no such file, corpus, format or mapping.
        """
        entry = _entry(named)
        given = entry.mapping if entry.mapping is not None or entry.format is not None else self.mapping
        mapping = None if given is None else self.columns(given)
        found = inputs_of([resolve_location(entry.file, self.folder)], format_name=entry.format, mapping=mapping)
        return found if entry.system is None else [replace(each, system=entry.system) for each in found]

    def identity_of(self, named: Named) -> JsonValue:
        """Settings that determine the records behind a name, besides file content."""
        entry = _entry(named)
        mapping = entry.mapping if entry.mapping is not None else self.mapping
        if entry == InputFile(file=entry.file) and mapping is None:
            return entry.file
        return {**entry.to_json(), "mapping": None if mapping is None else self.columns(mapping).to_json()}

    def mistakes(self, given: object, place: Place) -> list[Mistake]:
        """Mistakes in one input; values of an invalid type are reported elsewhere."""
        try:
            entry = InputFile.model_validate({"file": given} if isinstance(given, str) else given)
        except ValueError:
            return []
        wrong = [] if entry.mapping is None else self.wrong_columns(entry.mapping, (*place, "mapping"))
        if wrong:
            entry = entry.model_copy(update={"mapping": None})
        try:
            inputs = self.inputs(entry)
        except TrialogueError as error:
            return [*wrong, Mistake(place, str(error))]
        return wrong or [Mistake(place, what) for each in inputs for what in _unreadable(each)]

    def wrong_columns(self, given: object, place: Place) -> list[Mistake]:
        """Mistakes in a mapping at a path."""
        if isinstance(given, Mapping):
            found = mapping_mistakes(given)
            return [Mistake((*place, *mistake.place), mistake.what, mistake.hint) for mistake in found]
        try:
            _ = isinstance(given, str) and self.columns(given)
        except TrialogueError as error:
            return [Mistake(place, str(error))]
        return []


def _entry(named: Named) -> InputFile:
    return InputFile(file=named) if isinstance(named, str) else named


def file_of(named: Named) -> str:
    """File, folder or corpus of an input, as written in the experiment file."""
    return _entry(named).file


def _unreadable(given: Input) -> list[str]:
    """Why a file that is there cannot be read, as far as its beginning tells."""
    if isinstance(given.reader, TableFormat):
        return [f"{given.path}: {what}" for what in missing_columns(given.path, given.reader.mapping)]
    try:
        _ = given.corpus or given.reader or reader_of(given.path, _ignore)
    except DataError as error:
        return [str(error)]
    return []


def _ignore(_problem: Problem) -> None:
    """Notes are printed when the file is read."""
