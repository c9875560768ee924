"""``trialogue study report``."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.progress import steps


def report(
    export: Annotated[Path, typer.Argument(help="Folder that 'trialogue study export' wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report.")] = Path("runs/study-report"),
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """Who took part, how well they agree, and which system is better: from a study's export."""
    from trialogue.workflows.study.report import study_report

    with steps() as tell:
        path = study_report(export, out, seed=seed, progress=tell)
    typer.echo(f"Report: {path}")
