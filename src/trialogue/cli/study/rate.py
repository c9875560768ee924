"""``trialogue study rate``: ratings by a language model, for comparison with human ratings."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.options import Seed


def rate(
    folder: Annotated[Path, typer.Argument(help="Study folder.")],
    export: Annotated[Path, typer.Option("--export", help="Folder written by 'trialogue study export'.")],
    model: Annotated[str | None, typer.Option(help="Name of the model on the server.")] = None,
    url: Annotated[str | None, typer.Option(help="OpenAI-compatible API, such as http://localhost:8000/v1.")] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="Instead of --url: a model on this machine, as a folder or a GGUF file; requires the extra 'local'."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the rater in the report (default: the model's name).")] = "",
    key_env: Annotated[str | None, typer.Option(help="Environment variable that contains the API key.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Sampling temperature (0: none).")] = 0.0,
    cache: Annotated[Path | None, typer.Option(help="Folder for cached answers.")] = None,
    seed: Seed = 0,
) -> None:
    """Let a language model rate a study's items. These ratings are for comparison and never count as human ratings."""
    from trialogue.errors import UsageError
    from trialogue.llm import ChatOptions, LocalOptions, ModelOptions
    from trialogue.workflows.study.model_rater import rate_by_model

    options: ModelOptions
    if weights is not None:
        if model is not None or url is not None or key_env is not None:
            raise UsageError("Give either --weights, or --model and --url (and --key-env).")
        options = LocalOptions(folder=weights, temperature=temperature or 0.0, cache=cache)
    elif model is None or url is None:
        raise UsageError("Give --model and --url, or --weights for a model on this machine.")
    else:
        options = ChatOptions(url=url, model=model, api_key_env=key_env, temperature=temperature, cache=cache)
    rated, _ = rate_by_model(folder, export, options, name=name, seed=seed, progress=typer.echo)
    answers = sum(score.value is not None for score in rated.scores) + len(rated.preferences)
    typer.echo(
        f"{answers:,} answers by a language model written to {export}; {rated.unanswered:,} questions without a valid "
        "answer."
    )
