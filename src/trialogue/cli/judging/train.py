"""``trialogue train-judge``: train a judge of impressions on people's answers."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import steps


def train_judge(
    data: Annotated[
        list[str], typer.Argument(help="Corpora or files with dialogues and people's answers, such as crsarena-eval.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file for the judge.")] = Path("judge.json"),
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Mapped = None,
    satisfaction: Annotated[
        bool,
        typer.Option(
            "--satisfaction",
            help=("Train a model for satisfaction(model=FILE) on satisfaction ratings. Each argument is one corpus."),
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Train a judge of dialogues and replies on people's ratings, without a language model."""
    from trialogue.workflows.judging.train import train_file, train_satisfaction_file
    from trialogue.workflows.mapped import with_mapping

    train = train_satisfaction_file if satisfaction else train_file
    with steps(quiet=quiet) as tell:
        trained = train(with_mapping(data, mapping), out, format_name=format_name, progress=tell)
        for warning in trained.warnings:
            tell.say(f"note: {warning}")
    typer.echo(f"{trained.text}\n\nJudge: {out}")
