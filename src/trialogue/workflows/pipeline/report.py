"""Pipeline step ``report``: write the findings of any command to a folder, with scores if there are any."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from trialogue.findings import Findings
from trialogue.records import Preference, Reason, ReasonCode, Score, StoredParts, write_records
from trialogue.records.files.score_parquet import write_score_table
from trialogue.records.runs import run_draft
from trialogue.report.explorer.entries import Part
from trialogue.workflows.inputs.inputs import InputRecords
from trialogue.workflows.pipeline.run_scores import RunScores
from trialogue.workflows.pipeline.saved_results import COUNTS, PREFERENCES, SCORE_TABLE, SCORES
from trialogue.workflows.pipeline.system_facts import FaultsOfUsers

if TYPE_CHECKING:
    from trialogue.findings.agreement.records import AgreementFindings
    from trialogue.findings.judging.records import JudgingFindings
    from trialogue.findings.passport.records import PassportFindings
    from trialogue.findings.people.records import StudyFindings
    from trialogue.findings.realism.records import RealismFindings

_OtherFindings: TypeAlias = "AgreementFindings | RealismFindings | StudyFindings | JudgingFindings | PassportFindings"
AnyFindings: TypeAlias = "Findings | _OtherFindings"


def report(
    findings: "AnyFindings",
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
        findings: findings about systems, agreement with people, the realism of simulated users, their passport, a judge, or
            a study.
        folder: folder to write to.
        scores: scores of a run that later commands can read again. None: the findings have no scores of their own.
        preferences: people's votes, to be kept with the scores.
        counts: units, sums and counts, to be kept with the scores.
        parquet: whether scores of replies and dialogues are written as a Parquet table, and not as lines.
        material: records for the explorer beside the report of systems; None: there is none.
        faults: faults of their users.
        most_explored: rows above which there is no explorer, and the report says so; None: any number.
    """
    from trialogue.report.evaluation.write import write_report

    folder = Path(folder)
    if not isinstance(findings, Findings):
        return _write_others(findings, folder)
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


def _write_others(findings: "_OtherFindings", folder: Path) -> Path:
    """Write findings that are not of systems; their records and pages are imported only here."""
    from trialogue.findings.agreement.records import AgreementFindings
    from trialogue.findings.judging.records import JudgingFindings
    from trialogue.findings.passport.records import PassportFindings
    from trialogue.findings.realism.records import RealismFindings
    from trialogue.report import write_study_report
    from trialogue.report.agreement.document import write_agreement
    from trialogue.report.judging.document import judging_document
    from trialogue.report.passport.document import passport_document
    from trialogue.report.passport.realism import realism_document
    from trialogue.report.render.files import write_document

    match findings:
        case AgreementFindings():
            return write_agreement(findings, folder)
        case RealismFindings():
            return write_document(realism_document(findings), folder)
        case PassportFindings():
            return write_document(passport_document(findings), folder)
        case JudgingFindings():
            return write_document(judging_document(findings), folder)
        case _:
            return write_study_report(findings, folder)


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
