"""Read the results that the report step saved in a run folder.

``agree`` and ``compare`` start from them, so that nothing is measured twice and scores are read in one way only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from trialogue.errors import DataError, Problem
from trialogue.findings import Findings
from trialogue.records import (
    DistinctCounts,
    MeasuredUnits,
    MeasureSums,
    Preference,
    Record,
    Score,
    StoredParts,
    read_records,
)
from trialogue.records.files.opening import is_file
from trialogue.records.files.score_parquet import read_score_table
from trialogue.records.runs import MANIFEST, StoredFiles, digests_of, is_run, open_run

SCORES, PREFERENCES, FINDINGS = "scores.jsonl", "preferences.jsonl", "findings.json"
COUNTS = "counts.jsonl"
SCORE_TABLE = "scores.parquet"
"""Scores of replies and dialogues, where a run was asked to write them so; else they are among the others."""
OF_RUN = (SCORES, SCORE_TABLE, PREFERENCES, COUNTS, FINDINGS)
"""What later commands read."""


@dataclass(frozen=True)
class StoredRun:
    """Scores with their findings."""

    name: str
    """Name: that of the folder, or the title of a run in memory."""
    findings: Findings | None
    """Findings; None if a folder holds scores only."""
    scores: Sequence[Score]
    preferences: Sequence[Preference] = ()
    """People's votes."""
    inputs: dict[str, str] = field(default_factory=dict)
    """sha256 of the inputs."""
    counts: Sequence[StoredParts] = ()
    """Units, sums and counts, for comparisons with other runs; () if there are none."""

    @property
    def concluded(self) -> Findings:
        """Findings of a run, which every folder with ``holds_run`` has."""
        assert self.findings is not None
        return self.findings


class Storable(Protocol):
    """A run in memory."""

    def to_stored(self) -> StoredRun:
        """The run as ``read_run`` would load it from a folder."""


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a report step's output, or what is left of one; False for texts too long for a path."""
    return is_file(folder / FINDINGS) or is_run(folder, FINDINGS)


def read_run(folder: Path) -> StoredRun:
    """Read the output of ``evaluate`` or ``align`` in a folder, or a folder of scores alone.

    Raises:
        DataError: there are no scores, or the run is not what was sealed.
        MissingExtraError: scores are a Parquet table, and pyarrow is not installed.
    """
    if not holds_run(folder) and not is_file(folder / MANIFEST):
        return _read_scores(folder)
    stored = open_run(folder)
    if SCORES not in stored:
        hint = "A folder written by trialogue evaluate has one; evaluate again."
        raise DataError(Problem(f"the run has no {SCORES}.", file=str(folder / SCORES), hint=hint))
    _refuse_strangers(stored)
    scores, votes = _by_kind(stored.records(SCORES, Score, Preference))
    if SCORE_TABLE in stored:
        scores += read_score_table(folder / SCORE_TABLE, opener=stored.open_seekable)
    votes += stored.records(PREFERENCES, Preference)
    hashes = {name: stored.hashes[name] for name in OF_RUN if name in stored}
    return StoredRun(folder.resolve().name, findings_of(stored), scores, votes, hashes, read_counts(stored))


def read_counts(stored: StoredFiles) -> tuple[StoredParts, ...]:
    """Units, sums and counts of a run."""
    return tuple(stored.records(COUNTS, DistinctCounts, MeasuredUnits, MeasureSums))


def findings_of(stored: StoredFiles) -> Findings:
    """Findings of a run."""
    return stored.record(FINDINGS, Findings, again="trialogue evaluate")


def _refuse_strangers(stored: StoredFiles) -> None:
    """Refuse files with names of a run's that are not of this one: they would be taken for its own.

    Raises:
        DataError: there are some.
    """
    strange = [name for name in OF_RUN if name not in stored and is_file(stored.folder / name)]
    if strange:
        hint = "Remove it, or evaluate again."
        what = "this file does not belong to the run: its manifest does not name it."
        raise DataError([Problem(what, str(stored.folder / name), hint=hint) for name in strange])


def _read_scores(folder: Path) -> StoredRun:
    """Scores that are no run, such as those of ``trialogue score``."""
    path = folder / SCORES
    if not path.is_file():
        hint = f"Create them first: trialogue evaluate DATA --out {folder}"
        raise DataError(Problem(f"there is no {SCORES} here.", file=str(folder), hint=hint))
    found = digests_of(folder / name for name in (SCORES, PREFERENCES) if is_file(folder / name))
    scores, votes = _by_kind(record for file in found for record in read_records(file, Score, Preference))
    return StoredRun(folder.resolve().name, None, scores, votes, {file.name: digest for file, digest in found.items()})


def _by_kind(records: Iterable[Record]) -> tuple[list[Score], list[Preference]]:
    found = list(records)
    return [each for each in found if isinstance(each, Score)], [each for each in found if isinstance(each, Preference)]
