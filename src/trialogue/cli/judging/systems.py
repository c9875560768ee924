"""``trialogue judge``: let a model judge by a rubric, and correct any judge's scores with human labels."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import check_folder
from trialogue.options import Confidence, Looks, MaxCalls, MaxCost, MaxTokens, Seed


def judge(
    run: given.RunGiven,
    aspect: given.Aspect = None,
    rubric: given.Rubric = None,
    model: given.Model = None,
    model_option: given.ModelOption = None,
    dry_run: given.DryRun = False,
    i_may: given.IMay = False,
    scores: given.Scores = None,
    labels: given.Labels = None,
    mapping: Mapped = None,
    chances: Annotated[
        Path | None,
        typer.Option(
            help="Plan (label_plan.jsonl) with the probability that each unit was drawn for labelling. Without it, "
            "corrected verdicts are conditional unless every unit is labelled."
        ),
    ] = None,
    estimand: given.EstimandGiven = "population",
    raters: Annotated[
        str, typer.Option(help="Generalise to the 'population' of raters, or only to 'these' raters.")
    ] = "these",
    drawn_overall: Annotated[
        bool,
        typer.Option(
            "--drawn-overall", help="The labels were sampled from all systems together, not a fixed number per system."
        ),
    ] = False,
    looks: Looks = 1,
    low: given.Low = None,
    high: given.High = None,
    family: Annotated[
        list[str] | None, typer.Option(help="System built on the judge's language model (repeatable).")
    ] = None,
    confidence: Confidence = 0.95,
    max_cost: MaxCost | None = None,
    max_calls: MaxCalls | None = None,
    max_tokens: MaxTokens | None = None,
    seed: Seed = 0,
    out: given.Out = given.OUT,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Judge systems with a language model or any column of scores, and correct the judge with a few human labels."""
    from trialogue.workflows.mapped import with_mapping

    models = given.models_of(rubric, model, model_option, i_may=i_may, seed=seed)
    wrong = given.mistakes_in(models)
    if models is not None and scores is not None:
        wrong.append(
            "--scores are those of a judge that has already judged: leave out --scores, or --model and --rubric."
        )
    of_models = {"--model-option": model_option, "--dry-run": dry_run, "--i-may": i_may}
    unused = [name for name, value in of_models.items() if value and models is None]
    if unused:
        wrong.append(f"{' and '.join(unused)}: only for a model that judges; give --model and --rubric.")
    if models is None and aspect is None and scores is None:
        wrong.append("give the judge's column with --aspect, or a --rubric and a --model that judges by it.")
    settings = given.settings_of(
        wrong,
        estimand=estimand,
        raters=raters,
        drawn_overall=drawn_overall,
        confidence=confidence,
        looks=looks,
        scale=(low, high),
        family=tuple(family or ()),
    )
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, quiet=quiet, max_cost=max_cost, max_calls=max_calls, max_tokens=max_tokens) as tell:
        if dry_run and models is not None:
            from trialogue.workflows.judging.ask import prepare_panel

            panel = prepare_panel(data, **models.settings(out))
            given.print_price(panel.costs(), panel.disclosure, as_json=as_json)
            return
        given.print_judging(
            data,
            out,
            models=models,
            settings=settings,
            as_json=as_json,
            tell=tell,
            aspect=aspect,
            scores=scores,
            labels=labels,
            chances=chances,
        )
