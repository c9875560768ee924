"""``trialogue report`` and ``rerun``: draw the report of a sealed run again, or run it again and compare."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.progress import steps
from trialogue.options import Help


class FigureFormat(StrEnum):
    """File format of figures."""

    PNG = "png"
    PDF = "pdf"


def report(
    run: Annotated[Path, typer.Argument(help="Folder written by 'trialogue evaluate'.")],
    out: Annotated[Path | None, Help("Output folder (default: the run's folder).", ("--out", "-o"))] = None,
    figures: Annotated[
        list[FigureFormat] | None, Help("Also write figures as png or pdf (repeatable); SVG is always written.")
    ] = None,
) -> None:
    """Rewrite the report of a finished run from its findings.json."""
    from trialogue.render.plots.base import FIGURE_FORMATS
    from trialogue.subjects.evaluation.pages.write import read_findings, write_report

    formats = [name for name in FIGURE_FORMATS if name in (figures or ())]
    typer.echo(f"Report: {write_report(read_findings(run), out or run, formats=formats)}")


def rerun(
    run: Annotated[Path, typer.Argument(help="Folder written by evaluate, align, compare, board, agree or judge.")],
    data: Annotated[
        list[Path] | None, Help("Input file of the run, or a folder that contains it (repeatable).")
    ] = None,
) -> None:
    """Repeat a finished run from its manifest, compare every file, and report differing numbers."""
    from trialogue.workflows.rerun.rerun import rerun as run_again

    with steps() as tell:
        found = run_again(run, data=data or (), progress=tell)
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    for each in found.differences:
        typer.echo(f"{each.name}: {each.what}")
    if found.differences:
        typer.echo(f"{len(found.differences)} files differ, {found.same} are the same.")
        raise typer.Exit(1)
    typer.echo(f"Reproduced: all {found.same} files are the same to the byte.")
