"""``trialogue reproduce``: published results beside our own."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import check_inputs
from trialogue.cli.shared.progress import check_folder, steps

app = typer.Typer(help="Reproduce the tables of a paper and compare the numbers.", no_args_is_help=True)


@app.callback()
def _papers() -> None:
    """Reproduce the tables of a paper and compare the numbers."""


@app.command("behavior-alignment")
def behavior_alignment(
    predictions: Annotated[
        Path | None, typer.Option(help="Folder with the released redial_evaluation_results_*.csv, for Table 5.")
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            help=("Files with situations, replies and people's preferences between replies, for Figure 3 (repeatable).")
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Folder of a strategy model (default: the bundled model).")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for tables and figures.")] = Path(
        "runs/reproduction"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Skip cross-validation, which takes minutes.")] = False,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 1_000,
) -> None:
    """Behavior Alignment (SIGIR 2024): each of the paper's numbers next to ours, or why it cannot be reproduced."""
    from trialogue.reproduce.behavior_alignment import reproduce
    from trialogue.reproduce.behavior_alignment.paper_tables import as_text, paper_tables

    check_folder(out)
    check_inputs(pairs or (), model=model, files=(predictions,))
    with steps() as tell:
        found = reproduce(
            predictions, pairs=pairs or (), model=model, seed=seed, resamples=resamples, quick=quick, progress=tell
        )
        page = found.write(out)
    width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 140)
    for table in paper_tables(found.rows):
        typer.echo(f"\n{as_text(table, width=width)}")
    typer.echo(f"\nTables: {page}")
