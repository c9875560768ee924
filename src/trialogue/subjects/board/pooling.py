"""Values and differences of entries: of one run as the run has them, of several pooled over runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trialogue.findings.differences.difference import difference_of
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.system_sample import SystemSample
from trialogue.findings.standings import Measure
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.comparison.means import PooledRuns, RunValues, pool_differences, pool_means
from trialogue.stats.student_t import t_quantile, two_sided_p
from trialogue.subjects.board.entries import ColumnKey, Entry, EntryRun

MANY = 1_000_000  # clusters, where an estimate does not say how many


@dataclass(frozen=True)
class Pooled:
    """A value with the spread between runs."""

    estimate: Estimate
    between: float | None = None
    """Standard deviation between runs; None with one run."""


@dataclass(frozen=True)
class Sampling:
    """Settings of permutation tests."""

    seed: int = 0
    """Of the sample of arrangements."""
    resamples: int = 10_000
    """Arrangements to go through."""


def value_of(entry: Entry, key: ColumnKey) -> Pooled:
    """The entry's value on a column; undefined, with the reason, where a run has none."""
    standings = [run.standing(key) for run in entry.runs]
    estimates = [each.estimate for each in standings if each is not None]
    if len(estimates) < len(entry.runs):
        return Pooled(Estimate(value=None, why=_missing_reason(entry, key)))
    if len(estimates) == 1:
        return Pooled(estimates[0])
    if entry.conditions(key) is None:
        return Pooled(Estimate(value=None, why=Reason.of(ReasonCode.BOARD_POOLED_DIFFERENTLY)))
    undefined = [each for each in estimates if each.value is None]
    if undefined:
        why = Reason.of(ReasonCode.BOARD_POOLED_UNDEFINED, undefined[0].why, runs=len(undefined), of=len(estimates))
        return Pooled(Estimate(value=None, why=why))
    measure = entry.runs[0].columns[key].measure
    units = [_units(run, key) for run in entry.runs]
    n, clusters = sum(each.n for each in estimates), len({unit for own in units for unit, _ in own}) or None
    if all(units):
        return _clip(_to_estimate(pool_means(units), len(units), n, clusters), measure)
    return _clip(_of_intervals(estimates, n, is_new_sample=_are_new(entry, key)), measure)


def _missing_reason(entry: Entry, key: ColumnKey) -> Reason:
    lacking = sum(run.standing(key) is None for run in entry.runs)
    if lacking == len(entry.runs):
        return Reason.of(ReasonCode.BOARD_NOT_MEASURED)
    return Reason.of(ReasonCode.BOARD_NOT_IN_EVERY_RUN, runs=lacking, of=len(entry.runs))


def _are_new(entry: Entry, key: ColumnKey) -> bool:
    """Whether every run has a sample of its own, so that the spread of runs holds that of samples."""
    conditions = entry.conditions(key)
    samples = [each.sample for each in conditions.met] if conditions is not None else []
    return None not in samples and len(set(samples)) == len(samples)


def _units(run: EntryRun, key: ColumnKey, sample: SystemSample | None = None) -> RunValues:
    """(Unit, value) of a run; equal units of equal samples have equal keys. () where the value is no mean of units.

    Args:
        run: the run.
        key: the column.
        sample: values of a baseline of the run; None: of its system.
    """
    measure = run.columns[key].measure
    met = run.met(measure).sample or run.run
    return [((met, cluster), value) for _, cluster, value in (sample or run.side).units(measure.name)]


def above_baselines(entry: Entry, key: ColumnKey) -> tuple[str, Estimate] | None:
    """The best baseline that met the same users in every run of an entry, and the entry less it, pooled over runs.

    None where the runs have no baseline in common, or values that are no means of units.
    """
    if not all(key in run.columns and _units(run, key) for run in entry.runs):
        return None
    names = set.intersection(*({each.system for each in run.baselines} for run in entry.runs))
    better = entry.runs[0].columns[key].measure.better
    gaps = {}
    for name in sorted(names):
        beside = [next(each for each in run.baselines if each.system == name) for run in entry.runs]
        units = [(_units(run, key), _units(run, key, each)) for run, each in zip(entry.runs, beside, strict=True)]
        if all(other for _, other in units):
            n = sum(len(own) + len(other) for own, other in units)
            gaps[name] = _to_estimate(pool_differences(units), len(units), n, None, tests=True).estimate
    sign = 1.0 if better == "higher" else -1.0
    best = min(gaps, key=lambda name: (sign * (gaps[name].value or 0.0), name), default=None)
    return None if best is None else (best, gaps[best])


def _to_estimate(found: PooledRuns, runs: int, n: int, clusters: int | None, *, tests: bool = False) -> Pooled:
    if found.low is None or found.high is None:
        why = Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL)
        return Pooled(Estimate(value=found.value, n=n, clusters=clusters, why=why), found.between)
    method = f"mean of {runs} runs, runs and units as random factors, t"
    facts = {"freedom": found.freedom, "between_runs": found.between}
    interval = Interval(low=found.low, high=found.high, method=method, facts=facts)
    p = found.p if tests else None
    return Pooled(Estimate(value=found.value, interval=interval, n=n, clusters=clusters, p=p), found.between)


def _of_intervals(estimates: Sequence[Estimate], n: int, *, is_new_sample: bool) -> Pooled:
    """Of values that are no means of units: the spread between runs, plus one run's error where runs share units."""
    values = [each.value or 0.0 for each in estimates]
    runs, mean = len(values), sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (runs - 1)
    errors = [_error(each) for each in estimates]
    known = [each for each in errors if each is not None]
    if len(known) < runs and not is_new_sample:
        return Pooled(Estimate(value=mean, n=n, why=Reason.of(ReasonCode.INTERVAL_MISSING_IN_RUN)), math.sqrt(spread))
    own = sum(each**2 for each in known) / runs
    variance = spread / runs + (0.0 if is_new_sample else own)
    between = math.sqrt(max(0.0, spread - own) if is_new_sample else spread)
    half = t_quantile(0.975, runs - 1) * math.sqrt(variance)
    facts = {"freedom": float(runs - 1), "between_runs": between}
    interval = Interval(low=mean - half, high=mean + half, method=f"mean of {runs} runs, t", facts=facts)
    p = two_sided_p(mean / math.sqrt(variance), runs - 1) if variance > 0 else None
    return Pooled(Estimate(value=mean, interval=interval, n=n, p=p), between)


def _error(estimate: Estimate) -> float | None:
    """Standard error behind an interval: half its width over Student's quantile."""
    if estimate.interval is None:
        return None
    freedom = max((estimate.clusters or MANY) - 1, 1)
    width = estimate.interval.high - estimate.interval.low
    return float(width / (2 * t_quantile((1 + estimate.interval.confidence) / 2, freedom)))


def _clip(pooled: Pooled, measure: Measure) -> Pooled:
    """An interval that ends where the scale does."""
    interval, value, bounds = pooled.estimate.interval, pooled.estimate.value, measure.bounds
    if interval is None or value is None or bounds is None:
        return replace(pooled, estimate=pooled.estimate.model_copy(update={"p": None}))
    low = interval.low if bounds.low is None else min(max(interval.low, bounds.low), value)
    high = interval.high if bounds.high is None else max(min(interval.high, bounds.high), value)
    cut = interval.model_copy(update={"low": low, "high": high})
    return replace(pooled, estimate=pooled.estimate.model_copy(update={"interval": cut, "p": None}))


def entry_difference(a: Entry, b: Entry, key: ColumnKey, sampling: Sampling = Sampling()) -> Estimate:
    """``a`` minus ``b`` of two entries with equal conditions: as their run has it, paired by unit, or pooled over runs."""
    one, other = a.runs[0], b.runs[0]
    if len(a.runs) == 1:
        own = one.contrast(key, other.side.system) if one.findings is other.findings else None
        if own is not None:
            return own.difference if own.a == one.side.system else own.difference.negate()
        return _of_sides(one, other, key, sampling)
    pairs = list(zip(_in_order(a, key), _in_order(b, key), strict=True))
    units = [(_units(first, key), _units(second, key)) for first, second in pairs]
    n = sum(len(first) + len(second) for first, second in units)
    clusters = len({unit for both in units for side in both for unit, _ in side}) or None
    if all(first and second for first, second in units):
        return _to_estimate(pool_differences(units), len(pairs), n, clusters, tests=True).estimate
    gaps = [_of_sides(first, second, key, sampling) for first, second in pairs]
    undefined = next((gap.why for gap in gaps if gap.value is None), None)
    if undefined is not None:
        return Estimate(value=None, why=undefined)
    return _of_intervals(gaps, n, is_new_sample=_are_new(a, key)).estimate


def _in_order(entry: Entry, key: ColumnKey) -> list[EntryRun]:
    """Runs by what they met, so that those of two entries with equal conditions correspond."""
    return sorted(entry.runs, key=lambda run: (run.met(run.columns[key].measure).sample or "", run.run))


def _of_sides(a: EntryRun, b: EntryRun, key: ColumnKey, sampling: Sampling) -> Estimate:
    """The difference of two single runs, as ``trialogue compare`` computes it."""
    name = a.columns[key].measure.name
    one, other = (run.side.with_measure(run.columns[key].measure, name) for run in (a, b))
    pairing = Pairing.of(one, other)
    return difference_of(one, other, name, pairing, seed=sampling.seed, resamples=sampling.resamples)
