"""Corpora and formats: one module each turns its files into records, tolerant of known defects, silent about none."""

from trialogue.datasets.base import AnyRecord, Corpus, Format, Head, RemoteFile, Repairs, SimpleFormat, Source
from trialogue.datasets.registry import corpus_names, format_names, get_corpus, get_format, read, recognise

__all__ = [
    "AnyRecord",
    "Corpus",
    "Format",
    "Head",
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
