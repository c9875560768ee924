"""``trialogue evaluate``: compare systems on their conversations."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from trialogue.cli.shared.inputs import Chances, Decide, Format, Mapped, Metrics, Out, Workers, workers_of
from trialogue.cli.shared.progress import check_folder, refuse_inputs_in, steps
from trialogue.errors import UsageError
from trialogue.options import Alpha, AnyLanguage, CatalogueDate, Help, Resamples, Seed, Setting, Title


class Texts(StrEnum):
    """Texts of dialogues in what is written."""

    ALL = "all"
    REDACTED = "redacted"
    NONE = "none"


Family = Annotated[
    Literal["questions", "measure", "measures"],
    Setting("Correct p-values over the pairs of one measure, also over people's questions, or over all measures."),
]
ScoreFormat = Annotated[
    Literal["jsonl", "parquet"], Setting("File format of the scores. parquet needs the extra 'parquet'.")
]


def evaluate(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Corpora (see: trialogue list datasets), files in a supported format, or SYSTEM=FILE."),
    ],
    out: Out = Path("runs/evaluation"),
    metric: Metrics = None,
    catalogue: Annotated[
        str | None, Help("Link item titles in replies to this catalogue: demo, a MovieLens corpus, or a file.")
    ] = None,
    mapping: Mapped = None,
    format_name: Format = None,
    decide: Decide = None,
    texts: Annotated[
        list[Texts] | None,
        Help(
            "redacted: replace e-mail addresses, telephone, card and account numbers (needs the extra 'redact'); none: "
            "write no text of a dialogue, so that the report can be shared; all: the default (repeatable)."
        ),
    ] = None,
    jobs: Workers = "1",
    all_variants: Annotated[
        list[str] | None, Setting("Compute all variants of a metric, to see whether the ranking changes (repeatable).")
    ] = None,
    known: Annotated[
        Path | None,
        Setting("List of real items, to separate real titles outside the catalogue from unrecognised ones."),
    ] = None,
    catalogue_date: CatalogueDate | None = None,
    origin: Annotated[
        str | None, Setting("Origin of the ratings: person, model, program or unknown (default: as the data state).")
    ] = None,
    key: Annotated[
        str | None, Setting("Id column that joins a table of scores to the conversations (default: auto-detect).")
    ] = None,
    chances: Chances = None,
    any_language: AnyLanguage = False,
    title: Title | None = None,
    resamples: Resamples = 10_000,
    alpha: Alpha = 0.05,
    family: Family = "questions",
    scores: ScoreFormat = "jsonl",
    explorer: Annotated[
        bool | None, Setting("Write explorer.html, to browse dialogues (default: for up to 100,000 dialogues).")
    ] = None,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Find out which recommender is better, by how much, and how certain that is; write one report."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.records.files.score_parquet import require_parquet
    from trialogue.subjects.evaluation.commands.evaluate import evaluate as run_evaluation
    from trialogue.subjects.evaluation.pages.write import text_table

    if texts and Texts.ALL in texts and len(set(texts)) > 1:
        raise UsageError("--texts all cannot be combined with another choice.")
    is_parquet = scores == "parquet"
    if is_parquet:
        require_parquet()
    check_folder(out)
    refuse_inputs_in(out, inputs)
    with steps() as tell:
        run = run_evaluation(
            *inputs, metrics=metric, all_variants=all_variants or (), format_name=format_name, mapping=mapping,
            origin=origin, key=key, chances=chances, title=title, seed=seed, resamples=resamples, alpha=alpha,
            family=family, decide=decide, any_language=any_language, redact=Texts.REDACTED in (texts or ()),
            without_texts=Texts.NONE in (texts or ()), catalogue=catalogue, known=known, catalogue_date=catalogue_date,
            progress=tell, **workers_of(jobs),
        )  # fmt: skip
        tell(f"writing {out}")
        page = run.write(out, parquet=is_parquet, explorer=explorer)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(to_line(run.findings) if as_json else text_table(run.findings))
    typer.echo(f"\nReport: {page}", err=as_json)
