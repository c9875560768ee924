"""Train the satisfaction estimator on several corpora at once, and measure it on each of them left out.

Corpora differ in scale, level and length of dialogues. Ranks within a corpus are learned from, and each corpus has the same
weight, whatever its size: what is learned is which of two dialogues of *one* corpus is the more satisfying.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.fingerprints import training_dialogues
from trialogue.languages import ENGLISH, TextSample
from trialogue.metrics.base import Array
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import (
    MIN_DIALOGUES,
    PENALTY,
    SAME,
    SatisfactionModel,
    Weights,
    domain_of,
    matrix,
    unseen_mask,
)
from trialogue.records import Dialogue, Estimate, Rating, Reason, ReasonCode
from trialogue.seeds import rng_for
from trialogue.stats import spearman
from trialogue.stats.arrays import midranks

SATISFACTION = "satisfaction"
MIN_RATED = 2 * MIN_DIALOGUES
"""Rated dialogues that a corpus needs."""
MAX_SLOPE, MAX_LEVEL = 20.0, 10.0  # of log odds, where ratings are separated perfectly or all at an end


@dataclass(frozen=True)
class RatedCorpus:
    """Rated dialogues of one corpus, with features."""

    name: str
    dialogues: tuple[Dialogue, ...]
    """With a rating each."""
    rows: Array
    """Features, shape (n, k)."""
    answers: Array
    """Mean rating as a share of the scale, 0 to 1, shape (n,)."""


@dataclass(frozen=True)
class Transfer:
    """Agreement with people on a corpus that was left out."""

    corpus: str
    learned: Estimate
    """Spearman's correlation of the estimate and the ratings; None: there is no other corpus to learn from."""
    length: Estimate
    """That of the number of characters and the ratings."""


def rated_corpus(name: str, dialogues: Sequence[Dialogue]) -> RatedCorpus:
    """The dialogues with both speakers and ratings of satisfaction; where only single replies were rated, their mean.

    Raises:
        DataError: fewer than 20 such dialogues, equal ratings everywhere, or ratings without a scale that are not 0 or 1.
    """
    rated = [
        (each, given)
        for each in dialogues
        if (given := _ratings(each)) and {said.speaker for said in each.utterances} == {"user", "system"}
    ]
    unscaled = [each.id for each, given in rated if any(_share(one) is None for one in given)]
    if unscaled:
        what = f"{name}: {len(unscaled)} dialogues, such as {unscaled[0]!r}, have satisfaction ratings without a scale."
        raise DataError(Problem(what, hint="Give low and high with each rating, unless it is 0 or 1."))
    answers = np.array([np.mean([_share(one) or 0.0 for one in given]) for _, given in rated], dtype=np.float64)
    if len(rated) < MIN_RATED or np.ptp(answers) < SAME:
        what = (
            f"{name}: {len(rated)} dialogues have satisfaction ratings, with {len(set(answers.tolist()))} different "
            f"values; training needs at least {MIN_RATED} dialogues and two values."
        )
        raise DataError(Problem(what, hint="Only ratings named 'satisfaction' are read."))
    kept = tuple(each for each, _ in rated)
    return RatedCorpus(name, kept, matrix(kept), answers)


def train_on_corpora(corpora: Sequence[RatedCorpus], *, origin: str) -> SatisfactionModel:
    """Train on all corpora, and once more without each system and the people who met it.

    Its level is that of an average training dialogue of the average corpus; elsewhere only its order has a meaning.

    Args:
        corpora: at least one corpus.
        origin: what they are, for the card of the metric.
    """
    dialogues = [each for corpus in corpora for each in corpus.dialogues]
    systems = sorted({each.system or "" for each in dialogues})
    without: dict[str, Weights] = {}
    for system in systems:
        parts = [part for corpus in corpora if (part := _leave_out(corpus, system)) is not None]
        if parts:
            without[system] = fit_corpora(parts)
    return SatisfactionModel(
        origin=origin,
        features=tuple(FEATURES),
        everything=fit_corpora(corpora),
        without=without,
        fingerprints=training_dialogues((each.system or "", each) for each in dialogues),
        domain=domain_of(dialogues),
        languages=languages_of_corpora(corpora),
    )


def languages_of_corpora(corpora: Sequence[RatedCorpus]) -> tuple[str, ...]:
    """ISO 639 codes of the languages that users or systems of a corpus write in; English where none can be told."""
    found: set[str] = set()
    for corpus in corpora:
        for speaker in ("user", "system"):
            sample = TextSample()
            sample.add_all(
                [said.text for each in corpus.dialogues for said in each.utterances if said.speaker == speaker]
            )
            found.update(sample.main_languages())
    return tuple(sorted(found)) or ENGLISH


def leave_corpora_out(
    corpora: Sequence[RatedCorpus], *, seed: int = 0, resamples: int = 1_000, confidence: float = 0.95
) -> list[Transfer]:
    """Agreement on each corpus of weights that were fitted on the others; intervals resample people.

    Args:
        corpora: those of the training.
        seed: seed for the bootstrap.
        resamples: its number of resamples.
        confidence: confidence level of the intervals.
    """
    found = []
    for corpus in corpora:
        others = [each for each in corpora if each is not corpus]
        learned = fit_corpora(others).points(corpus.rows) if others else None
        length = np.array([sum(len(said.text) for said in each.utterances) for each in corpus.dialogues], dtype=float)
        clusters = [each.user or each.id for each in corpus.dialogues]

        def agreement(points: Array, clusters: Sequence[str] = clusters, corpus: RatedCorpus = corpus) -> Estimate:
            rng = rng_for(seed, "corpora left out", corpus.name)
            return spearman(
                points,
                corpus.answers,
                clusters=clusters,
                rng=rng,
                resamples=resamples,
                confidence=confidence,
                method="percentile",
            )

        alone = Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA))
        found.append(Transfer(corpus.name, alone if learned is None else agreement(learned), agreement(length)))
    return found


def fit_corpora(corpora: Sequence[RatedCorpus], *, penalty: float = PENALTY) -> Weights:
    """Weights of the declared signs.

    First the direction: ridge least squares from ranks of the features within a corpus to ranks of its ratings. Ratings of
    some corpora hardly vary, and features are skewed; with the values themselves one corpus outweighs the others. Then one
    slope, and a level for each corpus, by which the points are log odds of the rating as a share of its scale.

    Args:
        corpora: at least one corpus.
        penalty: penalty on half the squared weights, against the mean loss of a corpus.
    """
    from scipy.optimize import minimize, nnls

    signs = np.array([1.0 if feature.sign > 0 else -1.0 for feature in FEATURES.values()])
    rows, answers = [], []
    for corpus in corpora:
        share = 1 / np.sqrt(len(corpus.rows) * len(corpora))
        rows.append(np.column_stack([_ranks(column) for column in corpus.rows.T]) * signs * share)
        answers.append(_ranks(corpus.answers) * share)
    width, count = len(FEATURES), len(corpora)
    bound = np.sqrt(penalty) * np.eye(width)
    direction: Array = nnls(np.vstack([*rows, bound]), np.concatenate([*answers, np.zeros(width)]))[0] * signs

    centres = [corpus.rows.mean(axis=0) for corpus in corpora]
    spread = np.sqrt(np.mean([corpus.rows.var(axis=0) for corpus in corpora], axis=0))
    scales = np.where(spread > SAME, spread, 1.0)
    points = [(corpus.rows - centre) / scales @ direction for corpus, centre in zip(corpora, centres, strict=True)]

    def loss(given: Array) -> tuple[float, Array]:
        value, slope = 0.0, np.zeros(1 + count)
        for place, (own, corpus) in enumerate(zip(points, corpora, strict=True)):
            odds = own * given[0] + given[1 + place]
            value += float((np.logaddexp(0, odds) - corpus.answers * odds).mean()) / count
            pull = (1 / (1 + np.exp(-odds)) - corpus.answers) / len(own) / count
            slope[0] += float(own @ pull)
            slope[1 + place] = float(pull.sum())
        return value, slope

    start = np.append(1.0, np.zeros(count))
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(0, MAX_SLOPE), *[(-MAX_LEVEL, MAX_LEVEL)] * count]
    ).x
    columns = (np.mean(centres, axis=0), scales, direction * found[0])
    means, deviations, weights = (tuple(round(float(value), 6) for value in column) for column in columns)
    return Weights(
        means=means,
        scales=deviations,
        weights=weights,
        intercept=round(float(found[1:].mean()), 6),
        dialogues=sum(len(corpus.rows) for corpus in corpora),
    )


def _ranks(values: Array) -> Array:
    """Midranks with mean 0; variance 1 without ties."""
    ranks: Array = ((midranks(values) - 0.5) / len(values) - 0.5) * np.sqrt(12)
    return ranks


def _ratings(dialogue: Dialogue) -> list[Rating]:
    whole = [each for each in dialogue.ratings if each.name == SATISFACTION]
    return whole or [each for said in dialogue.utterances for each in said.ratings if each.name == SATISFACTION]


def _share(rating: Rating) -> float | None:
    """The rating as a share of its scale; None: the scale is unknown."""
    if rating.low is not None and rating.high is not None and rating.high > rating.low:
        return (rating.value - rating.low) / (rating.high - rating.low)
    return rating.value if rating.value in (0, 1) else None


def _leave_out(corpus: RatedCorpus, system: str) -> RatedCorpus | None:
    """A corpus without a system and the people who met it; None if too little is left."""
    kept = unseen_mask(corpus.dialogues, [system])
    if kept.all():
        return corpus
    if int(kept.sum()) < MIN_RATED or np.ptp(corpus.answers[kept]) < SAME:
        return None
    dialogues = tuple(each for each, is_kept in zip(corpus.dialogues, kept, strict=True) if is_kept)
    return RatedCorpus(corpus.name, dialogues, corpus.rows[kept], corpus.answers[kept])
