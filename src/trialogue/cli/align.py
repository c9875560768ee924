"""``trialogue align``."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.talk import check_folder, steps


def align(
    situations: Annotated[
        list[str],
        typer.Option("--situations", "-s", help="Situations with references: files or corpora; may be repeated."),
    ],
    responses: Annotated[
        list[str] | None, typer.Argument(help="Files of the systems' replies (none: they are among the situations).")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report and scores.")] = Path(
        "runs/alignment"
    ),
    model: Annotated[
        str | None, typer.Option(help="Folder of a model of strategies; the bundled one by default.")
    ] = None,
    floors: Annotated[bool, typer.Option(help="Put recommenders that do not listen beside the systems.")] = True,
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Other metrics; may be repeated.")] = None,
    weights_from: Annotated[
        list[str] | None,
        typer.Option(help="Labelled dialogues of people: also weigh each place by how foreseeable people are there."),
    ] = None,
    weights_t: Annotated[int, typer.Option(min=0, help="Behaviors that the weights look back on.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples and permutations.")] = 10_000,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the answer.")] = False,
) -> None:
    """Do systems use the strategies that human recommenders used in the same situations?"""
    from trialogue.evaluation.align import align as run_alignment
    from trialogue.report import text_table

    check_folder(out)
    with steps(quiet=quiet) as tell:
        run = run_alignment(
            situations,
            responses or (),
            model=model,
            floors=floors,
            metrics=metric,
            weights_from=weights_from or (),
            weights_t=weights_t,
            seed=seed,
            resamples=resamples,
            progress=tell,
        )
        page = run.write(out)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(text_table(run.findings))
    typer.echo(f"\nReport: {page}")
