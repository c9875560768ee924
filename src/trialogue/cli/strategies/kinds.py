"""Kinds of strategy models on the command line: their settings, validated before data are read, and pair classifiers."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.cli.shared.progress import StepProgress
    from trialogue.records import JsonValue
    from trialogue.strategies.base import Example
    from trialogue.strategies.evaluation.results import EvaluationResult

TFIDF = "tfidf"  # the kind where none is named
CROSS_ENCODER = "cross-encoder"  # the one kind of model that judges pairs, not sentences
KINDS = (
    f"Kind of model: {TFIDF}, encoder, finetuned, ensemble, keywords, majority; or {CROSS_ENCODER}, which judges pairs."
)


def checked_settings(kind: str, pairs: list[str], encoder: str | None = None) -> "dict[str, JsonValue]":
    """The settings of a kind of model, as ``settings_of`` reads them; UsageError if it has no such settings or kind."""
    from trialogue.strategies.models import recipe
    from trialogue.strategies.pairs.crossencoder import plan_and_fit

    found = settings_of(pairs, encoder)
    if kind == CROSS_ENCODER:
        plan_and_fit(found)
    else:
        recipe(kind, found)
    return found


def settings_of(pairs: list[str], encoder: str | None = None) -> "dict[str, JsonValue]":
    """Settings of a model from ``name=value`` (values as JSON, or else as text), and the encoder if one is named.

    >>> settings_of(["seeds=2", "use_context=true", "note=a b"])
    {'seeds': 2, 'use_context': True, 'note': 'a b'}
    """
    from trialogue.errors import UsageError

    found: dict[str, JsonValue] = {} if encoder is None else {"encoder": encoder}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"settings must have the form name=value, such as seeds=3; got {pair!r}.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


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


def evaluate_kind(
    kind: str,
    settings: "dict[str, JsonValue]",
    examples: "Sequence[Example]",
    *,
    protocol: str,
    test: "Sequence[Example] | None",
    folds: int,
    seed: int,
    leak_test: bool,
    bundled: bool,
    classes: "Sequence[str]",
) -> "EvaluationResult":
    """Evaluate a kind of model under a protocol: trained on parts of the examples, tested on others.

    The classifier of pairs always distinguishes the paper's 13 strategies, which it is trained on.
    """
    from trialogue.strategies.evaluation.protocols import evaluate
    from trialogue.strategies.models import recipe
    from trialogue.strategies.taxonomy import bundled_examples

    if kind == CROSS_ENCODER:
        return _evaluate_on_pairs(
            examples, settings, protocol=protocol, test=test, folds=folds, seed=seed, leak_test=leak_test
        )
    found = evaluate(
        recipe(kind, settings),
        examples,
        protocol=protocol,  # type: ignore[arg-type]
        test=test,
        folds=folds,
        seed=seed,
        leak_test=leak_test,
        extra=bundled_examples() if bundled else (),
        classes=classes,
    )
    return found.model_copy(update={"model": kind})


def _evaluate_on_pairs(
    examples: "Sequence[Example]",
    settings: "dict[str, JsonValue]",
    *,
    protocol: str,
    test: "Sequence[Example] | None",
    folds: int,
    seed: int,
    leak_test: bool,
) -> "EvaluationResult":
    """Evaluate the paper's pair classifier under a protocol."""
    from trialogue.strategies.pairs.crossencoder import plan_and_fit
    from trialogue.strategies.pairs.protocols import evaluate_pairs

    plan, fit = plan_and_fit({"seed": seed, **settings})
    return evaluate_pairs(
        fit,
        examples,
        protocol=protocol,  # type: ignore[arg-type]
        test=test,
        folds=folds,
        seed=seed,
        train_pairs=plan.pairs,
        hard=plan.hard_ones(seed=seed),
        hard_pairs=plan.hard_pairs,
        leak_test=leak_test,
    )
