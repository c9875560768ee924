"""Differentiation of metrics: response to mixtures of preferred and dispreferred replies, from 0 to 100%.

Yang et al. (SIGIR 2024), section 4.2 and figure 3: of pairs of replies to one situation (or of dialogues with one person) of
which people preferred one, the preferred ones make an *ideal* system and the others a *worst* one. Mixed systems in between
have a known share of preferred replies, and a metric should follow it.

The paper draws one mixture per share and gives no intervals. Here a value is the mean over many random mixtures, and an
interval comes from resampling clusters (dialogues, people), with a new mixture in each resample, so it includes both errors.
A count of distinct things cannot be resampled with replacement; its interval is the jackknife's, widened by the spread of
the mixtures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.standings import Measure
from trialogue.metrics import AnyMetric, Conversation, CountMetric, NeedMetric, Settings, SumMetric, Undefined
from trialogue.metrics.base import Array
from trialogue.metrics.engine.accumulate import CountedTotals
from trialogue.records import Estimate, Interval, Preference, Reason, ReasonCode, Record
from trialogue.seeds import rng_for

STEPS, RESAMPLES, MIXES = 10, 1_000, 20
MIN_PAIRS = 5


class Mixture(Record):
    """Result of one mixture."""

    share: float
    """Share of preferred replies."""
    estimate: Estimate
    """The metric's value, n pairs."""


class Differentiation(Record):
    """One metric as a function of the share of preferred replies."""

    kind: ClassVar[str] = "differentiation"

    measure: Measure
    """Full name of the measure."""
    mixes: tuple[Mixture, ...]
    """From the worst system (0) to the ideal one (1)."""
    gain: Estimate
    """Ideal minus worst, on the same pairs."""
    pairs: int
    """Pairs that the metric is defined for on both sides."""
    why: Reason | None = None
    """Why there are no values, where there are none."""

    @property
    def tells(self) -> bool | None:
        """Whether the ideal system scores significantly better than the worst one; None: undecided."""
        interval = self.gain.interval
        if interval is None:
            return None
        return interval.low > 0 if self.measure.better != "lower" else interval.high < 0


@dataclass(frozen=True)
class PreferredPair:
    """Two systems in one conversation (or in reply to one situation), and the preferred one."""

    better: Conversation
    """Strategies of the preferred system."""
    worse: Conversation
    """Strategies of the other system."""

    @property
    def cluster(self) -> str:
        """Resampling unit: the person or dialogue."""
        return self.better.cluster


def preferred_pairs(conversations: Iterable[Conversation], preferences: Iterable[Preference]) -> list[PreferredPair]:
    """Pairs of conversations, or of replies to a situation, with a preference; ties are left out.

    A preference names its sides by their dialogues, or by the situation that both answered. One pair that several people
    judged counts as often as they did not cancel out: once, for the majority; not at all where they are equal.

    Raises:
        DataError: no preference fits the conversations.
    """
    conversations = list(conversations)
    dialogues = {(one.system, one.dialogue_id): one for one in conversations if one.dialogue is not None}
    replies = {
        (one.system, reply.situation_id): replace(one, replies=(reply,))
        for one in conversations
        for reply in one.replies
        if reply.situation_id is not None
    }
    known: dict[Any, Conversation] = {**dialogues, **replies}
    leads: dict[tuple[Any, Any], int] = {}
    sides: dict[tuple[Any, Any], tuple[Conversation, Conversation]] = {}
    total = 0
    for preference in preferences:
        total += 1
        keys = _keys(preference)
        if keys is None or keys[0] not in known or keys[1] not in known or preference.choice == "tie":
            continue
        first, second = sorted(keys, key=str)
        sides[first, second] = (known[first], known[second])
        won = keys[0] if preference.choice == "a" else keys[1]
        leads[first, second] = leads.get((first, second), 0) + (1 if won == first else -1)
    found = [PreferredPair(*(sides[key] if lead > 0 else sides[key][::-1])) for key, lead in leads.items() if lead != 0]
    if not found:
        raise DataError(
            Problem(
                f"none of the {total} preferences is a choice between two of the {len(conversations)} "
                "conversations given.",
                hint="A preference names its sides by dialogue_a and dialogue_b, or by the situation_id that both answered.",
            )
        )
    return found


def _keys(preference: Preference) -> tuple[Any, Any] | None:
    if preference.dialogue_a is not None and preference.dialogue_b is not None:
        return (preference.a, preference.dialogue_a), (preference.b, preference.dialogue_b)
    if preference.situation_id is not None:
        return (preference.a, preference.situation_id), (preference.b, preference.situation_id)
    return None


def differentiation(
    pairs: Sequence[PreferredPair],
    metrics: Sequence[AnyMetric],
    *,
    steps: int = STEPS,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> tuple[Differentiation, ...]:
    """Each metric's value on mixtures of preferred and dispreferred replies.

    Args:
        pairs: pairs from ``preferred_pairs``, or made; those for which a metric is undefined on a side are left out for it.
        metrics: what to measure.
        steps: mixtures between worst and ideal: 10 give shares of 0, .1, ..., 1.
        seed: random seed for mixtures and resamples.
        resamples: bootstrap replicates.
        confidence: confidence level of the intervals.

    Raises:
        UsageError: fewer than one step, or fewer than five pairs.
    """
    if steps < 1 or len(pairs) < MIN_PAIRS:
        raise UsageError(
            f"differentiation needs at least {MIN_PAIRS} pairs and one step, got {len(pairs)} pairs and {steps} steps."
        )
    if of_needs := [metric.measure for metric in metrics if isinstance(metric, NeedMetric)]:
        raise UsageError(
            f"differentiation compares replies; omit {', '.join(of_needs)}, which is measured on whole dialogues."
        )
    shares = [round(step / steps, 6) for step in range(steps + 1)]
    plan = _Plan(shares, seed, resamples, confidence)
    return tuple(
        _differentiate_counted(metric, pairs, plan)
        if isinstance(metric, CountMetric)
        else _differentiate_summed(metric, pairs, plan)
        for metric in metrics
        if not isinstance(metric, NeedMetric)
    )


@dataclass(frozen=True)
class _Plan:
    shares: list[float]
    seed: int
    resamples: int
    confidence: float

    @property
    def tails(self) -> list[float]:
        return [(1 - self.confidence) / 2, (1 + self.confidence) / 2]


def _differentiate_summed(metric: SumMetric[Any], pairs: Sequence[PreferredPair], plan: _Plan) -> Differentiation:
    rows = [(_row(metric, pair.better), _row(metric, pair.worse), pair.cluster) for pair in pairs]
    kept = [(np.asarray(a), np.asarray(b), name) for a, b, name in rows if a is not None and b is not None]
    if len(kept) < MIN_PAIRS:
        return _undefined_differentiation(metric, len(kept))
    better, worse = np.array([row[0] for row in kept]), np.array([row[1] for row in kept])
    names = {name: place for place, name in enumerate(dict.fromkeys(row[2] for row in kept))}
    cluster = np.array([names[row[2]] for row in kept])
    rng = rng_for(plan.seed, "differentiation", metric.measure)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=plan.resamples)[:, cluster]
    once = np.ones((MIXES * 10, len(kept)))
    mixes, at = [], {}
    for share in plan.shares:
        value = float(np.nanmean(_values_of_mixtures(metric, better, worse, share, once, rng)))
        replicates = _values_of_mixtures(metric, better, worse, share, drawn.astype(np.float64), rng)
        at[share] = replicates
        mixes.append(Mixture(share=share, estimate=_estimate(value, replicates, len(kept), len(names), plan)))
    gap = at[plan.shares[-1]] - at[plan.shares[0]]  # no mixture at the ends, and the same clusters: paired
    ends = [mix.estimate.value for mix in (mixes[-1], mixes[0])]
    gain = None if None in ends else float(ends[0] - ends[1])  # type: ignore[operator]
    return Differentiation(
        measure=_measure(metric),
        mixes=tuple(mixes),
        gain=_estimate(gain, gap, len(kept), len(names), plan),
        pairs=len(kept),
    )


def _row(metric: SumMetric[Any], conversation: Conversation) -> Array | None:
    """Sums over the units of one side; None where none is defined."""
    units: Sequence[Any] = conversation.replies
    if metric.card.level == "dialogue":
        units = () if conversation.dialogue is None else (conversation.dialogue,)
    rows = [row for unit in units if not isinstance(row := metric.statistics(unit), Undefined)]
    if not rows:
        return None
    total = np.asarray(rows, dtype=float).sum(axis=0)
    if not metric.per_dialogue:
        return np.asarray(total)
    value = float(_combine(metric, total[None])[0])
    return np.array([value, 1.0]) if np.isfinite(value) else None


def _combine(metric: SumMetric[Any], sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric.combine(sums), dtype=np.float64)


def _values_of_mixtures(
    metric: SumMetric[Any], better: Array, worse: Array, share: float, weights: Array, rng: np.random.Generator
) -> Array:
    """Values of mixtures, one for each row of weights: exactly that share of the pairs is the preferred side."""
    size = len(better)
    order = rng.random((len(weights), size)).argsort(axis=1).argsort(axis=1)
    ideal = weights * (order < round(share * size))
    sums = ideal @ better + (weights - ideal) @ worse
    if metric.per_dialogue:
        return np.asarray(sums[:, 0] / sums[:, 1])
    return _combine(metric, sums)


def _estimate(value: float | None, replicates: Array, n: int, clusters: int, plan: _Plan) -> Estimate:
    if value is None or not np.isfinite(value):
        return Estimate(value=None, n=n, clusters=clusters, why=Reason.of(ReasonCode.MIXTURE_FORMULA_WITHOUT_VALUE))
    known = replicates[np.isfinite(replicates)]
    if clusters < 2 or len(known) < 0.9 * len(replicates):
        return Estimate(value=value, n=n, clusters=clusters, why=Reason.of(ReasonCode.MIXTURE_TOO_FEW_CLUSTERS))
    low, high = np.quantile(known, plan.tails)
    method = f"cluster bootstrap of mixtures, percentile, {plan.resamples} resamples"
    interval = Interval(low=float(low), high=float(high), confidence=plan.confidence, method=method)
    return Estimate(value=value, interval=interval, n=n, clusters=clusters)


def _differentiate_counted(metric: CountMetric, pairs: Sequence[PreferredPair], plan: _Plan) -> Differentiation:
    rng = rng_for(plan.seed, "differentiation", metric.measure)
    settings = Settings(seed=plan.seed, confidence=plan.confidence)
    totals: dict[float, list[CountedTotals]] = {}
    mixes = []
    for share in plan.shares:
        count = 1 if share in (0, 1) else MIXES
        totals[share] = [_totals(metric, pairs, share, rng) for _ in range(count)]
        found = [one.estimate("mixed", settings) for one in totals[share]]
        mixes.append(Mixture(share=share, estimate=_average_mixtures(found, len(pairs), plan)))
    if mixes[0].estimate.value is None or mixes[-1].estimate.value is None:
        return _undefined_differentiation(metric, 0)
    gain = totals[plan.shares[-1]][0].unrarefied_difference(totals[plan.shares[0]][0], settings)
    return Differentiation(measure=_measure(metric), mixes=tuple(mixes), gain=gain, pairs=len(pairs))


def _totals(
    metric: CountMetric, pairs: Sequence[PreferredPair], share: float, rng: np.random.Generator
) -> CountedTotals:
    chosen = set(rng.permutation(len(pairs))[: round(share * len(pairs))].tolist())
    totals = CountedTotals(metric)
    sides = [pair.better if place in chosen else pair.worse for place, pair in enumerate(pairs)]
    totals.add([replace(side, cluster=pair.cluster) for side, pair in zip(sides, pairs, strict=True)])
    return totals


def _average_mixtures(found: Sequence[Estimate], pairs: int, plan: _Plan) -> Estimate:
    """The mean over mixtures, with the mean width of their intervals and their spread put together."""
    values = [one.value for one in found if one.value is not None]
    if not values:
        return found[0]
    value, spread = float(np.mean(values)), float(np.var(values)) if len(values) > 1 else 0.0
    reaches = [(one.interval.high - one.interval.low) / 2 for one in found if one.interval is not None]
    if not reaches:
        return found[0].model_copy(update={"value": value, "n": pairs})
    z = NormalDist().inv_cdf(plan.tails[1])
    reach = (float(np.mean(np.square(reaches))) + z**2 * spread) ** 0.5
    interval = Interval(
        low=value - reach,
        high=value + reach,
        confidence=plan.confidence,
        method=f"jackknife over clusters and {len(values)} mixtures",
    )
    return Estimate(value=value, interval=interval, n=pairs, clusters=found[0].clusters)


def _measure(metric: AnyMetric) -> Measure:
    card = metric.card
    return Measure(name=metric.measure, title=card.title, by="metric", better=card.better, unit=card.unit, card=card)


def _undefined_differentiation(metric: AnyMetric, pairs: int) -> Differentiation:
    why = Reason.of(ReasonCode.TOO_FEW_PAIRS_WITH_BOTH_SIDES, pairs=pairs, needs=list(metric.card.needs) or ["replies"])
    return Differentiation(measure=_measure(metric), mixes=(), gain=Estimate(value=None, why=why), pairs=pairs, why=why)
