"""``trialogue strategies evaluate``, ``pairs`` and ``coverage``: model accuracy and taxonomy coverage."""

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import LabelsBy, Mapped, check_inputs
from trialogue.cli.shared.options import other_parameters, refuse_unused
from trialogue.cli.shared.progress import StepProgress, refuse_input, steps
from trialogue.cli.strategies.data import examples
from trialogue.cli.strategies.kinds import CROSS_ENCODER, KINDS, TFIDF, checked_settings, evaluate_kind
from trialogue.options import AnyLanguage, Seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.strategies.base import Example
    from trialogue.strategies.evaluation.coverage import Coverage
    from trialogue.strategies.evaluation.results import EvaluationResult
    from trialogue.strategies.models import Model
    from trialogue.strategies.pairs.protocols import Hard
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


Data = Annotated[
    list[str],
    typer.Option("--data", help="Corpora or files with labelled dialogues, or the paper's human_annotation.csv."),
]
Names = Annotated[
    Path | None, typer.Option("--names", help="YAML or JSON file that maps other strategy names to Trialogue's.")
]
Origin = Annotated[str, typer.Option(help="Origin of the labels to evaluate against.")]
FAR_TOO_GOOD = (
    "this is not transfer, and the result is far too good. Use --protocol dialogue, which evaluates "
    "on held-out dialogues."
)
PROTOCOL = (
    "How training and test data are split. dialogue: by dialogue; text: by distinct text; pairs: by pair, as in the paper "
    "(test data leak into training); transfer: test on other data, with a trained model or with --test; sequence: "
    "next-strategy prediction."
)
PAPER_CLASSES = "Leave out no_strategy, as the paper does (default: the classes that models are trained on)."
BUNDLED = "Also train on the sentences bundled with Trialogue (default: no, or as MODEL was trained)."


def evaluate(
    context: typer.Context,
    data: Data,
    model: Annotated[
        str | None,
        typer.Argument(
            help=(
                "Folder of a trained model, or 'default'. New models of its kind and settings are trained and "
                "evaluated; with --protocol transfer and no --test, the trained model itself is evaluated."
            )
        ),
    ] = None,
    protocol: Annotated[str, typer.Option(help=PROTOCOL)] = "dialogue",
    test: Annotated[list[str] | None, typer.Option(help="Test data for transfer without a trained model.")] = None,
    kind: Annotated[str | None, typer.Option("--model", help=f"{KINDS} {TFIDF} by default.")] = None,
    origin: Origin = "expert",
    test_origin: Annotated[
        str | None, typer.Option(help="Origin of the labels of --test (default: same as --origin).")
    ] = None,
    labels_by: LabelsBy = None,
    names: Names = None,
    mapping: Mapped = None,
    encoder: Annotated[str | None, typer.Option(help="Sentence encoder of neural models.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Setting of the model as name=value.")] = None,
    bundled: Annotated[bool | None, typer.Option(help=BUNDLED, show_default=False)] = None,
    paper_classes: Annotated[bool, typer.Option("--paper-classes", help=PAPER_CLASSES)] = False,
    leak_test: Annotated[bool, typer.Option(help="Also evaluate on permuted labels, which doubles the time.")] = True,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Evaluate a model. Results on permuted labels show how much of its accuracy is memorisation."""
    from trialogue.records import STRATEGIES
    from trialogue.strategies.base import CLASSES
    from trialogue.workflows.alignment.align import find_model
    from trialogue.workflows.mapped import with_mapping

    if protocol == SEQUENCE:
        reject_inapplicable_options(context)
    else:
        _check_protocol(context, protocol, model, test)
    chosen = (
        {} if model is not None or protocol == SEQUENCE else checked_settings(kind or TFIDF, settings or [], encoder)
    )
    check_inputs([*data, *(test or ())], model=model, files=(names,))
    read = with_mapping(data, mapping)
    with steps() as tell:
        if protocol == SEQUENCE:
            evaluate_sequence(read, labels_by=labels_by, folds=folds, seed=seed, as_json=as_json, tell=tell)
            return
        trained = None if model is None else find_model(model)
        classes = STRATEGIES if paper_classes else CLASSES
        given = examples(read, origin, names)
        other = examples(with_mapping(test, mapping), test_origin or origin, names) if test else None
        if trained is not None and protocol == "transfer" and not test:
            found = _as_it_is(trained, given, classes=classes, seed=seed, tell=tell)
        else:
            name = (kind or TFIDF) if trained is None else trained.card.model
            added = trained is not None and "bundled" in trained.card.sources if bundled is None else bundled
            besides = " and the bundled ones" if added and name != CROSS_ENCODER else ""
            tell(f"{name} by {protocol}, {folds} folds, {len(given)} labelled sentences{besides}")
            found = evaluate_kind(
                name,
                chosen if trained is None else trained.card.settings,
                given,
                protocol=protocol,
                test=other,
                folds=folds,
                seed=seed,
                leak_test=leak_test,
                bundled=added,
                classes=classes,
            )
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
    else:
        _show(found, other or given)


def _check_protocol(context: typer.Context, protocol: str, model: str | None, test: list[str] | None) -> None:
    """Raise UsageError for an invalid protocol or combination of options, before reading."""
    from trialogue.errors import UnknownNameError, UsageError
    from trialogue.strategies.evaluation.results import PROTOCOLS

    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", protocol, [*PROTOCOLS, SEQUENCE])
    if protocol == "transfer" and model is None and not test:
        raise UsageError("--protocol transfer needs other data to test on: give --test, or a trained MODEL to test.")
    hint = "Choose its labels with --origin."
    refuse_unused(context, ("labels_by",), by=f"--protocol {protocol}", hint=hint)
    if protocol != "transfer":
        hint = "It tests on the data given; to test on other data, use --protocol transfer."
        refuse_unused(context, ("test", "test_origin"), by=f"--protocol {protocol}", hint=hint)
    elif not test:
        hint = (
            "The model is evaluated as it is; with --test, or another protocol, a new model of its kind is "
            "trained and evaluated."
        )
        unused = ("kind", "settings", "encoder", "bundled", "leak_test", "folds", "test_origin")
        refuse_unused(context, unused, by="A trained model with --protocol transfer", hint=hint)
    if model is not None:
        hint = "A trained MODEL has its own kind and settings. To evaluate others, leave out MODEL."
        refuse_unused(context, ("kind", "settings", "encoder"), by="A trained model", hint=hint)
    elif context.params["kind"] == CROSS_ENCODER and context.params["bundled"]:
        hint = "It is evaluated without the bundled sentences."
        refuse_unused(context, ("bundled",), by=f"--model {CROSS_ENCODER}", hint=hint)


def _as_it_is(
    trained: "Model", given: "list[Example]", *, classes: "Sequence[str]", seed: int, tell: StepProgress
) -> "EvaluationResult":
    """Evaluate a trained model on these sentences."""
    from trialogue.strategies.evaluation.protocols import evaluate_trained

    tell(f"{trained.origin} as it is, on {len(given)} labelled sentences")
    known = _trained_on(trained, given, tell)
    return evaluate_trained(trained, trained.same_coefficients, given, classes=classes, trained_on=known, seed=seed)


def _trained_on(model: "Model", given: "list[Example]", tell: StepProgress) -> "frozenset[str] | None":
    """Fingerprints of what a model was trained on, if kept; tells where it was trained on what it is to be judged by."""
    from trialogue.fingerprints import known_texts
    from trialogue.strategies.models import training_fingerprints

    sources = set(model.card.sources)
    fingerprints = training_fingerprints(model)
    same = sum(one.source in sources for one in given if one.source)
    if fingerprints is None and same:
        where = ", ".join(sorted(sources - {"bundled"}))
        tell.say(
            f"warning: {same} of {len(given)} sentences are in {where}, which the model was trained on: {FAR_TOO_GOOD}"
        )
    texts = [one.text for one in given]
    found = None if fingerprints is None else known_texts(fingerprints, texts)
    if found is not None and found.is_memorised:
        tell.say(f"warning: the model was trained on {found.counts}: {FAR_TOO_GOOD}")
    return fingerprints


def _left_out(found: "EvaluationResult", tested: "list[Example]") -> str:
    """Number of skipped sentences, with their labels."""
    if not found.left_out:
        return ""
    others = ", ".join(sorted({one.label for one in tested} - set(found.classes)))
    return f", {found.left_out} with labels of other classes ({others}) left out"


def _show(found: "EvaluationResult", tested: "list[Example]") -> None:
    from trialogue.strategies.card import number
    from trialogue.strategies.evaluation.results import PROTOCOLS

    typer.echo(f"{found.model} by {found.protocol} ({PROTOCOLS[found.protocol]})")
    share = "an unknown share" if found.seen_texts is None else f"{found.seen_texts:.0%}"
    seen = f", {share} of the texts also occur in the training data"
    typer.echo(f"  {found.n} sentences of {found.dialogues} dialogues{seen}{_left_out(found, tested)}")
    if found.labels is not None:
        labels = found.labels
        typer.echo(f"  labels: accuracy {number(labels.accuracy)}, macro-F1 {number(labels.macro_f1)}")
        typer.echo(f"  calibration error {number(labels.calibration_error)}, log-loss {number(labels.log_loss)}")
    unit = found.pairs.unit
    for name, side in ((f"by {unit}", found.pairs.by_cluster), ("by pair (too narrow)", found.pairs.by_pair)):
        scores = f"accuracy {number(side.accuracy)}, kappa {number(side.kappa)}, AUC {number(side.auc)}"
        typer.echo(f"  pairs ({found.pairs.prevalence:.0%} share a strategy), {name}: {scores}")
    if found.leak is not None:
        verdict = "the protocol measures memorisation" if found.leak.leaks else "no leak found"
        typer.echo(f"  the same on permuted labels: accuracy {found.leak.pair_accuracy:.3f} ({verdict})")
    typer.echo("  the intervals cover the sampling of test sentences, with models and calibration as fitted;")
    typer.echo("  trialogue align, evaluate and score add the calibration error to implicit alignment")


def pairs(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file: .csv (the paper's format) or .jsonl.")],
    kind: Annotated[str, typer.Option("--set", help="Kind of training set: original or mixed-hard.")] = "original",
    count: Annotated[
        int | None,
        typer.Option(min=1, help="Number of pairs of each kind (default: 50,000, or all pairs if there are fewer)."),
    ] = None,
    origin: Origin = "expert",
    names: Names = None,
    mapping: Mapped = None,
    own_hard: Annotated[
        bool,
        typer.Option(
            help=(
                "Find hard negatives with a TF-IDF model of these data (default: use the pairs in the paper's Table 2)."
            )
        ),
    ] = False,
    seed: Seed = 0,
) -> None:
    """Write training pairs as in the paper, original or mixed-hard. The same seed gives the same pairs."""
    from trialogue.errors import UsageError
    from trialogue.records import STRATEGIES
    from trialogue.seeds import rng_for
    from trialogue.strategies.pairs.protocols import (
        N_HARD,
        N_SAME,
        PAPER_CONFUSIONS,
        check_pairs_name,
        measure,
        training_pairs,
        write_pairs,
    )

    if kind not in ("original", "mixed-hard"):
        raise UsageError(f"--set must be original or mixed-hard, got {kind!r}.")
    from trialogue.workflows.mapped import with_mapping

    check_pairs_name(out)
    refuse_input(out, [*data, names])
    check_inputs(data, files=(names,))
    with steps() as tell:
        given = [one for one in examples(with_mapping(data, mapping), origin, names) if one.label in STRATEGIES]
        hard: Hard | None = None if kind == "original" else PAPER_CONFUSIONS
        if hard is not None and own_hard:
            tell("finding the hard negatives of these data")
            hard = measure(seed=seed)
        made = training_pairs(given, rng=rng_for(seed, "pair set"), count=count or N_SAME, hard=hard, hard_pairs=N_HARD)
        write_pairs(out, made)
    same, marked = int(made.same.sum()), int(made.hard.sum())
    typer.echo(f"{out}: {len(made)} pairs, {same} with the same strategy, {marked} hard negatives, seed {seed}")


def coverage(
    source: Annotated[str, typer.Argument(help="A corpus or a file of dialogues or responses.")],
    model: Annotated[str | None, typer.Option(help="Folder of a model (default: the bundled model).")] = None,
    mapping: Mapped = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Minimum probability for a strategy to fit a sentence (default: the model's threshold)."
        ),
    ] = None,
    groups: Annotated[int, typer.Option(min=1, help="Maximum number of groups to show.")] = 5,
    seed: Seed = 0,
    any_language: AnyLanguage = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per system and line.")] = False,
) -> None:
    """Find system behavior outside the 13 strategies, and print it in groups with examples."""
    from trialogue.datasets import Repairs
    from trialogue.strategies.evaluation.coverage import coverage_of
    from trialogue.workflows.alignment.align import find_model
    from trialogue.workflows.inputs.inputs import summarise_repairs
    from trialogue.workflows.inputs.locations import records_of
    from trialogue.workflows.mapped import with_mapping

    check_inputs([source], model=model)
    with steps() as tell:
        labeller = find_model(model)
        tell(f"asking {labeller.origin}")
        repairs = Repairs()
        records = chain.from_iterable(records_of(each, repairs) for each in with_mapping([source], mapping))
        found = coverage_of(records, labeller, threshold=threshold, groups=groups, any_language=any_language, seed=seed)
        for line in summarise_repairs(repairs.problems):
            tell.say(f"note: {line}")
    for each in found:
        if as_json:
            typer.echo(json.dumps(each.to_json(), ensure_ascii=False))
        else:
            _show_coverage(each)


def _show_coverage(found: "Coverage") -> None:
    from trialogue.strategies.card import number

    typer.echo(f"{found.system or 'unnamed'}: {found.responses} responses, {found.sentences} sentences")
    typer.echo(
        f"  fit none of the 13: responses {number(found.uncovered)}, sentences {number(found.uncovered_sentences)}"
    )
    typer.echo(
        f"  of those: chit-chat such as greetings and thanks {number(found.talk)}, uncertain {number(found.other)}"
    )
    typer.echo(
        f"  (of sentences that people labelled with a strategy, a share of {found.expected:.3f} would be counted "
        "as fitting none)"
    )
    for group in found.groups:
        typer.echo(f"  {group.n:4} x, nearest {group.nearest}: {group.examples[0]}")
