"""Kinds of strategy models on the command line: their settings, validated before data are read, and pair classifiers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.cli.shared.progress import StepProgress
    from trialogue.records import JsonValue
    from trialogue.strategies.base import Example
    from trialogue.strategies.evaluation.results import EvaluationResult

TFIDF = "tfidf"  # the kind where none is named
CROSS_ENCODER = "cross-encoder"  # the one kind of model that judges pairs, not sentences
PAIRS = "pairs"  # what it is trained on, without training it
KINDS = f"Kind of model: {TFIDF}, encoder, finetuned, ensemble, keywords, majority; {CROSS_ENCODER}, which judges pairs"


def check_settings(kind: str, settings: "dict[str, JsonValue]") -> None:
    """Raise UsageError unless there is this kind of model, and it has such settings."""
    from trialogue.strategies.models import recipe
    from trialogue.strategies.pairs.crossencoder import plan_and_fit

    if kind in (CROSS_ENCODER, PAIRS):
        plan_and_fit(settings)
    else:
        recipe(kind, settings)


def train_on_pairs(
    examples: "Sequence[Example]",
    settings: "dict[str, JsonValue]",
    out: Path,
    *,
    seed: int,
    extra: "Sequence[Example]",
    replace: bool,
    tell: "StepProgress",
) -> None:
    """Train the paper's classifier of pairs and write it to a folder, in the place of the one there if so asked."""
    from trialogue.strategies.pairs.crossencoder import plan_and_fit, save_cross_encoder

    plan, fit = plan_and_fit({"seed": seed, **settings})
    pairs = plan.draw([*examples, *extra], seed=seed)
    tell(f"training a {CROSS_ENCODER} on {len(pairs)} pairs, {int(pairs.hard.sum())} of them hard negatives")
    model = fit(pairs)
    save_cross_encoder(model, out, replace=replace)
    typer.echo(f"Pair classifier: {out} ({model.origin})")
    typer.echo(f"To evaluate it: trialogue strategies evaluate --model {CROSS_ENCODER} --data ...")


def write_training_pairs(
    examples: "Sequence[Example]", settings: "dict[str, JsonValue]", out: Path, *, seed: int, tell: "StepProgress"
) -> None:
    """Write the pairs that the paper's classifier is trained on: original, or mixed-hard (setting ``hard``)."""
    from trialogue.records import STRATEGIES
    from trialogue.seeds import rng_for
    from trialogue.strategies.pairs.crossencoder import plan_and_fit
    from trialogue.strategies.pairs.protocols import training_pairs, write_pairs

    plan, _ = plan_and_fit(settings)
    if plan.hard == "measured":
        tell("finding the hard negatives of these data")
    made = training_pairs(
        [one for one in examples if one.label in STRATEGIES], rng=rng_for(seed, "pair set"), count=plan.pairs,
        hard=plan.hard_ones(seed=seed), hard_pairs=plan.hard_pairs,
    )  # fmt: skip
    write_pairs(out, made)
    same, marked = int(made.same.sum()), int(made.hard.sum())
    typer.echo(f"{out}: {len(made)} pairs, {same} with the same strategy, {marked} hard negatives, seed {seed}")


def evaluate_kind(
    kind: str,
    settings: "dict[str, JsonValue]",
    examples: "Sequence[Example]",
    *,
    seed: int,
    bundled: bool,
    classes: "Sequence[str]",
    **protocol: Any,
) -> "EvaluationResult":
    """Evaluate a kind of model under a protocol: trained on parts of the examples, tested on others.

    The classifier of pairs always distinguishes the paper's 13 strategies, which it is trained on. ``protocol`` are the
    protocol, its test data and folds, and whether to test for leaks.
    """
    from trialogue.strategies.evaluation.protocols import evaluate
    from trialogue.strategies.models import recipe
    from trialogue.strategies.pairs.crossencoder import plan_and_fit
    from trialogue.strategies.pairs.protocols import evaluate_pairs
    from trialogue.strategies.taxonomy import bundled_examples

    if kind == CROSS_ENCODER:
        plan, fit = plan_and_fit({"seed": seed, **settings})
        hard = plan.hard_ones(seed=seed)
        return evaluate_pairs(
            fit, examples, seed=seed, train_pairs=plan.pairs, hard=hard, hard_pairs=plan.hard_pairs, **protocol
        )
    extra = bundled_examples() if bundled else ()
    found = evaluate(recipe(kind, settings), examples, seed=seed, extra=extra, classes=classes, **protocol)
    return found.model_copy(update={"model": kind})
