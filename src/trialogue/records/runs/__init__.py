"""Runs: folders of results that are whole or absent.

A run's ``manifest.json`` seals every file of it by sha256 and size, and itself. ``run_draft`` is the one writer and
``open_run`` the one reader: what was not sealed, or was changed since, is refused.
"""

from trialogue.records.runs.placing import MANIFEST
from trialogue.records.runs.reading import StoredFiles, digests_of, is_run, open_run, writer_of
from trialogue.records.runs.writing import run_draft, seal_files, writes_run

__all__ = [
    "MANIFEST",
    "StoredFiles",
    "digests_of",
    "is_run",
    "open_run",
    "run_draft",
    "seal_files",
    "writer_of",
    "writes_run",
]
