"""Compare a statistic of sums between two sides, with interval and p-value.

Clusters are matched by key: those of both sides are compared within, those of one side alone as independent groups. The
interval and the p-value come from one construction, so the interval excludes zero exactly where p is below its level.

* Shares of independent groups: Newcombe's hybrid of score intervals, with effective sizes where units are clustered.
* Shares of the same single units: Tango's score interval and McNemar's test.
* Everything else: permutation of the studentised difference (of the sums themselves for means, shares and ratios; of what
  clusters contribute for other statistics). With more clusters than that needs, Student's t with Satterthwaite's degrees of
  freedom.

Where a test has no power, because no arrangement of so few clusters is rare enough, both are missing.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.permutation import MatchedSums, PermutationTest
from trialogue.stats.comparison.shares import (
    ShareInterval,
    are_counts,
    paired_share_difference,
    share_difference,
    share_of,
)
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.resampling.contributions import Combine, Contributions, contributions, is_ratio

MANY = 200  # clusters to permute (of the smaller group) from which Student's t is as good: skewness fades as 1 / n
FEWEST_PAIRS = 6  # 2 of 2^6 sign flips are p = .03, 2 of 2^5 can never be below .05
FEWEST_ARRANGEMENTS = 41  # two of so many are the first that can be below .05
FEWEST_IN_A_GROUP = 3  # a variance of two values is hardly one
STANDARD_ERROR = "standard_error"  # fact of a difference: its jackknife error, where both sides vary
SMALLER_SIDE = "smaller_side"  # fact of a difference: clusters of the side that has fewer, where both sides vary


class Limit(StrEnum):
    """Reason why there is no interval, or neither interval nor p-value."""

    ONE_CLUSTER = "one cluster"
    TOO_FEW_CLUSTERS = "too few clusters"
    NO_VARIATION = "no variation"
    UNDEFINED_WITHOUT_A_CLUSTER = "undefined without a cluster"
    UNDEFINED_IN_ARRANGEMENTS = "undefined in arrangements"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True)
class Difference:
    """A difference with its error."""

    value: float
    """First side less second."""
    low: float | None = None
    """Lower end; None: there is no interval."""
    high: float | None = None
    """Upper end."""
    p: float | None = None
    """Two-sided p-value; None: it is not tested."""
    method: str = ""
    """Method."""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers behind both."""
    limit: Limit | None = None
    """Why there is none."""


@dataclass(frozen=True, eq=False)
class MatchedSamples:
    """Two sides with their shared clusters first, in the same order."""

    a: ClusterSums
    b: ClusterSums
    shared: int

    @property
    def groups(self) -> tuple[int, int]:
        """Number of one-sided clusters of each side."""
        return len(self.a.keys) - self.shared, len(self.b.keys) - self.shared


@dataclass(frozen=True)
class ComparisonSettings:
    """Settings of the comparison of two sides."""

    is_share: bool = False
    """Whether values are shares of units, so that sums are (successes, units)."""
    most: float | None = None
    """The largest difference that the scale allows; None: no bound."""
    seed: int = 0
    """Seed of the sample of arrangements, if there are more than ``permutations``."""
    permutations: int = 10_000
    """Arrangements to go through."""
    confidence: float = 0.95
    """Confidence level of the interval."""


def compare_samples(
    a: ClusterSums, b: ClusterSums, combine: Combine, settings: ComparisonSettings = ComparisonSettings()
) -> Difference:
    """Difference ``a`` - ``b`` of two defined statistics.

    ``combine`` turns sums of shape (..., k) into values of shape (...).
    """
    sides = match(a, b)
    parts = contributions(sides.a, combine), contributions(sides.b, combine)
    if settings.is_share and are_counts(a) and are_counts(b):
        found = _of_shares(sides, combine, parts, settings)
    else:
        found = _permutation_difference(sides, combine, parts, settings, mid=False)
        found = found if settings.most is None else _cut_off(found, settings.most)
    return replace(found, facts={**found.facts, **_spread(sides, parts)})


def _spread(sides: MatchedSamples, parts: tuple[Contributions, Contributions]) -> dict[str, float]:
    """Error terms that a family of comparisons needs for the dependence of its members: ``families``.

    Nothing where a side does not vary, or is undefined without a cluster: its variance is not known then.
    """
    if not all(one.are_defined and len(one.each) > 1 and _varies(one.each) for one in parts):
        return {}
    error = sum(_variances(*parts, sides.shared)[0]) ** 0.5
    smaller = min(len(sides.a.keys), len(sides.b.keys))
    return {STANDARD_ERROR: error, SMALLER_SIDE: float(smaller)} if error > 0 else {}


def _varies(values: Floats) -> bool:
    return bool(np.ptp(values) > 1e-12 * max(float(np.abs(values).max()), 1e-300))


def match(a: ClusterSums, b: ClusterSums) -> MatchedSamples:
    """Order the clusters so that shared ones come first, on both sides in the order of ``a``."""
    place_a, place_b = ({key: place for place, key in enumerate(side.keys)} for side in (a, b))
    shared = [key for key in a.keys if key in place_b]
    orders = (
        [*shared, *(key for key in a.keys if key not in place_b)],
        [*shared, *(key for key in b.keys if key not in place_a)],
    )
    return MatchedSamples(_order_side(a, orders[0], place_a), _order_side(b, orders[1], place_b), len(shared))


def _order_side(side: ClusterSums, keys: list[Hashable], places: dict[Hashable, int]) -> ClusterSums:
    return ClusterSums(tuple(keys), side.sums[[places[key] for key in keys]], side.n)


def _of_shares(
    sides: MatchedSamples, combine: Combine, parts: tuple[Contributions, Contributions], settings: ComparisonSettings
) -> Difference:
    a, b = sides.a.sums, sides.b.sums
    if not sides.shared:
        return _of_independent_shares(sides, settings.confidence)
    if sides.groups == (0, 0) and (a[:, 1] == 1).all() and (b[:, 1] == 1).all():
        if sides.shared < FEWEST_PAIRS:
            return Difference(_gap(sides), limit=Limit.TOO_FEW_CLUSTERS)
        only_a, only_b = int(np.sum(a[:, 0] > b[:, 0])), int(np.sum(a[:, 0] < b[:, 0]))
        found = paired_share_difference(only_a, only_b, sides.shared, confidence=settings.confidence)
        return _share_result(_gap(sides), found, "Tango's score of pairs", {})
    permuted = _permutation_difference(sides, combine, parts, settings, mid=True)
    if permuted.limit is Limit.NO_VARIATION:  # all clusters alike on both sides: as if independent, to be safe
        return _of_independent_shares(sides, settings.confidence)
    return _cut_off(permuted, 1.0)


def _of_independent_shares(sides: MatchedSamples, confidence: float) -> Difference:
    shares = share_of(sides.a), share_of(sides.b)
    if min(one.clusters for one in shares) < 2:
        return Difference(_gap(sides), limit=Limit.ONE_CLUSTER)
    found = share_difference(*shares, confidence=confidence)
    if np.isinf(found.freedom):
        return _share_result(_gap(sides), found, "Newcombe's hybrid score", {})
    facts = {f"effective_units_{side}": one.effective for side, one in zip("ab", shares, strict=True)}
    method = "Newcombe's hybrid score of effective units, t"
    return _share_result(_gap(sides), found, method, {**facts, "freedom": found.freedom})


def _gap(sides: MatchedSamples) -> float:
    (hits_a, units_a), (hits_b, units_b) = sides.a.total.tolist(), sides.b.total.tolist()
    return float(hits_a / units_a - hits_b / units_b)


def _share_result(value: float, found: ShareInterval, method: str, facts: dict[str, float]) -> Difference:
    return Difference(value, found.low, found.high, found.p, method, facts)


def _permutation_difference(
    sides: MatchedSamples,
    combine: Combine,
    parts: tuple[Contributions, Contributions],
    settings: ComparisonSettings,
    *,
    mid: bool,
) -> Difference:
    value = parts[0].value - parts[1].value
    if sides.groups == (0, 0) and np.array_equal(sides.a.sums, sides.b.sums):
        return Difference(value, p=1.0, limit=Limit.NO_VARIATION)
    limit = _too_few(sides)
    if limit is not None:
        return Difference(value, limit=limit)
    if not (parts[0].are_defined and parts[1].are_defined):
        return Difference(value, limit=Limit.UNDEFINED_WITHOUT_A_CLUSTER)
    if sides.shared + min(sides.groups) > MANY:
        return student_t_difference(*parts, sides.shared, confidence=settings.confidence)
    if is_ratio(sides.a, combine) and is_ratio(sides.b, combine):
        rows = MatchedSums(sides.a.sums, sides.b.sums, sides.shared)
    else:
        rows = MatchedSums(_single(parts[0].each), _single(parts[1].each), sides.shared)
    test = PermutationTest(rows, max_arrangements=settings.permutations, seed=settings.seed, mid=mid)
    return _read_permutation(test, value, sides, settings.confidence)


def _too_few(sides: MatchedSamples) -> Limit | None:
    if min(len(sides.a.keys), len(sides.b.keys)) < 2:
        return Limit.ONE_CLUSTER
    alone = min(sides.groups)
    if sides.shared < FEWEST_PAIRS and sides.shared + alone < FEWEST_IN_A_GROUP:
        return Limit.TOO_FEW_CLUSTERS
    from math import comb

    # Of large groups the number has thousands of digits, and only whether it is small matters.
    first, second = (min(size, FEWEST_ARRANGEMENTS) for size in sides.groups)
    arrangements = 2 ** min(sides.shared, FEWEST_ARRANGEMENTS) * comb(first + second, first)
    return Limit.TOO_FEW_CLUSTERS if arrangements < FEWEST_ARRANGEMENTS else None


def _single(values: Floats) -> Floats:
    return np.column_stack([values, np.ones(len(values))])


def _read_permutation(test: PermutationTest, value: float, sides: MatchedSamples, confidence: float) -> Difference:
    if not test.is_defined:
        return Difference(value, limit=Limit.UNDEFINED_IN_ARRANGEMENTS)
    if test.standard_error == 0:
        p = 1.0 if abs(value) <= 1e-12 * abs(test.centre) else test.p_value()
        return Difference(value, p=p, limit=Limit.NO_VARIATION)
    low, high = test.interval(confidence)
    kind = (
        "permutation" if not sides.shared else "sign flips" if sides.groups == (0, 0) else "sign flips and permutation"
    )
    arrangements = test.design.number if test.design.is_enumerated else test.design.max_arrangements
    method = f"{kind} of the studentised difference"
    return _drop_unbounded(Difference(value, low, high, test.p_value(), method, {"arrangements": float(arrangements)}))


def _drop_unbounded(found: Difference) -> Difference:
    """Without an interval that has no end: it would be no number in a file."""
    assert found.low is not None
    assert found.high is not None
    if np.isfinite(found.low) and np.isfinite(found.high):
        return found
    return replace(found, low=None, high=None, limit=Limit.UNBOUNDED)


def _cut_off(found: Difference, most: float) -> Difference:
    """With the interval cut off where the scale ends; the estimate stays inside."""
    if found.low is None or found.high is None:
        return found
    return replace(found, low=min(max(found.low, -most), found.value), high=max(min(found.high, most), found.value))


def student_t_difference(a: Contributions, b: Contributions, shared: int, *, confidence: float = 0.95) -> Difference:
    """Difference over its jackknife error, with Satterthwaite's degrees of freedom over shared and one-sided clusters.

    Args:
        a: contributions of one side, shared clusters first.
        b: the same of the other.
        shared: clusters of both.
        confidence: confidence level of the interval.

    Without one-sided clusters this is the paired t test on contributions, without shared ones Welch's.
    """
    from scipy.special import stdtr, stdtrit

    value = a.value - b.value
    variances, freedoms = _variances(a, b, shared)
    variance = sum(variances)
    if variance <= 1e-24 * max(abs(a.value), abs(b.value), 1e-300) ** 2:
        return Difference(value, p=1.0 if value == 0 else None, limit=Limit.NO_VARIATION)
    squares = sum(one**2 / freedom for one, freedom in zip(variances, freedoms, strict=True))
    freedom, error = variance**2 / squares, variance**0.5
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    p = min(1.0, 2 * float(stdtr(freedom, -abs(value) / error)))
    method = "Student's t, Satterthwaite's degrees of freedom"
    return Difference(value, value - reach, value + reach, p, method, {"freedom": freedom})


def _variances(a: Contributions, b: Contributions, shared: int) -> tuple[list[float], list[int]]:
    """Variance contributions of shared clusters and of each side's own, with degrees of freedom."""
    own_a, own_b = (_scaled_deviations(side) for side in (a, b))
    parts = [one for one in (own_a[:shared] - own_b[:shared], own_a[shared:], own_b[shared:]) if len(one)]
    return [float(np.sum(np.sort(part) ** 2)) for part in parts], [max(len(part) - 1, 1) for part in parts]


def _scaled_deviations(side: Contributions) -> Floats:
    """Deviations whose squares sum to the variance of the value."""
    size = len(side.each)
    return np.asarray((side.each - side.value) / (size * (size - 1)) ** 0.5)
