"""Realism: compare dialogues of simulated and real users, and the rankings of agents that result from them."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.errors import DataError, Problem
from trialogue.findings.resampling import Resampling
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.locations import Named
from trialogue.long_work import Progress
from trialogue.metrics import AnyMetric, conversations_of, get_metric, measure
from trialogue.metrics.human_ratings import FiledAnswers, rating_scores, ratings_among
from trialogue.records import Dialogue, MeasureName, Role, Score
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.commands.realism_features import (
    FEATURES,
    acts_of,
    features_of,
    has_words,
    is_annotated,
)
from trialogue.subjects.simulated_users.realism.answer import realism_answer, realism_warnings
from trialogue.subjects.simulated_users.realism.prediction import prediction
from trialogue.subjects.simulated_users.realism.records import Divergence, Prediction, RealismFindings
from trialogue.subjects.simulated_users.realism.two_sample import DialogueSample, divergence, gaps, two_sample

PREDICTORS = (
    "satisfaction@linear",
    "success_rate@satisfied",
    "reward@kdd2020",
    "turn_success",
    "turns@user_utterances",
    "distinct(n=2)@per_response_marks",
)
"""Measures that rank agents by both kinds of users, if defined for both."""
METHODS = (
    "Features describe the user's side only. Intervals are over people (or dialogues, where the person is unknown), each "
    "side separately.",
    (
        "The classifier is a ridge logistic regression on standardised features, cross-validated in five "
        "folds by person. Intervals of AUCs: jackknife over people on the logit, t; the variance of the classifier's is "
        "multiplied by 2.25 (Nadeau and Bengio 2003), since folds that learn from each other are not independent."
    ),
    ("DS-KL is half the sum of both Kullback-Leibler divergences in nats, with half a count added to each act."),
    ("Rankings of agents use means over dialogues; shares are of resamples in which the whole ranking is the same."),
)


def realism(
    real: Sequence[Named],
    simulated: Sequence[Named],
    *,
    seed: int = 0,
    resamples: int = 2_000,
    confidence: float = 0.95,
    title: str | None = None,
    progress: Progress | None = None,
) -> RealismFindings:
    """Compare simulated with real users, and their rankings of agents.

    Args:
        real: corpora or files of dialogues with real users.
        simulated: corpora or files of dialogues with simulated ones.
        seed: random seed.
        resamples: number of resamples of people or dialogues.
        confidence: confidence level of the intervals.
        title: heading of the page.
        progress: called with progress lines.

    Raises:
        DataError: unreadable files, no dialogues in them, or too few of a kind; every mistake at once.
    """
    call = arguments_of(realism, locals())
    tell = progress or (lambda _line: None)
    resampling = Resampling(seed, resamples, confidence)
    tell("reading " + ", ".join(map(str, (*real, *simulated))))
    sides = [gather(given) for given in (real, simulated)]
    for side in sides:  # baselines talk to simulated users, too, and say nothing of how these are with recommenders
        side.dialogues = [each for each in side.dialogues if each.role is Role.SYSTEM]
    people, robots = ([each for each in side.dialogues if has_words(each)] for side in sides)
    problems = [
        Problem(_no_text_message(side), file=", ".join(map(str, given)))
        for given, side, found in ((real, sides[0], people), (simulated, sides[1], robots))
        if not found
    ]
    problems += _the_same(people, robots)
    if problems:
        raise DataError(problems)
    manifest = manifest_of(
        "agree --real --simulated",
        call,
        config={"resamples": resamples, "confidence": confidence},
        seed=seed,
        inputs={
            f"{kind}/{name}": digest
            for kind, side in zip(("real", "simulated"), sides, strict=True)
            for name, digest in side.hashes.items()
        },
    )
    tell(f"{len(people)} real and {len(robots)} simulated dialogues")
    one, other = (_side(dialogues) for dialogues in (people, robots))
    found = RealismFindings(
        title=title or "Realism of simulated users",
        answer=("",),
        gaps=tuple(gaps(one, other, {name: text for name, (text, _) in FEATURES.items()}, resampling)),
        divergence=_acts(people, robots, resampling),
        two_sample=two_sample(one, other, tuple(FEATURES), resampling),
        predictions=tuple(_predictions(sides[0], sides[1], resampling)),
        methods=METHODS,
        manifest=manifest,
    )
    warnings = (
        *realism_warnings(found),
        *_left_out(("real", "simulated"), sides),
        *(text for side in sides for text in side.warnings),
    )
    return found.model_copy(update={"answer": realism_answer(found), "warnings": tuple(dict.fromkeys(warnings))})


def _no_text_message(side: InputRecords) -> str:
    if not side.dialogues:
        return "it contains no dialogues."
    return f"the user has no text in any of its {len(side.dialogues):,} dialogues; did the agent fail?"


def _left_out(kinds: Sequence[str], sides: Sequence[InputRecords]) -> list[str]:
    """Caveat on dialogues that ended before the user could act."""
    found = []
    for kind, side in zip(kinds, sides, strict=True):
        silent = sum(not has_words(each) for each in side.dialogues)
        broken = sum(has_words(each) and each.fault is not None for each in side.dialogues)
        if silent:
            found.append(f"{silent:,} {kind} dialogues without any user text are left out.")
        if broken:
            what = f"{broken:,} of {len(side.dialogues) - silent:,} {kind} dialogues were cut short"
            found.append(f"{what} by a failure, so their length does not depend on the users alone.")
    return found


def _the_same(real: Sequence[Dialogue], simulated: Sequence[Dialogue]) -> list[Problem]:
    """A problem where dialogues are on both sides, word by word: a classifier would learn from the one to miss the other."""
    one, other = (Counter(tuple(each.text for each in said.utterances) for said in side) for side in (real, simulated))
    twice = sum((one & other).values())
    if 2 * twice <= min(len(real), len(simulated)):
        return []
    what = f"{twice} dialogues are both among the real and among the simulated ones, word for word."
    return [Problem(what, hint="Give dialogues of people with --real, others with --simulated.")]


def _side(dialogues: Sequence[Dialogue]) -> DialogueSample:
    rows = np.array([features_of(dialogue) for dialogue in dialogues], dtype=np.float64)
    return DialogueSample(rows, tuple(dialogue.cluster for dialogue in dialogues))


def _acts(real: Sequence[Dialogue], simulated: Sequence[Dialogue], resampling: Resampling) -> Divergence | None:
    labelled = is_annotated(real) and is_annotated(simulated)
    one, other = ([acts_of(each, from_labels=labelled) for each in side] for side in (real, simulated))
    return divergence(
        one, other, acts="annotated acts" if labelled else "acts recognised in the text", resampling=resampling
    )


def _predictions(real: InputRecords, simulated: InputRecords, resampling: Resampling) -> Iterable[Prediction]:
    """Every measure on both sides, and every measure of simulated dialogues against real users' own ratings."""
    metrics = [get_metric(name) for name in PREDICTORS]
    one, other = (values_of(side, metrics) for side in (real, simulated))
    asked = [name for name in one if MeasureName(name).is_judgement]
    for metric in metrics:
        if metric.measure not in other:
            continue
        for against in dict.fromkeys([metric.measure, *asked]):
            if against in one:
                lower = metric.card.better == "lower"
                sides = one[against], other[metric.measure]
                found = prediction(
                    metric.measure, against, *sides, lower=lower and against == metric.measure, resampling=resampling
                )
                if found is not None:
                    yield found


def values_of(material: InputRecords, metrics: Sequence[AnyMetric]) -> dict[str, tuple[Floats, list[str], list[str]]]:
    """(value, system, cluster) of each dialogue, by measure; people's ratings among them."""
    conversations = list(conversations_of(material.dialogues))
    scores: list[Score] = []
    measure(conversations, metrics, sink=scores.append)
    filed = FiledAnswers.select(material.scores, conversations)
    if ratings_among(conversations, filed):
        scores += [score for each in conversations for score in rating_scores(each, filed)]
    clusters = {(each.system, each.dialogue_id): each.cluster for each in conversations}
    found: dict[str, tuple[list[float], list[str], list[str]]] = {}
    for score in scores:
        if score.level == "dialogue" and score.value is not None and score.system:
            values, systems, keys = found.setdefault(score.measure, ([], [], []))
            values.append(score.value)
            systems.append(score.system)
            keys.append(clusters[score.system, score.dialogue_id])
    return {name: (np.array(values), systems, keys) for name, (values, systems, keys) in found.items()}
