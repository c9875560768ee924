"""``trialogue reproduce``: a paper's numbers beside ours."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import check_inputs
from trialogue.cli.shared.progress import check_folder, steps

app = typer.Typer(help="A paper's tables beside ours, as far as the data here allow.", no_args_is_help=True)


@app.callback()
def _papers() -> None:
    """A paper's tables beside ours, as far as the data here allow."""


@app.command("behavior-alignment")
def behavior_alignment(
    predictions: Annotated[
        Path | None, typer.Option(help="Folder of the released redial_evaluation_results_*.csv, for Table 5.")
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            help="Files with situations, replies and preferences between them, for Figure 3; may be repeated."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Folder of a model of strategies; the bundled one by default.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for tables and figures.")] = Path(
        "runs/reproduction"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Leave out cross-validation, which takes minutes.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 1_000,
) -> None:
    """Behavior Alignment (SIGIR 2024): every number, whether it can be reproduced, and why not."""
    from trialogue.reproduce.behavior_alignment import reproduce
    from trialogue.reproduce.behavior_alignment.rows import STATUS, bare, written

    check_folder(out)
    check_inputs(pairs or (), model=model, files=(predictions,))
    with steps() as tell:
        found = reproduce(
            predictions, pairs=pairs or (), model=model, seed=seed, resamples=resamples, quick=quick, progress=tell
        )
        page = found.write(out)
    part = None
    for row in found.rows:
        if row.part != part:
            part = row.part
            typer.echo(f"\n{part}")
        typer.echo(f"  {row.what} ({row.on}): paper {bare(row.paper)}, ours {written(row.ours)}; {STATUS[row.status]}")
        if row.status in ("not here", "impossible") and row.why:
            typer.echo(f"    {row.why}")
    typer.echo(f"\nTables: {page}")
