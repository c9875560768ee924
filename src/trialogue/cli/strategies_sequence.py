"""``trialogue strategies evaluate --protocol sequence``: how well people's next strategy is foreseen."""

import json

import typer

from trialogue.cli.talk import Steps

SEQUENCE = "sequence"
NAMES = {"frequencies": "how often people use each (no history)"}


def evaluate_sequence(data: list[str], kind: str, *, folds: int, seed: int, as_json: bool, tell: Steps) -> None:
    """Cross-validate a model of the next strategy over dialogues and print it beside the frequencies alone."""
    from trialogue.evaluation.planning import foresights
    from trialogue.strategies.card import number

    kind = "ngram" if kind == "tfidf" else kind  # the default of --model, which labels sentences
    tell(f"{kind} by dialogue, {folds} folds")
    dialogues, found = foresights(data, kind=kind, folds=folds, seed=seed)  # type: ignore[arg-type]
    if as_json:
        parts = {name: {key: each.to_json() for key, each in vars(one).items()} for name, one in found.items()}
        typer.echo(json.dumps({"dialogues": dialogues, "folds": folds, "seed": seed, "models": parts}, indent=1))
        return
    typer.echo(f"the next strategy in {dialogues} dialogues, each foreseen by models of the others")
    for name, one in found.items():
        typer.echo(f"  {NAMES.get(name, name)}: {one.perplexity.n} places")
        typer.echo(f"    perplexity {number(one.perplexity, 2)}")
        typer.echo(f"    best guess right {number(one.top1)}, among the best three {number(one.top3)}")
