"""What an input that somebody names is: a corpus, a file or a folder, its format, and its system's name."""

import difflib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from trialogue.datasets import AnyRecord, Format, corpus_names, get_corpus, get_format, recognise
from trialogue.datasets.base import Corpus, Head
from trialogue.datasets.door.admission import Admission
from trialogue.datasets.formats.trialogue_jsonl import read_part
from trialogue.datasets.store import locate
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, MissingDataError, Problem, UnknownNameError, UsageError
from trialogue.inputs.study_answers import STUDY_EXPORT, export_files
from trialogue.records import Dialogue, Response
from trialogue.records.files.jsonl import Note, Part
from trialogue.records.files.opening import copy_of, files_at, is_remote, path_to_read
from trialogue.records.runs import MANIFEST, digests_of, is_run, writer_of

if TYPE_CHECKING:
    from trialogue.datasets.tables.scores import ScoreTable

T = TypeVar("T")


@dataclass(frozen=True)
class Input:
    """One input named by the user: a corpus or a file, optionally with a system name."""

    given: str
    path: Path
    corpus: Corpus | None = None
    reader: Format | None = None
    system: str | None = None
    url: str | None = None
    """Its address in an object store, of which ``path`` is a copy; None: it is on this machine."""

    def __str__(self) -> str:
        """As it was given, for messages."""
        return self.given

    @property
    def default_system(self) -> str:
        """Name of a system that the file does not name: the user's, or the file's."""
        return self.system or self.path.name.split(".")[0]

    def files(self) -> list[Path]:
        """Files of the input, in a stable order."""
        if self.corpus is not None and self.corpus.source.files:
            return [path for file in self.corpus.source.files if (path := self.path / file.path).is_file()]
        if self.path.is_dir():
            return sorted(path for path in self.path.rglob("*") if path.is_file() and path.name[0] not in "._")
        return export_files(self.path) or [self.path]

    def digests(self) -> dict[str, str]:
        """sha256 of its files, under location-independent names."""
        base = self.path if self.path.is_dir() else self.path.parent
        prefix = f"{self.corpus.source.name}/" if self.corpus else ""
        digests = digests_of(self.files())
        return {prefix + path.relative_to(base).as_posix(): digest for path, digest in digests.items()}

    def lines(self) -> int | None:
        """How many lines of JSON it has, each as a rule a record; None: it is something else, or compressed."""
        files = [] if self.corpus is not None else self.files()
        if not files or any(path.suffix not in (".jsonl", ".ndjson") for path in files):
            return None
        return sum(_lines_in(path) for path in files)

    def records(self, note: Note, *, part: Part | None = None) -> Iterator[AnyRecord]:
        """Read its records; a system name given by the user overrides the file's.

        Args:
            note: called with each repair.
            part: some lines of a file of records; None: all.
        """
        admission = Admission(str(self.path))
        yield from self.with_address(lambda tell: admission.all(self._as_read(tell, part), tell), note)

    def with_address(self, read: Callable[[Note], Iterator[T]], note: Note) -> Iterator[T]:
        """What is read, with mistakes and repairs under the address of the file in its store, and not under its copy's."""
        if (url := self.url) is None:
            yield from read(note)
            return
        try:
            yield from read(lambda each: note(replace(each, file=url)))
        except DataError as error:
            raise DataError([replace(each, file=url) for each in error.problems]) from error

    def score_table(self, note: Note) -> "ScoreTable | None":
        """The table of scores that a file is; None if it is something else."""
        from trialogue.datasets.tables.scores import ScoreTableFormat

        if self.corpus is not None or not self.path.is_file() or self.path.suffix not in TABLES:
            return None
        try:
            reader = self.reader or reader_of(self.path, lambda _: None)
        except DataError:
            return None
        return reader.table(self.path, note) if isinstance(reader, ScoreTableFormat) else None

    def _as_read(self, note: Note, part: Part | None) -> Iterator[AnyRecord]:
        if self.corpus is not None:
            yield from self.corpus.read(self.path, note=note)
            return
        reader = self.reader or reader_of(self.path, note)
        records = reader.read(self.path, note=note) if part is None else read_part(self.path, part, note)
        for record in records:
            yield name_system(record, self.system, self.default_system)


def name_system(record: AnyRecord, given: str | None, fallback: str) -> AnyRecord:
    """The record with the system's name given by the user; else its own; else, of a dialogue, a fallback."""
    if isinstance(record, Dialogue) and (given or record.system is None):
        return record.model_copy(update={"system": given or fallback})
    if isinstance(record, Response) and given:
        return record.model_copy(update={"system": given})
    return record


def _lines_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


STDIN = "/dev/stdin"

Named: TypeAlias = str | Path | Input
"""An input by its name, or resolved already (with a mapping of its columns)."""


def resolve(given: Named, *, format_name: str | None = None, mapping: Columns | None = None) -> Input:
    """Parse a command-line input: ``NAME``, ``FILE``, or ``SYSTEM=FILE``; what was resolved already stays as it is.

    ``-`` is what is piped in. A pipe is copied when it is resolved first, since it is read more than once.

    A mapping reads files that have its columns, and files in no known format; others are read in theirs.

    Raises:
        UsageError: a path that leads to nothing; UnknownNameError: a word that is neither a file nor a corpus.
        MissingDataError: a corpus that is not on this machine.
    """
    if isinstance(given, Input):
        return given
    given = str(given)
    asked = _reader_asked_for(format_name, mapping)
    if names_corpus(given):
        corpus = get_corpus(given)
        return Input(given, locate(corpus), corpus=corpus)
    system, equals, rest = given.partition("=")
    for text, name in ((given, None), (rest, system)) if equals else ((given, None),):
        if is_remote(text):
            path = copy_of(text)
            return Input(given, path, reader=_reader(path, asked), system=name, url=text)
        if _exists(path := Path(STDIN if text == "-" else text)):
            path = path_to_read(path)
            return Input(given, path, reader=_reader(path, asked), system=name)
    raise _not_there(rest if equals else given)


def _refuse_run(given: str) -> None:
    """Refuse results where conversations are read.

    Raises:
        UsageError: the path is the folder of a run.
    """
    path = next((Path(text) for text in (given, given.partition("=")[2]) if text and _exists(Path(text))), None)
    if path is None or not path.is_dir():
        return
    if is_run(path, "findings.json"):
        raise UsageError(
            f"{path} holds the results of a run, not conversations. Give the conversations that the run evaluated, or read "
            "the run with trialogue report, compare, board or agree."
        )
    if (command := writer_of(path)) is not None:
        raise UsageError(
            f"{path} holds the results of trialogue {command}, not conversations. Give the conversations that it read; give "
            "its scores or votes as files beside them."
        )


def resolve_location(given: str, folder: Path) -> str:
    """Resolve paths in an input relative to a folder; corpus names are unchanged.

    >>> resolve_location("mine=talks.jsonl", Path("study")), resolve_location("demo", Path("study"))
    ('mine=study/talks.jsonl', 'demo')
    """
    if folder == Path() or (given in corpus_names() and not _exists(folder / given)):
        return given
    system, equals, rest = given.partition("=")
    if equals and not _exists(folder / given):
        return f"{system}={folder / rest}"
    return str(folder / given) if _exists(folder / given) or _names_a_path(given) else given


def _names_a_path(given: str) -> bool:
    """Whether a text that is no file can only have been meant as one: it has a folder, or the ending of data."""
    return bool({os.sep, os.altsep} & set(given) or set(Path(given).suffixes) & {*DATA, ".gz", ".zst"})


def _not_there(given: str) -> UsageError:
    """Error for an unknown input: for a path, similar files there; for a word, the available corpora."""
    path = Path(given)
    if not _names_a_path(given):
        return UnknownNameError("file or corpus", given, corpus_names(), hint="Or give the path of a file.")
    near = difflib.get_close_matches(path.name, _names_in(path.parent), n=1)
    guess = f" Did you mean {path.parent / near[0]}?" if near else ""
    return UsageError(f"{given}: no such file or folder.{guess}")


def _names_in(folder: Path) -> list[str]:
    """Names in a folder; [] if it is inaccessible or not a folder."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except (OSError, ValueError):
        return []


def _exists(path: Path) -> bool:
    """Whether there is such a file or folder; a text too long for a path names none."""
    try:
        return path.exists()
    except OSError:
        return False


def names_corpus(given: str) -> bool:
    """Whether an input is a corpus: no file has this name, or only a folder and the corpus is on this machine."""
    if given not in corpus_names() or Path(given).is_file():
        return False
    if not Path(given).is_dir():
        return True
    try:
        locate(get_corpus(given))
    except MissingDataError:
        return False
    return True


TABLES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
"""Endings of tables."""
DATA = (".jsonl", ".json", ".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".arrow")
"""Endings of files that hold conversations."""


def expand_folders(given: Iterable[str], *, format_name: str | None = None) -> list[str]:
    """Inputs with folders of single files replaced by these files, in order of name.

    A folder that is in a known format as a whole stays as it is. Of a folder that ``trialogue simulate`` wrote, only the
    dialogues are taken.

    Raises:
        DataError: a folder holds a simulation that is not finished.
    """
    found = []
    for one in given:
        system, equals, rest = one.partition("=")
        path = Path(one) if _exists(Path(one)) or not equals else Path(rest)
        prefix = f"{system}=" if equals and not _exists(Path(one)) else ""
        if remote := next((text for text in (one, rest) if is_remote(text)), None):
            found += [f"{'' if remote == one else prefix}{url}" for url in files_at(remote, DATA)]
            continue
        inside = (
            _files_in(path) if _exists(path) and path.is_dir() and format_name is None and not names_corpus(one) else []
        )
        found += [f"{prefix}{file}" for file in inside] or [one]
    return found


def _files_in(folder: Path) -> list[Path]:
    """The files to read one by one; [] if the folder is to be read as a whole."""
    if export_files(folder):
        return []
    try:
        recognise(folder)
    except DataError:
        from trialogue.simulation.batch.folder import DIALOGUES, LEDGER

        is_whole = (folder / MANIFEST).is_file() or not (folder / LEDGER).is_file()
        if (folder / DIALOGUES).is_file() and is_whole:  # a simulation; beside them are its ledger and its manifest
            return [folder / DIALOGUES]
        if (folder / LEDGER).is_file():
            hint = "Run the same trialogue simulate command again to resume it."
            raise DataError(Problem("this simulation is not finished.", str(folder), hint=hint)) from None
        endings = [path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._"]
        return sorted(path for path in endings if set(path.suffixes) & set(DATA))
    return []


def records_of(given: Named, note: Note) -> Iterator[AnyRecord]:
    """Read the records of one input, including all files of a folder."""
    for each in inputs_of([given]):
        yield from each.records(note)


def _reader_asked_for(format_name: str | None, mapping: Columns | None) -> Format | None:
    """The reader that the user asked for; None: to be recognised."""
    if mapping is not None:
        from trialogue.datasets.tables.format import table_format

        return table_format(mapping)
    return get_format(format_name) if format_name else None


def _reader(path: Path, asked: Format | None) -> Format | None:
    """The reader of an input: a mapping is not of a file or folder without its columns that is in a known format."""
    from trialogue.datasets.tables.format import TableFormat

    is_other = isinstance(asked, TableFormat) and not asked.recognises(Head(path)) and _is_known(path)
    return None if is_other else asked


def _is_known(path: Path) -> bool:
    """Whether a file is in a known format, or a study's export."""
    try:
        return bool(export_files(path)) or bool(recognise(path))
    except DataError:
        return False


def reader_of(path: Path, note: Note) -> Format:
    """Format of a file; study exports are known by their files, tables by their headings, which is reported."""
    from trialogue.datasets.tables.format import guess_mapping, table_format, unknown_fields
    from trialogue.datasets.tables.scores import score_table_format

    if export_files(path):
        return STUDY_EXPORT
    try:
        return recognise(path)
    except DataError:
        mapping = guess_mapping(path, note=note) if path.is_file() else None
        if mapping is not None:
            return table_format(mapping)
        scores = score_table_format(path) if path.is_file() else None
        if scores is not None:
            return scores
        unknown = unknown_fields(path) if path.is_file() else None
        if unknown is None:
            raise
        raise DataError(unknown) from None


def inputs_of(given: Iterable[Named], *, format_name: str | None = None, mapping: Columns | None = None) -> list[Input]:
    """Distinct inputs, with folders expanded; arguments as for ``gather``."""
    found: list[Input] = []
    for one in given:
        inputs = [one] if isinstance(one, Input) else []
        if not isinstance(one, Input):
            _refuse_run(str(one))
            names = expand_folders([str(one)], format_name=format_name)
            inputs = [resolve(name, format_name=format_name, mapping=mapping) for name in names]
        found += [each for each in inputs if each not in found]
    return found
