"""Registry of formats and corpora, and detection of a file's format."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from trialogue.datasets.base import ZIP, AnyRecord, Corpus, Format, Head
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.plugins import load, not_installed, plugins_of
from trialogue.records.files.jsonl import Note, warn

FORMATS = "trialogue.formats"
CORPORA = "trialogue.corpora"
SHAPES = {
    "sharegpt": "trialogue.datasets.formats.openai_chat:SHAREGPT",
    "prediction-pairs": "trialogue.datasets.formats.prediction_pairs:FORMAT",
    "mturk": "trialogue.datasets.formats.mturk:FORMAT",
    "convokit": "trialogue.datasets.formats.convokit:FORMAT",
    "battles": "trialogue.datasets.formats.battles:FORMAT",
    "arrow": "trialogue.datasets.tables.arrow:FORMAT",
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
                "Name one with --format (see: trialogue data formats), or give a mapping of its columns or paths with "
                "--mapping (trialogue data map FILE proposes one)."
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
