"""``trialogue board``: many runs on one board."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Decide, On, Systems
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Alpha, Help, Resamples, Seed, Title


def board(
    runs: Annotated[
        list[str],
        typer.Argument(help="Run folders, oldest first, or VERSION=FOLDER (folders of the same version are pooled)."),
    ],
    rows: Annotated[
        list[Path] | None,
        Help("File with results reported by others (JSON; repeatable; see: trialogue list schemas rows)."),
    ] = None,
    baseline: Annotated[
        str | None, Help("Version with which the others are compared in the history (default: no history).")
    ] = None,
    on: On = None,
    decide: Decide = None,
    system: Systems = None,
    out: Annotated[Path | None, Help("Folder for the page and the exports.", ("--out", "-o"))] = None,
    title: Title = "Board",
    alpha: Alpha = 0.05,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Compare many runs on a board, with a leaderboard of comparable rows and the history of versions."""
    from trialogue.subjects.board.commands.board import board as make_board
    from trialogue.subjects.board.pages.document import board_document

    if out is not None:
        check_folder(out)
    with steps() as tell:
        made = make_board(
            *runs, rows=rows or (), baseline=baseline, on=on or (), decide=decide, systems=system or (), title=title,
            alpha=alpha, seed=seed, resamples=resamples, progress=tell,
        )  # fmt: skip
        page = made.write(out) if out is not None else None
    print_findings(made.findings, board_document, as_json=as_json, page=page, name="Board")
