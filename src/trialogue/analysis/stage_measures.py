"""Combined measurements of an experiment's stages, for comparing two experiments.

The report of an experiment shows measures of several stages side by side; their scores are in the stages' folders. A file
beside the report lists these stages, because folders of earlier versions of the experiment may remain.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trialogue.analysis.saved_results import FINDINGS, SCORES, StoredRun, findings_of, read_counts
from trialogue.errors import DataError, Problem
from trialogue.findings import Findings
from trialogue.records import MeasuredUnits, Score, StoredParts
from trialogue.records.runs import StoredFiles, open_run

FILE = "measured.json"


@dataclass(frozen=True)
class MeasuredStage:
    """A stage whose measures are in the report."""

    stage: str
    folder: str
    """Its folder, relative to that of the report."""
    users: str | None = None
    """The kind of simulated users whose dialogues it measured; None: people, or replies to given situations."""
    seal: str | None = None
    """That of its run."""


def is_experiment(folder: Path) -> bool:
    """Whether ``trialogue run`` wrote a report into a folder."""
    try:
        return (folder / FILE).is_file()
    except OSError:  # a text too long for a path
        return False


def experiment_run(folder: Path) -> StoredRun:
    """Measurements of an experiment as one run: scores of its stages under their report columns.

    Raises:
        DataError: a stage's folder is missing or damaged.
    """
    report = open_run(folder)
    scores: dict[str, list[Score]] = {}
    counts: list[StoredParts] = []
    inputs = {FINDINGS: report.hashes[FINDINGS]}
    for stage in _stages(report):
        stored = _stage_run(folder, stage)
        columns = _columns(findings_of(stored), stage.users)
        scores |= _scores_by_column(stored, columns)
        for each in read_counts(stored):
            if isinstance(each, MeasuredUnits):
                counts.append(each)
            elif each.measure in columns:
                counts.append(each.model_copy(update={"measure": columns[each.measure]}))
        inputs[f"{stage.stage}/{SCORES}"] = stored.hashes[SCORES]
    every = [score for column in scores.values() for score in column]
    return StoredRun(folder.resolve().name, findings_of(report), every, inputs=inputs, counts=counts)


def _stage_run(folder: Path, stage: MeasuredStage) -> StoredFiles:
    """The run of a stage, which is the one that the report is of.

    Raises:
        DataError: it is missing, changed, or another one.
    """
    path, hint = folder / stage.folder, "Run the experiment again: trialogue run repeats only what is missing."
    try:
        stored = open_run(path)
    except DataError as error:
        raise DataError(error.problems, hint=hint) from error
    if stored.manifest.seal != stage.seal or SCORES not in stored:
        what = f"the report is of another run of this stage: expected seal {stage.seal}, found {stored.manifest.seal}."
        raise DataError(Problem(what, str(path), hint=hint))
    return stored


def _columns(findings: Findings, users: str | None) -> dict[str, str]:
    """The column of the report that each measure of a stage is in."""
    measures = [league.measure for league in findings.leagues]
    return {each.name: each.name if users is None else each.with_simulated(users).name for each in measures}


def _scores_by_column(stored: StoredFiles, columns: Mapping[str, str]) -> dict[str, list[Score]]:
    """The scores of a stage by the column of the report that they are in, and under its name."""
    found: dict[str, list[Score]] = {}
    for score in stored.records(SCORES, Score):
        if (column := columns.get(score.measure)) is not None:
            found.setdefault(column, []).append(score.model_copy(update={"measure": column}))
    return found


def compared_stages(folders: Iterable[Path]) -> list[str]:
    """Note on the stages compared between experiments; [] if no folder belongs to one."""
    names = [stage.stage for folder in folders if is_experiment(folder) for stage in _stages(open_run(folder))]
    return [f"Compared: the measures of the stages {', '.join(dict.fromkeys(names))}."] if names else []


def _stages(report: StoredFiles) -> list[MeasuredStage]:
    """The stages that an experiment's report is of."""
    return [MeasuredStage(**fields) for fields in json.loads(report.read(FILE))]
