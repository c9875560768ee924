"""``trialogue judge plan``: what people should label next, so that a judge can be corrected with few labels."""

from pathlib import Path
from typing import Annotated, Any

import typer

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import Limited, Mapped, ModelOptions, Out
from trialogue.cli.shared.progress import check_folder
from trialogue.options import Confidence, Help, Looks, Seed

PLAN = "label_plan.jsonl"


def plan(
    run: given.RunGiven,
    width: Annotated[float, Help("Target full width of the confidence intervals of differences.")],
    aspect: given.Aspect = None,
    rubric: given.Rubric = None,
    model: given.Model = None,
    i_may: given.IMay = False,
    scores: given.Scores = None,
    labels: given.Labels = None,
    mapping: Mapped = None,
    study: Annotated[Path | None, Help("New folder for a study in which people label the planned units.")] = None,
    limit: Limited = None,
    out: Out = given.OUT,
    options: ModelOptions = None,
    estimand: given.EstimandGiven = "population",
    looks: Looks = 1,
    scale: given.Scale = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
) -> None:
    """Draw the units to label next for a target interval width, with equal probability within each system."""
    from trialogue.records import write_records
    from trialogue.subjects.judging.commands.judge import judged_aspect, plan_labels
    from trialogue.subjects.judging.pages.plan import plan_text
    from trialogue.workflows.mapped import with_mapping

    models = given.models_of(rubric, model, options, i_may=i_may, seed=seed)
    wrong = given.mistakes_in(models)
    if models is None and aspect is None and scores is None:
        wrong.append("give the judge's column with --aspect, or a --rubric and a --model that judges by it.")
    settings = given.settings_of(
        wrong, estimand=estimand, confidence=confidence, looks=looks, scale=scale or (None, None)
    )
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, limit) as tell:
        judge_given: Any = scores
        if models is not None:
            aspect, judge_given = judged_aspect(
                data, aspect, **models.settings(out), i_may=i_may, out=out, progress=tell
            )
        found = plan_labels(
            *data, aspect=aspect or "", width=width, labels=labels, scores=judge_given, settings=settings, seed=seed
        )
    write_records(out / PLAN, found.units)
    typer.echo(plan_text(found.needs, width, is_pilot=found.is_pilot))
    typer.echo(f"\nPlan: {out / PLAN}")
    if study is None:
        return
    from trialogue.subjects.judging.commands.label_study import PLAN as CHANCES
    from trialogue.subjects.judging.commands.label_study import write_label_study

    made = write_label_study(
        study, found, data, aspect=aspect or "", rubric=rubric, labels=labels, scale=settings.scale, seed=seed
    )
    typer.echo(
        f"Study: {made.folder / 'study.yaml'}, {made.items:,} items on a scale from {made.low} to {made.high}. "
        f"Preview it with: trialogue study serve {made.folder} --preview\n"
        f"Afterwards: trialogue study export {made.folder} --out EXPORT, then --labels EXPORT "
        f"--set chances={made.folder / CHANCES}"
    )
