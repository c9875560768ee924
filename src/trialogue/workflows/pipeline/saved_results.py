"""Read the results that the report step saved in a run folder.

``agree`` and ``compare`` start from them, so that nothing is measured twice and scores are read in one way only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.findings import Findings
from trialogue.records import (
    DistinctCounts,
    MeasuredUnits,
    MeasureSums,
    Preference,
    Score,
    StoredParts,
    read_records,
    sha256_of,
)
from trialogue.records.files.score_parquet import read_score_table

SCORES, PREFERENCES, FINDINGS = "scores.jsonl", "preferences.jsonl", "findings.json"
COUNTS = "counts.jsonl"
"""Runs of earlier versions have none."""
SCORE_TABLE = "scores.parquet"
"""Scores of replies and dialogues, where a run was asked to write them so; else they are among the others."""


@dataclass(frozen=True)
class StoredRun:
    """Scores with their findings."""

    name: str
    """Name: that of the folder, or the title of a run in memory."""
    findings: Findings | None
    """Findings; None if a folder holds scores only."""
    scores: Sequence[Score]
    """Every score."""
    preferences: Sequence[Preference] = ()
    """People's votes."""
    inputs: dict[str, str] = field(default_factory=dict)
    """sha256 of the inputs."""
    counts: Sequence[StoredParts] = ()
    """Units, sums and counts, for comparisons with other runs; () in runs of earlier versions."""

    @property
    def concluded(self) -> Findings:
        """Findings of a run, which every folder with ``holds_run`` has."""
        assert self.findings is not None
        return self.findings


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a report step's output; False for texts too long for a path."""
    try:
        return folder.is_dir() and (folder / FINDINGS).exists()
    except OSError:
        return False


def read_run(folder: Path) -> StoredRun:
    """Read the output of ``evaluate`` or ``align`` in a folder.

    Raises:
        DataError: there are no scores, or a file is damaged.
        MissingExtraError: scores are a Parquet table, and pyarrow is not installed.
    """
    path = folder / SCORES
    if not path.is_file() and holds_run(folder):
        hint = "A folder written by trialogue evaluate has one; evaluate again."
        raise DataError(Problem("the folder has findings but no scores.", file=str(path), hint=hint))
    if not path.is_file():
        hint = f"Create them first: trialogue evaluate DATA --out {folder}"
        raise DataError(Problem(f"there is no {SCORES} here.", file=str(folder), hint=hint))
    records = list(read_records(path, Score, Preference))
    scores = [record for record in records if isinstance(record, Score)]
    votes = [record for record in records if isinstance(record, Preference)]
    table = folder / SCORE_TABLE
    if table.is_file():
        scores += read_score_table(table)
    beside = folder / PREFERENCES
    if beside.is_file():
        votes += read_records(beside, Preference)
    read = [each for each in (path, table, beside, folder / COUNTS) if each.is_file()]
    hashes = {each.name: sha256_of(each) for each in read}
    return StoredRun(folder.resolve().name, _findings_in(folder), scores, votes, hashes, read_counts(folder))


def read_counts(folder: Path) -> tuple[StoredParts, ...]:
    """Read the units, sums and counts of a run.

    Raises:
        DataError: the file is damaged.
    """
    path = folder / COUNTS
    return tuple(read_records(path, DistinctCounts, MeasuredUnits, MeasureSums)) if path.is_file() else ()


def _findings_in(folder: Path) -> Findings | None:
    from trialogue.report import read_findings

    return read_findings(folder) if (folder / FINDINGS).exists() else None
