"""``trialogue evaluate``: compare systems on their conversations."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Decide
from trialogue.cli.shared.progress import check_folder, refuse_inputs_in, steps
from trialogue.options import Alpha, AnyLanguage, CatalogueDate, Cluster, Jobs, Resamples, Seed, Title


class Family(StrEnum):
    """Scope of the correction."""

    QUESTIONS = "questions"
    MEASURE = "measure"
    MEASURES = "measures"


class ScoreFormat(StrEnum):
    """File format of unit scores."""

    JSONL = "jsonl"
    PARQUET = "parquet"


def evaluate(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Corpora (see: trialogue data list), files in a supported format, or SYSTEM=FILE."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report, scores and figures.")] = Path(
        "runs/evaluation"
    ),
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="A metric, such as 'distinct(n=2)@ratio' (repeatable)."),
    ] = None,
    all_variants: Annotated[
        list[str] | None,
        typer.Option(
            "--all-variants",
            help="Compute all variants of this metric, to see whether the ranking changes (repeatable).",
        ),
    ] = None,
    catalogue: Annotated[
        str | None,
        typer.Option(help="Link item titles in replies to this catalogue: demo, a MovieLens corpus, or a file."),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help=(
                "List of real items (text, CSV or JSON Lines), to separate real titles outside the "
                "catalogue from unrecognised ones."
            )
        ),
    ] = None,
    catalogue_date: CatalogueDate | None = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that maps the columns of a table.")] = None,
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Origin of the ratings: person, model, program or unknown (default: as stated in the data)."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="Id column that joins a table of scores to the conversations (default: auto-detect)."),
    ] = None,
    chances: Annotated[
        Path | None,
        typer.Option(help="Label plan that records how the rated units were drawn (trialogue judge plan)."),
    ] = None,
    any_language: AnyLanguage = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact", help="Replace e-mail addresses, telephone, card and account numbers (needs the extra redact)."
        ),
    ] = False,
    without_texts: Annotated[
        bool, typer.Option("--without-texts", help="Write no text of a dialogue, so that the report can be shared.")
    ] = False,
    title: Title | None = None,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    alpha: Alpha = 0.05,
    family: Annotated[
        Family,
        typer.Option(
            help="Correct p-values across the pairs of systems of each measure, also across people's questions, or across "
            "all measures together."
        ),
    ] = Family.QUESTIONS,
    decide: Decide = None,
    scores: Annotated[
        ScoreFormat,
        typer.Option(help="File format for the scores of replies and dialogues. parquet needs the extra 'parquet'."),
    ] = ScoreFormat.JSONL,
    explorer: Annotated[
        bool | None,
        typer.Option(
            "--explorer/--no-explorer",
            help="Write explorer.html, a page to browse dialogues (default: only for up to 100,000 dialogues).",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = 1,
    cluster: Cluster | None = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Find out which recommender is better, by how much, and how certain that is; write one report."""
    from trialogue.records.files.score_parquet import require_parquet
    from trialogue.report import text_table
    from trialogue.workflows.evaluation import evaluate as run_evaluation

    if scores is ScoreFormat.PARQUET:
        require_parquet()
    check_folder(out)
    refuse_inputs_in(out, inputs)
    with steps(quiet=quiet) as tell:
        run = run_evaluation(
            *inputs,
            metrics=metric,
            all_variants=all_variants or (),
            format_name=format_name,
            mapping=mapping,
            origin=origin,
            key=key,
            chances=chances,
            title=title,
            seed=seed,
            resamples=resamples,
            alpha=alpha,
            family=family.value,
            decide=decide,
            any_language=any_language,
            redact=redact,
            without_texts=without_texts,
            catalogue=catalogue,
            known=known,
            catalogue_date=catalogue_date,
            jobs=jobs,
            cluster=cluster,
            progress=tell,
        )
        tell(f"writing {out}")
        page = run.write(out, parquet=scores is ScoreFormat.PARQUET, explorer=explorer)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(text_table(run.findings))
    typer.echo(f"\nReport: {page}")
