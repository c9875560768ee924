"""``trialogue strategies evaluate --protocol sequence``: accuracy of next-strategy prediction."""

import json
from typing import TYPE_CHECKING

import typer

from trialogue.cli.shared.options import other_parameters, refuse_unused
from trialogue.cli.shared.progress import StepProgress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.workflows.inputs.locations import Named

SEQUENCE = "sequence"
ACCEPTED_OPTIONS = ("data", "mapping", "protocol", "labels_by", "folds", "seed", "as_json")
NAMES = {"frequencies": "strategy frequencies (no history)"}


def reject_inapplicable_options(context: typer.Context) -> None:
    """Raise UsageError, with their names, if options were given that do not apply to next-strategy prediction."""
    hint = "It takes --data, --labels-by, --folds, --seed and --json."
    refuse_unused(context, other_parameters(context, ACCEPTED_OPTIONS), by=f"--protocol {SEQUENCE}", hint=hint)


def evaluate_sequence(
    data: "Sequence[Named]",
    *,
    labels_by: str | None,
    folds: int,
    seed: int,
    as_json: bool,
    tell: StepProgress,
) -> None:
    """Cross-validate a model of the next strategy by dialogue, and print it with the baseline of strategy frequencies."""
    from trialogue.strategies.card import number
    from trialogue.workflows.alignment.planning import cross_validate_planner
    from trialogue.workflows.inputs.label_origins import declared_labeller

    tell(f"n-grams by dialogue, {folds} folds")
    dialogues, accuracies = cross_validate_planner(data, folds=folds, seed=seed, labels_by=declared_labeller(labels_by))
    if as_json:
        models = {name: {key: each.to_json() for key, each in vars(own).items()} for name, own in accuracies.items()}
        typer.echo(json.dumps({"dialogues": dialogues, "folds": folds, "seed": seed, "models": models}, indent=1))
        return
    typer.echo(f"the next strategy in {dialogues} dialogues, each predicted by models trained on the others")
    for name, accuracy in accuracies.items():
        typer.echo(f"  {NAMES.get(name, name)}: {accuracy.perplexity.n} places")
        typer.echo(f"    perplexity {number(accuracy.perplexity, 2)}")
        typer.echo(f"    top-1 accuracy {number(accuracy.top1)}, top-3 accuracy {number(accuracy.top3)}")
