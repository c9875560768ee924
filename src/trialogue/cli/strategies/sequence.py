"""``trialogue strategies evaluate --protocol sequence``: accuracy of next-strategy prediction."""

import json
from typing import TYPE_CHECKING

import typer

from trialogue.cli.shared.options import other_parameters, refuse_unused
from trialogue.cli.shared.progress import StepProgress
from trialogue.errors import UsageError

if TYPE_CHECKING:
    from trialogue.workflows.alignment.planning import SequenceKind

SEQUENCE = "sequence"
TAKEN = ("data", "protocol", "kind", "labels_by", "folds", "seed", "as_json")
NAMES = {"frequencies": "strategy frequencies (no history)"}


def refuse_others(context: typer.Context) -> None:
    """Raise UsageError, with their names, if options were given that say nothing about foreseeing what comes next."""
    takes = "It takes --data, --labels-by, --model ngram or recurrent, --folds, --seed and --json."
    refuse_unused(context, other_parameters(context, TAKEN), by=f"--protocol {SEQUENCE}", hint=takes)


def evaluate_sequence(
    data: list[str],
    kind: str | None,
    *,
    labels_by: str | None,
    folds: int,
    seed: int,
    as_json: bool,
    tell: StepProgress,
) -> None:
    """Cross-validate a model of the next strategy over dialogues and print it beside the frequencies alone."""
    from trialogue.strategies.card import number
    from trialogue.workflows.alignment.planning import cross_validate_planner
    from trialogue.workflows.inputs.label_origins import declared_labeller

    chosen = _kind(kind)
    tell(f"{chosen} by dialogue, {folds} folds")
    dialogues, found = cross_validate_planner(
        data, kind=chosen, folds=folds, seed=seed, labels_by=declared_labeller(labels_by)
    )
    if as_json:
        parts = {name: {key: each.to_json() for key, each in vars(one).items()} for name, one in found.items()}
        typer.echo(json.dumps({"dialogues": dialogues, "folds": folds, "seed": seed, "models": parts}, indent=1))
        return
    typer.echo(f"the next strategy in {dialogues} dialogues, each predicted by models trained on the others")
    for name, one in found.items():
        typer.echo(f"  {NAMES.get(name, name)}: {one.perplexity.n} places")
        typer.echo(f"    perplexity {number(one.perplexity, 2)}")
        typer.echo(f"    top-1 accuracy {number(one.top1)}, top-3 accuracy {number(one.top3)}")


def _kind(given: str | None) -> "SequenceKind":
    if given is None or given == "ngram":
        return "ngram"
    if given == "recurrent":
        return "recurrent"
    raise UsageError(f"--protocol {SEQUENCE} takes --model ngram or recurrent, got {given!r}.")
