"""``trialogue reproduce``: published results beside our own."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import check_inputs
from trialogue.cli.shared.options import AS_HELP, named_values
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.options import Jobs, Resamples, Seed

if TYPE_CHECKING:
    from trialogue.simulation.batch.batch import Progress

app = App(help="Reproduce a paper's tables, and compare the numbers.", no_args_is_help=True)


@app.callback()
def _papers() -> None:
    """Reproduce a paper's tables, and compare the numbers."""


@app.command("kdd2020")
def kdd2020(
    source: Annotated[str | None, typer.Option("--as", help=AS_HELP)] = None,
    user_option: Annotated[
        list[str] | None,
        typer.Option(help="Option of the users as NAME=VALUE, such as stop=released (repeatable)."),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of dialogues of each simulator with each system.")] = 500,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output folder. An interrupted run in this folder is resumed.")
    ] = Path("runs/kdd2020"),
    catalogue: Annotated[str | None, typer.Option(help="Films with ratings (default: movielens-latest-small).")] = None,
    jobs: Jobs = 1,
    seed: Seed = 0,
    tables: Annotated[
        bool, typer.Option("--published", help="Print only the published Tables 6 and 7, which need no data.")
    ] = False,
) -> None:
    """User simulation (KDD 2020): reproduce Tables 4 to 7, and explain why some numbers cannot be reproduced."""
    from trialogue.reproduce.kdd2020 import render_realism, render_tables, reproduce
    from trialogue.reproduce.kdd2020.runs import FILMS
    from trialogue.workflows.simulation.simulate import PrintedProgress

    if tables:
        typer.echo(render_realism())
        return
    check_folder(out)
    options = {**({} if source is None else {"as": source}), **named_values("--user-option", user_option or [])}
    with steps() as tell:
        tellers: dict[str, PrintedProgress] = {}

        def progress(letter: str, now: "Progress") -> None:
            tellers.setdefault(letter, PrintedProgress(tell, f"dialogues with {letter}"))(now)

        found = reproduce(
            out, n=n, seed=seed, catalogue=catalogue or FILMS, jobs=jobs, progress=progress, options=options
        )
    typer.echo(render_tables(found))
    typer.echo(f"\nTables and dialogues: {out}")


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
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder for tables and figures.")] = Path(
        "runs/reproduction"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Skip cross-validation, which takes minutes.")] = False,
    seed: Seed = 0,
    resamples: Resamples = 1_000,
) -> None:
    """Behavior Alignment (SIGIR 2024): reproduce the paper's tables, and explain why some numbers cannot be reproduced."""
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
