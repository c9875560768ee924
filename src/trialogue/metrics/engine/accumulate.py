"""Running totals of one metric for one system: unit values as they come, an estimate at the end.

Memory grows with the number of conversations (a row of sums each) and, for counted metrics, with the number of distinct
things, never with the text.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from trialogue.metrics.base import (
    AnyMetric,
    Array,
    Conversation,
    Counted,
    EqualSize,
    HasDefaultRow,
    Reply,
    Summed,
    Types,
    Undefined,
)
from trialogue.metrics.engine.counted_samples import CountedSample
from trialogue.metrics.engine.incidence import Incidence
from trialogue.metrics.failure_policy import failure_of, with_failure_policy
from trialogue.metrics.fitted import Sources, allowing, fitted_difference, sources_of
from trialogue.records import Card, Dialogue, Estimate, FailurePolicy, Level, Reason, ReasonCode, Score
from trialogue.seeds import rng_for
from trialogue.stats import (
    ClusterSums,
    bootstrap_sums,
    cluster_sums,
    difference,
    estimate_of_sums,
    jackknife,
)

NO_UNITS = Reason.of(ReasonCode.NOTHING_TO_MEASURE)
NO_DIALOGUE = Reason.of(ReasonCode.NOT_A_DIALOGUE)
MOST_CLUSTERS, GROUPS = 4_000, 1_000  # above so many clusters, groups of them are drawn
NO_VALUE = Reason.of(ReasonCode.FORMULA_WITHOUT_VALUE)


@dataclass(frozen=True)
class Settings:
    """How estimates are made."""

    seed: int = 0
    resamples: int = 10_000
    confidence: float = 0.95
    permutations: int = 10_000
    failed: FailurePolicy | None = None
    """How failed dialogues and replies count, in place of what each metric's card says; None: as it says."""


Sink = Callable[[Score], None]


class Accumulator(Protocol):
    """Totals of one metric for one system."""

    def add(self, conversations: Sequence[Conversation], sink: Sink | None = None) -> None:
        """Take in conversations; the score of every unit and of every conversation goes to the sink, if there is one."""
        ...

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """The system's value with its interval."""
        ...

    def minus(self, other: Any, settings: Settings) -> Estimate:
        """The difference to another system's totals of the same metric, with interval and p-value."""
        ...

    @property
    def skipped(self) -> Counter[Reason]:
        """How many units were left out, by reason."""
        ...


def accumulator_for(metric: AnyMetric, *, failed: FailurePolicy | None = None) -> Accumulator:
    """Totals of the right kind for a metric; ``failed``: how failed units count, in place of what its card says."""
    return CountedTotals(metric) if isinstance(metric, Counted) else SummedTotals(metric, failed)


@dataclass
class SummedTotals:
    """Totals of a metric that is a function of sums."""

    metric: Summed[Any]
    failed: FailurePolicy | None = None
    """How failed units count; None: as the metric's card says."""
    has_failures: bool = False
    """Whether any unit failed."""
    _undefined: Counter[Reason] = field(default_factory=Counter)
    _silent: list[str] = field(default_factory=list)
    _rows: list[Array] = field(default_factory=list)
    _clusters: list[str] = field(default_factory=list)
    _units: int = 0
    _summed: ClusterSums | None = None
    _sources: Sources | None = None

    def __post_init__(self) -> None:
        """Look whether the metric rests on something fitted."""
        self._sources = sources_of(self.metric)

    @property
    def skipped(self) -> Counter[Reason]:
        """How many units were left out, by reason; those that count by ``HasDefaultRow`` are not."""
        return Counter() if self._silent and self._rows else self._undefined

    @property
    def signed(self) -> tuple[str, ...]:
        """What a signature says of it: whether intervals hold the error of what it rests on, and how failed units count."""
        fitted = self._sources.signed if self._sources is not None else None
        failed = f"failed:{self.failed or self.metric.card.failure_policy}" if self.has_failures else None
        return tuple(part for part in (fitted, failed) if part)

    def add(self, conversations: Sequence[Conversation], sink: Sink | None = None) -> None:
        """Take in conversations; one vectorised ``combine`` for all their units, one for all conversations."""
        owners: list[int] = []
        kept: list[Reply | Dialogue] = []
        rows: list[Sequence[float]] = []
        for place, conversation in enumerate(conversations):
            for unit in _units(self.metric, conversation, self._undefined):
                statistics = with_failure_policy(self.metric, unit, self.failed)
                self.has_failures = self.has_failures or failure_of(unit) is not None
                if isinstance(statistics, Undefined):
                    self._undefined[statistics.why] += 1
                    self._silent += [conversation.cluster] if isinstance(self.metric, HasDefaultRow) else []
                    if sink is not None:
                        sink(_unit_score(self.metric, conversation, unit, statistics))
                else:
                    owners.append(place)
                    kept.append(unit)
                    rows.append(statistics)
        if not rows:
            return
        matrix = np.asarray(rows, dtype=float)
        starts = [row for row, place in enumerate(owners) if row == 0 or owners[row - 1] != place]
        whole = np.add.reduceat(matrix, starts, axis=0)
        parts = [conversations[owners[row]] for row in starts]
        if sink is not None:
            for place, unit, value in zip(owners, kept, self._values(matrix), strict=True):
                sink(_unit_score(self.metric, conversations[place], unit, value))
            self._tell(parts, whole, sink)
        self._remember([part.cluster for part in parts], whole, len(rows))
        if self._sources is not None:
            self._sources.add((unit for unit in kept if isinstance(unit, Reply)), matrix)

    def _tell(self, conversations: Sequence[Conversation], whole: Array, sink: Sink) -> None:
        """The scores of conversations whose units are replies; a dialogue that is a unit has its score already."""
        if self.metric.card.level != "response":
            return
        for conversation, value in zip(conversations, self._values(whole), strict=True):
            if conversation.dialogue_id is not None:
                sink(_score(self.metric, conversation, "dialogue", value))

    def _values(self, sums: Array) -> list[float | Undefined]:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.metric.combine(sums)
        return [float(value) if np.isfinite(value) else Undefined(_no_value(self.metric)) for value in values]

    def _remember(self, clusters: list[str], whole: Array, units: int) -> None:
        if self.metric.per_dialogue:
            values = self._values(whole)
            whole = np.array([[0.0, 0.0] if isinstance(value, Undefined) else [value, 1.0] for value in values])
        self._rows.append(whole)
        self._clusters.extend(clusters)
        self._units += units
        self._summed = None

    def _combine(self) -> Callable[[Array], Array]:
        return _mean if self.metric.per_dialogue else self.metric.combine

    def _sums(self) -> ClusterSums:
        """Sums by cluster, made once for all the comparisons that need them."""
        if self._summed is None:
            rows, clusters = self._rows, self._clusters
            if isinstance(self.metric, HasDefaultRow) and self._silent:
                rows = [*rows, np.tile(np.asarray(self.metric.default_row, dtype=float), (len(self._silent), 1))]
                clusters = [*clusters, *self._silent]
            sums = cluster_sums(np.concatenate(rows), clusters)
            self._summed = ClusterSums(keys=sums.keys, sums=sums.sums, n=self._units + len(self._silent))
        return self._summed

    @property
    def _many(self) -> bool:
        return len(self._sums().keys) > MOST_CLUSTERS

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """The system's value with its interval; of a value that rests on something fitted by bootstrap."""
        if not self._rows:
            return _nothing(self._undefined)
        sums, card = self._sums(), self.metric.card
        if self._sources is None:
            return estimate_of_sums(
                sums,
                self._combine(),
                is_share=is_share(self.metric),
                scale=(card.low, card.high),
                confidence=settings.confidence,
                undefined=_no_value(self.metric),
            )
        rng = rng_for(settings.seed, "estimate", self.metric.measure, system)
        drawn = pooled(sums) if self._many else sums
        estimate = bootstrap_sums(
            drawn,
            self._combine(),
            rng=rng,
            resamples=settings.resamples,
            confidence=settings.confidence,
            undefined=_no_value(self.metric),
        )
        estimate = estimate.model_copy(update={"clusters": len(sums.keys)})
        return allowing(estimate, drawn, self._sources, confidence=settings.confidence)

    def minus(self, other: "SummedTotals", settings: Settings) -> Estimate:
        """The difference, with interval and p-value of one construction."""
        if not self._rows or not other._rows:
            return _nothing(self._undefined + other._undefined)
        sums, others = self._sums(), other._sums()
        if self._sources is None or other._sources is None:
            low, high = self.metric.card.low, self.metric.card.high
            return difference(
                sums,
                others,
                self._combine(),
                is_share=is_share(self.metric),
                most=None if low is None or high is None else high - low,
                seed=settings.seed,
                permutations=settings.permutations,
                confidence=settings.confidence,
            )
        pool = self._many or other._many
        drawn, drawn_other = (pooled(sums), pooled(others)) if pool else (sums, others)
        estimate = fitted_difference(
            drawn, drawn_other, (self._sources, other._sources), confidence=settings.confidence
        )
        return estimate.model_copy(update={"clusters": len({*sums.keys, *others.keys})})


def is_share(metric: Summed[Any]) -> bool:
    """Whether its value is a count of units over units, and not a model's estimate of one."""
    card = metric.card
    counted = not getattr(metric, "is_estimated", False)
    return counted and card.unit.startswith("share of ") and (card.low, card.high) == (0, 1)


def pooled(sums: ClusterSums) -> ClusterSums:
    """Clusters put together at random into at most 1,000 groups, which are then drawn instead.

    A sum over a group of independent clusters is as independent as they are, so the bootstrap over groups estimates the same
    error, itself known to 2.2 % (1 / sqrt(2 * 1000)), and costs no more for a million clusters than for 1,000. The group
    follows from the cluster's name alone: two systems' clusters of one name stay together.
    """
    groups = [f"group:{zlib.crc32(str(key).encode()) % GROUPS}" for key in sums.keys]
    found = cluster_sums(sums.sums, groups)
    return ClusterSums(keys=found.keys, sums=found.sums, n=sums.n)


LEAST_CLUSTERS = 5  # below, a t interval of the jackknife is wider than any scale
SAME_SIZE = 1.05  # replies this near in number are taken as equal; distinct things grow with them, not in proportion


@dataclass
class CountedTotals:
    """Totals of a metric that counts distinct things: which clusters have each, and how many there are in all."""

    metric: Counted
    skipped: Counter[Reason] = field(default_factory=Counter)
    _incidence: Incidence = field(default_factory=Incidence)
    _measured: CountedSample | None = None
    _index: dict[str, int] = field(default_factory=dict)
    _total: list[float] = field(default_factory=list)
    _extra: list[float] = field(default_factory=list)
    _units: int = 0

    def add(self, conversations: Sequence[Conversation], sink: Sink | None = None) -> None:
        """Take in conversations."""
        for conversation in conversations:
            self._add(conversation, sink)

    def _add(self, conversation: Conversation, sink: Sink | None) -> None:
        parts: list[tuple[Reply, Types]] = []
        for reply in conversation.replies:
            types = self.metric.types(reply)
            if not isinstance(types, Undefined):
                parts.append((reply, types))
                continue
            self.skipped[types.why] += 1
            if sink is not None:
                sink(_unit_score(self.metric, conversation, reply, types))
        if not parts:
            return
        distinct: set[int] = set()
        total, extra = 0.0, 0.0
        for _, types in parts:
            distinct.update(map(hash, types.seen))
            total += len(types.seen)
            extra += types.extra
        self._remember(conversation.cluster, distinct, total, extra, len(parts))
        if sink is None:
            return
        rows = [(len(set(types.seen)), len(types.seen), types.extra) for _, types in parts]
        *values, whole = _finite(self.metric, np.array([*rows, (len(distinct), total, extra)], dtype=float))
        for (reply, _), value in zip(parts, values, strict=True):
            sink(_unit_score(self.metric, conversation, reply, value))
        if conversation.dialogue_id is not None:
            sink(_score(self.metric, conversation, "dialogue", whole))

    def _remember(self, name: str, distinct: set[int], total: float, extra: float, units: int) -> None:
        cluster = self._index.setdefault(name, len(self._index))
        if cluster == len(self._total):
            self._total.append(0.0)
            self._extra.append(0.0)
        self._incidence.add(distinct, cluster)
        self._measured = None
        self._total[cluster] += total
        self._extra[cluster] += extra
        self._units += units

    def _sample(self) -> CountedSample:
        """What was counted, made once for all the comparisons that need it."""
        if self._measured is None:
            counts = self._incidence.occurrences(len(self._index))
            total, extra = np.asarray(self._total), np.asarray(self._extra)
            self._measured = CountedSample(self.metric, tuple(self._index), counts, total, extra)
        return self._measured

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """The system's value with its jackknife interval; nothing is drawn at random."""
        if not self._units:
            return _nothing(self.skipped)
        value, without = self._sample().with_and_without()
        if not np.isfinite(value):
            return Estimate(value=None, why=_no_value(self.metric), n=self._units)
        if len(without) < LEAST_CLUSTERS:
            why = Reason.of(ReasonCode.TOO_FEW_CLUSTERS_FOR_DISTINCT, clusters=len(without))
            return Estimate(value=value, n=self._units, clusters=len(without), why=why)
        found = jackknife(list(without.values()), value, self._units, confidence=settings.confidence)
        return _within(found, self.metric.card)

    def minus(self, other: "CountedTotals", settings: Settings) -> Estimate:
        """The difference at equal size, by jackknife over the clusters of both; each side is rarefied to the smaller one."""
        size = getattr(self.metric, "equal_size", None)
        if not isinstance(size, EqualSize):
            return self.unrarefied_difference(other, settings)
        why = self._nothing_to_compare(other)
        if why is not None:
            return why
        n = self._units + other._units
        found = self._sample().rarefied_minus(other._sample(), size, n=n, confidence=settings.confidence)
        return self._too_unlike(other) if found is None else found

    def unrarefied_difference(self, other: "CountedTotals", settings: Settings) -> Estimate:
        """The difference of both values as they are; untested where the numbers of replies differ by more than 5 %."""
        why = self._nothing_to_compare(other)
        if why is not None:
            return why
        few, many = sorted((self._units, other._units))
        if many > SAME_SIZE * few:
            return self._too_unlike(other)
        return self._sample().minus(other._sample(), n=few + many, confidence=settings.confidence)

    def _nothing_to_compare(self, other: "CountedTotals") -> Estimate | None:
        """An undefined difference where a side holds nothing, or its formula has no value."""
        if not self._units or not other._units:
            return _nothing(self.skipped + other.skipped)
        if not all(np.isfinite(totals._sample().value) for totals in (self, other)):
            return Estimate(value=None, why=_no_value(self.metric))
        return None

    def _too_unlike(self, other: "CountedTotals") -> Estimate:
        """The difference of both values without test or interval: they depend on the numbers of replies, which differ."""
        why = Reason.of(ReasonCode.REPLY_COUNTS_DIFFER, a=self._units, b=other._units)
        gap = self._sample().value - other._sample().value
        return Estimate(value=gap, n=self._units + other._units, why=why)


def _within(estimate: Estimate, card: Card) -> Estimate:
    """The estimate with its interval cut off where the scale ends."""
    if estimate.interval is None:
        return estimate
    low = estimate.interval.low if card.low is None else max(card.low, estimate.interval.low)
    high = estimate.interval.high if card.high is None else min(card.high, estimate.interval.high)
    return estimate.model_copy(update={"interval": estimate.interval.model_copy(update={"low": low, "high": high})})


def _units(metric: AnyMetric, conversation: Conversation, skipped: Counter[Reason]) -> Sequence[Reply | Dialogue]:
    if metric.card.level == "response":
        return conversation.replies
    if conversation.dialogue is None:
        skipped[NO_DIALOGUE] += 1
        return ()
    return (conversation.dialogue,)


def _mean(sums: Array) -> Array:
    """Mean from (sum, count); a silent NaN where the count is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Array = sums[..., 0] / sums[..., 1]
    return mean


def _finite(metric: Counted, rows: Array) -> list[float | Undefined]:
    with np.errstate(divide="ignore", invalid="ignore"):
        values = metric.value(rows[:, 0], rows[:, 1], rows[:, 2])
    return [float(value) if np.isfinite(value) else Undefined(_no_value(metric)) for value in values]


def _no_value(metric: AnyMetric) -> Reason:
    """Why a formula gives no value; a metric may know better than that it divides by zero."""
    return Undefined(getattr(metric, "no_value", NO_VALUE)).why


def _nothing(skipped: Counter[Reason]) -> Estimate:
    return Estimate(value=None, why=skipped.most_common(1)[0][0] if skipped else NO_UNITS)


def _unit_score(
    metric: AnyMetric, conversation: Conversation, unit: Reply | Dialogue, value: float | Undefined
) -> Score:
    if isinstance(unit, Dialogue):
        return _score(metric, conversation, "dialogue", value)
    level: Level = "response" if unit.situation_id is not None else "utterance"
    return _score(metric, conversation, level, value, situation_id=unit.situation_id, utterance=unit.index)


def _score(
    metric: AnyMetric,
    conversation: Conversation,
    level: Level,
    value: float | Undefined,
    *,
    situation_id: str | None = None,
    utterance: int | None = None,
) -> Score:
    return Score(
        measure=metric.measure,
        level=level,
        value=None if isinstance(value, Undefined) else value,
        why=value.why if isinstance(value, Undefined) else None,
        system=conversation.system,
        dialogue_id=conversation.dialogue_id,
        situation_id=situation_id,
        utterance=utterance,
    )
