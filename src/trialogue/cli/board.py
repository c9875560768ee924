"""``trialogue board``: many runs on one board."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Decide
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Alpha, Resamples, Seed, Title


def board(
    runs: Annotated[
        list[str] | None,
        typer.Argument(help="Run folders, oldest first, or VERSION=FOLDER (folders of the same version are pooled)."),
    ] = None,
    rows: Annotated[
        list[Path] | None,
        typer.Option("--rows", help="File with results reported by others (JSON; see --schema; repeatable)."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Version with which the other versions are compared in the history (default: no history)."),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option("--on", help="Measure to show, by name (repeatable). The first measure decides the answer."),
    ] = None,
    decide: Decide = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-s", help="System to show (repeatable; default: all).")
    ] = None,
    title: Title = "Board",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the page and the exports.")] = None,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of files for --rows.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Compare many runs on a board, with a leaderboard of comparable rows and the history of versions."""
    import json

    from trialogue.findings.board.reported import rows_schema
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.board.document import board_document
    from trialogue.report.render.terminal import document_text
    from trialogue.workflows.board.board import board as make_board

    if schema:
        typer.echo(json.dumps(rows_schema(), indent=2, ensure_ascii=False))
        return
    if not runs:
        raise UsageError("a board needs at least one run: give folders written by trialogue evaluate or run.")
    if out is not None:
        check_folder(out)
    with steps(quiet=quiet) as tell:
        made = make_board(
            *runs, rows=rows or (), baseline=baseline, on=on or (), decide=decide, systems=system or (), title=title,
            alpha=alpha, seed=seed, resamples=resamples, progress=tell,
        )  # fmt: skip
        page = made.write(out) if out is not None else None
    typer.echo(to_line(made.findings) if as_json else document_text(board_document(made.findings)))
    if page is not None:
        typer.echo(f"\nBoard: {page}", err=as_json)
