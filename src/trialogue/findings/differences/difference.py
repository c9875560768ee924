"""The difference of two systems on a measure, from what their values are made of."""

from collections.abc import Mapping
from functools import cache

from trialogue.errors import TrialogueError
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.system_sample import Rows, SystemSample
from trialogue.metrics import AnyMetric, get_metric
from trialogue.metrics.base import CountMetric, SumMetric
from trialogue.metrics.engine.distinct_samples import CountedSample
from trialogue.metrics.engine.sum_totals import difference_with_fits
from trialogue.metrics.fit_uncertainty import FittedMetric, Sources
from trialogue.records import Estimate, MeasureName, Reason, ReasonCode
from trialogue.stats import difference, jackknife_difference
from trialogue.stats.comparison.crossed_raters import rater_difference

NOTHING = Reason.of(ReasonCode.VALUE_MISSING_IN_RUN)
NOTHING_SHARED = Reason.of(ReasonCode.NOTHING_SHARED)
NO_PARTS = Reason.of(ReasonCode.PARTS_MISSING_IN_RUN)
COUNTS_OF_OTHERS = Reason.of(ReasonCode.COUNTS_OF_OTHER_SITUATIONS)


def difference_of(
    one: SystemSample, other: SystemSample, name: str, pairing: Pairing, *, seed: int = 0, resamples: int = 10_000
) -> Estimate:
    """``one`` minus ``other`` on a measure, as an evaluation of both together computes it.

    Args:
        one: the system whose name comes first.
        other: the other one.
        name: full name of the measure.
        pairing: the situations that both answered.
        seed: seed of the sample of arrangements.
        resamples: arrangements of permutation tests.
    """
    if name not in one.values or name not in other.values:
        return Estimate(value=None, why=NOTHING)
    measure = one.measures[name]
    metric = metric_of(measure.measured)
    if name in one.counts and name in other.counts and isinstance(metric, CountMetric):
        if pairing.is_partial and pairing.situations[0]:
            return Estimate(value=None, why=COUNTS_OF_OTHERS)
        sides = [_counted_sample(each, name, metric, pairing.clusters[side]) for side, each in enumerate((one, other))]
        return sides[0].minus(sides[1], confidence=0.95)
    own, others_rows = one.rows.get(name), other.rows.get(name)
    if own is not None and others_rows is not None and own.are_without and others_rows.are_without:
        values = [side.values[name].value or 0.0 for side in (one, other)]
        without = [dict(zip(each.clusters, each.sums[:, 0].tolist(), strict=True)) for each in (own, others_rows)]
        n = own.n + others_rows.n
        return jackknife_difference(without[0], without[1], values[0], values[1], n, are_rare=True)
    if name not in one.rows or name not in other.rows or not _is_known(metric, one.rows[name]):
        return Estimate(value=None, why=NO_PARTS)
    summed = metric if isinstance(metric, SumMetric) else None
    found = [pairing.sums(each.rows[name], side, summed) for side, each in enumerate((one, other))]
    if found[0] is None or found[1] is None:
        return Estimate(value=None, why=NOTHING_SHARED)
    (sums, combine), (others, _) = found[0], found[1]
    fits = restore_fits(metric, one.rows[name]), restore_fits(metric, other.rows[name])
    if fits[0] is not None and fits[1] is not None:
        return difference_with_fits(sums, others, (fits[0], fits[1]))
    bounds = measure.bounds
    rated = [pairing.ratings(each.rows[name], side) for side, each in enumerate((one, other))]
    if rated[0] is not None and rated[1] is not None:
        crossed = rater_difference(rated[0], rated[1], most=None if bounds is None else bounds.width)
        if crossed is not None:
            return crossed
    return difference(
        sums,
        others,
        combine,
        is_share=measure.is_share,
        scale=(None, None) if bounds is None else (bounds.low, bounds.high),
        seed=seed,
        permutations=resamples,
    )


def restore_fits(metric: object, rows: Rows) -> Sources | None:
    """What a value rests on that was fitted on other data; None: nothing."""
    if rows.fits is None or not isinstance(metric, FittedMetric):
        return None
    return Sources.restore(metric, rows.fits.fits, rows.fits.fit_sums)


def _is_known(metric: AnyMetric | None, rows: Rows) -> bool:
    return rows.are_means or isinstance(metric, SumMetric)


@cache
def metric_of(measured: MeasureName) -> AnyMetric | None:
    """The metric of a name; None for judgements, and where it is not installed here or has another version."""
    try:
        metric = get_metric(measured.short)
    except TrialogueError:
        return None
    return metric if metric.measure == measured else None


def _counted_sample(side: SystemSample, name: str, metric: CountMetric, names: Mapping[str, str]) -> CountedSample:
    """The counts of a system, with clusters under the names that both systems have for them."""
    counts = side.counts[name]
    clusters = tuple(names.get(each, side.clusters.get(each, each)) for each in counts.clusters)
    return CountedSample.of(counts.model_copy(update={"clusters": clusters}), metric)
