"""``trialogue study rate``: ratings by a language model, for comparison with human ratings."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import ModelOptions
from trialogue.options import Help, Seed


def rate(
    folder: Annotated[Path, typer.Argument(help="Study folder.")],
    export: Annotated[Path, Help("Folder written by 'trialogue study export'.")],
    model: Annotated[str, Help("Model that rates: openai:MODEL, huggingface:FOLDER, or a YAML file.")],
    name: Annotated[str, Help("Name of the rater in the report (default: the model's name).")] = "",
    options: ModelOptions = None,
    seed: Seed = 0,
) -> None:
    """Let a language model rate a study's items. These ratings are for comparison and never count as human ratings.

    Options of the model are settings, such as model.url=http://localhost:8000/v1, model.api_key_env=NAME.
    """
    from trialogue.judges.options import judge_options
    from trialogue.llm import ChatOptions, LocalOptions
    from trialogue.subjects.people.commands.model_rater import rate_by_model

    given = judge_options(model, options)
    record: type[ChatOptions] | type[LocalOptions] = LocalOptions if isinstance(given, LocalOptions) else ChatOptions
    named = given.model_fields_set & record.model_fields.keys()
    asked = record.model_validate({"temperature": 0.0, **{field: getattr(given, field) for field in named}})
    rated, _ = rate_by_model(folder, export, asked, name=name, seed=seed, progress=typer.echo)
    answers = sum(score.value is not None for score in rated.scores) + len(rated.preferences)
    typer.echo(
        f"{answers:,} answers by a language model written to {export}; {rated.unanswered:,} questions without a valid "
        "answer."
    )
