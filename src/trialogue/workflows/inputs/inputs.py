"""Resolve and read the inputs of a run, and collect their problems and warnings."""

import difflib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trialogue.datasets import AnyRecord, Format, Repairs, corpus_names, get_corpus, get_format, recognise
from trialogue.datasets.base import Corpus
from trialogue.datasets.formats.trialogue_jsonl import read_part
from trialogue.datasets.store import locate
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, MissingDataError, Problem, UnknownNameError, UsageError
from trialogue.languages import ENGLISH
from trialogue.records import Dialogue, Preference, Response, Score, Situation, sha256_of
from trialogue.records.files.dialogue_store import DialogueKeeper
from trialogue.records.files.jsonl import Note, Part
from trialogue.workflows.inputs.memory import Data, InMemory, in_memory, is_data
from trialogue.workflows.inputs.study_answers import STUDY_EXPORT, export_files
from trialogue.workflows.simulation.simulated_catalogue import catalogue_behind


@dataclass(repr=False)
class InputRecords:
    """All records that were read, by kind, in order."""

    dialogues: Sequence[Dialogue] = field(default_factory=list)
    """In memory, or in a temporary file if they are many."""
    situations: list[Situation] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    """sha256 by input file."""
    catalogue: str | None = None
    """Catalogue of the items that needs are about, as ``load_catalogue`` takes it; None: unknown."""
    warnings: list[str] = field(default_factory=list)
    """Repairs and known defects, for the report."""
    labels_made_for: tuple[str, ...] | None = ENGLISH
    """Languages of the model that labelled strategies where people did not; None: any. Files do not say: those of older
    models are of English."""

    def __repr__(self) -> str:
        kinds = ("dialogues", "situations", "responses", "scores", "preferences")
        return f"<Material: {', '.join(f'{len(getattr(self, kind))} {kind}' for kind in kinds)}>"

    def __bool__(self) -> bool:
        """Whether there is anything to evaluate."""
        return bool(self.dialogues or self.responses)


@dataclass(frozen=True)
class Input:
    """One input named by the user: a corpus or a file, optionally with a system name."""

    given: str
    path: Path
    corpus: Corpus | None = None
    reader: Format | None = None
    system: str | None = None

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
        return {prefix + path.relative_to(base).as_posix(): sha256_of(path) for path in self.files()}

    def records(self, note: Note, *, part: Part | None = None) -> Iterator[AnyRecord]:
        """Read its records; a system name given by the user overrides the file's.

        Args:
            note: called with each repair.
            part: some lines of a file of records; None: all.
        """
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


def resolve(given: str, *, format_name: str | None = None, mapping: Columns | None = None) -> Input:
    """Parse a command-line input: ``NAME``, ``FILE``, or ``SYSTEM=FILE``.

    Raises:
        UsageError: a path that leads to nothing; UnknownNameError: a word that is neither a file nor a corpus.
        MissingDataError: a corpus that is not on this machine.
    """
    path, reader = Path(given), _reader(format_name, mapping)
    if names_corpus(given):
        corpus = get_corpus(given)
        return Input(given, locate(corpus), corpus=corpus)
    if _exists(path):
        return Input(given, path, reader=reader)
    system, equals, rest = given.partition("=")
    if equals and _exists(Path(rest)):
        return Input(given, Path(rest), reader=reader, system=system)
    raise _not_there(rest if equals else given)


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

        if (folder / DIALOGUES).is_file():  # of a simulation: what else is there are its ledger and its manifest
            return [folder / DIALOGUES]
        if (folder / LEDGER).is_file():
            hint = "Run the same trialogue simulate command again to resume it."
            raise DataError(Problem("this simulation is not finished.", str(folder), hint=hint)) from None
        endings = [path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._"]
        return sorted(path for path in endings if set(path.suffixes) & set(DATA))
    return []


def records_of(given: str, note: Note) -> Iterator[AnyRecord]:
    """Read the records of one input, including all files of a folder."""
    for name in expand_folders([given]):
        yield from resolve(name).records(note)


def _reader(format_name: str | None, mapping: Columns | None) -> Format | None:
    """The reader that the user asked for; None: to be recognised."""
    if mapping is not None:
        from trialogue.datasets.tables.format import table_format

        return table_format(mapping)
    return get_format(format_name) if format_name else None


def reader_of(path: Path, note: Note) -> Format:
    """Format of a file; study exports are known by their files, tables by their headings, which is reported."""
    from trialogue.datasets.tables.format import guess_mapping, table_format

    if export_files(path):
        return STUDY_EXPORT
    try:
        return recognise(path)
    except DataError:
        mapping = guess_mapping(path, note=note) if path.is_file() else None
        if mapping is None:
            raise
        return table_format(mapping)


def inputs_of(
    given: Iterable[str | Path | Input], *, format_name: str | None = None, mapping: Columns | None = None
) -> list[Input]:
    """Distinct inputs, with folders expanded; arguments as for ``gather``."""
    found: list[Input] = []
    for one in given:
        inputs = [one] if isinstance(one, Input) else []
        if not isinstance(one, Input):
            names = expand_folders([str(one)], format_name=format_name)
            inputs = [resolve(name, format_name=format_name, mapping=mapping) for name in names]
        found += [each for each in inputs if each not in found]
    return found


def sources_of(
    given: Iterable[str | Path | Input | InMemory | Data],
    *,
    format_name: str | None = None,
    mapping: Columns | None = None,
) -> list[Input | InMemory]:
    """Distinct inputs, and in-memory data; arguments as for ``gather``."""
    found: list[Input | InMemory] = []
    for one in given:
        if isinstance(one, InMemory):
            found.append(one)
        elif isinstance(one, str | Path | Input):
            inputs = inputs_of([one], format_name=format_name, mapping=mapping)
            found += [each for each in inputs if each not in found]
        elif is_data(one):
            found.append(in_memory(one, mapping=mapping))
        else:
            raise UsageError(f"expected files, corpora or data, got {type(one).__name__}.")
    return found


def gather(
    given: Sequence[str | Path | Input | InMemory | Data],
    *,
    format_name: str | None = None,
    mapping: Columns | None = None,
) -> InputRecords:
    """Read all inputs.

    Args:
        given: corpora, files, ``"SYSTEM=file"``, what these were resolved to, or data in memory (``inputs.memory``);
            one that is named twice is read once.
        format_name: format of the files, if it is not to be auto-detected.
        mapping: which column of a table is what, as fields or a YAML file that holds them.

    Raises:
        DataError: a file cannot be read, nothing was found in it, or ids clash; every mistake of a file at once.
    """
    material = InputRecords()
    repairs = Repairs()
    keeper = DialogueKeeper()
    origin: dict[str | None, dict[str, str]] = {}
    places: dict[str, dict[str, None]] = {}
    clashes: list[Problem] = []
    read = sources_of(given, format_name=format_name, mapping=mapping)
    for item in read:
        before = _count(material, keeper)
        earlier = len(repairs.problems)
        for record in item.records(repairs):
            if isinstance(record, Dialogue | Response) and record.system is not None:
                places.setdefault(record.system, {})[item.given] = None
            if isinstance(record, Dialogue):
                keeper.add(record)
                clashes.extend(_clash(origin, record, item.given))
            else:
                _add(material, record)
        if _count(material, keeper) == before:
            why = "\n".join(summarise_repairs(repairs.problems[earlier:]))
            raise DataError(Problem("it contains nothing to evaluate.", file=item.given), hint=why)
        material.hashes.update(_with_own_names(item.digests(), material.hashes))
        if item.corpus is not None:
            material.warnings.extend(f"{item.corpus.source.title}: {text}" for text in item.corpus.source.defects)
    if clashes:
        raise DataError(clashes, hint="Ids must be unique within a system. To keep two versions apart: NAME=FILE.")
    material.dialogues = keeper.dialogues
    material.catalogue = catalogue_behind(each.path for each in read if isinstance(each, Input))
    material.situations = list(_each_once(material.situations))
    material.warnings.extend(_in_several(places))
    material.warnings.extend(summarise_repairs(repairs.problems))
    return material


def _each_once(situations: Iterable[Situation]) -> Iterator[Situation]:
    """Without duplicates: files of several systems may each contain the situations. Those that differ are reported later."""
    known: dict[str, Situation] = {}
    for situation in situations:
        if situation.id not in known or known[situation.id] != situation:
            yield situation
        known.setdefault(situation.id, situation)


def _in_several(places: dict[str, dict[str, None]]) -> list[str]:
    """A line for each system that several inputs hold: perhaps two versions that were meant to stay apart."""
    return [
        f"{system} is in {', '.join(found)}: treated as one system. To keep versions apart: NAME=FILE."
        for system, found in sorted(places.items())
        if len(found) > 1
    ]


def _count(material: InputRecords, keeper: DialogueKeeper) -> int:
    of_replies = len(material.situations) + len(material.responses) + len(material.preferences)
    return len(keeper.dialogues) + of_replies + len(material.scores)


def _add(material: InputRecords, record: AnyRecord) -> None:
    match record:
        case Situation():
            material.situations.append(record)
        case Response():
            material.responses.append(record)
        case Score():
            material.scores.append(record)
        case Preference():
            material.preferences.append(record)


def _clash(origin: dict[str | None, dict[str, str]], dialogue: Dialogue, given: str) -> Iterator[Problem]:
    own = origin.setdefault(dialogue.system, {})
    if (first := own.get(dialogue.id)) is not None:
        where = "twice" if first == given else f"in {first} as well"
        yield Problem(f"dialogue {dialogue.id!r} of system {dialogue.system!r} occurs {where}.", file=given)
    own.setdefault(dialogue.id, given)


def _with_own_names(digests: dict[str, str], taken: dict[str, str]) -> dict[str, str]:
    """Checksums under names that no other input has."""
    hashes: dict[str, str] = {}
    for given, digest in digests.items():
        name = given
        while name in taken or name in hashes:
            name += "'"
        hashes[name] = digest
    return hashes


def summarise_repairs(problems: Iterable[Problem], most: int = 12) -> list[str]:
    """Repairs as sentences: repeated repairs of one file once, with their count."""
    counts = Counter((Path(problem.file).name, problem.what, problem.hint) for problem in problems)
    sentences = [
        (f"{file}: " if file else "") + what + (f" ({count} times)" if count > 1 else "") + (f" {hint}" if hint else "")
        for (file, what, hint), count in counts.items()
    ]
    if len(sentences) > most:
        sentences = [*sentences[:most], f"... and {len(sentences) - most} more kinds of repair."]
    return sentences
