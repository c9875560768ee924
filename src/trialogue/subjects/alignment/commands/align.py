"""Behavior Alignment of several systems: label strategies, measure alignment and its baselines, compare systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from trialogue.analysis import Step, choose, prepare, read
from trialogue.analysis.calls import arguments_of
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather, situations_in, summarise_repairs
from trialogue.inputs.label_origins import with_labellers
from trialogue.inputs.locations import Named
from trialogue.inputs.memory import InMemory, in_memory
from trialogue.inputs.names import read_names, with_names
from trialogue.long_work import Progress
from trialogue.metrics import group_by_system, offline_conversations
from trialogue.metrics.names import parse
from trialogue.options import AnyLanguage, Resamples, Seed
from trialogue.records import (
    Dialogue,
    Labeller,
    Record,
    Response,
    Situation,
    Utterance,
    has_ground_truth,
)
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.labelling import Options, label_records, with_pair_beliefs
from trialogue.strategies.models import Model, load_model
from trialogue.strategies.next_strategy.ngram import MAX_ORDER, NGram, NGramFit
from trialogue.strategies.next_strategy.sequence import WEIGHT_BY, sequences_of, write_weights
from trialogue.strategies.pairs.crossencoder import CrossEncoder
from trialogue.strategies.sentences import languages_of
from trialogue.subjects.alignment.commands.model_fit import (
    check_strategies,
    known_references,
    seen_references,
    strategies_lacking,
)
from trialogue.subjects.alignment.commands.next_strategy import labelled_by_people, rebuild_dialogues
from trialogue.subjects.alignment.commands.result import (
    AlignmentRun,
    details_of,
    is_by_pair,
    is_labelled,
    replacement_warnings,
    rests_on_beliefs,
)
from trialogue.subjects.alignment.commands.shifts import with_shifts
from trialogue.subjects.alignment.labelling.plan import read_answers, with_answers
from trialogue.subjects.evaluation.commands.evaluate import conclude_records, estimate_records, refuse_text

WEIGHTED = "behavior_alignment(weight=inverse_entropy)"


def weighted_situations(
    situations: Sequence[Situation], data: Sequence[Named], *, t: int = 1, labels_by: Labeller | None = None
) -> Iterator[Situation]:
    """Situations in order, with references weighted by the inverse entropy of the next strategy (section 8).

    The n-gram model (order t + 1, Witten-Bell) that weighs a situation has not seen the situation's own dialogue, even
    where that is among the data.

    Args:
        situations: situations with contexts whose system utterances are labelled: an unlabelled one is a token of its own.
        data: corpora or files with labelled dialogues of people.
        t: number of behaviors of both sides to look back on.
        labels_by: who gave the labels of the data that do not say it.

    Raises:
        DataError: labels of the data do not say who gave them.
        UsageError: t is out of bounds, or the data hold no labelled dialogues, or only the one that is weighed.
    """
    if not 0 <= t < MAX_ORDER:
        raise UsageError(f"t must be 0 (no history) to {MAX_ORDER - 1} behaviors, got {t}.")
    material = with_labellers(gather(data), labels_by, data)
    people = sequences_of([*labelled_by_people(material.dialogues), *rebuild_dialogues(material.situations)])
    fit = NGramFit(order=t + 1)
    whole = fit(list(people.values()))
    without: dict[str, NGram] = {}
    for situation in situations:
        own = situation.dialogue_id
        if own is None or own not in people:
            yield from write_weights([situation], whole, t=t)
            continue
        if own not in without:
            without[own] = fit([tokens for name, tokens in people.items() if name != own])
        (found,) = write_weights([situation], without[own], t=t)
        by = f"{whole.origin},own_dialogue_left_out|t={t}"
        yield (
            found
            if found.reference is None
            else found.model_copy(update={"reference": _record_weighter(found.reference, by)})
        )


def _record_weighter(reference: Utterance, by: str) -> Utterance:
    return reference.model_copy(update={"meta": {**reference.meta, WEIGHT_BY: by}})


ALPHA = 0.05  # level at which differences are called
EXPLICIT = ("behavior_alignment@summed", "behavior_alignment@kappa")
IMPLICIT = ("implicit_alignment@emq",)
POWERED = ("implicit_alignment@ppi",)
PAIRED = ("implicit_alignment(by=pair)@emq", "implicit_alignment(by=pair)@thresholded")


def find_model(given: str | None) -> Model:
    """Load the model in a folder; the bundled one for None or ``"default"``."""
    return default_model() if given in (None, "default") else load_model(Path(str(given)))


def align(
    situations: Sequence[Named] | Sequence[Situation | Dialogue],
    responses: Sequence[Named] | Sequence[Response],
    *,
    model: str | None = None,
    pair_model: str | None = None,
    baselines: bool = True,
    metrics: Sequence[str] | None = None,
    weights_from: Sequence[Named] = (),
    weights_t: Annotated[int, Ge(0)] = 1,
    answers: Path | None = None,
    labels_by: Labeller | None = None,
    names: Path | None = None,
    any_language: AnyLanguage = False,
    title: str | None = None,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    progress: Progress | None = None,
) -> AlignmentRun:
    """Measure the Behavior Alignment of systems with human recommenders in the same situations.

    References and replies that nobody has labelled are labelled by a model first; labels of people stay. Explicit alignment
    reads labels, implicit alignment the model's beliefs. If people labelled every reply, only explicit alignment is
    measured, because a model cannot improve on their labels. Otherwise the answer is based on implicit alignment,
    because a model's labels bias the count of matches. The implicit estimate is only as good as the model is on such
    texts, which only people's labels can show. If people labelled at least 50 pairs of each system (or all of its
    pairs), their labels correct the estimate (the prediction-powered estimate). If labels and estimate contradict each
    other, or an estimate lies at the end of the scale, a warning says so. Intervals and differences of the implicit
    estimate include the error of the model's calibration; if this error is unknown, a warning says so.

    Args:
        situations: files or corpora with situations, or records; of dialogues, every answered situation is taken, turns
            joined.
        responses: files with the systems' replies, or records.
        model: folder of a strategy model (default: the bundled model).
        pair_model: folder of a pair classifier (cross-encoder): also report, or write, whether pairs share a strategy.
            It adds the paper's use of one, and the same with the prior corrected.
        baselines: include baselines that ignore the user's input.
        metrics: metrics, such as ``'distinct(n=2)@ratio'`` (default: the three of alignment).
        weights_from: labelled human dialogues, to weight each position by how predictable people are.
        weights_t: number of preceding behaviors used to compute the weights.
        answers: human labels: answers to a file of texts to label (JSON Lines or CSV), or the export of a study that
            labels them.
        labels_by: who gave the labels in records and answers that do not state it.
        names: YAML or JSON file that maps other strategy names to Trialogue's. They may stand in records and answers;
            other spellings of ours ("Opinion Inquiry") need no mapping, unless a metric takes any taxonomy.
        any_language: also align systems in languages that the model does not know; by default they are left out.
        title: heading of the report.
        seed: random seed.
        resamples: bootstrap resamples and permutations.
        progress: called with progress lines.

    Raises:
        DataError: no references to align with, replies without a situation, all systems or the references in a
            language that the model does not know, or people labelled references with strategies that it does not know;
            labels that do not say who gave them, or answers of a model or an LLM.
    """
    tell = progress or (lambda _line: None)
    call = arguments_of(align, locals())
    mapping = {} if names is None else read_names(names)
    classifier = None if pair_model is None else CrossEncoder.load(pair_model)
    refuse_text(metrics)
    given = (*_sources(situations), *_sources(responses))
    tell("reading " + ", ".join(map(str, given)))
    theirs = any(parse(name).parameters.get("taxonomy") == "any" for name in metrics or ())  # words of another set stay
    material = prepare(
        read(given),
        lambda read_: with_labellers(read_, labels_by, [str(one) for one in given if not isinstance(one, InMemory)]),
        _warn_of_replacements,
        lambda read_: with_names(read_, mapping, spellings=not theirs),
        lambda read_: _with_answers(read_, answers, mapping, labels_by),
    )
    measures = tuple(metrics or _choose_metrics(material))
    if model in (None, "default"):
        tell("the bundled model (trained once, on first use)")
    labeller, rests_on_model = find_model(model), _asks_model(material, measures)
    material = prepare(
        material,
        _check_step(labeller, notes=not theirs) if rests_on_model else _as_it_is,
        _labelling_step(labeller, tell),
        lambda labelled: with_shifts(labelled, labeller),
        _weighting_step(weights_from, weights_t, labels_by, tell) if weights_from else _as_it_is,
        _as_it_is if classifier is None else _pair_judging_step(classifier, tell),
    )
    names_of_metrics = [
        *measures,
        *([WEIGHTED] if weights_from else []),
        *(PAIRED if pair_model and not metrics else ()),
    ]
    inferred = estimate_records(
        material,
        choose(material, names_of_metrics, baselines=baselines, any_language=any_language),
        given=given,
        seed=seed,
        resamples=resamples,
        command="align",
        call=call,
        tell=tell,
    )
    by_pair = any(is_by_pair(league.measure.measured) for league in inferred.shown_leagues)
    seen = list(seen_references(material, labeller)) if rests_on_model else []
    if classifier is not None and classifier.fingerprints is not None and by_pair:
        seen += known_references(material, "the pair classifier", classifier.fingerprints)
    details = details_of(inferred, warnings=seen)
    run = conclude_records(inferred, title=title or "Behavior Alignment", given=given, beside=details.beside)
    return AlignmentRun(
        run.findings,
        run.scores,
        run.preferences,
        run.counts,
        run.material,
        run.faults,
        profiles=details.profiles,
        plans=details.plans,
    )


def _sources(given: Sequence[Named] | Sequence[Record]) -> list[Named | InMemory]:
    """Files as they are; records together."""
    files: list[Named | InMemory] = [each for each in given if isinstance(each, Named)]
    records = [each for each in given if not isinstance(each, Named)]
    return [*files, in_memory(records)] if records else files


def _as_it_is(material: InputRecords) -> InputRecords:
    return material


def _warn_of_replacements(material: InputRecords) -> InputRecords:
    """Add a warning if labels of a language model are among the input."""
    return replace(material, warnings=[*replacement_warnings(material), *material.warnings])


def _with_answers(
    material: InputRecords, answers: Path | None, mapping: Mapping[str, str], by: Labeller | None
) -> InputRecords:
    """Situations with references and replies, with the labels that people gave in answer to a labelling file."""
    material = replace(material, situations=situations_in(material), dialogues=[])
    _check(material)
    if answers is None:
        return material
    notes: list[Problem] = []
    found = read_answers(answers, by=by, mapping=mapping, note=notes.append)
    situations, responses = with_answers(material.situations, material.responses, found)
    warnings = [*summarise_repairs(notes), *material.warnings]
    return replace(material, situations=situations, responses=responses, warnings=warnings)


def _check_step(labeller: Model, *, notes: bool) -> Step:
    """Refuses people's labels that the model does not know; with ``notes``, warns of strategies that it lacks."""

    def step(material: InputRecords) -> InputRecords:
        check_strategies(material, labeller)
        lacking = strategies_lacking(labeller) if notes else ()
        return replace(material, warnings=[*material.warnings, *lacking])

    return step


def _labelling_step(labeller: Model, tell: Progress) -> Step:
    """Labels and beliefs of a model on every reply and reference; labels of people stay."""

    def step(material: InputRecords) -> InputRecords:
        tell(f"labelling with {labeller.origin}")
        options, known = (
            Options(any_language=True),
            material.situations,
        )  # what does not fit is left out with its scores
        situations = list(label_records(known, labeller, options=options))
        responses = list(label_records(material.responses, labeller, options=options, situations=known))
        made_for = languages_of(labeller)
        return replace(material, situations=situations, responses=responses, labels_made_for=made_for)

    return step


def _weighting_step(sources: Sequence[Named], t: int, labels_by: Labeller | None, tell: Progress) -> Step:
    """Situations weighed by how well people's next strategy can be predicted there."""

    def step(material: InputRecords) -> InputRecords:
        tell("weighting situations by " + ", ".join(map(str, sources)))
        weighed = weighted_situations(material.situations, sources, t=t, labels_by=labels_by)
        return replace(material, situations=list(weighed))

    return step


def _pair_judging_step(classifier: CrossEncoder, tell: Progress) -> Step:
    """Beliefs of a classifier that reads both sides of a pair."""

    def step(material: InputRecords) -> InputRecords:
        tell(f"pairs are judged by {classifier.origin}")
        judged = with_pair_beliefs(material.responses, material.situations, classifier)
        return replace(material, responses=list(judged))

    return step


def _choose_metrics(material: InputRecords) -> tuple[str, ...]:
    if _labelled_by_people(material):
        return EXPLICIT
    systems = group_by_system(offline_conversations(material.situations, material.responses))
    powered = bool(systems) and all(is_labelled(own) for own in systems.values())
    return (*(POWERED if powered else ()), *IMPLICIT, *EXPLICIT)


def _check(material: InputRecords) -> None:
    if not any(situation.reference is not None for situation in material.situations):
        raise DataError(
            Problem(
                f"none of the {len(material.situations)} situations has a reference, so the human's reply is unknown.",
                hint="Give situations with the human recommender's reply.",
            )
        )
    if not material.responses:
        raise DataError(
            Problem(
                "there are no responses to align.",
                hint="Give files of the systems' replies in addition to the situations.",
            )
        )


def _asks_model(material: InputRecords, measures: Sequence[str]) -> bool:
    """Whether anything that is measured rests on the model."""
    return any(map(rests_on_beliefs, measures)) or not _labelled_by_people(material)


def _labelled_by_people(material: InputRecords) -> bool:
    """Whether people labelled every reply, and every reference; labels of a model are none of theirs."""
    utterances: list[Utterance] = [response.utterance for response in material.responses]
    utterances += [situation.reference for situation in material.situations if situation.reference is not None]
    return all(has_ground_truth(utterance) for utterance in utterances)
