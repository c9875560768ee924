"""Doing an experiment: its stages, and the one report about all of them."""

from dataclasses import dataclass
from pathlib import Path

from trialogue.evaluation.experiment.file import Experiment
from trialogue.evaluation.experiment.graph import Plan, Tell
from trialogue.evaluation.experiment.joined import joined
from trialogue.evaluation.experiment.stages import plan_of
from trialogue.metaeval import Findings


@dataclass(frozen=True)
class Done:
    """What an experiment came to."""

    findings: Findings
    """What the report shows."""
    report: Path
    """The report."""
    ran: tuple[str, ...]
    """Stages that were done now; the others were there."""


@dataclass(frozen=True)
class Step:
    """A stage that is planned."""

    name: str
    """The stage."""
    there: bool
    """Whether its output is there already."""
    folder: Path
    """Where its output is, or will be."""
    size: str
    """How much work it is."""


def planned(experiment: Experiment) -> list[Step]:
    """What running an experiment would do, without doing it."""
    plan = plan_of(experiment)
    folders = plan.folders()
    return [Step(stage.name, plan.is_done(stage), folders[stage.name], stage.size) for stage in plan.stages]


def run_experiment(experiment: Experiment, *, again: tuple[str, ...] = (), progress: Tell | None = None) -> Done:
    """Do every stage that is not done, and write the report.

    An interrupted run loses at most the stage it was in (a simulation: nothing); the same call goes on from there.

    Args:
        experiment: what to do.
        again: stages to do anew even if their output is there, such as ``simulate`` after an agent behind a URL changed;
            those that need them follow.
        progress: called with a line now and then.

    Raises:
        UnknownNameError: ``again`` names no stage.
        DataError: as the stages do.
        UsageError: as the stages do.
    """
    from trialogue.report import write_report

    tell = progress or (lambda _line: None)
    plan = plan_of(experiment)
    _forget(plan, again)
    ran = plan.run(tell)
    tell("writing the report")
    findings = joined(experiment, plan)
    return Done(findings, write_report(findings, experiment.out), tuple(ran))


def _forget(plan: Plan, again: tuple[str, ...]) -> None:
    from trialogue.errors import UnknownNameError

    folders = plan.folders()
    for name in again:
        if name not in folders:
            raise UnknownNameError("stage", name, folders)
    plan.forget(again)
