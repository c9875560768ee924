"""Scores of alignment baselines, and each system's difference to them, with intervals.

A baseline's score is the metric of the mean statistics of each situation over all replies that it may use: the limit
of drawing them again and again. A dialogue enters twice, because its situations are answered and its replies are reused. So
the error is a delete-one-dialogue jackknife that removes it from both sides: for ``random-human`` the score is a
U-statistic, and resampling the answered situations alone gives a quarter of its variance (Hoeffding 1948;
Arvesen 1969). What was learned (the most frequent strategy and the predicted one) is treated as fixed: the interval is
that of these predictions, not of those learned from other dialogues.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.alignment.reply_baselines import Baselines, Ints, Pairs, Rule, pairs_of
from trialogue.metrics.base import AnyMetric, Array, Conversation, Reply, SumMetric, Undefined, group_by_system
from trialogue.metrics.engine.accumulate import Settings, is_share
from trialogue.metrics.fit_uncertainty import FittedMetric, Parts, sources_of
from trialogue.records import Estimate, Reason, ReasonCode, Role, Score
from trialogue.stats import bounded_share, cluster_sums, jackknife, jackknife_difference

AT_ONCE = 2_000_000  # numbers held at a time
NOTHING = Estimate(value=None, why=Reason.of(ReasonCode.BASELINE_HAS_NO_REPLY))


@dataclass(frozen=True, eq=False)
class ScoredSystem:
    """A baseline or a system on one metric, with the data needed for a difference."""

    name: str
    value: float
    without: Mapping[Hashable, float]
    """Its value without each dialogue."""
    n: int
    """Number of replies with a value."""
    parts: Parts
    """Sums by the calibration that they rest on; {} if on none."""


def alignment_baseline_scores(
    baselines: Baselines,
    conversations: Iterable[Conversation],
    metrics: Sequence[AnyMetric],
    *,
    settings: Settings | None = None,
    signatures: Mapping[str, str | None] | None = None,
) -> list[Score]:
    """Scores of the baselines (level ``system``) and of each system minus each baseline (level ``difference``), by metric.

    A metric that has no baselines has none among the scores, or undefined ones where alignment is measured, with a reason.

    Args:
        baselines: baselines of the situations that the systems answered.
        conversations: conversations of the systems.
        metrics: any; those of alignment have baselines.
        settings: only the confidence counts: nothing is drawn.
        signatures: signatures by measure, as its other scores have them.
    """
    confidence = (settings or Settings()).confidence
    talks = group_by_system(conversations)
    found: list[Score] = []
    for metric in metrics:
        signature = (signatures or {}).get(metric.measure)
        for score in _of_metric(baselines, talks, metric, confidence):
            found.append(score.model_copy(update={"signature": signature}))
    return found


def _of_metric(
    baselines: Baselines, talks: Mapping[str, Sequence[Conversation]], metric: AnyMetric, confidence: float
) -> Iterator[Score]:
    if not isinstance(metric, SumMetric) or metric.card.family != "alignment":
        return
    rules = list(baselines.rules(counts_none=metric.counts_none if isinstance(metric, BehaviorAlignment) else True))
    pairs = pairs_of(metric, baselines)
    if isinstance(pairs, Undefined):
        yield from (
            Score(
                measure=metric.measure,
                level="system",
                value=None,
                why=pairs.why,
                system=rule.name,
                role=Role.BASELINE,
            )
            for rule in rules
        )
        return
    if not any(pairs.situation_mask):  # nothing is labelled: the systems' scores say so
        return
    systems = {name: _system(name, own, metric) for name, own in sorted(talks.items())}
    for rule in rules:
        side = _baseline(rule, baselines, pairs, metric)
        yield _baseline_score(
            metric, rule.name, None, NOTHING if side is None else _estimate_baseline(side, metric, confidence)
        )
        for name, other in systems.items():
            if side is not None and other is not None:
                yield _baseline_score(metric, name, rule.name, _estimate_difference(other, side, metric, confidence))


def _baseline(rule: Rule, baselines: Baselines, pairs: Pairs, metric: SumMetric[Reply]) -> ScoredSystem | None:
    """The baseline on the metric; None where there is nothing to take, or no value."""
    size = len(baselines.clusters)
    whole: Array | None = None  # expected sums by dialogue, (dialogues, k)
    without: Array | None = None  # the same without what each dialogue lends, (dialogues, without which, k)
    answered = 0
    for places, replies in _groups(rule, pairs):
        for chunk in _chunks(places, size * 65):
            lent, counts = pairs.sums(chunk, replies, baselines.owners[replies], size)
            own = baselines.owners[chunk]
            lent[np.arange(len(chunk)), own] = 0.0
            counts[np.arange(len(chunk)), own] = 0.0
            total, times = lent.sum(axis=1), counts.sum(axis=1)
            if whole is None or without is None:
                whole, without = np.zeros((size, total.shape[1])), np.zeros((size, size, total.shape[1]))
            answered += int((times > 0).sum())
            np.add.at(whole, own, _mean(total, times))
            rest = _mean(total[:, None] - lent, times[:, None] - counts)
            for dialogue in np.unique(own).tolist():
                without[dialogue] += rest[own == dialogue].sum(axis=0)
    if whole is None or without is None or not answered:
        return None
    return _side(rule.name, whole, without, baselines.clusters, answered, metric, pairs)


def _groups(rule: Rule, pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """(situations, references that these may take)."""
    asking: dict[Hashable, list[int]] = {}
    lending: dict[Hashable, list[int]] = {}
    for place, (wanted, held) in enumerate(zip(rule.wanted, rule.held, strict=True)):
        if wanted is not None and pairs.situation_mask[place]:
            asking.setdefault(wanted, []).append(place)
        if held is not None and pairs.lendable_mask[place]:
            lending.setdefault(held, []).append(place)
    for key, places in asking.items():
        if key in lending:
            yield np.array(places, dtype=np.int64), np.array(lending[key], dtype=np.int64)


def _chunks(places: Ints, each: int) -> Iterator[Ints]:
    step = max(1, AT_ONCE // each)
    yield from (places[start : start + step] for start in range(0, len(places), step))


def _mean(sums: Array, counts: Array) -> Array:
    """Sums by counts; 0 where the count is."""
    return np.asarray(np.where(counts[..., None] > 0, sums / np.maximum(counts, 1)[..., None], 0.0))


def _side(
    name: str, whole: Array, without: Array, clusters: Sequence[str], n: int, metric: SumMetric[Reply], pairs: Pairs
) -> ScoredSystem | None:
    """Values from expected sums; a dialogue that is taken away answers nothing, either."""
    places = np.arange(len(clusters))
    without[places, places] = 0.0
    if metric.per_dialogue:
        value = float(_mean_of_dialogues(metric, whole[None])[0])
        each = _mean_of_dialogues(metric, without.swapaxes(0, 1))
    else:
        value, each = float(_values(metric, whole.sum(axis=0))), _values(metric, without.sum(axis=0))
    if not np.isfinite(value):
        return None
    known: dict[Hashable, float] = {cluster: float(one) for cluster, one in zip(clusters, each, strict=True)}
    return ScoredSystem(name, value, known, n, pairs.parts(whole.sum(axis=0)))


def _mean_of_dialogues(metric: SumMetric[Reply], sums: Array) -> Array:
    """Mean over dialogues, shape (m,), of their values, from sums of shape (m, dialogues, k)."""
    values = _values(metric, sums)
    defined = np.isfinite(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(defined, values, 0.0).sum(axis=1) / defined.sum(axis=1))


def _values(metric: SumMetric[Reply], sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric.combine(sums))


def _system(name: str, conversations: Sequence[Conversation], metric: SumMetric[Reply]) -> ScoredSystem | None:
    """A system on the metric; None where it has no value."""
    kept = [(talk.cluster, found) for talk in conversations if (found := _defined_replies(talk, metric))]
    if not kept:
        return None
    units = [reply for _, found in kept for reply, _ in found]
    rows = [np.array([row for _, row in found], dtype=np.float64) for _, found in kept]
    data = cluster_sums(_of_dialogues(metric, rows), [cluster for cluster, _ in kept])
    sources = sources_of(metric)
    if sources is not None:
        sources.add(units, np.concatenate(rows))
        each = sources.metric.leave_one_out(data.sums, data.total)
    else:
        each = _values_of_sums(metric, data.total - data.sums)
    value = float(_values_of_sums(metric, data.total))
    parts = {} if sources is None else sources.parts(data.total)
    known = dict(zip(data.keys, each.tolist(), strict=True))
    return ScoredSystem(name, value, known, len(units), parts) if np.isfinite(value) else None


def _defined_replies(talk: Conversation, metric: SumMetric[Reply]) -> list[tuple[Reply, Sequence[float]]]:
    """The replies that count, with their statistics."""
    found = ((reply, metric.statistics(reply)) for reply in talk.replies)
    return [(reply, row) for reply, row in found if not isinstance(row, Undefined)]


def _of_dialogues(metric: SumMetric[Reply], rows: Sequence[Array]) -> Array:
    """Summed quantities of dialogues: their sums, or their values and definedness if each has a value of its own."""
    sums = np.array([own.sum(axis=0) for own in rows])
    if not metric.per_dialogue:
        return sums
    values = _values(metric, sums)
    return np.column_stack([np.nan_to_num(values), np.isfinite(values)])


def _values_of_sums(metric: SumMetric[Reply], sums: Array) -> Array:
    """Values from what ``_of_dialogues`` added up."""
    if not metric.per_dialogue:
        return _values(metric, sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def _estimate_baseline(side: ScoredSystem, metric: SumMetric[Reply], confidence: float) -> Estimate:
    error = _error_of_fit(metric, side.parts, {})
    found = jackknife(
        list(side.without.values()), side.value, side.n, confidence=confidence, added=_added_variance(error)
    )
    if is_share(metric):
        found = bounded_share(found, confidence=confidence)
    return _label_interval(found.cut_off(metric.card.low, metric.card.high), error, metric)


def _estimate_difference(
    system: ScoredSystem, baseline: ScoredSystem, metric: SumMetric[Reply], confidence: float
) -> Estimate:
    error = _error_of_fit(metric, system.parts, baseline.parts)
    found = jackknife_difference(
        system.without,
        baseline.without,
        system.value,
        baseline.value,
        system.n + baseline.n,
        confidence=confidence,
        added=_added_variance(error),
    )
    low, high = metric.card.low, metric.card.high
    most = None if low is None or high is None else high - low  # that two values on the scale can differ by
    return _label_interval(found.cut_off(None if most is None else -most, most), error, metric)


def _error_of_fit(metric: SumMetric[Reply], a: Parts, b: Parts) -> float | Undefined | None:
    """Variance that the error of a calibration adds; Undefined where it is not known, None where there is no calibration."""
    return metric.fit_variance(a, b) if a and isinstance(metric, FittedMetric) else None


def _added_variance(error: float | Undefined | None) -> float:
    return error if isinstance(error, float) else 0.0


def _label_interval(estimate: Estimate, error: float | Undefined | None, metric: SumMetric[Reply]) -> Estimate:
    """With what the interval holds, or leaves out, of a calibration's error."""
    if estimate.interval is None or error is None or not isinstance(metric, FittedMetric):
        return estimate
    if isinstance(error, Undefined):
        return estimate.model_copy(update={"why": error.why})
    method = f"{estimate.interval.method}, including the error of the {metric.rests_on}"
    return estimate.model_copy(update={"interval": estimate.interval.model_copy(update={"method": method})})


def _baseline_score(metric: AnyMetric, system: str, versus: str | None, estimate: Estimate) -> Score:
    """The score of a baseline alone, or of a system less a baseline."""
    return Score.of_estimate(
        estimate,
        measure=metric.measure,
        system=system,
        versus=versus,
        role=Role.BASELINE if versus is None else Role.SYSTEM,
        versus_role=Role.SYSTEM if versus is None else Role.BASELINE,
    )
