"""Behavior Alignment of several systems: label, add the floors, measure, compare."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.evaluation.align_model import check_strategies, strategies_lacking, with_seen_told
from trialogue.evaluation.alignment_run import AlignmentRun, with_details
from trialogue.evaluation.labelling import LEAST_LABELLED, by_people, read_answers, with_answers
from trialogue.evaluation.material import Material
from trialogue.evaluation.names import read_names, with_names
from trialogue.evaluation.run import Progress, evaluate
from trialogue.evaluation.weights import WEIGHTED, weighted_situations
from trialogue.metrics import offline_conversations
from trialogue.metrics.alignment_floors import alignment_floors
from trialogue.records import Situation, Utterance, merged, situations_of
from trialogue.seeds import rng_for
from trialogue.strategies.crossencoder import CrossEncoder
from trialogue.strategies.default import default_model
from trialogue.strategies.label import Options, label_records
from trialogue.strategies.label_pairs import with_pair_beliefs
from trialogue.strategies.models import Model, load_model

EXPLICIT = ("behavior_alignment@summed", "behavior_alignment@kappa")
IMPLICIT = ("implicit_alignment@emq",)
POWERED = ("implicit_alignment@ppi",)
PAIRED = ("implicit_alignment(by=pair)@emq", "implicit_alignment(by=pair)@thresholded")


def model_named(given: str | None) -> Model:
    """The model in a folder; the bundled one for None or ``"default"``."""
    return default_model() if given in (None, "default") else load_model(Path(str(given)))


def align(
    situations: Sequence[str | Path],
    responses: Sequence[str | Path],
    *,
    model: str | None = None,
    pair_model: str | None = None,
    floors: bool = True,
    metrics: Sequence[str] | None = None,
    weights_from: Sequence[str] = (),
    weights_t: int = 1,
    answers: Path | None = None,
    names: Path | None = None,
    any_language: bool = False,
    title: str | None = None,
    seed: int = 0,
    resamples: int = 10_000,
    progress: Progress | None = None,
) -> AlignmentRun:
    """Whether systems use the strategies that human recommenders used in the same situations.

    References and replies that nobody has labelled are labelled by a model first; labels of people stay. Explicit alignment
    reads labels, implicit alignment the model's beliefs. Where people labelled every reply, only explicit alignment is
    measured: a model knows nothing better. Else the answer rests on implicit alignment, because a model's labels bias the
    count of matches; its own estimate is as good as the model is on such texts, which only people's labels can tell. From 50
    labelled pairs on, these take part: the prediction-powered estimate. Where labels and estimate contradict each other, or
    an estimate sits at the end of the scale, a warning says so. Intervals and differences of the implicit estimate hold the
    error of the model's calibration, too, or a warning says that they do not.

    Args:
        situations: files or corpora with situations; of dialogues, every answered situation is taken, turns joined.
        responses: files with the systems' replies.
        model: folder of a model of strategies; None: the bundled one.
        pair_model: folder of a classifier of pairs; adds the paper's use of one, and the same with the prior corrected.
        floors: whether recommenders that do not listen stand beside the systems.
        metrics: others than the three that are taken by default.
        weights_from: labelled dialogues of people; adds alignment weighted by how foreseeable people's next strategy is.
        weights_t: behaviors that this looks back on.
        answers: labels of people, in answer to a labelling file.
        names: YAML or JSON file that maps other names of strategies, in records and answers, to ours; other spellings of
            ours ("Opinion Inquiry") are understood without, unless a metric takes any taxonomy.
        any_language: take text that is not English, too, though the model knows English only.
        title: heading of the report.
        seed: seed of everything random.
        resamples: bootstrap resamples and permutations.
        progress: called with a line now and then.

    Raises:
        DataError: no references to align with, replies without a situation, or text that is not English, or people
            labelled references with strategies that the model does not know.
    """
    tell = progress or (lambda _line: None)
    mapping = {} if names is None else read_names(names)
    classifier = None if pair_model is None else CrossEncoder.load(pair_model)
    kept: list[Material] = []
    asked: list[Model] = []
    chosen: list[str] = []

    def prepare(material: Material) -> Material:
        theirs = any("taxonomy=any" in name for name in metrics or ())  # words of another set are taken as they are
        material = with_names(material, mapping, spellings=not theirs)
        material = replace(material, situations=situations_in(material), dialogues=[])
        _check(material)
        if answers is not None:
            said = with_answers(material.situations, material.responses, read_answers(answers, mapping=mapping))
            material = replace(material, situations=said[0], responses=said[1])
        chosen.extend(metrics or _chosen(material))
        options = Options(any_language=any_language)
        if model in (None, "default"):
            tell("the bundled model (trained once, at first use)")
        labeller = model_named(model)
        if _asks_model(material, chosen):
            asked.append(labeller)
            check_strategies(material, labeller)
            notes = [] if theirs else list(strategies_lacking(labeller))
            material = replace(material, warnings=[*material.warnings, *notes])
        tell(f"labelling with {labeller.origin}")
        labelled = replace(
            material,
            situations=list(label_records(material.situations, labeller, options=options)),
            responses=list(
                label_records(material.responses, labeller, options=options, situations=material.situations)
            ),
        )
        if weights_from:
            tell("weighing situations by " + ", ".join(weights_from))
            weighed = list(weighted_situations(labelled.situations, weights_from, t=weights_t))
            labelled = replace(labelled, situations=weighed)
        kept.append(labelled)
        borrowed = alignment_floors(labelled.situations, rng=rng_for(seed, "alignment floors")) if floors else []
        replies = [*labelled.responses, *borrowed]
        if classifier is not None:
            tell(f"pairs are judged by {classifier.origin}")
            replies = list(with_pair_beliefs(replies, labelled.situations, classifier))
        return replace(labelled, responses=replies)

    run = evaluate(
        *situations,
        *responses,
        metrics=lambda: [
            *chosen,
            *([WEIGHTED] if weights_from else []),
            *(PAIRED if pair_model and not metrics else ()),
        ],
        title=title or "Behavior Alignment",
        seed=seed,
        resamples=resamples,
        prepare=prepare,
        progress=progress,
    )
    found = with_details(run, kept[0], seed=seed, resamples=min(resamples, 1_000))
    return with_seen_told(found, asked[0]) if asked else found


def _chosen(material: Material) -> tuple[str, ...]:
    if _labelled_by_people(material):
        return EXPLICIT
    pairs = offline_conversations(material.situations, material.responses)
    labelled = sum(
        reply.reference is not None and by_people(reply.reference) and by_people(reply.utterance)
        for conversation in pairs
        for reply in conversation.replies
    )
    return (*(POWERED if labelled >= LEAST_LABELLED else ()), *IMPLICIT, *EXPLICIT)


def situations_in(material: Material) -> list[Situation]:
    """Those given, or else those of dialogues with human recommenders."""
    if material.situations:
        return material.situations
    return [situation for dialogue in material.dialogues for situation in situations_of(merged(dialogue))]


def _check(material: Material) -> None:
    if not any(situation.reference is not None for situation in material.situations):
        raise DataError(
            Problem(
                f"none of the {len(material.situations)} situations has a reference: nobody knows what a human would do.",
                hint="Give situations with the human recommender's reply.",
            )
        )
    if not material.responses:
        raise DataError(
            Problem(
                "there are no responses to align.", hint="Name files of the systems' replies beside the situations."
            )
        )


def _asks_model(material: Material, measures: Sequence[str]) -> bool:
    """Whether anything that is measured rests on the model."""
    return any(name.startswith("implicit") for name in measures) or not _labelled_by_people(material)


def _labelled_by_people(material: Material) -> bool:
    """Whether people labelled every reply, and every reference; labels of a model are none of theirs."""
    utterances: list[Utterance] = [response.utterance for response in material.responses]
    utterances += [situation.reference for situation in material.situations if situation.reference is not None]
    return all(by_people(utterance) for utterance in utterances)
