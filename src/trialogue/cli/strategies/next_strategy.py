"""``trialogue strategies next``: predict the next strategy."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import LabelsBy, Mapped, check_inputs
from trialogue.cli.shared.progress import steps

if TYPE_CHECKING:
    from trialogue.workflows.alignment.planning import StrategyPlan


def next_strategy(
    source: Annotated[str, typer.Argument(help="Unfinished dialogues, or situations: a file or a corpus.")],
    data: Annotated[
        list[str] | None,
        typer.Option("--data", help="Labelled human dialogues to train on, such as inspired (repeatable)."),
    ] = None,
    labels_by: LabelsBy = None,
    mapping: Mapped = None,
    only: Annotated[list[str] | None, typer.Option("--id", help="Predict only for this dialogue (repeatable).")] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of strategies to show.")] = 5,
    labeller: Annotated[
        str | None, typer.Option(help="Folder of a model that labels the dialogue so far (default: the bundled model).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per dialogue and line.")] = False,
) -> None:
    """Predict a human recommender's next strategy, and print a prompt that asks a language model to use it."""
    from trialogue.workflows.alignment.align import find_model
    from trialogue.workflows.alignment.planning import next_model, plans
    from trialogue.workflows.inputs.label_origins import declared_labeller
    from trialogue.workflows.mapped import with_mapping

    by = declared_labeller(labels_by)
    check_inputs([source, *(data or ())], model=labeller)
    with steps() as tell:
        chosen = next_model(with_mapping(data or (), mapping), labels_by=by)
        tell(f"a next-strategy model trained on {chosen.trained_on}")
        if chosen.warning:
            tell.say(f"note: {chosen.warning}")
        for planned in plans(with_mapping([source], mapping), chosen.model, find_model(labeller), ids=only or ()):
            if as_json:
                typer.echo(json.dumps(planned.to_json(), ensure_ascii=False))
            else:
                _show(planned, top)


def _show(planned: "StrategyPlan", top: int) -> None:
    plan = planned.plan
    behind = f"after {' > '.join(plan.history[-3:])}"
    typer.echo(f"{planned.id} ({behind})")
    for strategy, probability in list(plan.probabilities.items())[:top]:
        typer.echo(f"  {probability:6.1%}  {strategy}")
    typer.echo(f"  {plan.instruction()}")
    if plan.unlabelled_count:
        typer.echo(
            f"  ({plan.unlabelled_count} system utterances have no text or label; the prediction does not use them)"
        )
