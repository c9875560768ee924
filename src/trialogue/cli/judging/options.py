"""Options that the commands of ``trialogue judge`` share, and the models that judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trialogue.cli.shared.inputs import limits_of
from trialogue.cli.shared.progress import StepProgress, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Setting

if TYPE_CHECKING:
    from trialogue.subjects.judging.commands.consent import Disclosure
    from trialogue.subjects.judging.conclude import JudgeSettings

RunGiven = Annotated[list[str], typer.Argument(help="Folder written by 'trialogue evaluate', or dialogues.")]
Aspect = Annotated[
    str | None,
    Help("Scores to use as the judge: a measure, the question that it predicts, or an aspect of the rubric."),
]
Rubric = Annotated[str | None, Help("Rubric for the model: a name from 'trialogue list rubrics', or a YAML file.")]
Model = Annotated[
    list[str] | None,
    Help("Model that judges: openai:MODEL, huggingface:FOLDER, or a YAML file. Repeat the option for a panel."),
]
IMay = Annotated[
    bool, Help("Send people's dialogues to the model's server even without recorded consent.", ("--i-may",))
]
Scores = Annotated[
    str | None, Help("File with the judge's scores, or FILE:COLUMN of a table (default: a column of the run).")
]
Labels = Annotated[
    str | None, Help("File with human labels of some dialogues or replies (default: the run's own ratings).")
]
EstimandGiven = Annotated[
    Literal["population", "these"],
    Setting("Generalise to the 'population' of dialogues, or only to 'these' dialogues."),
]
Scale = Annotated[tuple[float, float] | None, Setting("Lowest and highest possible label, such as scale=1,5.")]
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
        from trialogue.subjects.judging.commands.ask import CACHE

        return {
            "rubric": self.rubric,
            "model": list(self.models),
            "options": self.options,
            "cache": out / CACHE,
            "seed": self.seed,
        }


def models_of(
    rubric: str | None,
    model: list[str] | None,
    options: dict[str, Any] | None,
    *,
    i_may: bool,
    seed: int,
    needed_by: str | None = None,
) -> Models | None:
    """The models that were given, with a rubric or without; None if none were.

    Raises:
        UsageError: something cannot do without, and there is none, or its rubric is missing.
    """
    from trialogue.errors import UsageError

    given = model or rubric is not None
    models = Models(rubric or "", tuple(model or ()), options or {}, i_may, seed) if given else None
    if needed_by is not None and (models is None or not (models.models and models.rubric)):
        raise UsageError(f"{needed_by} ask a language model: give --model and --rubric.")
    return models


def mistakes_in(models: Models | None) -> list[str]:
    """What is wrong with them; nothing where none were given."""
    if models is None or (models.models and models.rubric):
        return []
    return ["a model judges by a rubric: give both --model and --rubric."]


def settings_of(wrong: list[str], *, estimand: str, raters: str = "these", **fields: Any) -> "JudgeSettings":
    """Settings of the analysis, unless mistakes were found before; UsageError with all of those."""
    from trialogue.errors import UsageError
    from trialogue.stats.correction.table import Estimand
    from trialogue.subjects.judging.conclude import JudgeSettings

    if wrong:
        raise UsageError("\n".join(wrong))
    return JudgeSettings(estimand=Estimand(estimand), raters=Estimand(raters), **fields)


@contextmanager
def limited_steps(out: Path, limit: list[str] | None) -> Iterator[StepProgress]:
    """Progress lines, within limits on what models may cost; what was spent is kept in ``out``."""
    from trialogue.llm.usage import BUDGET, Budget, Limits, use_budget

    limits = Limits(**limits_of(limit))
    with steps() as tell, use_budget(Budget(limits, out / BUDGET) if limits.are_set else None):
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
    """Judge, write the page into ``out``, and print the findings; ``more`` are arguments of ``judge``."""
    from trialogue.subjects.judging.commands.judge import judge
    from trialogue.subjects.judging.pages.document import judging_document
    from trialogue.workflows.write_findings import write_findings

    asked = {} if models is None else {**models.settings(out), "i_may": models.i_may, "out": out}
    findings = judge(*given, settings=settings, progress=tell, **asked, **more)
    print_findings(findings, judging_document, as_json=as_json, tell=tell, page=write_findings(findings, out))


def print_price(costs: list[tuple[str, Any]], disclosure: "Disclosure | None", *, as_json: bool) -> None:
    """What would be asked, what it would cost, and whose dialogues would go where."""
    import json
    from dataclasses import asdict

    from trialogue.subjects.judging.pages.cost import cost_text

    if as_json:
        typer.echo(json.dumps({name: asdict(cost) for name, cost in costs}))
        return
    typer.echo("\n".join(cost_text(name, cost) for name, cost in costs))
    if disclosure is not None:
        typer.echo(f"{disclosure.sentence()} The data record no consent to this (see --i-may).")
