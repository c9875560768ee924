"""Write the findings about systems to a folder, with scores if there are any."""

from collections.abc import Sequence
from pathlib import Path

from trialogue.analysis.infer import RunScores
from trialogue.analysis.saved_results import COUNTS, PREFERENCES, SCORE_TABLE, SCORES
from trialogue.analysis.system_facts import FaultsOfUsers
from trialogue.findings import Findings
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Preference, Reason, ReasonCode, Score, StoredParts, write_records
from trialogue.records.files.score_parquet import write_score_table
from trialogue.records.runs import run_draft
from trialogue.render.explorer.entries import Part


def report(
    findings: Findings,
    folder: Path | str,
    *,
    scores: Sequence[Score] | None = None,
    preferences: Sequence[Preference] = (),
    counts: Sequence[StoredParts] = (),
    parquet: bool = False,
    material: InputRecords | None = None,
    faults: FaultsOfUsers | None = None,
    most_explored: int | None = None,
) -> Path:
    """Write the page, findings, tables, figures and scores; returns the page's path.

    Args:
        findings: findings about systems.
        folder: folder to write to.
        scores: scores of a run that later commands can read again. None: the findings have no scores of their own.
        preferences: people's votes, to be kept with the scores.
        counts: units, sums and counts, to be kept with the scores.
        parquet: whether scores of replies and dialogues are written as a Parquet table, and not as lines.
        material: records for the explorer beside the report of systems; None: there is none.
        faults: faults of their users.
        most_explored: rows above which there is no explorer, and the report says so; None: any number.
    """
    from trialogue.subjects.evaluation.pages.write import write_report

    folder = Path(folder)
    parts = [] if material is None else [_part(material, scores or (), faults or {})]
    rows = sum(part.size for part in parts)
    if most_explored is not None and rows > most_explored:
        why = Reason.of(ReasonCode.TOO_MANY_ROWS_TO_EXPLORE, rows=rows, most=most_explored)
        findings, parts = findings.model_copy(update={"no_explorer": why}), []
    with run_draft(folder, findings.manifest) as draft:
        if scores is not None:
            _write_run(draft, scores, preferences, counts, parquet=parquet)
        page = write_report(findings, draft, explored=parts)
    return folder / page.name


def _part(material: InputRecords, scores: Sequence[Score], faults: FaultsOfUsers) -> Part:
    """The records of a run as the explorer lists them."""
    return Part(
        scores=scores.lines() if isinstance(scores, RunScores) else scores,
        dialogues=material.dialogues,
        situations=material.situations,
        responses=material.responses,
        preferences=material.preferences,
        faults=faults,
    )


def _write_run(
    folder: Path,
    scores: Sequence[Score],
    preferences: Sequence[Preference],
    counts: Sequence[StoredParts],
    *,
    parquet: bool,
) -> None:
    """Write the files that later commands read."""
    if parquet and isinstance(scores, RunScores):
        write_score_table(folder / SCORE_TABLE, scores.units)
        write_records(folder / SCORES, scores.others)
    else:
        write_records(folder / SCORES, scores.lines() if isinstance(scores, RunScores) else scores)
    for name, records in ((PREFERENCES, preferences), (COUNTS, counts)):
        if records:
            write_records(folder / name, records)
