"""``trialogue reproduce``: published results beside our own."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trialogue.cli.shared.app import App, reads
from trialogue.cli.shared.inputs import AsIn, Out, UserOptions, check_inputs
from trialogue.cli.shared.parameters import Call, Calls
from trialogue.cli.shared.progress import check_folder, steps

if TYPE_CHECKING:
    from trialogue.reproduce.behavior_alignment.paper_tables import Reproduction as AlignmentTables
    from trialogue.reproduce.kdd2020.cells import Reproduction
    from trialogue.simulation.batch.batch import Progress

app = App(help="Reproduce a paper's tables, and compare the numbers.")


@app.command("kdd2020")
@reads(run=Calls("reproduce.kdd2020.tables.reproduce", options="n catalogue jobs", settings="seed"))
def kdd2020(
    *,
    run: "Call[Reproduction]",
    out: Out = Path("runs/kdd2020"),
    published: bool = False,
    as_in: AsIn = None,
    user: UserOptions = None,
) -> None:
    """User simulation (KDD 2020): reproduce Tables 4 to 7, and explain why some numbers cannot be reproduced.

    An interrupted run in the output folder is resumed.

    Args:
        published: Print only the published Tables 6 and 7, which need no data.
    """
    from trialogue.reproduce.kdd2020 import render_realism, render_tables
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

        found = run(out, progress=progress, options=options)
    typer.echo(render_tables(found))
    typer.echo(f"\nTables and dialogues: {out}")


@app.command("behavior-alignment")
@reads(
    run=Calls(
        "reproduce.behavior_alignment.run.reproduce", options="predictions pairs model", settings="quick resamples seed"
    )
)
def behavior_alignment(*, run: "Call[AlignmentTables]", out: Out = Path("runs/reproduction")) -> None:
    """Behavior Alignment (SIGIR 2024): reproduce the paper's tables, and explain why some numbers cannot be reproduced."""
    from trialogue.reproduce.behavior_alignment.paper_tables import as_text, paper_tables

    check_folder(out)
    given = run.given
    check_inputs(given.get("pairs", ()), model=given.get("model"), files=(given.get("predictions"),))
    with steps() as tell:
        found = run(progress=tell)
        page = found.write(out)
    width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 140)
    for table in paper_tables(found.rows):
        typer.echo(f"\n{as_text(table, width=width)}")
    typer.echo(f"\nTables: {page}")
