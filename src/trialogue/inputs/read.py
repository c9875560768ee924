"""Read records from any input: corpora by name, files, folders, study exports, tables."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from trialogue.datasets import AnyRecord
from trialogue.datasets.tables.mapping import Columns
from trialogue.inputs.inputs import sources_of
from trialogue.inputs.memory import Data, with_data_read
from trialogue.records.files.jsonl import Note, warn


def read(
    *given: str | Path | Data,
    references: Iterable[str | Sequence[str]] | None = None,
    contexts: Iterable[Any] | None = None,
    format_name: str | None = None,
    mapping: Columns | None = None,
    note: Note = warn,
) -> Iterator[AnyRecord]:
    """Read the records of corpora and files, one after another, as the commands do.

    Args:
        given: names of corpora, files, folders, or ``"SYSTEM=file"``; what is named twice is read once. Or data in
            memory, as ``evaluate`` takes them.
        references: what a person replied in each situation, or a list of several replies, where lists of replies are given.
        contexts: what was said before each reply, where lists of replies are given.
        format_name: format of the files; None: auto-detected.
        mapping: which column of a table is what, as fields or a YAML file that holds them; None: guessed from headings that
            leave no doubt, with a note of how.
        note: called with each repair.

    Raises:
        UsageError: nothing is there; UnknownNameError: a word that is neither a file nor a corpus.
        MissingDataError: a corpus that is not on this machine.
        DataError: a file contains errors; raised while reading, with all errors of the file together.

    >>> next(read("demo")).kind
    'dialogue'
    """
    sources = with_data_read(given, references=references, contexts=contexts, mapping=mapping)
    inputs = sources_of(sources, format_name=format_name, mapping=mapping)
    return chain.from_iterable(each.records(note) for each in inputs)
