"""``trialogue run``: run an experiment file end to end."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import Explorer
from trialogue.cli.shared.progress import check_folder, exit_if_failed, find_modules_beside, steps
from trialogue.options import Help

if TYPE_CHECKING:
    from trialogue.findings import Findings


def run(
    experiment: Annotated[Path, typer.Argument(help="Experiment file in YAML (see the documentation).")],
    out: Annotated[Path | None, Help("Output folder (default: the folder named in the file).", ("--out", "-o"))] = None,
    dry_run: Annotated[bool, Help("Print the plan with estimated time and cost, and exit.")] = False,
    again: Annotated[list[str] | None, Help("Stage to rerun even if its output is cached (repeatable).")] = None,
    explorer: Explorer = True,
    as_json: bool = False,
) -> None:
    """Run an experiment end to end: simulate, label, score, rate, report. Unchanged stages are cached."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.evaluation.pages.write import text_table
    from trialogue.workflows.experiment import plan_steps, plan_text, protocol_text, read_experiment, run_experiment

    find_modules_beside(experiment)
    given = read_experiment(experiment)
    if out is not None:
        given = given.model_copy(update={"out": out})
    if dry_run:
        typer.echo("\n\n".join(filter(None, [plan_text(plan_steps(given)), protocol_text(given)])))
        return
    check_folder(given.out)
    with steps() as tell:
        done = run_experiment(given, again=tuple(again or ()), explorer=explorer, progress=tell)
        for warning in done.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(to_line(done.findings) if as_json else text_table(_in_short(done.findings)))
    typer.echo(f"\nReport: {done.report}", err=as_json)
    exit_if_failed(done.always_failed)


def _in_short(findings: "Findings") -> "Findings":
    """Measures for the terminal: people's, and the one that the answer rests on. The report has the others."""
    shown = [each for each in findings.leagues if each.measure.by == "people" or each.measure.name == findings.primary]
    return findings.model_copy(update={"leagues": tuple(shown)})
