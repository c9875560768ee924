"""Options that the commands of ``trialogue judge`` share, and the models that judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trialogue.cli.shared.options import named_values
from trialogue.cli.shared.progress import StepProgress, steps

if TYPE_CHECKING:
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.workflows.judging.consent import Disclosure

RunGiven = Annotated[list[str], typer.Argument(help="Folder written by 'trialogue evaluate', or dialogues.")]
Aspect = Annotated[
    str | None,
    typer.Option(
        help=("Scores to use as the judge: a measure, the question that it predicts, or an aspect of the rubric.")
    ),
]
Rubric = Annotated[
    str | None, typer.Option(help="Rubric for the model: a name from 'trialogue rubrics list', or a YAML file.")
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        help=("Model that judges: openai:MODEL, huggingface:FOLDER, or a YAML file. Repeat the option for a panel.")
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(help="Option of the model as NAME=VALUE, such as url=http://localhost:8000/v1 (repeatable)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the number of requests and their price, and exit.")]
IMay = Annotated[
    bool, typer.Option("--i-may", help="Send people's dialogues to the model's server even without recorded consent.")
]
Scores = Annotated[
    str | None,
    typer.Option(help="File with the judge's scores, or FILE:COLUMN of a table (default: a column of the run)."),
]
Labels = Annotated[
    str | None,
    typer.Option(help="File with human labels of some dialogues or replies (default: the run's own ratings)."),
]
EstimandGiven = Annotated[
    str, typer.Option("--estimand", help="Generalise to the 'population' of dialogues, or only to 'these' dialogues.")
]
Low = Annotated[float | None, typer.Option(help="Lowest possible label.")]
High = Annotated[float | None, typer.Option(help="Highest possible label.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Output folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
OUT = Path("runs/judge")


@dataclass(frozen=True)
class Models:
    """Models that judge, as they were given."""

    rubric: str
    """Name or file of what they are asked."""
    models: tuple[str, ...]
    """Their names or files."""
    options: dict[str, Any]
    """Options of all of them."""
    i_may: bool
    """Whether people's dialogues may be sent without recorded consent."""
    seed: int
    """Of their draws."""

    def settings(self, out: Path) -> dict[str, Any]:
        """Arguments of the functions that ask them; answers are kept beside the results, so that a rerun asks nothing."""
        from trialogue.workflows.judging.ask import CACHE

        return {
            "rubric": self.rubric,
            "model": list(self.models),
            "options": self.options,
            "cache": out / CACHE,
            "seed": self.seed,
        }


def models_of(
    rubric: str | None, model: list[str] | None, option: list[str] | None, *, i_may: bool, seed: int
) -> Models | None:
    """The models that were given, with a rubric or without; None if none were."""
    if not model and rubric is None:
        return None
    return Models(rubric or "", tuple(model or ()), named_values("--model-option", option or []), i_may, seed)


def mistakes_in(models: Models | None) -> list[str]:
    """What is wrong with them; nothing where none were given."""
    if models is None or (models.models and models.rubric):
        return []
    return ["a model judges by a rubric: give both --model and --rubric."]


def needed_models(
    by: str, rubric: str | None, model: list[str] | None, option: list[str] | None, *, i_may: bool, seed: int
) -> Models:
    """The models that were given, for what cannot do without.

    Raises:
        UsageError: there is none, or its rubric is missing.
    """
    from trialogue.errors import UsageError

    models = models_of(rubric, model, option, i_may=i_may, seed=seed)
    if models is None:
        raise UsageError(f"{by} ask a language model: give --model and --rubric.")
    if wrong := mistakes_in(models):
        raise UsageError("\n".join(wrong))
    return models


def settings_of(wrong: list[str], **fields: Any) -> "JudgeSettings":
    """Settings of the analysis.

    Args:
        wrong: mistakes that were found before; all are reported together.
        fields: of ``JudgeSettings.of``.

    Raises:
        UsageError: there are mistakes.
    """
    from trialogue.errors import UsageError
    from trialogue.findings.judging.conclude import JudgeSettings

    try:
        settings = JudgeSettings.of(**fields)
    except UsageError as error:
        raise UsageError("\n".join([*wrong, str(error)])) from error
    if wrong:
        raise UsageError("\n".join(wrong))
    return settings


@contextmanager
def limited_steps(
    out: Path, *, quiet: bool, max_cost: float | None, max_calls: int | None, max_tokens: int | None
) -> Iterator[StepProgress]:
    """Progress lines, within limits on what models may cost; what was spent is kept in ``out``."""
    from trialogue.llm.usage import BUDGET, Budget, Limits, use_budget

    limits = Limits(max_cost=max_cost, max_calls=max_calls, max_tokens=max_tokens)
    with steps(quiet=quiet) as tell, use_budget(Budget(limits, out / BUDGET) if limits.are_set else None):
        yield tell


def print_judging(
    given: list[Any],
    out: Path,
    *,
    models: Models | None,
    settings: "JudgeSettings",
    as_json: bool,
    tell: StepProgress,
    **more: Any,
) -> None:
    """Judge, write the page into ``out``, and print the findings; ``more`` are arguments of ``workflows.judging.judge``."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.judging.document import judging_document
    from trialogue.report.render.terminal import document_text
    from trialogue.workflows.judging.judge import judge
    from trialogue.workflows.pipeline import report

    asked = {} if models is None else {**models.settings(out), "i_may": models.i_may, "out": out}
    findings = judge(*given, settings=settings, progress=tell, **asked, **more)
    page = report(findings, out)
    for warning in findings.warnings:
        tell.say(f"note: {warning}")
    typer.echo(to_line(findings) if as_json else document_text(judging_document(findings)))
    if not as_json:
        typer.echo(f"\nPage: {page}")


def print_price(costs: list[tuple[str, Any]], disclosure: "Disclosure | None", *, as_json: bool) -> None:
    """What would be asked, what it would cost, and whose dialogues would go where."""
    import json
    from dataclasses import asdict

    from trialogue.report.judging.cost import cost_text

    if as_json:
        typer.echo(json.dumps({name: asdict(cost) for name, cost in costs}))
        return
    typer.echo("\n".join(cost_text(name, cost) for name, cost in costs))
    if disclosure is not None:
        typer.echo(f"{disclosure.sentence()} The data record no consent to this (see --i-may).")
