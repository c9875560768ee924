"""Running totals of a metric that counts distinct types: total counts, and a sparse incidence of types in clusters.

The incidence has two columns, 12 bytes per pair of type and cluster.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.base import Array, Conversation, CountMetric, Undefined
from trialogue.metrics.batch import Batch, BatchCountMetric, TypeRows
from trialogue.metrics.engine.distinct_samples import CountedSample
from trialogue.metrics.engine.sum_totals import Settings, empty_estimate
from trialogue.metrics.engine.unit_scores import (
    ColumnSink,
    Sink,
    UnitScores,
    deliver,
    gaps_of,
    no_value,
    places_in,
    spread,
    values_of,
)
from trialogue.metrics.pieces import Ints, hash_order
from trialogue.metrics.text.word_hashes import NGrams, distinct, distinct_ngrams, object_hash
from trialogue.records import DistinctCounts, Estimate, Reason, ReasonCode
from trialogue.records.scores.score_table import Values
from trialogue.stats import jackknife
from trialogue.stats.resampling.clusters import NumberedKeys
from trialogue.stats.resampling.rarefaction import Occurrences, occurrences_of
from trialogue.stats.resampling.replicates import values_array

BUFFER = 1 << 20  # pairs held before those that came twice are dropped; 12 MB
PART, PART_BITS = 1 << 18, 4  # pairs above which they are counted in 16 parts, by the first bits of the hash

Clusters = NDArray[np.int32]


class Incidence:
    """Sparse incidence of types, named by 64-bit hashes, in clusters."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._clusters: list[Clusters] = []
        self._size = self._size_at_join = 0
        self._may_repeat = False

    def add(self, hashes: Collection[int], cluster: int) -> None:
        """Add the types of a cluster."""
        own = np.array([value % (1 << 64) for value in hashes], dtype=np.uint64)
        self.add_pairs(own, np.full(len(own), cluster, dtype=np.int32), are_new=False)

    def add_pairs(self, hashes: NDArray[np.uint64], clusters: Clusters, *, are_new: bool) -> None:
        """Add pairs of cluster and type.

        Args:
            hashes: shape (pairs,), of the types.
            clusters: shape (pairs,), which cluster has each.
            are_new: whether no pair occurs twice, here or before.
        """
        self._hashes.append(hashes)
        self._clusters.append(clusters)
        self._size += len(hashes)
        self._may_repeat = self._may_repeat or not are_new
        if self._may_repeat and self._size - self._size_at_join >= max(BUFFER, self._size_at_join):
            self._join()

    def merge(self, other: "Incidence", clusters: Clusters, *, are_new: bool) -> None:
        """Add the pairs of another incidence.

        Args:
            other: the other one.
            clusters: shape (clusters of the other,), what number each has here.
            are_new: whether none of them has anything here yet.
        """
        hashes, own = other._join()
        self.add_pairs(hashes, clusters[own], are_new=are_new)

    def pairs(self) -> tuple[NDArray[np.uint64], Clusters]:
        """Hashes and clusters of all pairs, each once."""
        return self._join()

    def occurrences(self, clusters: int, *, is_last: bool = False) -> Occurrences:
        """Number of clusters in which types occur, without the hashes; these are dropped where nothing else is asked."""
        hashes, own = self._join()
        if is_last:
            self._hashes, self._clusters = [], []
        times = _times_of(hashes)
        del hashes  # of millions of pairs, every array is a tenth of the memory
        return occurrences_of(times, own, count=clusters)

    def _join(self) -> tuple[NDArray[np.uint64], Clusters]:
        """All pairs, each once: the same type may come again from a cluster's next conversation."""
        hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *self._hashes])
        self._hashes = [hashes]
        clusters = np.concatenate([np.zeros(0, dtype=np.int32), *self._clusters])
        if self._may_repeat:
            order = np.lexsort((clusters, hashes))
            hashes, clusters = hashes[order], clusters[order]
            differ = (hashes[1:] != hashes[:-1]) | (clusters[1:] != clusters[:-1])
            new = np.flatnonzero(np.concatenate([[len(hashes) > 0], differ]))
            hashes, clusters = hashes[new], clusters[new]
        self._hashes, self._clusters = [hashes], [clusters]
        self._size = self._size_at_join = len(hashes)
        self._may_repeat = False
        return hashes, clusters


def _times_of(hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """How often each hash occurs, shape (hashes,); by parts, whose order fits the cache and takes little room."""
    times = np.empty(len(hashes), dtype=np.int32)
    part = (hashes >> np.uint64(64 - PART_BITS)).astype(np.uint8)
    for number in range(1 << PART_BITS if len(hashes) > PART else 1):
        places = np.flatnonzero(part == number) if len(hashes) > PART else np.arange(len(hashes))
        own = hashes[places]
        order = hash_order(own)
        own = own[order]
        starts = np.flatnonzero(np.concatenate([[len(own) > 0], own[1:] != own[:-1]]))
        sizes = np.diff(starts, append=len(own)).astype(np.int32)
        of_part = np.empty(len(own), dtype=np.int32)  # fits the cache, in which the order jumps
        of_part[order] = np.repeat(sizes, sizes)
        times[places] = of_part
    return times


MIN_CLUSTERS = 5  # below, a t interval of the jackknife is wider than any scale


@dataclass
class CountedTotals:
    """Running totals of a metric that counts distinct types: incidence by cluster, and totals."""

    metric: CountMetric
    skipped: Counter[Reason] = field(default_factory=Counter)
    _incidence: Incidence = field(default_factory=Incidence)
    _measured: CountedSample | None = None
    _index: dict[str, int] = field(default_factory=dict)
    _room: Array = field(default_factory=lambda: np.zeros((0, 2)))
    _units: int = 0
    _is_finished: bool = False
    _is_taken: bool = False

    def add(self, conversations: Sequence[Conversation] | Batch, sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations."""
        batch = conversations if isinstance(conversations, Batch) else Batch(conversations)
        found = (
            self.metric.types_of(batch)
            if isinstance(self.metric, BatchCountMetric)
            else _one_by_one(self.metric, batch)
        )
        gaps = gaps_of(found.undefined)
        self.skipped.update({why: len(places) for why, places in gaps.items()})
        counted = np.ones(len(batch.owner), dtype=bool)
        counted[places_in(gaps)] = False
        size = len(batch.clusters)
        units = np.bincount(batch.owner[counted], minlength=size)
        own = np.bincount(found.grams.owner, minlength=len(counted))
        rows = np.column_stack([own, found.extra])[counted]
        whole: Array = np.column_stack(
            [np.bincount(batch.owner[counted], weights=column, minlength=size) for column in rows.T]
        )
        of_conversations = NGrams(found.grams.hashes, batch.owner[found.grams.owner])
        pairs = batch.memoize(("distinct", found.key or id(self)), lambda: distinct_ngrams(of_conversations, size))
        if units.any():
            self._remember(batch, np.flatnonzero(units), pairs, whole, int(units.sum()))
        if sink is not None and len(counted):
            deliver(sink, self._unit_scores(batch, found, gaps, rows, np.flatnonzero(units), pairs, whole))

    def _unit_scores(
        self,
        batch: Batch,
        found: TypeRows,
        gaps: Mapping[Reason, Ints],
        rows: Array,
        places: Ints,
        pairs: NGrams,
        whole: Array,
    ) -> UnitScores:
        """The value of each reply, and of each conversation."""
        count, left_out = len(batch.owner), places_in(gaps)
        here = np.delete(np.arange(count), left_out)
        key = ("distinct within", found.key or id(self))
        of_replies = batch.memoize(key, lambda: distinct(found.grams, count))[here]
        of_whole = np.bincount(pairs.owner, minlength=len(whole))[places]
        return UnitScores(
            measure=self.metric.measure,
            batch=batch,
            of_replies=True,
            owner=batch.owner,
            of_units=spread(self._values(of_replies, rows), here, count, gaps),
            left_out=left_out,
            whole=places,
            of_whole=self._values(of_whole, whole[places]),
        )

    def _values(self, distinct_things: Ints, rows: Array) -> Values:
        with np.errstate(divide="ignore", invalid="ignore"):
            return values_of(self.metric, self.metric.value(distinct_things.astype(float), rows[:, 0], rows[:, 1]))

    def _remember(self, batch: Batch, places: Ints, pairs: NGrams, whole: Array, units: int) -> None:
        """Take in what the conversations at some places have."""
        known = len(self._index)
        index, names = self._index, batch.clusters
        clusters = np.zeros(len(names), dtype=np.int32)
        clusters[places] = [index.setdefault(names[place], len(index)) for place in places.tolist()]
        self._make_room()
        np.add.at(self._sizes, clusters[places], whole[places])
        is_new = len(self._index) - known == len(places)  # every conversation is of a cluster that was not there before
        self._incidence.add_pairs(pairs.hashes, clusters[pairs.owner], are_new=is_new)
        self._measured = None
        self._units += units

    @property
    def _sizes(self) -> Array:
        """Shape (clusters, 2): instances and extra sums of each cluster."""
        return self._room[: len(self._index)]

    def _make_room(self) -> None:
        """Room for the clusters; twice as much as is needed, so that it is rarely made."""
        if len(self._index) > len(self._room):
            room = np.zeros((2 * len(self._index), 2))
            room[: len(self._room)] = self._room
            self._room = room

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "metric": None, "_measured": None, "_is_taken": self._is_finished}

    def merge(self, other: "CountedTotals") -> None:
        """Add the totals of other conversations of the same system."""
        known = len(self._index)
        numbers = np.array([self._index.setdefault(name, len(self._index)) for name in other._index], dtype=np.int32)
        self._make_room()
        np.add.at(self._sizes, numbers, other._sizes)
        self._incidence.merge(other._incidence, numbers, are_new=len(self._index) - known == len(numbers))
        self.skipped.update(other.skipped)
        self._measured = None
        self._units += other._units

    def take_out(self) -> tuple[list[str], Array, Incidence]:
        """Names of clusters, their sums and their types, which are gone from here; counts of units stay."""
        taken = list(self._index), self._sizes, self._incidence
        self._incidence, self._index, self._room, self._measured = Incidence(), {}, np.zeros((0, 2)), None
        return taken

    def take_back(self, clusters: NumberedKeys, sizes: Array, counts: Occurrences) -> None:
        """Put in what was made of all that was taken out of these totals and of those merged into them."""
        total, extra = sizes.T.copy()
        self._measured = CountedSample(self.metric, clusters, counts, total, extra, self._units)

    def _sample(self) -> CountedSample:
        """The counts, computed once for all comparisons."""
        if self._measured is None:
            if self._is_taken:
                raise RuntimeError(
                    f"the counts of {self.metric.measure} were already taken and are no longer available"
                )
            counts = self._incidence.occurrences(len(self._index), is_last=self._is_finished)
            total, extra = self._sizes.T.copy()
            self._measured = CountedSample(self.metric, tuple(self._index), counts, total, extra, self._units)
        return self._measured

    def finish(self) -> None:
        """Keep the counts alone: nothing can be added any more, and the record of the counts be taken once."""
        self._is_finished = True
        self._sample()
        self._incidence, self._index, self._room = Incidence(), {}, np.zeros((0, 2))

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """System value with its jackknife interval; deterministic."""
        if not self._units:
            return empty_estimate(self.skipped)
        value, without = self._sample().with_and_without()
        if not np.isfinite(value):
            return Estimate(value=None, why=no_value(self.metric), n=self._units)
        if len(without) < MIN_CLUSTERS:
            why = Reason.of(ReasonCode.TOO_FEW_CLUSTERS_FOR_DISTINCT, clusters=len(without))
            return Estimate(value=value, n=self._units, clusters=len(without), why=why)
        found = jackknife(values_array(without), value, self._units, confidence=settings.confidence)
        return found.cut_off(self.metric.card.low, self.metric.card.high)

    def minus(self, other: "CountedTotals", settings: Settings) -> Estimate:
        """Difference at equal size, by jackknife over the clusters of both; each side is rarefied to the smaller one."""
        why = self._undefined_difference(other)
        return why or self._sample().minus(other._sample(), confidence=settings.confidence)

    def unrarefied_difference(self, other: "CountedTotals", settings: Settings) -> Estimate:
        """Difference of the raw values; untested if the numbers of replies differ by more than 5%."""
        why = self._undefined_difference(other)
        return why or self._sample().unrarefied_minus(other._sample(), confidence=settings.confidence)

    def counts(self, system: str) -> DistinctCounts | None:
        """Counts stored by a run for comparison with another run; None if nothing was counted."""
        found = self._sample().record(system) if self._units else None
        if self._is_finished:
            self._measured, self._is_taken = None, True
        return found

    def _undefined_difference(self, other: "CountedTotals") -> Estimate | None:
        """An undefined difference where a side holds nothing, or its formula has no value."""
        if not self._units or not other._units:
            return empty_estimate(self.skipped + other.skipped)
        if not all(np.isfinite(totals._sample().value) for totals in (self, other)):
            return Estimate(value=None, why=no_value(self.metric))
        return None


def _one_by_one(metric: CountMetric, batch: Batch) -> TypeRows:
    """Contributions of a batch's replies, from a metric that takes one reply at a time."""
    found = [metric.types(reply) for reply in batch.replies]
    things = [() if isinstance(types, Undefined) else types.seen for types in found]
    hashes = np.array([object_hash(thing) for seen in things for thing in seen], dtype=np.uint64)
    owner = np.repeat(np.arange(len(things)), [len(seen) for seen in things])
    extra = np.array([0.0 if isinstance(types, Undefined) else types.extra for types in found], dtype=float)
    undefined = {place: types for place, types in enumerate(found) if isinstance(types, Undefined)}
    return TypeRows(NGrams(hashes, owner.astype(np.int64)), extra, undefined)
