"""Intervals of corrected means and differences: t for means, Wilson's at the effective number of labels for shares."""

from dataclasses import dataclass

import numpy as np

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.comparison.shares import wilson_bounds
from trialogue.stats.correction.table import JudgedTable
from trialogue.stats.correction.weights import ContrastError, Parts, Weights, spread_of

DOUBT = 1.0
"""Squared errors that are added to those seen, of labels alone and of the corrected ones alike, before their ratio says how
many labels a share is worth: four labels that vary as much as they can. A judge that never erred on ten labels may still
err; without this, intervals of shares covered 80% at 20 labels (benchmarks/JUDGING.md)."""
TINY = 1e-20  # a variance that is rounding
NO_VARIATION = Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL)
MAX_FREEDOM = 1e6  # from here on t is normal
HALVINGS = 60  # of a bisection for a p-value

Ends = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Estimator:
    """One estimator: labels alone, or corrected."""

    parts: Parts
    """Means and errors."""
    weights: Weights
    """Weights of the judge."""
    alone: Parts | None
    """Estimator from labels alone, the reference of effective sample sizes; None: this is it."""

    def weight_of(self, table: JudgedTable, *systems: int) -> float:
        """Mean weight of the judge over the labels of some systems."""
        rows = np.isin(table.system_of[table.labelled], systems)
        return float(self.weights.rows[rows].mean()) if rows.any() else 0.0


def mean_of(
    side: Estimator,
    table: JudgedTable,
    contrast: Floats,
    *,
    is_share: bool,
    ends: Ends,
    confidence: float,
    n: int,
) -> Estimate:
    """Weighted mean of systems, weights summing to 1, clipped to the scale."""
    used = np.flatnonzero(contrast).astype(np.int64)
    value = _cut(float(contrast[used] @ side.parts.values[used]), ends)
    spread = _spread(side, table, contrast)
    facts = {"freedom": min(spread.freedom, MAX_FREEDOM), "error": spread.variance**0.5}
    if is_share:
        worth = _effective(side, table, contrast)
        low, high = _share_bounds(worth.units, value, _quantile(worth.freedom, confidence))
        method = "Wilson score at the effective number of labels"
    elif _knows_nothing(side, table, used):
        return Estimate(value=value, n=n, clusters=_clusters(table, used), why=NO_VARIATION)
    else:
        reach = _quantile(spread.freedom, confidence) * spread.variance**0.5
        low, high = _cut(value - reach, ends), _cut(value + reach, ends)
        method = "Student's t, difference estimator" if side.alone is not None else "Student's t, labels alone"
    return Estimate(
        value=value,
        interval=Interval(low=low, high=high, confidence=confidence, method=method, facts=facts),
        n=n,
        clusters=_clusters(table, used),
    )


def difference_of(
    side: Estimator, table: JudgedTable, a: int, b: int, *, is_share: bool, confidence: float
) -> Estimate:
    """Mean of system ``a`` minus that of ``b``, with interval and p-value from one construction."""
    contrast = np.zeros(len(table.systems))
    contrast[a], contrast[b] = 1.0, -1.0
    spread = _spread(side, table, contrast)
    rows = int(np.isin(table.system_of[table.labelled], (a, b)).sum())
    both = np.array([a, b], dtype=np.int64)
    value = float(side.parts.values[a] - side.parts.values[b])
    if is_share:
        value = _cut(float(side.parts.values[a]), (0, 1)) - _cut(float(side.parts.values[b]), (0, 1))
        low, high, p = _share_difference(side, table, a, b, value, confidence)
        method = "Wilson scores at the effective numbers of labels, combined by Newcombe's method"
    elif _knows_nothing(side, table, both):
        return Estimate(value=value, n=rows, clusters=_clusters(table, both), why=NO_VARIATION)
    else:
        reach = _quantile(spread.freedom, confidence) * spread.variance**0.5
        low, high, p = value - reach, value + reach, _p_of(value, spread)
        method = "Student's t, difference estimator" if side.alone is not None else "Student's t, labels alone"
    facts = {"freedom": min(spread.freedom, MAX_FREEDOM), "error": spread.variance**0.5}
    return Estimate(
        value=value,
        interval=Interval(low=low, high=high, confidence=confidence, method=method, facts=facts),
        n=rows,
        clusters=_clusters(table, both),
        p=p,
    )


def _spread(side: Estimator, table: JudgedTable, contrast: Floats) -> ContrastError:
    """The error of a contrast; that of a judge who seems never to err is that of one error among the labels.

    One label of n that is off by as much as labels vary: 1/n of the variance of labels alone. A judge that gives whole
    numbers agrees with people on ten labels by chance in a third of the cases where it agrees on nine of ten.
    """
    own = spread_of(side.parts, contrast)
    if side.alone is None:
        return own
    least = sum(
        float(contrast[system] ** 2 * side.alone.cell_variances[system].sum()) / max(table.labels_in(system), 1)
        for system in np.flatnonzero(contrast).tolist()
    )
    return own if own.variance >= least else ContrastError(least, own.freedom)


def _knows_nothing(side: Estimator, table: JudgedTable, systems: Ints) -> bool:
    """Whether labels of a system do not vary although some of its units have none: that says nothing of these."""
    for system in systems.tolist():
        cells = np.flatnonzero(table.cell_systems == system)
        is_open = bool((side.parts.open_share[cells] > 0).any())
        if is_open and _spread(side, table, np.eye(len(table.systems))[system]).variance <= TINY:
            return True
    return False


def _clusters(table: JudgedTable, systems: Ints) -> int:
    rows = table.labelled
    return len(np.unique(table.clusters[rows[np.isin(table.system_of[rows], systems)]]))


def _cut(value: float, ends: Ends) -> float:
    low, high = ends
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _quantile(freedom: float, confidence: float) -> float:
    """Two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(min(freedom, MAX_FREEDOM), (1 + confidence) / 2))


def _p_of(value: float, spread: ContrastError) -> float:
    from scipy.special import stdtr

    if spread.variance <= 0:
        return 1.0 if value == 0 else 0.0
    return min(float(2 * stdtr(min(spread.freedom, MAX_FREEDOM), -abs(value) / spread.variance**0.5)), 1.0)


@dataclass(frozen=True)
class _Worth:
    units: float
    """Independent labels that a share rests on; infinite where nothing is left open."""
    freedom: float
    """Degrees of freedom of the quantile; infinite where labels are plain draws."""


def _effective(side: Estimator, table: JudgedTable, contrast: Floats) -> _Worth:
    """Effective number of labels of a share: that of labels alone, times the gain by the judge."""
    used = np.flatnonzero(contrast).astype(np.int64)
    alone = side.parts if side.alone is None else side.alone
    rows = table.labelled[np.isin(table.system_of[table.labelled], used)]
    base, own = spread_of(alone, contrast).variance, spread_of(side.parts, contrast)
    doubt = _doubt(table, alone, contrast, used)
    if doubt <= 0:
        return _Worth(float("inf"), float("inf"))  # all are labelled, and nothing else is to be estimated
    share = _cut(float(contrast[used] @ alone.values[used]), (0, 1))
    cells, units = len(np.unique(table.cell_of[rows])), float(len(rows))
    plain = cells == 1 and not (table.is_clustered or table.has_chances or table.rater_labels)
    labels = DOUBT / (
        doubt * max((units - cells) / cells, 1)
    )  # as many as there are, over the share of variance left open
    if not plain and share * (1 - share) > 0 and base > 0:
        labels = min(labels, share * (1 - share) / base)
    elif not plain:
        labels *= len(np.unique(table.clusters[rows])) / units
    freedom = float("inf") if plain else own.freedom
    ratio = 1.0 if side.alone is None else (own.variance + doubt) / (base + doubt)
    return _Worth(labels / ratio, freedom)


def _doubt(table: JudgedTable, parts: Parts, contrast: Floats, used: Ints) -> float:
    """The variance that ``DOUBT`` squared errors in each cell would add to the contrast."""
    total = 0.0
    sizes = np.bincount(table.cell_of)
    for cell in np.flatnonzero(np.isin(table.cell_systems, used)):
        system = table.cell_systems[cell]
        rows = table.labelled[table.cell_of[table.labelled] == cell]
        own = sizes[cell] / sizes[table.cell_systems == system].sum()
        total += (contrast[system] * own) ** 2 * DOUBT * parts.open_share[cell] / (len(rows) * max(len(rows) - 1, 1))
    return float(total)


def _share_bounds(units: float, value: float, quantile: float) -> tuple[float, float]:
    return (value, value) if np.isinf(units) else wilson_bounds(value, units, quantile)


def _share_difference(
    side: Estimator, table: JudgedTable, a: int, b: int, value: float, confidence: float
) -> tuple[float, float, float]:
    """(low, high, p) from the two shares' own intervals by squares (Newcombe 1998, method 10; Zou & Donner 2008)."""
    eye = np.eye(len(table.systems))
    shares = [_cut(float(side.parts.values[system]), (0, 1)) for system in (a, b)]
    worth = [_effective(side, table, eye[system]) for system in (a, b)]

    def ends(level: float) -> tuple[float, float]:
        bounds = [
            _share_bounds(each.units, share, _quantile(each.freedom, level))
            for each, share in zip(worth, shares, strict=True)
        ]
        (low_a, high_a), (low_b, high_b) = bounds
        below = ((shares[0] - low_a) ** 2 + (high_b - shares[1]) ** 2) ** 0.5
        above = ((high_a - shares[0]) ** 2 + (shares[1] - low_b) ** 2) ** 0.5
        return value - below, value + above

    low, high = ends(confidence)
    if value == 0:
        return low, high, 1.0
    inside, outside = 0.0, 1 - 1e-12  # levels whose interval leaves zero out, and holds it
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        at_middle = ends(middle)
        if at_middle[0] <= 0 <= at_middle[1]:
            outside = middle
        else:
            inside = middle
    return low, high, 1 - inside
