"""Print what a command found: as text or as JSON, with where it is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from trialogue.cli.shared.progress import StepProgress


def print_findings(
    findings: Any,
    show: Callable[[Any], Any],
    *,
    as_json: bool,
    tell: StepProgress | None = None,
    page: Path | None = None,
    name: str = "Page",
) -> None:
    """Print findings, their warnings as notes, and the path of their page; as JSON, the path goes to stderr.

    Args:
        findings: a record with warnings.
        show: makes a document of them, or a text.
        as_json: print the record.
        tell: prints the warnings; None: they are not printed.
        page: what was written; None: nothing.
        name: what it is called.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.render.media.terminal import document_text

    for warning in findings.warnings if tell is not None else ():
        tell.say(f"note: {warning}")  # type: ignore[union-attr]  # only with it is there a warning
    shown = to_line(findings) if as_json else show(findings)
    typer.echo(shown if isinstance(shown, str) else document_text(shown))
    if page is not None:
        typer.echo(f"\n{name}: {page}", err=as_json)


def print_repairs(repairs: Any, tell: StepProgress) -> None:
    """Print what was repaired while reading, as notes."""
    from trialogue.inputs.inputs import summarise_repairs

    for line in summarise_repairs(repairs.problems):
        tell.say(f"note: {line}")
