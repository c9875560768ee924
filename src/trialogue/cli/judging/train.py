"""``trialogue judge train``: train a judge on people's answers."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Format, Mapped
from trialogue.cli.shared.progress import steps
from trialogue.options import Help


def train(
    data: Annotated[
        list[str], typer.Argument(help="Corpora or files with dialogues and people's answers, such as crsarena-eval.")
    ],
    out: Annotated[Path, Help("Output file for the judge.", ("--out", "-o"))] = Path("judge.json"),
    format_name: Format = None,
    mapping: Mapped = None,
    satisfaction: Annotated[
        bool, Help("Train a model for satisfaction(model=FILE) on satisfaction ratings. Each argument is one corpus.")
    ] = False,
) -> None:
    """Train a judge of dialogues and replies on people's ratings, without a language model."""
    from trialogue.subjects.judging.commands.train import train_file, train_satisfaction_file
    from trialogue.workflows.mapped import with_mapping

    train = train_satisfaction_file if satisfaction else train_file
    with steps() as tell:
        trained = train(with_mapping(data, mapping), out, format_name=format_name, progress=tell)
        for warning in trained.warnings:
            tell.say(f"note: {warning}")
    typer.echo(f"{trained.text}\n\nJudge: {out}")
