"""Krippendorff's alpha: agreement of any number of raters, with missing ratings, on any level of measurement.

alpha = 1 - D_o / D_e: the disagreement observed within items over the one expected if ratings were shuffled over items.
The interval resamples items (or clusters of items) with replacement. All four levels are vectorised over the resamples:

* nominal, interval: disagreements are sums over items, expected ones follow from sums of counts, x and x^2;
* ordinal: the same as interval on midranks, which change with every resample;
* ratio: 1 - ((c-k)/(c+k))^2 = 4ck/(c+k)^2 is a positive definite kernel of low rank, so its sum over all pairs of
  ratings is a sum of a few squares (pivoted Cholesky), however many distinct values there are.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ratings, as_floats, check_same_length
from trialogue.stats.raters.labels import MISSING, are_numbers, encode_table
from trialogue.stats.resampling.bootstrap import Combine, estimate_sums
from trialogue.stats.resampling.clusters import Units, cluster_sums, select_keys, units_of
from trialogue.stats.resampling.replicates import Plan, bootstrap_weighted

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

RANK_LEFT = 1e-13  # what the low-rank form of the ratio kernel may miss of each rating's 1
SAME = 1e-12  # disagreement between pairs of ratings that is rounding error
UNDEFINED = Reason.of(ReasonCode.RATINGS_ALL_EQUAL)


def krippendorff_alpha(
    ratings: Ratings,
    *,
    level: Level = "ordinal",
    levels: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha of ratings of shape (n_items, n_raters), None or NaN where a rating is missing.

    Args:
        ratings: numbers; for ``nominal``, or for ``ordinal`` with ``levels``, any labels.
        level: how far two ratings lie apart: ``nominal`` (0 or 1), ``ordinal`` (by the ratings between them),
            ``interval`` (squared difference), ``ratio`` (squared difference over squared sum; no negative values).
        levels: the labels in order, for ``ordinal`` labels that are not numbers.
        clusters: which items belong together (their dialogue, say); whole clusters are drawn.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Returns:
        The estimate; ``n`` counts the items with at least two ratings, the only ones that enter. Undefined if all
        ratings are the same value. It reaches 1 (perfect) and can be negative (systematic disagreement).

    Raises:
        UsageError: if the ratings do not suit the level.

    Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability". The 95% percentile interval covered 94% with
    200 items of three raters, 93 to 94% with 50 or 100, and with 20 only 88% (interval) to 92% (ordinal),
    in 3,000 simulated data sets each.

    >>> krippendorff_alpha([[1, 1], [0, 1]], level="nominal").value     # D_o = 1/2, D_e = 2*1*3/(4*3) = 1/2
    0.0
    """
    if level not in get_args(Level):
        raise UsageError(f"There is no level of measurement {level!r}. Known: {', '.join(get_args(Level))}.")
    table = _as_numbers(ratings, level, levels)
    check_same_length(ratings=table, clusters=clusters)
    paired = np.flatnonzero((~np.isnan(table)).sum(axis=1) >= 2) if table.size else np.zeros(0, dtype=np.int64)
    table = np.sort(table[paired], axis=1)  # NaN last; raters are interchangeable
    plan, groups = Plan(rng, resamples, confidence, (-1.0, 1.0)), select_keys(clusters, paired)
    if not len(table):
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_ITEM_RATED_TWICE))
    if np.nanmin(table) == np.nanmax(table):
        return Estimate(value=None, n=len(table), clusters=len(set(groups or range(len(table)))), why=UNDEFINED)
    if level == "ordinal":
        return _ordinal(_pool_items(table, groups), plan)
    sums, combine = {"nominal": _nominal, "interval": _interval, "ratio": _ratio}[level](table)
    return estimate_sums(cluster_sums(sums, groups or range(len(table))), combine, plan, undefined=UNDEFINED)


def _as_numbers(ratings: Any, level: Level, levels: Sequence[Hashable] | None) -> Floats:
    """Ratings as numbers of shape (n_items, n_raters), NaN where missing; labels become their codes."""
    if level in ("interval", "ratio"):
        table = as_floats(ratings, "ratings", ndim=2)
        if level == "ratio" and np.any(table < 0):
            raise UsageError("The ratio level has a true zero and no negative values; use level='interval'.")
        return table
    names, codes = encode_table(ratings, levels=levels)
    if level == "ordinal" and levels is None and not are_numbers(names):
        raise UsageError(
            f"Ordinal alpha needs the order of the labels: give {list(names)} in ascending order as levels=[...]."
        )
    return np.where(codes == MISSING, np.nan, codes.astype(np.float64))


def _counts(table: Floats) -> tuple[Floats, Floats]:
    """Ratings of each item, shape (n_items,), and how often each distinct value occurs in it, shape (n_items, V)."""
    values = np.unique(table[~np.isnan(table)])
    counts = np.stack([(table == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    return counts.sum(axis=1), counts


def _nominal(table: Floats) -> tuple[Floats, Combine]:
    """Sums: disagreements within the item, and the count of each value."""
    size, counts = _counts(table)
    within = (size**2 - (counts**2).sum(axis=1)) / (size - 1)

    def combine(sums: Floats) -> Floats:
        n = sums[..., 1:].sum(axis=-1)
        return _alpha(sums[..., 0], n**2 - (sums[..., 1:] ** 2).sum(axis=-1), n)

    return np.column_stack([within, counts]), combine


def _interval(table: Floats) -> tuple[Floats, Combine]:
    """Sums: squared differences within the item, ratings, their sum and their sum of squares (centred and scaled)."""
    table = (table - np.nanmean(table)) / np.nanstd(table)
    size = (~np.isnan(table)).sum(axis=1).astype(np.float64)
    first, second = np.nansum(table, axis=1), np.nansum(table**2, axis=1)
    within = 2 * (size * second - first**2) / (size - 1)

    def combine(sums: Floats) -> Floats:
        n = sums[..., 1]
        return _alpha(sums[..., 0], 2 * (n * sums[..., 3] - sums[..., 2] ** 2), n)

    return np.column_stack([within, size, first, second]), combine


def _ratio(table: Floats) -> tuple[Floats, Combine]:
    """Sums: disagreements within the item, ratings, and the low-rank factors of the kernel at its ratings."""
    values, places = np.unique(table, return_inverse=True)
    present = ~np.isnan(table)
    factors = _kernel_factors(values[~np.isnan(values)])
    padded = np.vstack([factors, np.zeros((len(values) - len(factors), factors.shape[1]))])  # NaN adds nothing
    items = padded[places.reshape(table.shape)].sum(axis=1)
    size = present.sum(axis=1).astype(np.float64)
    within = (size**2 - (items**2).sum(axis=1)) / (size - 1)

    def combine(sums: Floats) -> Floats:
        n = sums[..., 1]
        return _alpha(sums[..., 0], n**2 - (sums[..., 2:] ** 2).sum(axis=-1), n)

    return np.column_stack([within, size, items]), combine


def _kernel_factors(values: Floats) -> Floats:
    """L of shape (V, r) with L L' = 4ck/(c+k)^2 (1 where both are 0), by pivoted Cholesky."""
    left = np.ones(len(values))
    columns: list[Floats] = []
    while left.max() > RANK_LEFT and len(columns) < len(values):
        pivot = int(np.argmax(left))
        total = values + values[pivot]
        column = np.where(total > 0, 4 * values * values[pivot] / np.where(total > 0, total, 1) ** 2, 1.0)
        for earlier in columns:
            column = column - earlier * earlier[pivot]
        columns.append(column / left[pivot] ** 0.5)
        left = np.maximum(left - columns[-1] ** 2, 0)
    return np.stack(columns, axis=1)


def _alpha(within: Floats, between: Floats, n: Floats) -> Floats:
    """1 - (within / n) / (between / (n (n-1))); undefined where nothing differs between items either."""
    return np.where(between > SAME * n**2, 1 - (n - 1) * within / between, np.nan)


def _pool_items(table: Floats, groups: list[Hashable] | None) -> Units:
    """Items as units of resampling; without clusters, items with the same ratings are pooled."""
    units = units_of(np.where(np.isnan(table), -1.0, table), groups)
    return Units(np.where(units.rows < 0, np.nan, units.rows), units.of_row, units.counts, units.n)


def _ordinal(units: Units, plan: Plan) -> Estimate:
    """Alpha on midranks: the ratings between two values are the distance of their midranks."""
    size, counts = _counts(units.rows)
    values = np.unique(units.rows[~np.isnan(units.rows)])
    codes = np.where(np.isnan(units.rows), len(values), np.searchsorted(values, units.rows))

    def alpha(weights: Floats) -> Floats:
        items = weights[:, units.of_row]
        occurring = items @ counts
        n = occurring.sum(axis=1)
        ranks = (np.cumsum(occurring, axis=1) - occurring / 2 - n[:, None] / 2) / n[:, None]  # centred, -1/2 to 1/2
        total = (occurring * ranks).sum(axis=1)
        between = 2 * (n * (occurring * ranks**2).sum(axis=1) - total**2)
        padded = np.concatenate([ranks, np.zeros((len(ranks), 1))], axis=1)
        first, second = np.zeros(items.shape), np.zeros(items.shape)
        for column in codes.T:
            rank = padded[:, column]
            first += rank
            second += rank**2
        within = (items * (2 * (size * second - first**2) / (size - 1))).sum(axis=1)
        return _alpha(within, between, n)

    width = 4 * max(len(units.rows), counts.shape[1] + 1)  # it holds several arrays of either size
    return bootstrap_weighted(alpha, units.counts, plan, n=units.n, width=width, undefined=UNDEFINED)
