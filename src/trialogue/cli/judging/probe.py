"""``trialogue judge probe``: what changes a model's scores that should not, and what does not that should."""

from typing import Annotated

import typer

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import check_folder
from trialogue.options import MaxCalls, MaxCost, MaxTokens, Seed


def probe(
    run: given.RunGiven,
    rubric: given.Rubric = None,
    model: given.Model = None,
    model_option: given.ModelOption = None,
    aspect: given.Aspect = None,
    dialogues: Annotated[
        int,
        typer.Option(min=6, help="Maximum number of dialogues for the probes. Each dialogue needs about ten requests."),
    ] = 30,
    labels: given.Labels = None,
    mapping: Mapped = None,
    dry_run: given.DryRun = False,
    i_may: given.IMay = False,
    max_cost: MaxCost | None = None,
    max_calls: MaxCalls | None = None,
    max_tokens: MaxTokens | None = None,
    seed: Seed = 0,
    out: given.Out = given.OUT,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Judge systems, and probe the model for biases: padding, injection, rewording, position, planted defects."""
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.workflows.mapped import with_mapping

    models = given.needed_models("probes", rubric, model, model_option, i_may=i_may, seed=seed)
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, quiet=quiet, max_cost=max_cost, max_calls=max_calls, max_tokens=max_tokens) as tell:
        if dry_run:
            from trialogue.workflows.judging.ask import prepare_panel
            from trialogue.workflows.judging.judge import aspect_of
            from trialogue.workflows.judging.probes import prepare_probes

            panel = prepare_panel(data, **models.settings(out))
            name, _ = aspect_of(panel.rubric, aspect)
            probes = prepare_probes(panel, name, count=dialogues, seed=seed)
            costs = [*panel.costs(), *((f"{judge}, probes", cost) for judge, cost in probes.costs())]
            given.print_price(costs, panel.disclosure, as_json=as_json)
            return
        given.print_judging(
            data,
            out,
            models=models,
            settings=JudgeSettings(),
            as_json=as_json,
            tell=tell,
            aspect=aspect,
            labels=labels,
            probes=dialogues,
        )
