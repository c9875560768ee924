"""``trialogue reproduce``: published results beside our own."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import AsIn, Out, UserOptions, check_inputs
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.options import Help, Jobs, Resamples, Seed, Setting

if TYPE_CHECKING:
    from trialogue.simulation.batch.batch import Progress

app = App(help="Reproduce a paper's tables, and compare the numbers.")


@app.command("kdd2020")
def kdd2020(
    n: Annotated[int, Ge(1), Help("Number of dialogues of each simulator with each system.", ("-n",))] = 500,
    out: Out = Path("runs/kdd2020"),
    catalogue: Annotated[str | None, Help("Films with ratings (default: movielens-latest-small).")] = None,
    jobs: Jobs = 1,
    published: Annotated[bool, Help("Print only the published Tables 6 and 7, which need no data.")] = False,
    as_in: AsIn = None,
    user: UserOptions = None,
    seed: Seed = 0,
) -> None:
    """User simulation (KDD 2020): reproduce Tables 4 to 7, and explain why some numbers cannot be reproduced.

    An interrupted run in the output folder is resumed.
    """
    from trialogue.reproduce.kdd2020 import render_realism, render_tables, reproduce
    from trialogue.reproduce.kdd2020.runs import FILMS
    from trialogue.simulating.simulate import PrintedProgress

    if published:
        typer.echo(render_realism())
        return
    check_folder(out)
    options = {**({} if as_in is None else {"as": as_in}), **(user or {})}
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
        Path | None, Help("Folder with the released redial_evaluation_results_*.csv, for Table 5.")
    ] = None,
    pairs: Annotated[
        list[str] | None,
        Help("Files with situations, replies and people's preferences between replies, for Figure 3 (repeatable)."),
    ] = None,
    model: Annotated[str | None, Help("Folder of a strategy model (default: the bundled model).")] = None,
    out: Out = Path("runs/reproduction"),
    quick: Annotated[bool, Setting("Skip cross-validation, which takes minutes.")] = False,
    resamples: Resamples = 1_000,
    seed: Seed = 0,
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
