"""Run an experiment: its stages, and the combined report."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trialogue.analysis.saved_results import SCORES
from trialogue.analysis.stage_measures import FILE as MEASURED
from trialogue.analysis.system_facts import faults_of_users
from trialogue.findings import Findings
from trialogue.records import Dialogue, Preference, Record, Response, Score, ScoreBlock, Situation, read_records
from trialogue.records.files.dialogue_store import StoredDialogues
from trialogue.records.files.jsonl import parse_line, read_lines
from trialogue.records.files.opening import write_text
from trialogue.records.runs import open_run, run_draft
from trialogue.render.explorer.entries import Part
from trialogue.simulating.failed_agents import FailedAgent
from trialogue.workflows.experiment.combined_findings import join_findings
from trialogue.workflows.experiment.estimate.pace import StageDuration, append_measurements, read_measurements
from trialogue.workflows.experiment.estimate.total import REPORT, StageEstimate, megabytes, stage_estimates
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import Plan, Tell, Took
from trialogue.workflows.experiment.registration import register, registration_of
from trialogue.workflows.experiment.simulating import catalogue_of
from trialogue.workflows.experiment.stages import (
    ALIGN,
    PEOPLE,
    RECORDS,
    failed_agents_in,
    measured_name,
    plan_of,
    simulated_names,
)


def part_of_stage(records: Path, measured: Path, *, name: str, users: str | None, catalogue: str | None = None) -> Part:
    """The records of a stage, with their scores.

    Args:
        records: what the stage prepared.
        measured: the folder of the stage that measured it.
        name: what the explorer calls it.
        users: the kind of simulated users that the report's columns name.
        catalogue: of the items that the users' needs are about; None: unknown.
    """
    dialogues = StoredDialogues()
    situations: list[Situation] = []
    responses: list[Response] = []
    votes: list[Preference] = []
    for record in read_records(records, Dialogue, Situation, Response, Preference, Score):
        match record:
            case Dialogue():
                dialogues.append(record)
            case Situation():
                situations.append(record)
            case Response():
                responses.append(record)
            case Preference():
                votes.append(record)
    return Part(
        scores=_stored_scores(measured),
        name=name,
        users=users,
        dialogues=dialogues,
        situations=situations,
        responses=responses,
        preferences=votes,
        faults=faults_of_users(dialogues, catalogue),
    )


def _stored_scores(folder: Path) -> Iterator[Score | ScoreBlock]:
    """The scores of a run as its file holds them: blocks stay blocks, for single records of all units are many."""
    kinds: dict[str, type[Record]] = {
        Score.kind: Score,
        ScoreBlock.kind: ScoreBlock,
        Preference.kind: Preference,
    }
    for _, line in read_lines(folder / SCORES, opener=open_run(folder).open):
        record = parse_line(line, kinds)
        if isinstance(record, Score | ScoreBlock):
            yield record


@dataclass(frozen=True)
class ExperimentResult:
    """Result of an experiment."""

    findings: Findings
    """Findings of the report."""
    report: Path
    """Path of the report's page."""
    ran: tuple[str, ...]
    """Stages that were done now; the others were there."""
    always_failed: tuple[FailedAgent, ...] = ()
    """Agents that failed in every dialogue that was read, or in every one with some kind of simulated users."""


@dataclass(frozen=True)
class PlannedStage:
    """A planned stage."""

    name: str
    """The stage; the last step, ``report``, is none."""
    there: bool
    """Whether its output is there already and need not be done anew."""
    folder: Path
    """Path of its output."""
    size: str
    takes: StageEstimate | None = None
    """Estimated duration; None: already done."""


def plan_steps(experiment: Experiment) -> list[PlannedStage]:
    """Stages to run with their estimates, without running them or asking any agent."""
    experiment = registration_of(experiment).governs(experiment)
    plan = plan_of(experiment)
    folders = plan.folders()
    takes = stage_estimates(plan, experiment.study, read_measurements(plan.out / "stages"))
    steps = [
        PlannedStage(stage.name, stage.name not in takes, folders[stage.name], stage.size, takes.get(stage.name))
        for stage in plan.stages
    ]
    return [*steps, PlannedStage(REPORT, False, experiment.out, "", takes[REPORT])]


def run_experiment(
    experiment: Experiment, *, again: tuple[str, ...] = (), explorer: bool = True, progress: Tell | None = None
) -> ExperimentResult:
    """Run every unfinished stage, and write the report.

    A decision protocol is written before the first stage. The one that was written first decides (``registration``).

    An interrupted run loses at most the stage it was in (a simulation: nothing); the same call goes on from there.

    Args:
        experiment: what to do.
        again: stages to repeat even if their output exists, such as ``simulate`` after an agent behind a URL changed;
            those that need them follow.
        explorer: whether ``explorer.html`` is written beside the report, to look up single dialogues.
        progress: called with progress lines.

    Raises:
        UnknownNameError: ``again`` names no stage.
        DataError: as the stages do.
        UsageError: as the stages do.
    """
    from trialogue.subjects.evaluation.pages.write import write_report

    tell = progress or (lambda _line: None)
    registration = register(experiment)
    experiment = registration.governs(experiment)
    plan = plan_of(experiment)
    _forget(plan, again)
    took = _record_durations(experiment, plan)
    ran = plan.run(tell, took=took)
    tell("writing the report")
    start = time.perf_counter()
    findings = join_findings(experiment, plan, registration)
    explored = _explorer_parts(experiment, plan) if explorer else ()
    with run_draft(experiment.out, findings.manifest) as draft:
        write_stages(experiment, plan, draft)
        page = experiment.out / write_report(findings, draft, explored=explored).name
    done = ExperimentResult(findings, page, tuple(ran), _failed_agents(experiment, plan))
    took(REPORT, time.perf_counter() - start)
    return done


def _explorer_parts(experiment: Experiment, plan: Plan) -> list[Part]:
    """The conversations of every stage that was measured: people's, those of each kind of simulated users, replies."""
    folders = plan.folders()
    names = {PEOPLE: (PEOPLE, None)} if PEOPLE in folders else {}
    stages: dict[str, tuple[str, str | None]] = {
        **names,
        **{stage: (users, users) for users, stage in simulated_names(experiment).items()},
    }
    found = [
        part_of_stage(
            folders[stage] / RECORDS,
            folders[measured_name(stage)],
            name=name,
            users=users,
            catalogue=catalogue_of(experiment, users),
        )
        for stage, (name, users) in stages.items()
    ]
    if ALIGN in folders:
        found.append(part_of_stage(folders[ALIGN] / RECORDS, folders[ALIGN], name=ALIGN, users=None))
    return found


def _failed_agents(experiment: Experiment, plan: Plan) -> tuple[FailedAgent, ...]:
    folders = plan.folders()
    prepared = [*([PEOPLE] if PEOPLE in folders else []), *simulated_names(experiment).values()]
    return tuple(agent for name in prepared for agent in failed_agents_in(folders[name]))


def _record_durations(experiment: Experiment, plan: Plan) -> Took:
    """Keeps how long each stage took, for the estimates of later dry runs."""
    folder = plan.out / "stages"

    def took(name: str, seconds: float) -> None:
        sizes = megabytes(plan, experiment.study, read_measurements(folder))
        append_measurements(folder, [StageDuration(stage=name, megabytes=sizes[name], seconds=seconds)])

    return took


def _forget(plan: Plan, again: tuple[str, ...]) -> None:
    from trialogue.errors import UnknownNameError

    folders = plan.folders()
    for name in again:
        if name not in folders:
            raise UnknownNameError("stage", name, folders)
    plan.forget(again)


def write_stages(experiment: Experiment, plan: Plan, folder: Path) -> None:
    """Record the stages behind the report, with the seals of their runs, in the report's folder."""
    folders = plan.folders()
    users = {measured_name(prepared): users for users, prepared in simulated_names(experiment).items()}
    names = [name for name in (measured_name(PEOPLE), *users, ALIGN) if name in folders]
    stages = [
        {
            "stage": name,
            "folder": folders[name].relative_to(experiment.out).as_posix(),
            "users": users.get(name),
            "seal": open_run(folders[name]).manifest.seal,
        }
        for name in names
    ]
    write_text(folder / MEASURED, json.dumps(stages, ensure_ascii=False, indent=1) + "\n")
