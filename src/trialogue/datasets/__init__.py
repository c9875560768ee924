"""Corpora and file formats, one module each, read into records. Known defects are repaired and counted, never ignored."""

from trialogue.datasets.base import (
    AnyRecord,
    Corpus,
    Format,
    Head,
    RemoteFile,
    Repairs,
    SimpleFormat,
    Source,
    corpus_names,
    format_names,
    get_corpus,
    get_format,
    read,
    recognise,
)
from trialogue.datasets.json_documents import ParseReport
from trialogue.records.files.jsonl import Note

__all__ = [
    "AnyRecord",
    "Corpus",
    "Format",
    "Head",
    "Note",
    "ParseReport",
    "RemoteFile",
    "Repairs",
    "SimpleFormat",
    "Source",
    "corpus_names",
    "format_names",
    "get_corpus",
    "get_format",
    "read",
    "recognise",
]
