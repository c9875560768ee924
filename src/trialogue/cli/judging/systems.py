"""``trialogue judge``: let a model judge by a rubric, and correct any judge's scores with human labels."""

from typing import Annotated, Literal

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import Chances, DryRun, Limited, Mapped, ModelOptions, Out
from trialogue.cli.shared.progress import check_folder
from trialogue.options import Confidence, Looks, Seed, Setting


def judge(
    run: given.RunGiven,
    aspect: given.Aspect = None,
    rubric: given.Rubric = None,
    model: given.Model = None,
    dry_run: DryRun = False,
    i_may: given.IMay = False,
    scores: given.Scores = None,
    labels: given.Labels = None,
    mapping: Mapped = None,
    limit: Limited = None,
    out: Out = given.OUT,
    options: ModelOptions = None,
    chances: Chances = None,
    estimand: given.EstimandGiven = "population",
    raters: Annotated[
        Literal["population", "these"], Setting("Generalise to the 'population' of raters, or only to 'these' raters.")
    ] = "these",
    drawn_overall: Annotated[
        bool, Setting("The labels were sampled from all systems together, not a fixed number per system.")
    ] = False,
    looks: Looks = 1,
    scale: given.Scale = None,
    family: Annotated[list[str] | None, Setting("System built on the judge's language model (repeatable).")] = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Judge systems with a language model or any column of scores, and correct the judge with a few human labels."""
    from trialogue.workflows.mapped import with_mapping

    models = given.models_of(rubric, model, options, i_may=i_may, seed=seed)
    wrong = given.mistakes_in(models)
    if models is not None and scores is not None:
        wrong.append(
            "--scores are those of a judge that has already judged: leave out --scores, or --model and --rubric."
        )
    of_models = {"--set model": options, "--dry-run": dry_run, "--i-may": i_may}
    unused = [name for name, value in of_models.items() if value and models is None]
    if unused:
        wrong.append(f"{' and '.join(unused)}: only for a model that judges; give --model and --rubric.")
    if models is None and aspect is None and scores is None:
        wrong.append("give the judge's column with --aspect, or a --rubric and a --model that judges by it.")
    settings = given.settings_of(
        wrong,
        estimand=estimand, raters=raters, drawn_overall=drawn_overall, confidence=confidence, looks=looks,
        scale=scale or (None, None), family=tuple(family or ()),
    )  # fmt: skip
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, limit) as tell:
        if dry_run and models is not None:
            from trialogue.subjects.judging.commands.ask import prepare_panel

            panel = prepare_panel(data, **models.settings(out))
            given.print_price(panel.costs(), panel.disclosure, as_json=as_json)
            return
        given.print_judging(
            data, out, models=models, settings=settings, as_json=as_json, tell=tell, aspect=aspect, scores=scores,
            labels=labels, chances=chances,
        )  # fmt: skip
