"""Compare language-model ratings and choices with people's. They never enter people's results."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from trialogue.inputs.study_data import Scale
from trialogue.records import Estimate, MeasureName, Preference, Reason, ReasonCode, Score
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats
from trialogue.stats.association.correlation import spearman
from trialogue.stats.resampling.bootstrap import bootstrap_sums
from trialogue.stats.resampling.clusters import cluster_sums
from trialogue.subjects.people.model_records import ModelChoices, ModelRatings, ModelSystem

RESAMPLES = 2_000
Unit: TypeAlias = tuple[str | None, str | None, str | None, int | None]
"""Key of a rated unit: situation, dialogue, system, utterance."""
NOTHING = Estimate(value=None, n=0, why=Reason.of(ReasonCode.NOTHING_RATED_BY_BOTH))


def model_ratings(
    scores: Iterable[Score], people: Iterable[Score], *, scales: Mapping[str, Scale], seed: int
) -> tuple[ModelRatings, ...]:
    """One row per model and criterion.

    Args:
        scores: scores of models.
        people: ratings that count.
        scales: scales of criteria, by measure.
        seed: random seed for the intervals.
    """
    theirs: dict[str, dict[Unit, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in people:
        if score.value is not None and score.system is not None:
            theirs[score.measure][_unit(score)].append(score.value)
    by_rater: dict[tuple[str, str], list[Score]] = defaultdict(list)
    for score in scores:
        by_rater[score.measure, score.rater or ""].append(score)
    return tuple(
        _ratings(measure, rater, own, theirs[measure], scales.get(measure), seed)
        for (measure, rater), own in sorted(by_rater.items())
    )


def _unit(score: Score) -> Unit:
    return (score.situation_id, score.dialogue_id, score.system, score.utterance)


def _cluster(unit: Unit) -> Hashable:
    """Independent unit: a situation, or else a dialogue."""
    return unit[0] if unit[0] is not None else unit[1]


def _ratings(
    measure: str,
    rater: str,
    own: Sequence[Score],
    people: Mapping[Unit, Sequence[float]],
    scale: Scale | None,
    seed: int,
) -> ModelRatings:
    given = {_unit(score): score.value for score in own if score.value is not None}
    both = sorted((unit for unit in given if unit in people), key=repr)
    model = [given[unit] for unit in both]
    means = [float(np.mean(people[unit])) for unit in both]
    clusters = [_cluster(unit) for unit in both]
    systems = sorted({unit[2] or "" for unit in given})
    # The yardstick: how well one person's rating predicts the mean of the other people's for the same unit.
    one_of_them = [
        (value, (sum(people[unit]) - value) / (len(people[unit]) - 1), _cluster(unit))
        for unit in both
        if len(people[unit]) > 1
        for value in people[unit]
    ]
    rng = rng_for(seed, "model rater", rater, measure)
    return ModelRatings(
        rater=rater,
        measure=measure,
        title=scale.title if scale else MeasureName(measure).prose.capitalize(),
        ratings=len(given),
        unanswered=sum(score.value is None for score in own),
        units=len(both),
        systems=tuple(
            ModelSystem(
                system=system,
                mean=_mean(value for unit, value in given.items() if unit[2] == system),
                people=_mean(float(np.mean(values)) for unit, values in people.items() if unit[2] == system),
            )
            for system in systems
        ),
        correlation=_correlation(model, means, clusters, rng),
        correlation_of_people=_correlation(
            [own for own, _, _ in one_of_them],
            [others for _, others, _ in one_of_them],
            [cluster for _, _, cluster in one_of_them],
            rng,
        ),
        difference=_average([a - b for a, b in zip(model, means, strict=True)], clusters, rng),
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return float(np.mean(found)) if found else None


def _correlation(
    x: Sequence[float], y: Sequence[float], clusters: Sequence[Hashable], rng: np.random.Generator
) -> Estimate:
    if not x:
        return NOTHING
    return spearman(x, y, clusters=clusters, rng=rng, resamples=RESAMPLES, method="percentile")


def _average(values: Sequence[float], clusters: Sequence[Hashable], rng: np.random.Generator) -> Estimate:
    """The mean, with an interval over whole clusters."""
    if not values:
        return NOTHING

    def mean(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            found: Floats = sums[..., 0] / sums[..., 1]
        return found

    return bootstrap_sums(cluster_sums([[one, 1.0] for one in values], clusters), mean, rng=rng, resamples=RESAMPLES)


def model_choices(
    preferences: Iterable[Preference], people: Iterable[Preference], *, seed: int
) -> tuple[ModelChoices, ...]:
    """One row per model that chose between pairs.

    Args:
        preferences: preferences of models.
        people: choices that count.
        seed: random seed for the intervals.
    """
    lead: dict[Hashable, int] = defaultdict(int)
    for vote in people:
        key, first = _pair(vote)
        lead[key] += {"tie": 0, first: 1}.get(vote.choice, -1)
    by_rater: dict[str, list[Preference]] = defaultdict(list)
    for vote in preferences:
        by_rater[vote.rater or ""].append(vote)
    return tuple(_choices(rater, own, lead, seed) for rater, own in sorted(by_rater.items()))


def _pair(vote: Preference) -> tuple[Hashable, str]:
    """The pair that was judged, however its sides are called ``a`` and ``b``; and which of these comes first in it."""
    sides = sorted([(vote.a, vote.dialogue_a or "", "a"), (vote.b, vote.dialogue_b or "", "b")])
    return (vote.situation_id, sides[0][:2], sides[1][:2]), sides[0][2]


def _choices(rater: str, own: Sequence[Preference], lead: Mapping[Hashable, int], seed: int) -> ModelChoices:
    agrees, clusters = [], []
    for vote in own:
        key, first = _pair(vote)
        if vote.choice != "tie" and lead.get(key, 0):
            agrees.append(float((lead[key] > 0) == (vote.choice == first)))
            clusters.append(vote.situation_id or vote.dialogue_a or vote.id)
    return ModelChoices(
        rater=rater,
        choices=len(own),
        ties=sum(vote.choice == "tie" for vote in own),
        units=len(agrees),
        agreement=_average(agrees, clusters, rng_for(seed, "model rater", rater, "choices")),
    )
