"""``trialogue check``: audit data, submissions and runs, without measuring anything."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.progress import steps


def check(
    inputs: Annotated[list[str], typer.Argument(help="Corpora, files, SYSTEM=FILE, or folders of runs.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")] = False,
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that maps the columns of a table.")] = None,
    catalogue: Annotated[
        str | None, typer.Option(help="Corpus or file of items, to report ranked items that are missing from it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Check data for unrecorded failures, copies, missing ratings and wrong rankings, and runs for changed files.

    Exit code 0: no findings; 1: findings; 2: unreadable data, or a changed run.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.workflows.check import check as check_inputs

    with steps(quiet=quiet):
        found = check_inputs(*inputs, mapping=mapping, format_name=format_name, catalogue=catalogue)
    for each in found:
        typer.echo(to_line(each) if as_json else each.text)
    if not found and not as_json:
        typer.echo("Nothing found.")
    if found:
        raise typer.Exit(1)
