"""``trialogue judge probe``: what changes a model's scores that should not, and what does not that should."""

from typing import Annotated

from annotated_types import Ge

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import DryRun, Limited, Mapped, ModelOptions, Out
from trialogue.cli.shared.progress import check_folder
from trialogue.options import Seed, Setting


def probe(
    run: given.RunGiven,
    rubric: given.Rubric = None,
    model: given.Model = None,
    aspect: given.Aspect = None,
    labels: given.Labels = None,
    mapping: Mapped = None,
    dry_run: DryRun = False,
    i_may: given.IMay = False,
    limit: Limited = None,
    out: Out = given.OUT,
    dialogues: Annotated[
        int, Ge(6), Setting("Maximum number of dialogues for the probes. Each dialogue needs about ten requests.")
    ] = 30,
    options: ModelOptions = None,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Judge systems, and probe the model for biases: padding, injection, rewording, position, planted defects."""
    from trialogue.subjects.judging.conclude import JudgeSettings
    from trialogue.workflows.mapped import with_mapping

    models = given.models_of(rubric, model, options, i_may=i_may, seed=seed, needed_by="probes")
    assert models is not None
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, limit) as tell:
        if dry_run:
            from trialogue.subjects.judging.commands.ask import prepare_panel
            from trialogue.subjects.judging.commands.judge import aspect_of
            from trialogue.subjects.judging.commands.probes import prepare_probes

            panel = prepare_panel(data, **models.settings(out))
            name, _ = aspect_of(panel.rubric, aspect)
            probes = prepare_probes(panel, name, count=dialogues, seed=seed)
            costs = [*panel.costs(), *((f"{judge}, probes", cost) for judge, cost in probes.costs())]
            given.print_price(costs, panel.disclosure, as_json=as_json)
            return
        given.print_judging(
            data, out, models=models, settings=JudgeSettings(), as_json=as_json, tell=tell, aspect=aspect, labels=labels,
            probes=dialogues,
        )  # fmt: skip
