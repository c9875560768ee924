"""Intervals of metrics with estimated parts: fitted on other data, such as a model's calibration, or on few labelled units.

A bootstrap of the measured dialogues treats what was fitted as true. But it was fitted on dialogues, too, and
others would have given a different fit. A metric that can quantify this returns the variance of its value from this source,
and of the difference of two values that rest on the same fit: what moves both alike cancels. Variances add, because what
was fitted is independent of the dialogues measured, unless it was fitted on these very dialogues.

*Systems*: the percentile interval of the bootstrap, widened for the number of clusters (that hold labels, if it rests on
those) by Student's t and sqrt(k / (k - 1)), which percentile intervals leave out, and by the fit's error; for a value at an
end of its scale, where nearly all resamples are at that end, too, the jackknife's, or where all labels of people are equal,
Wilson's by the clusters that hold them, or where all beliefs are, the likelihood's. Shares that rest on labels: Wilson's
with an effective number of observations. *Differences*: the delete-one-cluster jackknife (of a likelihood's maximum the
infinitesimal one) with Student's t, the fit's variance added; the degrees of freedom are Satterthwaite's over the clusters
that hold labels and those that do not, if it rests on labels. The interval and the p-value use one standard error, so p is
below .05 exactly where the 95% interval excludes zero.

Measured in benchmarks/ALIGNMENT.md, ends included.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from trialogue.metrics.base import Array, Reply, Undefined
from trialogue.records import Estimate, Interval, JsonValue, Reason, ReasonCode
from trialogue.stats import ClusterSums, bounded_share, jackknife, jackknife_difference
from trialogue.stats.student_t import t_quantile

TOO_FEW = Reason.of(ReasonCode.TOO_FEW_CLUSTERS_WITH_ERROR)
Parts = Mapping[Hashable, Array]
"""Sums over the units of one system by what their values rest on, each of shape (k,)."""

CALIBRATION, LABELS = "calibration", "labels"
"""Possible sources of a fitted metric's values."""


@runtime_checkable
class FittedMetric(Protocol):
    """Summed metric of replies whose value may depend on fitted parameters."""

    @property
    def rests_on(self) -> str | None:
        """Name of the fitted part; None: this variant has none, and its intervals are the usual ones."""
        ...

    def combine(self, sums: Array) -> Array:
        """Values of shape (...) from sums of shape (..., k)."""
        ...

    @property
    def is_observed(self) -> bool:
        """Whether people observed the estimated quantity, so that an extreme share is an observed one; False: it is
        predicted by the fit, whose own error is ``fit_variance``."""
        ...

    def labelled_mask(self, clusters: Array) -> NDArray[np.bool_]:
        """Mask of clusters with these sums, shape (n, k), that carry labels for the error; shape (n,)."""
        ...

    def leave_one_out(self, clusters: Array, total: Array) -> Array:
        """Values of shape (n,) without each of n clusters in turn, from their sums (n, k) and the total (k,); where the
        value sits at an end of its scale, what it would be if the scale had none."""
        ...

    def end_reach(self, total: Array, observations: float, drop: float) -> float | None:
        """How far from its value, at an end of the scale, the log-likelihood of the total, worth so many observations, falls
        by ``drop``; None if the value has no likelihood."""
        ...

    def source(self, unit: Reply) -> Hashable:
        """Identifier of the fit behind this unit's statistics."""
        ...

    @property
    def source_type(self) -> type:
        """Type of these identifiers: a dataclass, so that a run can store them."""
        ...

    def fit_variance(self, a: Parts, b: Parts) -> float | Undefined:
        """Variance of the value of a minus that of b (without b: of a) that is due to the fit; Undefined, with a reason,
        if the fit has no error estimate."""
        ...


class Sources:
    """Running sums of one system by the fit they rest on."""

    def __init__(self, metric: FittedMetric) -> None:
        self.metric = metric
        self._sums: dict[Hashable, Array] = {}

    def add(self, units: Iterable[Reply], matrix: Array) -> None:
        """Add the statistics of units, shape (n, k)."""
        sources = [self.metric.source(unit) for unit in units]
        for source in dict.fromkeys(sources):
            own = matrix[[each == source for each in sources]].sum(axis=0)
            self._sums[source] = self._sums[source] + own if source in self._sums else own

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "metric": None}

    def store(self) -> tuple[tuple[JsonValue, ...], tuple[float, ...]]:
        """Each fit as JSON, and the sums that rest on it, one after the other."""
        adapter = TypeAdapter[Hashable](self.metric.source_type)
        fits = tuple(adapter.dump_python(source, mode="json") for source in self._sums)
        return fits, tuple(number for sums in self._sums.values() for number in sums.tolist())

    @classmethod
    def restore(cls, metric: FittedMetric, fits: Sequence[JsonValue], sums: Sequence[float]) -> "Sources":
        """What ``store`` gave."""
        adapter, found = TypeAdapter[Hashable](metric.source_type), cls(metric)
        rows = np.array(sums, dtype=float).reshape(len(fits), -1)
        found._sums = {adapter.validate_python(fit): row for fit, row in zip(fits, rows, strict=True)}
        return found

    def merge(self, other: "Sources") -> None:
        """Add the sums of other units."""
        for source, own in other._sums.items():
            self._sums[source] = self._sums[source] + own if source in self._sums else own

    def parts(self, total: Array) -> Parts:
        """Sums by source; those of a single source are the total, which does not depend on the order of the units."""
        return dict.fromkeys(self._sums, total) if len(self._sums) == 1 else self._sums

    @property
    def signature_note(self) -> str | None:
        """Signature note: whether intervals include the error of the fit; None: no units."""
        if not self._sums:
            return None
        known = not isinstance(self.metric.fit_variance(self._sums, {}), Undefined)
        return f"interval:{self.metric.rests_on}" if known else f"interval:without {self.metric.rests_on}"


def sources_of(metric: Any) -> Sources | None:
    """Empty sums, if the metric's values depend on fitted parameters."""
    return Sources(metric) if isinstance(metric, FittedMetric) and metric.rests_on is not None else None


def widen_for_fit(estimate: Estimate, data: ClusterSums, sources: Sources, *, confidence: float) -> Estimate:
    """Widen a system's interval for few clusters and for the error of the fit, or give the reason why not.

    Args:
        estimate: estimate with its bootstrap interval.
        data: its sums.
        sources: what they rest on.
        confidence: confidence level of the interval.
    """
    metric = sources.metric
    variance = metric.fit_variance(sources.parts(data.total), {})
    added = 0.0 if isinstance(variance, Undefined) else variance
    informed = metric.labelled_mask(data.sums)
    if estimate.value in (0.0, 1.0):
        without = metric.leave_one_out(data.sums, data.total)
        seen = int(informed.sum()) if metric.is_observed else None
        reach = partial(metric.end_reach, data.total)
        found = widen_at_end(estimate, without, added, confidence=confidence, seen=seen, reach=reach)
    elif metric.is_observed:
        found = score_interval(estimate, clusters=int(informed.sum()))
    else:
        found = widen(estimate, added, clusters=int(informed.sum()))
    return _add_reason(found, variance) if isinstance(variance, Undefined) else _name_method(found, sources)


def widen_at_end(
    estimate: Estimate,
    without: Array,
    variance: float,
    *,
    confidence: float,
    seen: int | None = None,
    reach: Callable[[float, float], float | None] | None = None,
) -> Estimate:
    """Interval for an estimate of 0 or 1, where nearly all resamples are at the end, too.

    The jackknife's interval with Student's t, a variance from elsewhere added, cut off at 0 and 1. Where it has none because
    all that people saw is alike, Wilson's, as of any share (``bounded_share``). Where it has none because all that is
    believed is alike, as of one reply repeated for ever, that of the likelihood, of which each cluster is one observation;
    the jackknife's is never narrower than that of as many independent observations as there are units. Else there is none,
    and why: of one cluster nothing is known.

    Args:
        estimate: estimate at an end of its scale.
        without: what it would be without each cluster in turn, shape (k,), if the scale had no ends.
        variance: variance from elsewhere.
        confidence: confidence level of the interval.
        seen: clusters in which people saw what is estimated; None: it is believed, not seen.
        reach: how far from the end the log-likelihood of so many observations falls by so much; None: it is not known.
    """
    from scipy.special import ndtri

    assert estimate.value is not None
    found = jackknife(without, estimate.value, estimate.n, confidence=confidence, added=variance)
    if found.interval is None and seen is not None and np.isfinite(without).all():
        found = bounded_share(found.model_copy(update={"clusters": seen}), confidence=confidence)
    clusters = len(without)
    if reach is not None and clusters > 1:
        z = float(ndtri((1 + confidence) / 2))
        alike = found.interval is None
        drop = (t_quantile((1 + confidence) / 2, clusters - 1) if alike else z) ** 2 / 2
        least = reach(clusters if alike else estimate.n, drop)
        if least is not None:
            found = _reach_at_least(found, float(np.hypot(least, z * variance**0.5)), clusters, confidence)
    if found.interval is None:
        return estimate.model_copy(update={"interval": None, "why": found.why})
    return estimate.model_copy(update={"interval": found.interval.cut_off(0.0, 1.0), "why": None})


def widen(estimate: Estimate, variance: float, *, clusters: int | None = None) -> Estimate:
    """Widen an interval for few clusters and an external variance, bounded to 0 and 1.

    Each side: the root of (t / z sqrt(k / (k - 1)) times its distance)^2 + z^2 variance, for k clusters. What has no
    interval gets none; what is known from fewer than two clusters has none, and why.

    Args:
        estimate: a share.
        variance: variance from elsewhere.
        clusters: that its error is known from, 0 if from none; None: those of the estimate.
    """
    from scipy.special import ndtri, stdtrit

    interval, value = estimate.interval, estimate.value
    clusters = estimate.clusters if clusters is None else clusters
    if interval is None or value is None or clusters is None:
        return estimate
    if clusters < 2:
        return estimate.model_copy(update={"interval": None, "why": TOO_FEW})
    tail = (1 + interval.confidence) / 2
    z = float(ndtri(tail))
    wider = float(stdtrit(clusters - 1, tail)) / z * (clusters / (clusters - 1)) ** 0.5
    below = float(np.hypot(wider * max(value - interval.low, 0.0), z * variance**0.5))
    above = float(np.hypot(wider * max(interval.high - value, 0.0), z * variance**0.5))
    wide = Interval(
        low=max(0.0, value - below),
        high=min(1.0, value + above),
        confidence=interval.confidence,
        method=f"{interval.method}, Student's t",
    )
    return estimate.model_copy(update={"interval": wide})


def score_interval(estimate: Estimate, *, clusters: int) -> Estimate:
    """Wilson's interval with the effective number of observations that the bootstrap's spread implies.

    An estimate from few labels near 0 or 1 has a spread that is too small more often than too large. Wilson's interval takes
    the spread from the values tested instead: with s the bootstrap's standard error and p the share, people saw as much as
    p (1 - p) / s^2 independent observations tell, and at least one for each cluster with labels. Student's t replaces the
    normal quantile. Korn & Graubard (1998), "Confidence intervals for proportions with small expected number of positive
    counts"; Brown, Cai & DasGupta (2001). Coverage: benchmarks/SHIFT.md and ALIGNMENT.md.

    Args:
        estimate: a share between 0 and 1, ends excluded, with the bootstrap's interval; one without stays so.
        clusters: clusters with labels; fewer than two give no interval.
    """
    from scipy.special import ndtri, stdtrit

    interval, share = estimate.interval, estimate.value
    if interval is None or share is None or clusters < 2:
        return widen(estimate, 0.0, clusters=clusters)
    tail = (1 + interval.confidence) / 2
    error = (interval.high - interval.low) / (2 * float(ndtri(tail))) * (clusters / (clusters - 1)) ** 0.5
    seen = max(float(clusters), share * (1 - share) / error**2 if error > 0 else 0.0)
    t = float(stdtrit(clusters - 1, tail))
    middle = (share + t**2 / (2 * seen)) / (1 + t**2 / seen)
    reach = t / (1 + t**2 / seen) * (share * (1 - share) / seen + t**2 / (4 * seen**2)) ** 0.5
    wide = Interval(
        low=max(0.0, middle - reach),
        high=min(1.0, middle + reach),
        confidence=interval.confidence,
        method=f"Wilson, effective number of observations by {interval.method}, Student's t",
    )
    return estimate.model_copy(update={"interval": wide})


def fitted_difference(
    a: ClusterSums, b: ClusterSums, sources: tuple[Sources, Sources], *, confidence: float
) -> Estimate:
    """Value of a minus that of b, with interval and p-value from one standard error: the jackknife's and the fit's.

    Without either, and why, where the jackknife has none: fewer than two clusters on a side, or no variation among them.

    Args:
        a: sums of one side; clusters are matched by key.
        b: sums of the other.
        sources: sources of both sides.
        confidence: confidence level of the interval.
    """
    metric = sources[0].metric
    variance = metric.fit_variance(*(each.parts(side.total) for each, side in zip(sources, (a, b), strict=True)))
    added = 0.0 if isinstance(variance, Undefined) else variance
    value, other = (float(metric.combine(side.total)) for side in (a, b))
    without, other_without = (
        dict(zip(side.keys, metric.leave_one_out(side.sums, side.total).tolist(), strict=True)) for side in (a, b)
    )
    kinds = _kinds(a, b, metric)
    found = jackknife_difference(
        without, other_without, value, other, a.n + b.n, confidence=confidence, added=added, kinds=kinds
    )
    if found.interval is not None:
        found = found.model_copy(update={"interval": found.interval.cut_off(-1.0, 1.0)})
    return _add_reason(found, variance) if isinstance(variance, Undefined) else _name_method(found, sources[0])


def _kinds(a: ClusterSums, b: ClusterSums, metric: FittedMetric) -> dict[Hashable, tuple[bool, bool]]:
    """On which sides each cluster holds what the error is known from: these spread otherwise than the others."""
    here, there = (dict(zip(side.keys, metric.labelled_mask(side.sums).tolist(), strict=True)) for side in (a, b))
    return {key: (here.get(key, False), there.get(key, False)) for key in {**here, **there}}


def _reach_at_least(found: Estimate, reach: float, clusters: int, confidence: float) -> Estimate:
    """An estimate at an end whose interval reaches at least so far; by the likelihood where it has none."""
    assert found.value is not None
    if found.interval is None:
        method = f"likelihood ratio, {clusters} identical clusters, Student's t"
        low, high = found.value - reach, found.value + reach
        interval = Interval(low=low, high=high, confidence=confidence, method=method)
        return found.model_copy(update={"interval": interval, "why": None})
    low, high = min(found.interval.low, found.value - reach), max(found.interval.high, found.value + reach)
    return found.model_copy(update={"interval": found.interval.model_copy(update={"low": low, "high": high})})


def _name_method(estimate: Estimate, sources: Sources) -> Estimate:
    if estimate.interval is None or sources.metric.is_observed:
        return estimate
    method = f"{estimate.interval.method}, including the error of the {sources.metric.rests_on}"
    return estimate.model_copy(update={"interval": estimate.interval.model_copy(update={"method": method})})


def _add_reason(estimate: Estimate, missing: Undefined) -> Estimate:
    if estimate.interval is None:
        return estimate
    return estimate.model_copy(update={"why": missing.why})
