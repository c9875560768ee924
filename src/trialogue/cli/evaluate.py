"""``trialogue evaluate``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.progress import check_folder, refuse_inputs_in, steps


class Family(StrEnum):
    """What is corrected together."""

    MEASURE = "measure"
    MEASURES = "measures"


def evaluate(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Corpora (see: trialogue data list), files in any known format, or SYSTEM=FILE."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report, scores and figures.")] = Path(
        "runs/evaluation"
    ),
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="A metric, such as 'distinct(n=2)@ratio'; may be repeated."),
    ] = None,
    all_variants: Annotated[
        list[str] | None,
        typer.Option("--all-variants", help="A metric to compute under every variant, to see whether ranks flip."),
    ] = None,
    catalogue: Annotated[
        str | None,
        typer.Option(help="Link item titles in replies to this catalogue: demo, a MovieLens corpus, or a file."),
    ] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that says which column is what, for tables.")] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Format of the files, where it is not to be recognised.")
    ] = None,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Keep metrics that are not made for the language of a system.")
    ] = False,
    title: Annotated[str | None, typer.Option(help="Heading of the report.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples and permutations.")] = 10_000,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level at which differences are called.")] = 0.05,
    family: Annotated[
        Family, typer.Option(help="Correct p-values over the pairs of systems of each measure, or of all together.")
    ] = Family.MEASURE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the answer.")] = False,
) -> None:
    """Which recommender is better, by how much, how sure: conversations in, one report out."""
    from trialogue.report import text_table
    from trialogue.workflows import evaluate as run_evaluation
    from trialogue.workflows.inputs.link import linking

    check_folder(out)
    refuse_inputs_in(out, inputs)
    with steps(quiet=quiet) as tell:
        run = run_evaluation(
            *inputs,
            metrics=metric,
            variants_of=all_variants or (),
            format_name=format_name,
            mapping=mapping,
            title=title,
            seed=seed,
            resamples=resamples,
            alpha=alpha,
            family=family.value,
            any_language=any_language,
            steps=[linking(catalogue)] if catalogue else (),
            progress=tell,
        )
        tell(f"writing {out}")
        page = run.write(out)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(text_table(run.findings))
    typer.echo(f"\nReport: {page}")
