"""Settings of estimation, and running totals of a metric that is a function of sums: one row of sums per conversation."""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trialogue.metrics.base import Array, Conversation, HasDefaultRow, Reply, SumMetric, Undefined, UtteranceMetric
from trialogue.metrics.batch import Batch, BatchSumMetric, rows_of, rows_of_utterances
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
from trialogue.metrics.failure_policy import with_failure_policy
from trialogue.metrics.fit_uncertainty import Sources, fitted_difference, sources_of, widen_for_fit
from trialogue.metrics.pieces import Ints
from trialogue.records import Dialogue, Estimate, FailurePolicy, MeasureName, MeasureSums, Reason, ReasonCode
from trialogue.records.scores.score_table import Values
from trialogue.seeds import rng_for
from trialogue.stats import ClusterSums, bootstrap_sums, cluster_sums, difference, estimate_of_sums
from trialogue.stats.resampling.clusters import NumberedKeys, count_clusters


@dataclass(frozen=True)
class Settings:
    """Settings of estimation."""

    seed: int = 0
    resamples: int = 10_000
    confidence: float = 0.95
    permutations: int = 10_000
    failed: FailurePolicy | None = None
    """Treatment of failed dialogues and replies, overriding the metrics' cards; None: by the cards."""


NO_UNITS = Reason.of(ReasonCode.NOTHING_TO_MEASURE)
NO_DIALOGUE = Reason.of(ReasonCode.NOT_A_DIALOGUE)
MAX_CLUSTERS, GROUPS = 4_000, 1_000  # above so many clusters, groups of them are drawn


@dataclass
class SummedTotals:
    """Running totals of a metric that is a function of sums."""

    metric: SumMetric[Any]
    failed: FailurePolicy | None = None
    """Treatment of failed units; None: by the metric's card."""
    has_failures: bool = False
    """Whether any unit failed."""
    _undefined: Counter[Reason] = field(default_factory=Counter)
    _silent: list[str] = field(default_factory=list)
    _rows: list[Array] = field(default_factory=list)
    _clusters: list[str] = field(default_factory=list)
    _units: int = 0
    _summed: ClusterSums | None = None
    _sources: Sources | None = None
    _are_means: bool = True
    _of_situations: list[tuple[list[str], Array]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Check whether the metric depends on fitted parameters."""
        self._sources = sources_of(self.metric)

    @property
    def skipped(self) -> Counter[Reason]:
        """Counts of skipped units by reason, excluding those counted by ``HasDefaultRow``."""
        return Counter() if self._silent and self._rows else self._undefined

    @property
    def signature_notes(self) -> tuple[str, ...]:
        """Signature notes: whether intervals include the error of fitted parts, and the failure policy."""
        fitted = self._sources.signature_note if self._sources is not None else None
        failed = f"failed:{self.failed or self.metric.card.failure_policy}" if self.has_failures else None
        return tuple(part for part in (fitted, failed) if part)

    def add(self, conversations: Sequence[Conversation] | Batch, sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations, with one vectorised ``combine`` for all units and one for all conversations."""
        batch = conversations if isinstance(conversations, Batch) else Batch(conversations)
        owner = self._owner_of_units(batch)
        rows, left_out = self._statistics(batch)
        gaps = gaps_of(left_out)
        missing = places_in(gaps)
        self._undefined.update({why: len(places) for why, places in gaps.items()})
        if isinstance(self.metric, HasDefaultRow):
            self._silent += [batch.clusters[place] for place in owner[missing].tolist()]
        places = np.delete(np.arange(len(owner)), missing)
        matrix, owners = rows[places], owner[places]
        self._are_means = self._are_means and _is_mean(self.metric, matrix)
        self._keep_situations(batch, places, matrix)
        starts = np.flatnonzero(np.concatenate([[len(owners) > 0], owners[1:] != owners[:-1]]))
        whole = np.add.reduceat(matrix, starts, axis=0) if len(starts) else matrix
        if sink is not None and len(owner):
            is_whole = self.metric.card.level == "response"
            deliver(
                sink,
                UnitScores(
                    measure=self.metric.measure,
                    batch=batch,
                    of_replies=self.metric.card.level == "response",
                    owner=owner,
                    of_units=spread(self._values(matrix), places, len(owner), gaps),
                    left_out=missing,
                    whole=owners[starts] if is_whole else starts[:0],
                    of_whole=self._values(whole if is_whole else whole[:0]),
                ),
            )
        if not len(places):
            return
        self._remember([batch.clusters[place] for place in owners[starts].tolist()], whole, len(places))
        if self._sources is not None:
            units = self._units_of(batch)
            kept = (units[place] for place in places.tolist())
            self._sources.add((unit for unit in kept if isinstance(unit, Reply)), matrix)

    def _keep_situations(self, batch: Batch, places: Ints, matrix: Array) -> None:
        """Keep the sums of single replies to situations: another run may share only some of the situations."""
        if len(places) and self.metric.card.level == "response" and batch.situations:
            self._of_situations.append(([batch.situations[place] for place in places.tolist()], matrix))

    def parts(self, system: str) -> MeasureSums | None:
        """What the value is made of, as a run stores it; None if nothing was measured."""
        if not self._rows:
            return None
        found = MeasureSums(measure=MeasureName(self.metric.measure), system=system, rows_of="sums", n=self._units)
        is_plain = self._sources is None and not self._silent
        if is_plain and (self._are_means or (self.metric.per_dialogue and not self._of_situations)):
            is_of_replies = self.metric.card.level == "response" and not self.metric.per_dialogue
            return found.model_copy(update={"rows_of": "replies" if is_of_replies else "dialogues"})
        whole = self._sums()
        keys, rows = tuple(map(str, whole.keys)), whole.sums
        if self._of_situations and is_plain:
            keys = tuple(key for own, _ in self._of_situations for key in own)
            rows = np.concatenate([rows for _, rows in self._of_situations])
        fits, fit_sums = self._sources.store() if self._sources is not None else ((), ())
        numbers = {"n": whole.n, "width": rows.shape[1], "sums": tuple(rows.ravel().tolist())}
        return found.model_copy(update={**numbers, "keys": keys, "fits": fits, "fit_sums": fit_sums})

    def _units_of(self, batch: Batch) -> Sequence[Reply | Dialogue]:
        """Measured units of a batch."""
        return batch.replies if self.metric.card.level == "response" else batch.dialogues

    def _owner_of_units(self, batch: Batch) -> Ints:
        """Place of each unit's conversation; those that cannot have one are counted."""
        if self.metric.card.level == "response":
            return batch.owner
        missing = len(batch.conversations) - len(batch.dialogues)
        if missing:
            self._undefined[NO_DIALOGUE] += missing
        return batch.dialogue_owner

    def _statistics(self, batch: Batch) -> tuple[Array, dict[int, Undefined]]:
        """Sufficient statistics, shape (units, k), and by place why there are none."""
        of_replies = self.metric.card.level == "response"
        failed = batch.failed if of_replies else batch.failed_dialogues
        self.has_failures = self.has_failures or bool(failed)
        if of_replies and isinstance(self.metric, BatchSumMetric) and len(batch.owner):
            rows = self.metric.statistics_of(batch)
            values, undefined = rows.values, dict(rows.undefined)
            for place in failed:
                undefined.pop(place, None)
                own = with_failure_policy(self.metric, batch.replies[place], self.failed)
                if isinstance(own, Undefined):
                    undefined[place] = own
                else:
                    values[place] = own
            return values, undefined
        if failed:
            found = rows_of([with_failure_policy(self.metric, unit, self.failed) for unit in self._units_of(batch)])
        elif isinstance(self.metric, UtteranceMetric):
            found = rows_of_utterances(self.metric, batch)
        else:
            found = rows_of([*map(self.metric.statistics, self._units_of(batch))])
        return found.values, dict(found.undefined)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "metric": None, "_summed": None}

    def merge(self, other: "SummedTotals") -> None:
        """Add the totals of other conversations of the same system."""
        self.has_failures = self.has_failures or other.has_failures
        self._undefined.update(other._undefined)
        self._silent += other._silent
        self._rows += other._rows
        self._clusters += other._clusters
        self._units += other._units
        self._summed = None
        self._are_means = self._are_means and other._are_means
        self._of_situations += other._of_situations
        if self._sources is not None and other._sources is not None:
            self._sources.merge(other._sources)

    @property
    def are_sums_alone(self) -> bool:
        """Whether values rest on the sums alone, and not on what else is known of fits and of silent units."""
        return self._sources is None and not isinstance(self.metric, HasDefaultRow)

    def take_out(self) -> tuple[list[str], Array]:
        """The cluster of each conversation, and its sums, which are gone from here; counts of units stay."""
        rows = np.concatenate(self._rows) if self._rows else np.zeros((0, 0))
        taken = self._clusters, rows
        self._clusters, self._rows, self._summed = [], [], None
        return taken

    def take_back(self, keys: NumberedKeys, sums: Array) -> None:
        """Put in the sums of all clusters that were taken out of these totals and of those merged into them."""
        self._rows, self._summed = [sums[:0]], ClusterSums(keys, sums, self._units)

    def _values(self, sums: Array) -> Values:
        if not len(sums):
            return Values(np.zeros(0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return values_of(self.metric, self.metric.combine(sums))

    def _remember(self, clusters: list[str], whole: Array, units: int) -> None:
        if self.metric.per_dialogue:
            values = self._values(whole).numbers
            known = np.isfinite(values)
            whole = np.column_stack([np.where(known, values, 0.0), known])
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
    def _has_many_clusters(self) -> bool:
        return len(self._sums().keys) > MAX_CLUSTERS

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """System value with its interval, bootstrapped if the value depends on fitted parameters."""
        if not self._rows:
            return empty_estimate(self._undefined)
        sums, card = self._sums(), self.metric.card
        if self._sources is None:
            return estimate_of_sums(
                sums,
                self._combine(),
                is_share=is_share(self.metric),
                scale=(card.low, card.high),
                confidence=settings.confidence,
                undefined=no_value(self.metric),
            )
        rng = rng_for(settings.seed, "estimate", self.metric.measure, system)
        drawn = pool_clusters(sums) if self._has_many_clusters else sums
        estimate = bootstrap_sums(
            drawn,
            self._combine(),
            rng=rng,
            resamples=settings.resamples,
            confidence=settings.confidence,
            undefined=no_value(self.metric),
        )
        estimate = estimate.model_copy(update={"clusters": len(sums.keys)})
        return widen_for_fit(estimate, drawn, self._sources, confidence=settings.confidence)

    def minus(self, other: "SummedTotals", settings: Settings) -> Estimate:
        """Difference with interval and p-value from one construction."""
        if not self._rows or not other._rows:
            return empty_estimate(self._undefined + other._undefined)
        sums, others = self._sums(), other._sums()
        if self._sources is None or other._sources is None:
            return difference(
                sums,
                others,
                self._combine(),
                is_share=is_share(self.metric),
                scale=(self.metric.card.low, self.metric.card.high),
                seed=settings.seed,
                permutations=settings.permutations,
                confidence=settings.confidence,
            )
        return difference_with_fits(sums, others, (self._sources, other._sources), confidence=settings.confidence)


def difference_with_fits(
    a: ClusterSums, b: ClusterSums, sources: tuple[Sources, Sources], *, confidence: float = 0.95
) -> Estimate:
    """Difference of values that depend on fitted parameters, over groups of clusters where there are very many."""
    clusters = count_clusters(a.keys, b.keys)
    if max(len(a.keys), len(b.keys)) > MAX_CLUSTERS:
        a, b = pool_clusters(a), pool_clusters(b)
    return fitted_difference(a, b, sources, confidence=confidence).model_copy(update={"clusters": clusters})


def is_share(metric: SumMetric[Any]) -> bool:
    """Whether the value is unit counts over units, and not a model's estimate of such a share."""
    return metric.card.is_share


def pool_clusters(sums: ClusterSums) -> ClusterSums:
    """Pool clusters at random into at most 1,000 groups for resampling.

    A sum over a group of independent clusters is as independent as they are, so the bootstrap over groups estimates the same
    error, itself known to 2.2% (1 / sqrt(2 * 1000)), and costs no more for a million clusters than for 1,000. The group
    follows from the cluster's name alone: two systems' clusters of one name stay together.
    """
    groups = [f"group:{zlib.crc32(str(key).encode()) % GROUPS}" for key in sums.keys]
    found = cluster_sums(sums.sums, groups)
    return ClusterSums(keys=found.keys, sums=found.sums, n=sums.n)


def empty_estimate(skipped: Counter[Reason]) -> Estimate:
    """Empty estimate with the most frequent reason."""
    return Estimate(value=None, why=skipped.most_common(1)[0][0] if skipped else NO_UNITS)


def _is_mean(metric: SumMetric[Any], matrix: Array) -> bool:
    """Whether the metric is the mean of its units on these: each row is (value, 1)."""
    if matrix.shape[1:] != (2,) or not (matrix[:, 1] == 1).all():
        return False
    return not len(matrix) or bool(np.allclose(metric.combine(matrix), matrix[:, 0], rtol=1e-12, atol=0))


def _mean(sums: Array) -> Array:
    """Mean from (sum, count); a silent NaN where the count is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Array = sums[..., 0] / sums[..., 1]
    return mean
