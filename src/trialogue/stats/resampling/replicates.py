"""Bootstrap replicates, and percentile intervals from them.

A statistic is a function of *weights*: how often each unit was drawn, for many resamples at once. So a resample is a
row of counts and no data are copied; statistics that are functions of sums become one matrix product.

Delete-one-cluster jackknife, for statistics that resampling with replacement biases.

A bootstrap sample repeats clusters, so it holds fewer *different* words than the data: the number of types, and with it
distinct-n, is too low in every replicate, and a percentile interval can miss its own estimate. Leaving one
cluster out changes little, so its values are reliable; the interval is the estimate plus and minus t times their
spread.

It is conservative: its variance is too large on average (Efron & Stein 1981), and its 95% intervals of distinct
words covered 96% with 15 dialogues of 50 words, 97% with 60 and 98.7% with 200 (1,500 simulated data sets each). It
is for smooth statistics: the jackknife of a median or another quantile is inconsistent (Efron 1982).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, MAX_UNDEFINED, Floats, Ints, Values, check_confidence, check_count

AnyInts: TypeAlias = npt.NDArray[np.integer[Any]]
Weighted: TypeAlias = Callable[[Floats], Floats]
"""Weights of shape (r, n_units) to values of shape (r,); NaN where undefined."""

POOLED_SHARE = 6  # drawing a unit costs about a sixth of drawing a count, so count only where units repeat that often
ONE_CLUSTER = Reason.of(ReasonCode.ONE_CLUSTER)
UNDEFINED = Reason.of(ReasonCode.STATISTIC_UNDEFINED)
FEWEST = 10  # clusters that a jackknife of a bounded statistic needs
MANY = 50  # clusters from which percentile intervals of bounded statistics cover .93 and more
SAME = 1e-12  # relative spread below which replicates are the same number


@dataclass(frozen=True)
class Bounds:
    """An interval, or the reason why there is none."""

    interval: Interval | None
    why: Reason | None = None
    """Why it is missing."""


def weight_chunks(counts: Ints, resamples: int, rng: np.random.Generator, *, width: int = 1) -> Iterator[Floats]:
    """Bootstrap weights of shape (r, n_units), in chunks that together have ``resamples`` rows.

    Args:
        counts: how often each unit occurs in the data, shape (n_units,); each row of weights sums to their sum.
        resamples: rows in all.
        rng: source of randomness.
        width: numbers that the statistic needs for each resample, to keep memory bounded.
    """
    size = int(counts.sum())
    rows = max(1, CELLS // max(size, len(counts), width))
    for start in range(0, resamples, rows):
        yield _weights(counts, size, min(rows, resamples - start), rng)


def _weights(counts: Ints, size: int, rows: int, rng: np.random.Generator) -> Floats:
    if len(counts) * POOLED_SHARE <= size:
        return rng.multinomial(size, counts / size, size=rows).astype(np.float64)
    drawn = rng.integers(0, size, size=(rows, size))
    if len(counts) < size:
        drawn = np.repeat(np.arange(len(counts)), counts)[drawn]
    # One bincount for all rows: each row gets a range of numbers of its own. A bincount a row takes a Python loop.
    drawn += np.arange(rows)[:, None] * len(counts)
    return np.bincount(drawn.ravel(), minlength=rows * len(counts)).reshape(rows, -1).astype(np.float64)


def evaluate(statistic: Weighted, weights: Floats) -> Floats:
    """Evaluate a statistic at each row of weights; divisions by zero give NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(weights), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def check_method(method: str, known: Sequence[str]) -> None:
    """Raise UsageError for a method of an interval that is none of those known."""
    if method not in known:
        raise UsageError(f"There is no method {method!r}. Known: {', '.join(known)}.")


@dataclass(frozen=True)
class Plan:
    """Settings of a resampling interval."""

    rng: np.random.Generator | None
    """Source of randomness; None: no interval."""
    resamples: int = 10_000
    confidence: float = 0.95
    """Confidence level of the interval."""
    ends: tuple[float, float] | None = None
    """Ends of the statistic's scale: fewer than 50 clusters then have a jackknife in place of ``percentile``. None: none."""

    def __post_init__(self) -> None:
        """Raise UsageError for invalid options."""
        check_confidence(self.confidence)
        check_count(self.resamples, "resamples")

    @property
    def label(self) -> str:
        """Name of the method."""
        return f"cluster bootstrap, percentile, {self.resamples} resamples"


def bootstrap_weighted(
    statistic: Weighted,
    counts: Ints,
    plan: Plan,
    *,
    n: int,
    width: int = 1,
    undefined: Reason = UNDEFINED,
    value: float | None = None,
) -> Estimate:
    """Estimate a function of weights, with its bootstrap interval.

    Args:
        statistic: values of shape (r,) at weights of shape (r, n_units); NaN where undefined.
        counts: how often each unit occurs in the data, shape (n_units,); units are clusters, or pooled rows.
        plan: how to resample.
        n: the units that the estimate reports.
        width: numbers that the statistic needs for each resample.
        undefined: the reason given where the statistic itself is undefined.
        value: the estimate, where it is known better than by the statistic at ``counts``.
    """
    clusters = int(counts.sum())
    if value is None:
        value = float(evaluate(statistic, counts[None].astype(np.float64))[0]) if clusters else float("nan")
    if not np.isfinite(value):
        return Estimate(
            value=None, n=n, clusters=clusters, why=undefined if clusters else Reason.of(ReasonCode.NO_DATA)
        )
    bounds = _bounds(statistic, counts, plan, value, width)
    return Estimate(value=value, interval=bounds.interval, n=n, clusters=clusters, why=bounds.why)


def _bounds(statistic: Weighted, counts: Ints, plan: Plan, value: float, width: int) -> Bounds:
    if plan.rng is None:
        return Bounds(None, Reason.of(ReasonCode.NO_RNG))
    if counts.sum() < 2:
        return Bounds(None, ONE_CLUSTER)
    if plan.ends is not None and counts.sum() < MANY:
        return _jackknife(leave_one_out(statistic, counts, width=width), counts, value, plan.ends, plan.confidence)
    chunks = weight_chunks(counts, plan.resamples, plan.rng, width=width)
    replicates = np.concatenate([evaluate(statistic, weights) for weights in chunks])
    return percentile(replicates, plan.confidence, plan.label)


def leave_one_out(statistic: Weighted, counts: Ints, *, width: int = 1) -> Floats:
    """Leave-one-unit-out values of the statistic, shape (n_units,)."""
    rows = max(1, CELLS // max(len(counts), width))
    found = []
    for start in range(0, len(counts), rows):
        index = np.arange(start, min(start + rows, len(counts)))
        weights = np.repeat(counts[None].astype(np.float64), len(index), axis=0)
        weights[np.arange(len(index)), index] -= 1
        found.append(evaluate(statistic, weights))
    return np.concatenate(found)


def _jackknife(deleted: Floats, counts: Ints, value: float, ends: tuple[float, float], confidence: float) -> Bounds:
    """Interval of few clusters: the jackknife's error on the logit of the scale, with Student's t.

    Percentile intervals of agreement cover .75 to .93 with 10 items or clusters, and .83 with 5; these .94 to .97 (nominal
    alpha .90 to .91), and none is given below 10 (``benchmarks/FEW_CLUSTERS.md``). The logit of a scale from -1 to 1 is
    twice Fisher's z.
    """
    clusters = int(counts.sum())
    if clusters < FEWEST:
        return Bounds(None, Reason.of(ReasonCode.TOO_FEW_FOR_JACKKNIFE, clusters=clusters, needed=FEWEST))
    if not np.isfinite(deleted).all():
        return Bounds(None, Reason.of(ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER))
    squares = (clusters - 1) / clusters * float(counts @ (deleted - counts @ deleted / clusters) ** 2)
    if squares <= SAME**2 or not ends[0] < value < ends[1]:
        return Bounds(None, Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL))
    return Bounds(
        logit_interval(
            value, squares**0.5, clusters - 1, ends, confidence, f"jackknife over {clusters} clusters, logit, t"
        )
    )


def logit_interval(
    value: float, error: float, freedom: float, ends: tuple[float, float], confidence: float, method: str
) -> Interval:
    """Interval of a value between the ends of its scale, symmetric on the logit, with Student's t.

    >>> found = logit_interval(0.8, 0.1, 9, (0, 1), 0.95, "t")     # 1.3863 -+ 2.2622 * .1 / (.8 * .2)
    >>> round(found.low, 3), round(found.high, 3)
    (0.493, 0.943)
    """
    from scipy.special import expit, logit, stdtrit

    low, width = ends[0], ends[1] - ends[0]
    place = (value - low) / width
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error / width / (place * (1 - place))
    found = low + width * expit(float(logit(place)) + np.array([-reach, reach]))
    return Interval(low=float(found[0]), high=float(found[1]), confidence=confidence, method=method)


def percentile(replicates: Floats, confidence: float, label: str) -> Bounds:
    """Percentile interval from replicates of shape (R,).

    Undefined replicates are left out; there is no interval if they are more than 5%, and none if all replicates are
    the same number: [v, v] would claim certainty where the data merely show no variation.
    Efron & Tibshirani (1993), "An Introduction to the Bootstrap", ch. 13.
    """
    defined = replicates[np.isfinite(replicates)]
    missing = 1 - len(defined) / len(replicates)
    if missing > MAX_UNDEFINED:
        return Bounds(None, Reason.of(ReasonCode.RESAMPLES_UNDEFINED, share=missing))
    if np.ptp(defined) <= SAME * max(1.0, float(np.abs(defined).max())):
        return Bounds(None, Reason.of(ReasonCode.RESAMPLES_ALL_EQUAL))
    ends = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Bounds(Interval(low=ends[0], high=ends[1], confidence=confidence, method=label))


class NumberedValues(Mapping[Hashable, float]):
    """Values of clusters that are known by ascending numbers: as arrays, since there may be tens of millions."""

    def __init__(self, numbers: AnyInts, values: Floats) -> None:
        """``numbers``: shape (clusters,), ascending; ``values``: of the same shape."""
        self.numbers, self.array = numbers, values

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.numbers.tolist())

    def __getitem__(self, number: Hashable) -> float:
        place = int(np.searchsorted(self.numbers, number)) if isinstance(number, int) else len(self)
        if place == len(self) or self.numbers[place] != number:
            raise KeyError(number)
        return float(self.array[place])


def values_array(values: Mapping[Any, float]) -> Floats:
    """Values of clusters as an array, in their order; shape (clusters,)."""
    return values.array if isinstance(values, NumberedValues) else np.array(list(values.values()), dtype=np.float64)


FLAT = 1e-12  # spread of leave-one-out values, relative to the value, below which they are the same number


def jackknife(
    leave_one_out: Values,
    value: float,
    n: int,
    *,
    confidence: float = 0.95,
    added: float = 0.0,
    are_rare: bool = False,
) -> Estimate:
    """Estimate with a jackknife interval, from the statistic's leave-one-cluster-out values.

    Args:
        leave_one_out: shape (clusters,), the statistic without each cluster.
        value: the statistic on all data; NaN: undefined.
        n: units on which the estimate is based.
        confidence: confidence level of the interval.
        added: variance from elsewhere, such as from an estimated quantity in the statistic; the degrees of freedom stay
            those of the clusters.
        are_rare: whether few clusters may hold most of the spread, as where few have an event: the degrees of freedom are
            then those of the variance, by the kurtosis of the pseudo-values.

    Returns:
        ``value`` plus and minus the t quantile (clusters - 1 degrees of freedom, or fewer) times the standard error
        sqrt((m-1)/m * sum (theta_(i) - mean)^2). No interval, and why, with fewer than two clusters, if a leave-one-out
        value is undefined, or if all are the same. Efron (1982), "The Jackknife, the Bootstrap and Other Resampling
        Plans".

    >>> found = jackknife([2.5, 2.0, 1.5], 2.0, 3)     # the mean of 1, 2, 3: standard error 1/sqrt(3), t = 4.3027
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (-0.484, 4.484)
    """
    check_confidence(confidence)
    # Sorted, since a sum of floats depends on its order: the same clusters in another order give the same last digit.
    deleted = np.sort(np.asarray(leave_one_out, dtype=np.float64))
    size = len(deleted)
    if not np.isfinite(value):
        return Estimate(value=None, n=n, clusters=size, why=UNDEFINED)
    why = _undefined_reason(deleted)
    if why:
        return Estimate(value=value, n=n, clusters=size, why=why)
    error = float(np.sqrt((size - 1) / size * np.sum((deleted - deleted.mean()) ** 2) + added))
    freedom = _freedom_of(deleted.mean() - deleted) if are_rare else size - 1
    interval = _t_interval(value, error, freedom, confidence, f"jackknife over {size} clusters, t")
    return Estimate(value=value, interval=interval, n=n, clusters=size)


def jackknife_difference(
    leave_out_a: Mapping[Any, float],
    leave_out_b: Mapping[Any, float],
    value_a: float,
    value_b: float,
    n: int,
    *,
    confidence: float = 0.95,
    added: float = 0.0,
    kinds: Mapping[Any, Hashable] | None = None,
    are_rare: bool = False,
) -> Estimate:
    """Difference of a statistic between ``a`` and ``b``, from each side's leave-one-cluster-out values.

    Pseudo-values m * value - (m-1) * value_without_i stand for the clusters. Clusters that both sides have are paired:
    their pseudo-values are subtracted before the spread is taken. Clusters of one side only add their own spread. With
    all clusters shared this is the paired t test on pseudo-values, with none Welch's test; in between, the degrees of
    freedom are Satterthwaite's over the three groups (shared, only a, only b), each split by ``kinds``.

    Args:
        leave_out_a: for each cluster of a, its statistic without that cluster.
        leave_out_b: the same for b.
        value_a: the statistic of a on all its data; NaN: undefined.
        value_b: the same for b.
        n: units on which the estimate is based.
        confidence: confidence level of the interval.
        added: variance of the difference from elsewhere, such as from an estimated quantity in both values; the degrees
            of freedom stay those of the clusters.
        kinds: of what kind each cluster is, where some are known to spread otherwise than others, such as the few that hold
            labels: a variance that comes from five of a hundred clusters is known as well as from five. None: all alike.
        are_rare: as ``jackknife``, for each group.

    Returns:
        The difference with interval and two-sided p-value; without both, and why, where the spread cannot be had. Two
        sides that agree in everything have p = 1. Tukey (1958); Efron (1982); Welch (1947).
    """
    check_confidence(confidence)
    clusters = _count_both(leave_out_a, leave_out_b)
    value = value_a - value_b
    if not np.isfinite(value):
        side = "b" if np.isfinite(value_a) else "a"
        return Estimate(
            value=None, n=n, clusters=clusters, why=Reason.of(ReasonCode.STATISTIC_UNDEFINED_FOR_SIDE, side=side)
        )
    for leave_out in (leave_out_a, leave_out_b):
        why = _undefined_reason(values_array(leave_out), flat=False)
        if why:
            return Estimate(value=value, n=n, clusters=clusters, why=why)
    parts = _parts(leave_out_a, leave_out_b, kinds or {})
    variance = sum(float(np.sum(part**2)) for part in parts)
    if variance <= (FLAT * max(abs(value_a), abs(value_b))) ** 2:
        why = Reason.of(ReasonCode.DIFFERENCES_ALL_EQUAL)
        return Estimate(value=value, n=n, clusters=clusters, why=why, p=1.0 if value == 0 else None)
    # Satterthwaite (1946): each group counts with its own degrees of freedom, however little it adds to the variance.
    freedoms = [_freedom_of(part) if are_rare else max(len(part) - 1, 1) for part in parts]
    freedom = variance**2 / sum(float(np.sum(part**2)) ** 2 / own for part, own in zip(parts, freedoms, strict=True))
    error = (variance + added) ** 0.5
    interval = _t_interval(value, error, freedom, confidence, f"jackknife over {clusters} clusters, t")
    return Estimate(value=value, interval=interval, n=n, clusters=clusters, p=_two_sided_p(value / error, freedom))


def _parts(
    leave_out_a: Mapping[Any, float], leave_out_b: Mapping[Any, float], kinds: Mapping[Any, Hashable]
) -> list[Floats]:
    """Contributions of clusters to the variance, by side and kind; their squares sum to it."""
    if isinstance(leave_out_a, NumberedValues) and isinstance(leave_out_b, NumberedValues) and not kinds:
        return _by_size(_parts_of_numbers(leave_out_a, leave_out_b))
    if not kinds and leave_out_a.keys().isdisjoint(leave_out_b):
        return _by_size([_contributions(leave_out_a), -_contributions(leave_out_b)])
    a = dict(zip(leave_out_a, _contributions(leave_out_a).tolist(), strict=True))
    b = dict(zip(leave_out_b, _contributions(leave_out_b).tolist(), strict=True))
    parts: dict[Hashable, list[float]] = {}
    for key in {**a, **b}:
        parts.setdefault((key in a, key in b, kinds.get(key)), []).append(a.get(key, 0.0) - b.get(key, 0.0))
    return _by_size(map(np.array, parts.values()))


def _by_size(parts: Iterable[Floats]) -> list[Floats]:
    """Parts with their values in order, so that these give the same sum in any order of clusters; the smallest first."""
    return sorted((np.sort(part) for part in parts), key=lambda part: float(np.sum(part**2)))


def _parts_of_numbers(leave_out_a: NumberedValues, leave_out_b: NumberedValues) -> Iterator[Floats]:
    """Contributions of shared clusters, and of those of one side alone."""
    a, b = _contributions(leave_out_a), _contributions(leave_out_b)
    in_b = np.isin(leave_out_a.numbers, leave_out_b.numbers, assume_unique=True)
    in_a = np.isin(leave_out_b.numbers, leave_out_a.numbers, assume_unique=True)
    return (part for part in (a[in_b] - b[in_a], a[~in_b], 0.0 - b[~in_a]) if len(part))


def _count_both(a: Mapping[Any, float], b: Mapping[Any, float]) -> int:
    """Number of different clusters of two sides."""
    if isinstance(a, NumberedValues) and isinstance(b, NumberedValues):
        return len(a) + len(b) - int(np.isin(a.numbers, b.numbers, assume_unique=True).sum())
    return len(a) + len(b) - len(a.keys() & b.keys())


def _contributions(leave_out: Mapping[Any, float]) -> Floats:
    """(pseudo-value - mean) / sqrt(m (m-1)), so that the squares of one side sum to its jackknife variance."""
    deleted = values_array(leave_out)
    size = len(deleted)
    # A pseudo-value minus their mean is (m-1) times this gap; over sqrt(m (m-1)) that leaves sqrt((m-1)/m).
    gaps: Floats = (np.sort(deleted).mean() - deleted) * np.sqrt((size - 1) / size)
    return gaps


def _freedom_of(gaps: Floats) -> float:
    """Degrees of freedom of the variance of values around their mean, 2 Var^2 over its own variance; at most n - 1.

    The variance of n values with kurtosis k has the variance Var^2 (k - (n - 3) / (n - 1)) / n: of a hundred values of
    which five are not 0, it is known as well as from a dozen.
    """
    size, squares = len(gaps), gaps**2
    if size < 4 or not squares.any():
        return max(size - 1.0, 1.0)
    kurtosis = float(np.mean(squares**2) / np.mean(squares) ** 2)
    return float(np.clip(2 * size / max(kurtosis - (size - 3) / (size - 1), 1e-9), 1.0, size - 1.0))


def _undefined_reason(deleted: Floats, *, flat: bool = True) -> Reason | None:
    if len(deleted) < 2:
        return ONE_CLUSTER
    if not np.isfinite(deleted).all():
        return Reason.of(ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER)
    if flat and np.ptp(deleted) <= FLAT * float(np.abs(deleted).max()):
        return Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL)
    return None


def _t_interval(value: float, error: float, freedom: float, confidence: float, label: str) -> Interval:
    from scipy.special import stdtrit

    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return Interval(low=value - reach, high=value + reach, confidence=confidence, method=label)


def _two_sided_p(t: float, freedom: float) -> float:
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(freedom, -abs(t))))
