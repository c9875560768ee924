"""``trialogue strategies evaluate``: the accuracy of models."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import LabelsBy, Mapped, Names, check_inputs, refuse_unused
from trialogue.cli.shared.progress import StepProgress, steps
from trialogue.cli.strategies.data import examples
from trialogue.cli.strategies.kinds import CROSS_ENCODER, KINDS, TFIDF, check_settings, evaluate_kind
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.inputs.locations import Named
    from trialogue.strategies.base import Example
    from trialogue.strategies.evaluation.results import EvaluationResult
    from trialogue.strategies.models import Model


SEQUENCE = "sequence"
NAMES = {"frequencies": "strategy frequencies (no history)"}


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
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.strategies.card import number
    from trialogue.subjects.alignment.commands.planning import cross_validate_planner

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
    list[str], Help("Corpora or files with labelled dialogues, or the paper's human_annotation.csv (repeatable).")
]
Origin = Annotated[str, Setting("Origin of the labels to use.")]
FAR_TOO_GOOD = (
    "this is not transfer, and the result is far too good. Use --protocol dialogue, which evaluates "
    "on held-out dialogues."
)
PROTOCOL = (
    "How training and test data are split. dialogue: by dialogue; text: by distinct text; pairs: by pair, as in the paper "
    "(test data leak into training); transfer: test on other data, with a trained model or with --test; sequence: "
    "next-strategy prediction."
)


def evaluate(
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
    protocol: Annotated[str, Help(PROTOCOL)] = "dialogue",
    test: Annotated[list[str] | None, Help("Test data for transfer without a trained model (repeatable).")] = None,
    kind: Annotated[str | None, Help(f"{KINDS} (default: {TFIDF}).", ("--model",))] = None,
    mapping: Mapped = None,
    settings: Annotated[
        dict[str, Any] | None, Setting("Setting of the model, such as model.seeds=3.", ("model",))
    ] = None,
    origin: Origin = "expert",
    test_origin: Annotated[str | None, Setting("Origin of the labels of --test (default: same as origin).")] = None,
    labels_by: LabelsBy = None,
    names: Names = None,
    bundled: Annotated[
        bool | None,
        Setting("Also train on the sentences bundled with Trialogue (default: no, or as MODEL was trained)."),
    ] = None,
    paper_classes: Annotated[
        bool, Setting("Leave out no_strategy, as the paper does (default: the classes that models are trained on).")
    ] = False,
    leak_test: Annotated[
        bool | None, Setting("Also evaluate on permuted labels, which doubles the time (default: true).")
    ] = None,
    folds: Annotated[int | None, Ge(2), Setting("Number of folds (default: 5).")] = None,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Evaluate a model. Results on permuted labels show how much of its accuracy is memorisation."""
    from trialogue.records import STRATEGIES
    from trialogue.strategies.base import CLASSES
    from trialogue.subjects.alignment.commands.align import find_model
    from trialogue.workflows.mapped import with_mapping

    of_kinds = {"--model": kind, "--set model": settings}
    of_labels = {"--set origin": origin != "expert", "--set names": names, "--set paper_classes": paper_classes}
    of_training = {"--set bundled": bundled is not None, "--set leak_test": leak_test is not None}
    given_options = {
        **of_kinds, **of_labels, **of_training, "MODEL": model, "--test": test, "--set test_origin": test_origin,
        "--set labels_by": labels_by, "--set folds": folds,
    }  # fmt: skip
    _check_protocol(protocol, given_options)
    leak_test, folds = leak_test is not False, folds or 5
    if model is None and protocol != SEQUENCE:
        check_settings(kind or TFIDF, settings or {})
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
                name, (settings or {}) if trained is None else trained.card.settings, given, protocol=protocol, test=other,
                folds=folds, seed=seed, leak_test=leak_test, bundled=added, classes=classes,
            )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
    else:
        _show(found, other or given)


def _check_protocol(protocol: str, given: dict[str, Any]) -> None:
    """Raise UsageError for an invalid protocol or combination of options, before reading."""
    from trialogue.errors import UnknownNameError, UsageError
    from trialogue.strategies.evaluation.results import PROTOCOLS

    def refuse(by: str, unused: Iterable[str], hint: str) -> None:
        refuse_unused(by, {name: given[name] for name in unused}, hint=hint)

    if protocol == SEQUENCE:
        hint = "It takes --data, --mapping, --seed, --json, and --set labels_by and folds."
        refuse(f"--protocol {SEQUENCE}", given.keys() - {"--set labels_by", "--set folds"}, hint)
        return
    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", protocol, [*PROTOCOLS, SEQUENCE])
    if protocol == "transfer" and not given["MODEL"] and not given["--test"]:
        raise UsageError("--protocol transfer needs other data to test on: give --test, or a trained MODEL to test.")
    refuse(f"--protocol {protocol}", ["--set labels_by"], "Choose its labels with --set origin=...")
    if protocol != "transfer":
        hint = "It tests on the data given; to test on other data, use --protocol transfer."
        refuse(f"--protocol {protocol}", ["--test", "--set test_origin"], hint)
    elif not given["--test"]:
        unused = ("--model", "--set model", "--set bundled", "--set leak_test", "--set folds", "--set test_origin")
        hint = (
            "The model is evaluated as it is; with --test, or another protocol, a new model of its kind is "
            "trained and evaluated."
        )
        refuse("A trained model with --protocol transfer", unused, hint)
    if given["MODEL"]:
        hint = "A trained MODEL has its own kind and settings. To evaluate others, leave out MODEL."
        refuse("A trained model", ["--model", "--set model"], hint)
    elif given["--model"] == CROSS_ENCODER:
        refuse(f"--model {CROSS_ENCODER}", ["--set bundled"], "It is evaluated without the bundled sentences.")


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
