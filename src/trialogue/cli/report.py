"""``trialogue report``: render a report from saved findings."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[Path, typer.Argument(help="Folder written by 'trialogue evaluate'.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output folder (default: the run's folder).")] = None,
) -> None:
    """Write the report of a finished run again, from its findings.json."""
    from trialogue.report import read_findings, write_report

    typer.echo(f"Report: {write_report(read_findings(run), out or run)}")
