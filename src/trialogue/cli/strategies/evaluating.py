"""``trialogue strategies evaluate`` and ``next``: the accuracy of models, and the strategy that people would use next."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import LabelsBy, Mapped, Names, check_inputs
from trialogue.cli.shared.parameters import Given
from trialogue.cli.shared.progress import StepProgress, steps
from trialogue.cli.strategies.training import (
    CROSS_ENCODER,
    KINDS,
    TFIDF,
    Data,
    Origin,
    check_settings,
    evaluate_kind,
    examples,
)
from trialogue.errors import UnknownNameError
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.inputs.locations import Named
    from trialogue.strategies.base import Example
    from trialogue.strategies.evaluation.results import EvaluationResult
    from trialogue.strategies.models import Model
    from trialogue.subjects.alignment.commands.next_strategy import StrategyPlan

SEQUENCE = "sequence"
NAMES = {"frequencies": "strategy frequencies (no history)"}
FAR_TOO_GOOD = (
    "this is not transfer, and the result is far too good. Use --protocol dialogue, which evaluates "
    "on held-out dialogues."
)


def _check(given: Given) -> Iterator[str]:
    from trialogue.strategies.evaluation.results import PROTOCOLS

    protocol, model, test = given["protocol"], given["model"], given["test"]
    if protocol == SEQUENCE:
        unused = "model test kind settings origin test_origin names bundled paper_classes leak_test"
        hint = "It takes --data, --mapping, --seed, --json, and --set labels_by and folds."
        yield from given.why_unused(f"--protocol {SEQUENCE}", unused, hint)
        return
    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", protocol, [*PROTOCOLS, SEQUENCE])
    if protocol == "transfer" and not model and not test:
        yield "--protocol transfer needs other data to test on: give --test, or a trained MODEL to test."
    yield from given.why_unused(f"--protocol {protocol}", "labels_by", "Choose its labels with --set origin=...")
    if protocol != "transfer":
        hint = "It tests on the data given; to test on other data, use --protocol transfer."
        yield from given.why_unused(f"--protocol {protocol}", "test test_origin", hint)
    elif not test:
        hint = (
            "The model is evaluated as it is; with --test, or another protocol, a new model of its kind is "
            "trained and evaluated."
        )
        unused = "kind settings bundled leak_test folds test_origin"
        yield from given.why_unused("A trained model with --protocol transfer", unused, hint)
    if model:
        hint = "A trained MODEL has its own kind and settings. To evaluate others, leave out MODEL."
        yield from given.why_unused("A trained model", "kind settings", hint)
        return
    if given["kind"] == CROSS_ENCODER:
        hint = "It is evaluated without the bundled sentences."
        yield from given.why_unused(f"--model {CROSS_ENCODER}", "bundled", hint)
    check_settings(given["kind"] or TFIDF, given["settings"] or {})


@reads(check=_check)
def evaluate(
    model: str | None = None,
    *,
    data: Data,
    protocol: str = "dialogue",
    test: list[str] | None = None,
    kind: Annotated[str | None, Help(f"{KINDS} (default: {TFIDF}).", ("--model",))] = None,
    mapping: Mapped = None,
    settings: Annotated[dict[str, Any] | None, Setting(flags=("model",))] = None,
    origin: Origin = "expert",
    test_origin: Annotated[str | None, Setting("Origin of the labels of --test (default: same as origin).")] = None,
    labels_by: LabelsBy = None,
    names: Names = None,
    bundled: Annotated[bool | None, Setting()] = None,
    paper_classes: Annotated[bool, Setting()] = False,
    leak_test: Annotated[bool | None, Setting()] = None,
    folds: Annotated[int | None, Ge(2), Setting("Number of folds (default: 5).")] = None,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Evaluate a model. Results on permuted labels show how much of its accuracy is memorisation.

    Args:
        model: Folder of a trained model, or 'default'. New models of its kind and settings are trained and evaluated;
            with --protocol transfer and no --test, the trained model itself is evaluated.
        protocol: How training and test data are split. dialogue: by dialogue; text: by distinct text; pairs: by pair,
            as in the paper (test data leak into training); transfer: test on other data, with a trained model or with
            --test; sequence: next-strategy prediction.
        test: Test data for transfer without a trained model.
        settings: Setting of the model, such as model.seeds=3.
        bundled: Also train on the sentences bundled with Trialogue (default: no, or as MODEL was trained).
        paper_classes: Leave out no_strategy, as the paper does (default: the classes that models are trained on).
        leak_test: Also evaluate on permuted labels, which doubles the time (default: true).
    """
    from trialogue.records import STRATEGIES
    from trialogue.strategies.base import CLASSES
    from trialogue.subjects.alignment.commands.align import find_model
    from trialogue.workflows.mapped import with_mapping

    folds = folds or 5
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
                folds=folds, seed=seed, leak_test=leak_test is not False, bundled=added, classes=classes,
            )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
    else:
        _show(found, other or given)


def evaluate_sequence(
    data: "Sequence[Named]", *, labels_by: str | None, folds: int, seed: int, as_json: bool, tell: StepProgress
) -> None:
    """Cross-validate a model of the next strategy by dialogue, and print it with the baseline of strategy frequencies."""
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.strategies.card import number
    from trialogue.subjects.alignment.commands.next_strategy import cross_validate_planner

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


def next_strategy(
    source: str,
    *,
    data: list[str] | None = None,
    model: str | None = None,
    only: Annotated[list[str] | None, Help("Predict only for this dialogue (repeatable).", ("--id",))] = None,
    mapping: Mapped = None,
    labels_by: LabelsBy = None,
    top: Annotated[int, Ge(1), Setting("Number of strategies to show.")] = 5,
    as_json: bool = False,
) -> None:
    """Predict a human recommender's next strategy, and print a prompt that asks a language model to use it.

    Args:
        source: Unfinished dialogues, or situations: a file or a corpus.
        data: Labelled human dialogues to train on, such as inspired.
        model: Folder of a model that labels the dialogue so far (default: the bundled model).
    """
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.subjects.alignment.commands.align import find_model
    from trialogue.subjects.alignment.commands.next_strategy import next_model, plans
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
                _show_plan(planned, top)


def _show_plan(planned: "StrategyPlan", top: int) -> None:
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
