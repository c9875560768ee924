"""Formats and corpora: their base classes, their registry, and detection of a file's format.

A *format* parses files into a stream of records; it is recognised by content, never by name alone. A *corpus* is a published
set of files in some format, with its address, checksum, licence, citation, counts and known defects; Trialogue
redistributes none of them. Formats and corpora are found through the entry points ``trialogue.formats`` and
``trialogue.corpora``, built-in and third-party alike.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files as resources
from pathlib import Path
from typing import Protocol, cast, runtime_checkable
from urllib.parse import quote

from pydantic import Field

from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.plugins import load, not_installed, plugins_of
from trialogue.records import Dialogue, Preference, Record, Response, Score, Situation
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import open_bytes, path_uncompressed

AnyRecord = Dialogue | Situation | Response | Score | Preference
"""Whatever a file of conversations, responses or judgements may hold."""

ZIP = "PK\x03\x04"
"""How a zip archive begins."""
HEAD_BYTES = 1 << 16  # enough to see the first record of every format we know


@dataclass(frozen=True)
class Head:
    """Beginning of a file, or names in a folder, from which formats are recognised."""

    path: Path

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def names(self) -> frozenset[str]:
        """Names in the folder; empty for a file."""
        return frozenset(entry.name for entry in self.path.iterdir()) if self.is_folder else frozenset()

    @cached_property
    def text(self) -> str:
        """First 64 KiB as text, decompressed, with undecodable bytes replaced; "" for a folder."""
        if self.is_folder:
            return ""
        try:
            with open_bytes(self.path) as stream:
                return stream.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")
        except (EOFError, zlib.error, OSError) as error:
            suffix = self.path.suffix
            raise DataError(
                Problem(f"the content is not {suffix}, or is cut off ({error}). Is it complete?", file=str(self.path))
            ) from error

    @cached_property
    def bare_suffix(self) -> str:
        """Suffix without compression, lower case: ``.json`` for ``x.json.gz``."""
        return path_uncompressed(self.path).suffix.lower()

    @cached_property
    def is_json_list(self) -> bool:
        """Whether it starts like a JSON list of objects, or of lists of them or of pairs."""
        return re.match(r"\s*\[\s*(\{|\]|\[\s*[\[{\"])", self.text) is not None

    @cached_property
    def is_json_object(self) -> bool:
        """Whether it starts like a JSON object (a JSON Lines file does, too)."""
        return re.match(r"\s*\{", self.text) is not None

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether the first line is an object by itself and another one follows: several records, not one document."""
        first, _, rest = self.text.lstrip().partition("\n")
        return first.startswith("{") and first.rstrip().endswith("}") and rest.lstrip().startswith("{")

    @cached_property
    def first_line(self) -> str:
        """First non-blank line; "" if there is none."""
        return next((line for line in self.text.splitlines() if line.strip()), "")

    def has_keys(self, *keys: str) -> bool:
        """Whether every key occurs in the head, quoted and followed by a colon."""
        return all(re.search(rf'"{re.escape(key)}"\s*:', self.text) for key in keys)


@runtime_checkable
class Format(Protocol):
    """Protocol for file formats. Modules that define ``FORMAT`` instances satisfy it."""

    @property
    def name(self) -> str:
        """Name on the command line, such as ``"dialoguekit"``."""
        ...

    @property
    def summary(self) -> str:
        """One-sentence description."""
        ...

    def recognises(self, head: Head) -> bool:
        """Whether a file or folder is in this format, judged by its content."""
        ...

    def read(self, path: Path, *, note: Note = warn) -> Iterator[AnyRecord]:
        """Read the records of a file or folder, in a stable order.

        Repairs and omissions are passed to ``note`` as a Problem with file, line and field.

        What is repaired or left out is reported to ``note`` as a Problem with file, line and field.

        Raises:
            DataError: with every mistake of the file at once.
        """
        ...


@dataclass(frozen=True)
class SimpleFormat:
    """Format built from two functions."""

    name: str
    summary: str
    recognise: Callable[[Head], bool]
    reader: Callable[[Path, Note], Iterator[AnyRecord]]
    folder_reader: Callable[[Path, Note], Iterator[AnyRecord]] | None = None
    """Reads a folder; None: the reader does."""
    tried: str = ""
    """What the reader was tried on, beside files made by hand; "": not stated."""

    def recognises(self, head: Head) -> bool:
        """Whether a file or folder is in this format."""
        return self.recognise(head)

    def read(self, path: Path, *, note: Note = warn) -> Iterator[AnyRecord]:
        """Read the records of a file or folder, in a stable order."""
        of_folder = self.folder_reader if self.folder_reader is not None and path.is_dir() else None
        return (of_folder or self.reader)(path, note)


class RemoteFile(Record):
    """One published file of a corpus."""

    path: str
    """Path below the corpus' folder, and in a local mirror below ``{mirror}/{corpus folder}``."""
    url: str
    """The publisher's own address, at a pinned revision."""
    sha256: str | None = None
    """Its checksum; None where we never held the file (then it is pinned on first download)."""
    member: str | None = None
    """Name inside the archive at ``url``, where the publisher ships an archive."""
    optional: bool = False
    """Whether the corpus can be read without it (splits that were not at hand when the reader was written)."""


class Source(Record):
    """Card of a corpus: origin, licence, citation and known defects."""

    name: str
    """Name on the command line, such as ``"crsarena-dial"``."""
    title: str
    """Name in prose, as messages and lists show it."""
    summary: str
    """Content, in one or two sentences."""
    folder: str
    """Folder below the data folder or the mirror."""
    homepage: str
    """Address of the publisher's page, which messages on missing files refer to."""
    revision: str
    """Pinned revision at the publisher."""
    files: tuple[RemoteFile, ...]
    """Files that ``trialogue data get`` downloads."""
    licence: str
    """The licence as the publisher states it; ``"none stated"`` where there is none."""
    citation: str
    """The paper to cite."""
    bibtex: str = ""
    """The same, as BibTeX."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Expected counts of a complete reading, such as ``{"dialogues": 474}``."""
    defects: tuple[str, ...] = ()
    """Known defects, printed once whenever the corpus is used."""


def card(name: str, file: str = "") -> Source:
    """Card of a corpus, from ``cards/FILE.yaml``, by default the file of its own name.

    ``address`` is what the ``files`` (each with its sha256, or null) and the ``optional`` ones lie below; with an
    ``archive``, the zip file that contains them in this folder.
    """
    import yaml

    given = yaml.safe_load((resources("trialogue.datasets") / "cards" / f"{file or name}.yaml").read_text("utf-8"))[
        name
    ]
    address, archive = given.pop("address", ""), given.pop("archive", None)
    found = [
        RemoteFile(
            path=path,
            url=address if archive else f"{address}/{quote(path)}",
            sha256=sha256,
            member=f"{archive}/{path}" if archive else None,
            optional=is_optional,
        )
        for is_optional, files in ((False, given.pop("files", {})), (True, given.pop("optional", {})))
        for path, sha256 in files.items()
    ]
    return Source(name=name, files=tuple(found), **given)


@dataclass(frozen=True)
class Corpus:
    """Published set of files, and the function that reads its folder into records."""

    source: Source
    reader: Callable[[Path, Note], Iterator[AnyRecord]] | None
    """Reads the corpus' folder; None for a catalogue of items (MovieLens), which is no stream of conversations."""

    def read(self, folder: Path, *, note: Note = warn) -> Iterator[AnyRecord]:
        """Read every record of the corpus, in a stable order."""
        if self.reader is None:
            raise DataError(
                Problem(
                    f"{self.source.title} contains items and ratings, but no conversations.",
                    file=str(folder),
                    hint="Use it as a catalogue, for example: --catalogue movielens",
                )
            )
        return self.reader(folder, note)


@dataclass
class Repairs:
    """``note`` callback that collects the readers' repairs for one summary."""

    problems: list[Problem] = field(default_factory=list)

    def __call__(self, problem: Problem) -> None:
        """Record one repair."""
        self.problems.append(problem)


FORMATS = "trialogue.formats"
CORPORA = "trialogue.corpora"
SHAPES = {
    "sharegpt": "trialogue.datasets.formats.openai_chat:SHAREGPT",
    "prediction-pairs": "trialogue.datasets.formats.prediction_pairs:FORMAT",
    "mturk": "trialogue.datasets.formats.mturk:FORMAT",
    "convokit": "trialogue.datasets.formats.convokit:FORMAT",
    "battles": "trialogue.datasets.formats.battles:FORMAT",
    "arrow": "trialogue.datasets.tables.format:ARROW",
    "zero-shot-crs-filtered": "trialogue.datasets.corpora.zero_shot_crs:FILTERED",
    "zero-shot-crs-unseen": "trialogue.datasets.corpora.zero_shot_crs:UNSEEN",
    "zero-shot-crs-filtered-unseen": "trialogue.datasets.corpora.zero_shot_crs:FILTERED_UNSEEN",
}
"""Formats of ours that are not declared as entry points: shapes that files of many sources have, and other readings of a
format, which are never recognised and have to be named."""


def format_names() -> list[str]:
    """Names of all formats."""
    return sorted({*plugins_of(FORMATS), *SHAPES})


def corpus_names() -> list[str]:
    """Names of all corpora."""
    return sorted(plugins_of(CORPORA))


def get_format(name: str) -> Format:
    """Get a format by name, or by ``"module:Name"``."""
    if name not in plugins_of(FORMATS) and ":" not in name and name not in SHAPES:
        own = f"For your own format, give 'module:Name', or register it as an entry point in {FORMATS!r}."
        raise UnknownNameError("format", name, format_names(), hint=not_installed(FORMATS, name) or own)
    return cast("Format", load(FORMATS, name if name in plugins_of(FORMATS) else SHAPES.get(name, name), kind="format"))


def get_corpus(name: str) -> Corpus:
    """Get a corpus by name, or by ``"module:Name"``."""
    return cast("Corpus", load(CORPORA, name, kind="corpus"))


def recognise(path: Path) -> Format:
    """Detect the format of a file or folder from its content.

    Raises:
        DataError: it does not exist, is empty, or is in no format or in several that we know.
    """
    head = Head(path)
    if not head.is_folder and not head.text.strip():
        raise DataError(Problem("this file is empty.", file=str(path), hint="Is the file complete?"))
    fitting = [fmt for fmt in map(get_format, format_names()) if fmt.recognises(head)]
    if not fitting and head.text.startswith(ZIP):
        what = "this is an Excel workbook or a zip archive, which Trialogue does not read."
        raise DataError(Problem(what, file=str(path), hint='In Excel: save as "CSV UTF-8".'))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(fmt.name for fmt in fitting)
        raise DataError(Problem(f"the format is ambiguous: {names}.", file=str(path), hint="Choose one with --format."))
    raise DataError(
        Problem(
            f"unknown format; known formats: {', '.join(format_names())}; the file begins {_describe_head(head)}.",
            file=str(path),
            hint=(
                "Name one with --format (see: trialogue list formats), or give a mapping of its columns or paths with "
                "--mapping (trialogue check FILE --map OUT.yaml proposes one)."
            ),
        )
    )


def _describe_head(head: Head, longest: int = 50) -> str:
    if head.is_folder:
        return "as a folder of " + (", ".join(sorted(head.names)[:4]) or "nothing")
    return repr(head.text.lstrip()[:longest])


def read(path: Path | str, *, format_name: str | None = None, note: Note = warn) -> Iterator[AnyRecord]:
    """Read the records of a file or folder, in the given or detected format."""
    path = Path(path)
    chosen = get_format(format_name) if format_name else recognise(path)
    return chosen.read(path, note=note)
