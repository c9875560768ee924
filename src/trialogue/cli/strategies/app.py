"""``trialogue strategies``: label utterances, train and evaluate models, predict the next strategy."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import DryRun, LabelsBy, Mapped, Names, check_inputs, refuse_unused
from trialogue.cli.shared.progress import check_folder, refuse_input, steps
from trialogue.cli.strategies.data import examples
from trialogue.cli.strategies.evaluate import Data, Origin, evaluate
from trialogue.cli.strategies.kinds import (
    CROSS_ENCODER,
    KINDS,
    PAIRS,
    TFIDF,
    check_settings,
    train_on_pairs,
    write_training_pairs,
)
from trialogue.cli.strategies.label import label
from trialogue.cli.strategies.language_model import calibrate
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.subjects.alignment.commands.planning import StrategyPlan

app = App(
    help="The thirteen recommendation strategies: label utterances, train and evaluate models, predict the next one."
)
app.command("label")(label)
app.command("evaluate")(evaluate)


@app.command("next")
def next_strategy(
    source: Annotated[str, typer.Argument(help="Unfinished dialogues, or situations: a file or a corpus.")],
    data: Annotated[
        list[str] | None, Help("Labelled human dialogues to train on, such as inspired (repeatable).")
    ] = None,
    model: Annotated[
        str | None, Help("Folder of a model that labels the dialogue so far (default: the bundled model).")
    ] = None,
    only: Annotated[list[str] | None, Help("Predict only for this dialogue (repeatable).", ("--id",))] = None,
    mapping: Mapped = None,
    labels_by: LabelsBy = None,
    top: Annotated[int, Ge(1), Setting("Number of strategies to show.")] = 5,
    as_json: bool = False,
) -> None:
    """Predict a human recommender's next strategy, and print a prompt that asks a language model to use it."""
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.subjects.alignment.commands.align import find_model
    from trialogue.subjects.alignment.commands.planning import next_model, plans
    from trialogue.workflows.mapped import with_mapping

    by = declared_labeller(labels_by)
    check_inputs([source, *(data or ())], model=model)
    with steps() as tell:
        chosen = next_model(with_mapping(data or (), mapping), labels_by=by)
        tell(f"a next-strategy model trained on {chosen.trained_on}")
        if chosen.warning:
            tell.say(f"note: {chosen.warning}")
        for planned in plans(with_mapping([source], mapping), chosen.model, find_model(model), ids=only or ()):
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


@app.command("train")
def train(
    data: Data,
    out: Annotated[Path, Help("Output folder for the model; a file for pairs.", ("--out", "-o"))],
    kind: Annotated[
        str,
        Help(
            f"{KINDS}; {PAIRS}, which only writes the pairs that it is trained on, to a .csv (the paper's format) or .jsonl "
            "file; or llm:FILE.yaml, llm:openai:MODEL or llm:huggingface:FOLDER, which is calibrated and not trained.",
            ("--model",),
        ),
    ] = TFIDF,
    mapping: Mapped = None,
    replace: Annotated[bool, Help("Replace an existing model.")] = False,
    dry_run: DryRun = False,
    settings: Annotated[
        dict[str, Any] | None,
        Setting("Setting of the model, such as model.seeds=3, model.encoder=FOLDER or model.hard=paper.", ("model",)),
    ] = None,
    origin: Origin = "expert",
    names: Names = None,
    bundled: Annotated[
        bool | None, Setting("Also train on the sentences bundled with Trialogue (default: true).")
    ] = None,
    folds: Annotated[
        int | None,
        Ge(2),
        Setting("Number of cross-validation models that calibrate and evaluate the model (default: 5)."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Train and calibrate a model on labelled dialogues. Its card reports the accuracy on held-out dialogues."""
    from trialogue.records.files.opening import room_for
    from trialogue.strategies.card import card_lines
    from trialogue.strategies.classifiers.llm_labeller import is_language_model
    from trialogue.strategies.learning.training import train as train_model
    from trialogue.strategies.models import save_model
    from trialogue.strategies.pairs.protocols import check_pairs_name
    from trialogue.strategies.taxonomy import bundled_examples
    from trialogue.workflows.mapped import with_mapping

    of_training = {"--set bundled": bundled is not None, "--set folds": folds}
    if is_language_model(kind):
        refuse_unused("A language model", of_training | {"--set model": settings}, hint="Its options are in its file.")
        check_folder(out)
        check_inputs(data, files=(names,))
        calibrate(
            kind, data, out, origin=origin, names=names, mapping=mapping, dry_run=dry_run, seed=seed, replace=replace
        )
        return
    refuse_unused(f"--model {kind}", {"--dry-run": dry_run}, hint="It is for language models (--model llm:...).")
    check_settings(kind, settings or {})
    if kind == PAIRS:
        refuse_unused(f"--model {PAIRS}", of_training | {"--replace": replace})
        check_pairs_name(out)
        refuse_input(out, [*data, names])
        check_inputs(data, files=(names,))
        with steps() as tell:
            given = examples(with_mapping(data, mapping), origin, names)
            write_training_pairs(given, settings or {}, out, seed=seed, tell=tell)
        return
    _check_model_folder(out, pairs=kind == CROSS_ENCODER, replace=replace)
    check_inputs(data, files=(names,))
    with steps() as tell, room_for(out):
        given = examples(with_mapping(data, mapping), origin, names)
        extra = () if bundled is False else bundled_examples()
        if kind == CROSS_ENCODER:
            train_on_pairs(given, settings or {}, out, seed=seed, extra=extra, replace=replace, tell=tell)
            return
        tell(f"training {kind} on {len(given)} labelled sentences")
        model = train_model(given, kind=kind, settings=settings or {}, folds=folds or 5, seed=seed, extra=extra)
        save_model(model, out, replace=replace)
    for line in card_lines(model.card):
        typer.echo(line)
    typer.echo(f"Model: {out}")


def _check_model_folder(out: Path, *, pairs: bool, replace: bool) -> None:
    """Raise UsageError now, not after all the work, unless a model (a classifier of pairs) can be written into a folder."""
    from trialogue.errors import UsageError
    from trialogue.strategies.models import FILE, check_not_here
    from trialogue.strategies.pairs.crossencoder import PARTS

    check_folder(out)
    check_not_here(out)
    if not out.is_dir() or not any(out.iterdir()):
        return
    kinds = {FILE: "a model that labels sentences", PARTS: "a pair classifier"}
    there = next((name for name in kinds if (out / name).is_file()), None)
    if there is None:
        raise UsageError(f"{out} is not empty and holds no model. Give --out a new or empty folder.")
    if there != (PARTS if pairs else FILE):
        raise UsageError(f"{out} holds {kinds[there]}, which cannot be replaced by another kind. Give another --out.")
    if not replace:
        raise UsageError(f"{out} already holds {kinds[there]}. Give another folder with --out, or use --replace.")
