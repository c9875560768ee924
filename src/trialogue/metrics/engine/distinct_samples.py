"""Distinct-type estimates of one system and differences of two, raw or rarefied.

Rarefied, both sides are reduced to the size of the smaller one (n-grams, or replies), in whole clusters; see
``trialogue.stats.resampling.rarefaction``.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trialogue.metrics.base import Array, ConcentrationMetric, CountMetric, EqualSize
from trialogue.metrics.engine.unit_scores import no_value
from trialogue.records import DistinctCounts, Estimate, MeasureName, Reason, ReasonCode
from trialogue.stats import jackknife_difference
from trialogue.stats.resampling.clusters import NumberedKeys
from trialogue.stats.resampling.rarefaction import (
    AnyInts,
    Occurrences,
    Rarefied,
    RarefiedSample,
    comparable,
    rarefy_to_common_size,
)
from trialogue.stats.resampling.replicates import NumberedValues

SAME_SIZE = 1.05  # replies this near in number are taken as equal; distinct things grow with them, not in proportion
ROUNDING = 1e-9  # relative; differences of log-gamma functions have fewer digits, and equal values must stay equal


@dataclass(frozen=True)
class CountedSample:
    """One system's counts by cluster, with the metric that is a function of them."""

    metric: CountMetric
    """Gives values from counts."""
    clusters: tuple[str, ...] | NumberedKeys
    """The clusters by name or number."""
    counts: Occurrences
    """In how many clusters things occur."""
    total: Array
    """Shape (clusters,): things in each cluster."""
    extra: Array
    """Shape (clusters,): extra sums, such as numbers of replies."""
    replies: int
    """Replies that count."""

    @classmethod
    def of(cls, counts: DistinctCounts, metric: CountMetric) -> "CountedSample":
        """Create from the counts stored by a run."""
        occurrences = Occurrences(
            clusters=len(counts.clusters),
            occurrences=np.array(counts.occurrences, dtype=np.int64),
            types=np.array(counts.things, dtype=np.int64),
            cluster=np.repeat(np.arange(len(counts.groups)), np.array(counts.groups, dtype=np.int64)),
            place=np.array(counts.places, dtype=np.int64),
            held=np.array(counts.held, dtype=np.int64),
        )
        total, extra = np.array(counts.total, dtype=float), np.array(counts.extra, dtype=float)
        return cls(metric, counts.clusters, occurrences, total, extra, counts.replies)

    def record(self, system: str) -> DistinctCounts:
        """Convert to the counts stored by a run."""
        counts = self.counts
        # Not validated, and numbers that occur again as one object: of 10,000 dialogues there are a million of each.
        return DistinctCounts.model_construct(
            measure=MeasureName(self.metric.measure),
            system=system,
            replies=self.replies,
            clusters=tuple(map(str, self.clusters)),
            total=tuple(int(one) for one in self.total.tolist()),
            extra=tuple(self.extra.tolist()),
            occurrences=tuple(counts.occurrences.tolist()),
            things=tuple(counts.types.tolist()),
            groups=tuple(np.bincount(counts.cluster, minlength=counts.clusters).tolist()),
            places=_shared_ints(counts.place),
            held=_shared_ints(counts.held),
        )

    @cached_property
    def value(self) -> float:
        """Value on the full sample; NaN: undefined."""
        if isinstance(self.metric, ConcentrationMetric):
            return self.metric.concentration(self.counts.occurrences.astype(float), self.counts.types.astype(float))
        return float(self._values(np.array([float(self.counts.distinct)]), self.total.sum(), self.extra.sum())[0])

    def with_and_without(self) -> tuple[float, Mapping[Hashable, float]]:
        """The value, and the leave-one-cluster-out values by cluster."""
        if isinstance(self.metric, ConcentrationMetric):
            found = [self.metric.concentration(*held) for held in self.counts.leave_outs()]
            return self.value, self._index_by_cluster(np.array(found))
        distinct = self.counts.distinct - self.counts.unique_counts()
        without = self._values(distinct, self.total.sum() - self.total, self.extra.sum() - self.extra)
        return self.value, self._index_by_cluster(without)

    def minus(self, other: "CountedSample", *, confidence: float) -> Estimate:
        """Difference at equal size: each side is rarefied to the smaller one, if the metric declares a size."""
        if not (np.isfinite(self.value) and np.isfinite(other.value)):
            return Estimate(value=None, n=self.replies + other.replies, why=no_value(self.metric))
        size = getattr(self.metric, "equal_size", None)
        if not isinstance(size, EqualSize):
            return self.unrarefied_minus(other, confidence=confidence)
        found = self.rarefied_minus(other, size, n=self.replies + other.replies, confidence=confidence)
        return self._too_unlike(other) if found is None else found

    def unrarefied_minus(self, other: "CountedSample", *, confidence: float) -> Estimate:
        """Difference of the raw values; untested if the numbers of replies differ by more than 5%."""
        few, many = sorted((self.replies, other.replies))
        if many > SAME_SIZE * few:
            return self._too_unlike(other)
        (value, without), (other_value, other_without) = self.with_and_without(), other.with_and_without()
        return jackknife_difference(without, other_without, value, other_value, few + many, confidence=confidence)

    def _too_unlike(self, other: "CountedSample") -> Estimate:
        """The difference of both values without test or interval: they depend on the numbers of replies, which differ."""
        why = Reason.of(ReasonCode.REPLY_COUNTS_DIFFER, a=self.replies, b=other.replies)
        return Estimate(value=self.value - other.value, n=self.replies + other.replies, why=why)

    def rarefied_minus(self, other: "CountedSample", size: EqualSize, *, n: int, confidence: float) -> Estimate | None:
        """Difference at the size of the smaller side; None if that is less than one cluster of the other."""
        own, others = self.curve(size), other.curve(size)
        if not comparable(own, others):
            return None
        side, other_side = rarefy_to_common_size(own, others), rarefy_to_common_size(others, own)
        common = min(own.size, others.size)
        value, other_value = self._value_at_common(size, side, common), other._value_at_common(size, other_side, common)
        if abs(value - other_value) <= ROUNDING * abs(value):
            other_value = value
        estimate = jackknife_difference(
            self._leave_outs(size, side, other, value, other_value),
            other._leave_outs(size, other_side, self, other_value, value),
            value,
            other_value,
            n,
            confidence=confidence,
        )
        return _mark_rarefied(estimate, size, common)

    def curve(self, size: EqualSize) -> Rarefied:
        """Accumulation curve of distinct types by the equalised quantity."""
        return Rarefied(self.counts, self.total if size.of == "total" else self.extra)

    def _value_at_common(self, size: EqualSize, side: RarefiedSample, common: float) -> float:
        return float(self._values_at(size, np.array([side.at_common]), np.array([common]))[0])

    def _leave_outs(
        self, size: EqualSize, side: RarefiedSample, other: "CountedSample", value: float, other_value: float
    ) -> Mapping[Hashable, float]:
        """This side's value without each cluster, less what that changes of the other's.

        Where the smaller side loses a cluster, the size that both are rarefied to falls, and the other's value moves, too.
        """
        own = self._values_at(size, side.without, side.sizes, left_out=True)
        without = own - (other._values_at(size, side.other_at, side.sizes) - other_value)
        same = np.abs(without - value) <= ROUNDING * abs(value)
        return self._index_by_cluster(np.where(same, value, without))

    def _values_at(self, size: EqualSize, distinct: Array, sizes: Array, *, left_out: bool = False) -> Array:
        """Values of the formula at given sizes, for all clusters or leaving out each in turn; unequalised quantities are
        scaled in proportion."""
        totals = self.total.sum() - (self.total if left_out else 0.0)
        extras = self.extra.sum() - (self.extra if left_out else 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = sizes / (totals if size.of == "total" else extras)
        return self._values(distinct, totals * share, extras * share)

    def _values(self, distinct: Array, total: Array, extra: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.metric.value(distinct, total, extra)

    def _index_by_cluster(self, values: Array) -> Mapping[Hashable, float]:
        if isinstance(self.clusters, NumberedKeys):
            return NumberedValues(self.clusters.numbers, values)
        return dict(zip(self.clusters, values.tolist(), strict=True))


def _mark_rarefied(estimate: Estimate, size: EqualSize, common: float) -> Estimate:
    """The estimate with an interval that says at what size it compares."""
    if estimate.interval is None:
        return estimate
    interval = estimate.interval
    method = f"{interval.method}, rarefied to {common:,.0f} {size.noun}"
    facts = {**interval.facts, "rarefied_to": common}
    return estimate.model_copy(update={"interval": interval.model_copy(update={"method": method, "facts": facts})})


def _shared_ints(numbers: AnyInts) -> tuple[int, ...]:
    """Numbers from 0, equal ones as one object."""
    return tuple(np.arange(numbers.max(initial=0) + 1).astype(object)[numbers].tolist())
