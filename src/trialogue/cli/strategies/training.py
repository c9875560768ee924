"""``trialogue strategies train``: train models on labelled sentences, or calibrate a language model on them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import DryRun, Mapped, Names, check_inputs
from trialogue.cli.shared.parameters import Given
from trialogue.cli.shared.progress import StepProgress, check_folder, refuse_input, steps
from trialogue.errors import UsageError
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.inputs.locations import Named
    from trialogue.records import Dialogue, JsonValue, Situation
    from trialogue.strategies.base import Example
    from trialogue.strategies.classifiers.llm_labeller import LabellingCost
    from trialogue.strategies.evaluation.results import EvaluationResult

TFIDF = "tfidf"  # the kind where none is named
CROSS_ENCODER = "cross-encoder"  # the one kind of model that judges pairs, not sentences
PAIRS = "pairs"  # what it is trained on, without training it
KINDS = f"Kind of model: {TFIDF}, encoder, finetuned, ensemble, keywords, majority; {CROSS_ENCODER}, which judges pairs"
Data = Annotated[
    list[str], Help("Corpora or files with labelled dialogues, or the paper's human_annotation.csv (repeatable).")
]
Origin = Annotated[str, Setting("Origin of the labels to use.")]


def _check(given: Given) -> Iterator[str]:
    from trialogue.strategies.classifiers.llm_labeller import is_language_model

    kind = given["kind"]
    if is_language_model(kind):
        yield from given.why_unused("A language model", "bundled folds settings", "Its options are in its file.")
        return
    yield from given.why_unused(f"--model {kind}", "dry_run", "It is for language models (--model llm:...).")
    yield from given.why_unused(f"--model {PAIRS}", "bundled folds replace" if kind == PAIRS else "")
    check_settings(kind, given["settings"] or {})


@reads(check=_check)
def train(
    *,
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
    replace: bool = False,
    dry_run: DryRun = False,
    settings: Annotated[dict[str, Any] | None, Setting(flags=("model",))] = None,
    origin: Origin = "expert",
    names: Names = None,
    bundled: Annotated[bool | None, Setting()] = None,
    folds: Annotated[int | None, Ge(2), Setting()] = None,
    seed: Seed = 0,
) -> None:
    """Train and calibrate a model on labelled dialogues. Its card reports the accuracy on held-out dialogues.

    Args:
        replace: Replace an existing model.
        settings: Setting of the model, such as model.seeds=3, model.encoder=FOLDER or model.hard=paper.
        bundled: Also train on the sentences bundled with Trialogue (default: true).
        folds: Number of cross-validation models that calibrate and evaluate the model (default: 5).
    """
    from trialogue.records.files.opening import room_for
    from trialogue.strategies.card import card_lines
    from trialogue.strategies.classifiers.llm_labeller import is_language_model
    from trialogue.strategies.learning.training import train as train_model
    from trialogue.strategies.models import save_model
    from trialogue.strategies.pairs.protocols import check_pairs_name
    from trialogue.strategies.taxonomy import bundled_examples
    from trialogue.workflows.mapped import with_mapping

    if is_language_model(kind):
        check_folder(out)
        check_inputs(data, files=(names,))
        calibrate(
            kind, data, out, origin=origin, names=names, mapping=mapping, dry_run=dry_run, seed=seed, replace=replace
        )
        return
    if kind == PAIRS:
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


def examples(data: "Sequence[Named]", origin: str, names: Path | None = None) -> "list[Example]":
    """Labelled sentences of corpora, files, and the paper's annotated ReDial sentences (a CSV of its columns).

    Of situations, those of one dialogue count as that dialogue, as far as the last of them goes.

    Raises:
        DataError: no label is of this origin, or they name strategies that do not exist; all of them at once.
    """
    from trialogue.inputs.inputs import gather
    from trialogue.inputs.names import read_names
    from trialogue.strategies.base import examples_of
    from trialogue.strategies.paper_data import ANNOTATIONS, read_annotations

    mapping = {} if names is None else read_names(names)
    released = [one for one in data if Path(str(one)).name == ANNOTATIONS]
    found = [example for one in released for example in read_annotations(str(one))]
    others = [one for one in data if one not in released]
    if others:
        material = gather(others)
        whole = {dialogue.id for dialogue in material.dialogues}
        dialogues = [
            *material.dialogues,
            *_join_situations(one for one in material.situations if one.dialogue_id not in whole),
        ]
        _check_labels(dialogues, origin, mapping, others)
        found += examples_of(dialogues, origin=origin, mapping=mapping)
    return found


def _join_situations(situations: "Iterable[Situation]") -> "Iterator[Dialogue]":
    """Dialogues of the longest situations, with labels that stand on the references of shorter ones put in their places."""
    from trialogue.subjects.alignment.commands.next_strategy import rebuild_dialogues

    given = [one for one in situations if one.reference is not None]
    references = {(one.dialogue_id or one.id, len(one.context)): one.reference for one in given}
    for dialogue in rebuild_dialogues(given):
        said = list(dialogue.utterances)
        for place, utterance in enumerate(said):
            reference = references.get((dialogue.id, place))
            if reference is not None and not utterance.strategies and reference.text == utterance.text:
                said[place] = reference
        yield dialogue.model_copy(update={"utterances": tuple(said)})


def _check_labels(
    dialogues: "Iterable[Dialogue]", origin: str, mapping: dict[str, str], given: "Sequence[Named]"
) -> None:
    """Raise DataError unless there are labels of this origin and every label is known or mapped."""
    from trialogue.errors import DataError, Problem, UnknownNameError
    from trialogue.strategies.base import canonical

    labels = [
        (label.origin, label.strategy)
        for dialogue in dialogues
        for utterance in dialogue.utterances
        if utterance.speaker == "system"
        for label in utterance.strategies or ()
    ]
    by = Counter(each for each, _ in labels)
    where = ", ".join(map(str, given))
    if origin not in by:
        there = ", ".join(f"{each} ({count})" for each, count in by.most_common(5))
        none = "no system utterance of a dialogue, or of a situation with a reference, is labelled."
        what = f"no label has origin {origin!r}; " + (f"there are labels by {there}." if by else none)
        raise DataError(Problem(what, where, hint="Choose the origin with --set origin=..." if by else ""))
    problems = []
    for name, count in Counter(name for each, name in labels if each == origin).items():
        try:
            canonical(name, mapping=mapping)
        except UnknownNameError as error:
            problems.append(Problem(f"({count} times) {error}", where, hint="Give the file with --set names=FILE."))
    if problems:
        raise DataError(problems)


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


def calibrate(
    model: str,
    data: list[str],
    out: Path,
    *,
    origin: str,
    names: Path | None,
    mapping: Path | None,
    dry_run: bool,
    seed: int,
    replace: bool,
) -> None:
    """Calibrate a language model on people's labels (it is not trained) and report its agreement with them."""
    from trialogue.inputs.inputs import gather
    from trialogue.strategies.card import card_lines, number
    from trialogue.strategies.models import Model, save_model
    from trialogue.strategies.paper_data import ANNOTATIONS
    from trialogue.subjects.alignment.labelling import language_model
    from trialogue.workflows.mapped import with_mapping

    labeller = language_model.find_language_model(model)
    if isinstance(labeller, Model):
        raise UsageError(f"{model} is calibrated already. Give the options that it was made from.")
    read = with_mapping(data, mapping)
    given = examples(read, origin, names)
    if dry_run:
        asked = language_model.for_examples(labeller, given)
        cost = asked.cost([each.text for each in given], [each.context for each in given])
        for line in cost_lines(cost, labeller.options.model, labeller.options.place):
            typer.echo(line)
        return
    dialogues = gather([each for each in read if Path(str(each)).name != ANNOTATIONS]).dialogues
    with steps() as tell:
        tell(f"{len(given)} sentences to {labeller.options.model} at {labeller.options.place}")
        found = language_model.calibrate_language_model(labeller, given, dialogues, origin=origin, seed=seed)
        save_model(found.model, out, replace=replace)
    for line in card_lines(found.model.card):
        typer.echo(line)
    people = found.between_people
    typer.echo(
        f"Kappa with people: {number(found.model.card.labels.kappa)} on {found.model.card.n} sentences; two people: "
        f"{number(people)} on the {people.n} sentences that a second person labelled."
    )
    for line in usage_lines(language_model.raw_labeller(found.model)):
        typer.echo(line)
    typer.echo(f"Model: {out}")


def cost_lines(cost: "LabellingCost", model: str, place: str) -> list[str]:
    """Cost in advance, as lines of text."""
    lines = [
        f"{cost.sentences} different sentences for {model} at {place}: {cost.requests} requests, {cost.cached} answers in "
        "the cache.",
        f"Prompts: about {cost.prompt_tokens} tokens.",
    ]
    if cost.least is None:
        return [*lines, "Cost: unknown, because the options have no price."]
    most = "" if cost.most is None else f" to {cost.most:.2f}"
    return [*lines, f"Cost: about {cost.least:.2f}{most} {cost.currency}."]


def usage_lines(labeller: object) -> list[str]:
    """Requests and cost so far, as a line of text."""
    from trialogue.strategies.classifiers.llm_labeller import LlmLabeller

    assert isinstance(labeller, LlmLabeller)
    usage = labeller.usage()
    cost = "" if usage.cost is None else f", {usage.cost:.2f} {usage.currency}"
    return [
        f"{labeller.options.model}: {usage.calls} requests, {usage.cached} answers from the cache, "
        f"{usage.failures} failed{cost}."
    ]
