"""``trialogue report``."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[Path, typer.Argument(help="Folder that 'trialogue evaluate' wrote.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Another folder; the run's own by default.")] = None,
) -> None:
    """Draw the report of a finished run again, from its findings.json."""
    from trialogue.report import read_findings, write_report

    typer.echo(f"Report: {write_report(read_findings(run), out or run)}")
