"""``trialogue strategies``: list strategies, label utterances, train models and show their cards."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import LabelsBy, Mapped, check_inputs
from trialogue.cli.shared.progress import check_folder, refuse_input, steps
from trialogue.cli.strategies.data import examples
from trialogue.cli.strategies.encoder import app as encoder_app
from trialogue.cli.strategies.evaluate import Names, coverage, evaluate, pairs
from trialogue.cli.strategies.kinds import CROSS_ENCODER, KINDS, TFIDF, checked_settings, train_on_pairs
from trialogue.cli.strategies.language_model import calibrate, cost_lines, usage_lines
from trialogue.options import AnyLanguage, Cluster, Jobs, Seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.strategies.classifiers.llm_labeller import LlmLabeller
    from trialogue.strategies.labelling import Options
    from trialogue.strategies.models import Model as StrategyModel
    from trialogue.workflows.alignment.planning import StrategyPlan
    from trialogue.workflows.inputs.locations import Input, Named


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


app = App(help="The thirteen recommendation strategies, and the models that label them.", no_args_is_help=True)
app.add_typer(encoder_app, name="encoder")
app.command("evaluate")(evaluate)
app.command("calibrate")(calibrate)
app.command("next")(next_strategy)
app.command("pairs")(pairs)
app.command("coverage")(coverage)

Model = Annotated[str | None, typer.Option(help="Folder of a model (default: the bundled model).")]
Data = Annotated[list[str], typer.Option("--data", help="Corpora or files with labelled dialogues (repeatable).")]
Bundled = Annotated[bool, typer.Option(help="Also train on the sentences bundled with Trialogue.")]
Encoder = Annotated[
    str | None, typer.Option(help="Sentence encoder of neural models: a folder, or a name on the Hugging Face Hub.")
]
Settings = Annotated[list[str] | None, typer.Option("--set", help="Setting of the model as name=value (repeatable).")]
Origin = Annotated[str, typer.Option(help="Origin of the labels to use.")]


@app.command("list")
def list_strategies(
    name: Annotated[str | None, typer.Argument(help="Name of the strategy to explain.")] = None,
) -> None:
    """List the strategies, or explain one strategy with examples and its differences from similar strategies."""
    from trialogue.errors import UnknownNameError
    from trialogue.strategies.taxonomy import TAXONOMY, bundled_examples

    known = TAXONOMY
    if name is None:
        width = max(map(len, known))
        for each in known.values():
            typer.echo(f"{each.name:<{width}}  {each.definition}")
        return
    if name not in known:
        raise UnknownNameError("strategy", name, known)
    for field, value in known[name].to_json().items():
        typer.echo(f"{field}: {value}")
    for example in [each.text for each in bundled_examples() if each.label == name][:5]:
        typer.echo(f"  for example: {example}")


@app.command("label")
def label(
    source: Annotated[str, typer.Argument(help="A corpus or a file of dialogues, situations or responses.")],
    target: Annotated[
        Path | None,
        typer.Argument(help="Output file in Trialogue's JSON Lines (default: NAME.labelled.jsonl next to the input)."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Folder of a model (default: the bundled model), or a language model: llm:FILE.yaml, llm:openai:MODEL, "
            "llm:huggingface:FOLDER, llm:FOLDER of a calibrated one."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="With a language model: print the number of requests and their cost, and exit."),
    ] = False,
    abstain: Annotated[
        float | None, typer.Option(min=0, max=1, help="Omit labels with a probability below this value.")
    ] = None,
    any_language: AnyLanguage = False,
    pair_model: Annotated[
        str | None, typer.Option(help="Folder of a pair classifier: also write its probabilities for each response.")
    ] = None,
    mapping: Mapped = None,
    situations: Annotated[
        list[str] | None,
        typer.Option(
            "--situations", "-s", help="Situations that the responses answer, if in another file (repeatable)."
        ),
    ] = None,
    jobs: Jobs = 1,
    cluster: Cluster | None = None,
) -> None:
    """Label the system's utterances with strategies, probabilities and origin. Labels by people are kept."""
    from trialogue.dask_cluster import Workers
    from trialogue.strategies.classifiers.llm_labeller import is_language_model
    from trialogue.strategies.labelling import Options
    from trialogue.strategies.pairs.crossencoder import CrossEncoder
    from trialogue.workflows.alignment.align import find_model
    from trialogue.workflows.inputs.locations import resolve
    from trialogue.workflows.labelling import language_model
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.write_labels import write_labels

    read = [source, *(situations or ())]
    asked = language_model.find_language_model(model) if model and is_language_model(model) else None
    check_inputs(read, model=None if asked else model, pair_model=pair_model)
    options = Options(abstain=abstain, any_language=any_language)
    answered = with_mapping(situations or (), mapping)
    mapped = source if mapping is None else resolve(source, mapping=mapping)
    if dry_run:
        _print_cost(asked, mapped, options, answered)
        return
    out = _new_name(resolve(source)) if target is None else target
    refuse_input(out, read)
    with steps() as tell:
        labeller = find_model(model) if asked is None else asked
        classifier = None if pair_model is None else CrossEncoder.load(pair_model)
        tell(f"labelling with {labeller.origin}")
        if classifier is not None:
            tell(f"pairs are judged by {classifier.origin}")
        made = write_labels(
            mapped,
            out,
            labeller,
            options=options,
            situations=answered,
            classifier=classifier,
            model=model,
            workers=Workers(jobs, cluster),
        )
    believed = "" if classifier is None else f", {made.beliefs} of {made.responses} responses with pair probabilities"
    typer.echo(f"{out}: {made.records} records{believed}")
    if asked is not None:
        for line in usage_lines(language_model.raw_labeller(asked)):
            typer.echo(line)


def _print_cost(
    labeller: "LlmLabeller | StrategyModel | None", source: "Named", options: "Options", situations: "Sequence[Named]"
) -> None:
    """Cost of labelling a source; UsageError for a labeller that costs nothing."""
    from trialogue.errors import UsageError
    from trialogue.workflows.labelling.language_model import labelling_cost, raw_labeller

    if labeller is None:
        raise UsageError("--dry-run is for language models (--model llm:...); other models cost nothing.")
    asked = raw_labeller(labeller).options
    for line in cost_lines(
        labelling_cost(source, labeller, options=options, situations=situations), asked.model, asked.place
    ):
        typer.echo(line)


def _new_name(given: "Input") -> Path:
    """Default path of labelled records; UsageError if it exists."""
    from trialogue.errors import UsageError

    out = _labelled_name(given)
    if out.exists():
        raise UsageError(f"{out} exists already. To overwrite it, name it: trialogue strategies label ... {out}")
    return out


def _labelled_name(given: "Input") -> Path:
    """``NAME.labelled.jsonl`` beside a file or folder, and in this folder for a corpus.

    Of a file's name only its ending goes, and that of its compression: what is left tells versions apart.

    >>> from trialogue.workflows.inputs.inputs import Input
    >>> _labelled_name(Input("b=x/gpt-4.1.jsonl.gz", Path("x/gpt-4.1.jsonl.gz"), system="b")).as_posix()
    'x/gpt-4.1.labelled.jsonl'
    """
    from trialogue.records.files.opening import path_uncompressed

    path = Path(given.given) if given.corpus is not None else given.path
    if given.corpus is None and path.is_dir():
        path = path.resolve()  # the current folder has a name only so
        return path.parent / f"{path.name}.labelled.jsonl"
    plain = path_uncompressed(path)
    return plain.with_name(f"{plain.stem}.labelled.jsonl")


@app.command("train")
def train(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder for the model.")],
    kind: Annotated[str, typer.Option("--model", help=KINDS)] = TFIDF,
    origin: Origin = "expert",
    names: Names = None,
    mapping: Mapped = None,
    bundled: Bundled = True,
    encoder: Encoder = None,
    settings: Settings = None,
    folds: Annotated[
        int,
        typer.Option(min=2, help="Number of cross-validation models, used to calibrate and evaluate the final model."),
    ] = 5,
    seed: Seed = 0,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing model.")] = False,
) -> None:
    """Train and calibrate a model on labelled dialogues. Its card reports the accuracy on held-out dialogues."""
    from trialogue.records.files.opening import room_for
    from trialogue.strategies.card import card_lines
    from trialogue.strategies.learning.training import train as train_model
    from trialogue.strategies.models import save_model
    from trialogue.strategies.taxonomy import bundled_examples
    from trialogue.workflows.mapped import with_mapping

    _check_model_folder(out, pairs=kind == CROSS_ENCODER, replace=replace)
    chosen = checked_settings(kind, settings or [], encoder)
    check_inputs(data, files=(names,))
    with steps() as tell, room_for(out):
        given = examples(with_mapping(data, mapping), origin, names)
        extra = bundled_examples() if bundled else ()
        if kind == CROSS_ENCODER:
            train_on_pairs(given, chosen, out, seed=seed, extra=extra, replace=replace, tell=tell)
            return
        tell(f"training {kind} on {len(given)} labelled sentences")
        model = train_model(given, kind=kind, settings=chosen, folds=folds, seed=seed, extra=extra)
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


@app.command("card")
def card(model: Model = None) -> None:
    """Print the model card: training data, quality, limits."""
    from trialogue.strategies.card import card_lines
    from trialogue.workflows.alignment.align import find_model

    for line in card_lines(find_model(model).card):
        typer.echo(line)
