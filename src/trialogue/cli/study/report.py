"""``trialogue study report``: analyse an export and write the report."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Out
from trialogue.cli.shared.progress import steps
from trialogue.options import Help, Seed


def report(
    export: Annotated[Path, typer.Argument(help="Folder written by 'trialogue study export'.")],
    out: Out = Path("runs/study-report"),
    seed: Seed = 0,
    models: Annotated[bool, Help("Also fit ordinal mixed models, for a paper. Verdicts do not use them.")] = False,
) -> None:
    """Analyse a study's export: participants, agreement between raters, and which system is better."""
    from trialogue.subjects.people.commands.report import study_report

    with steps() as tell:
        path = study_report(export, out, seed=seed, models=models, progress=tell)
    typer.echo(f"Report: {path}")
