"""Cross-fitted weight of the judge (lambda of PPI++): the slope of human labels on its scores.

A weight fitted to the labels it is used with makes their residuals, and so intervals, too small. Here the residual of each
label uses the weight fitted on the others (leaving out its cluster); the estimate uses the mean of these weights, so that it
becomes the labels' own mean where all are labelled.

A weight is shrunk by its sampling error, so that an uninformative judge costs almost nothing. It is not capped
at 1: a judge that uses a quarter of the scale deserves a weight of four. It is never below 0: a judge that contradicts
people is treated as uninformative.

Decompose each system's mean into cluster contributions, so that the variance of any contrast is a sum of squares.

Two-phase sampling (Särndal, Swensson & Wretman 1992, ch. 9): first the units from their population, if that is the
estimand, then the labels from the units. Each cluster's contribution to the error is kept, not only a variance: systems that
share clusters (the same users, the same needs) have correlated errors, and a difference subtracts before it squares.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.correction.table import Estimand, JudgedTable, RaterError, raters_of_rows

OWN_WEIGHT = 20
"""Labels of a cell from which it has a weight of its own; below, cells share one (a slope of so few is mostly noise)."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the judge."""

    rows: Floats
    """Shape (n,): at each labelled row, fitted without it."""
    cells: Floats
    """Shape (cells,): the mean over a cell's labelled rows, which its estimate uses; 0 without any."""
    lost: Floats
    """Shape (cells,): degrees of freedom that fitting it took from a cell: up to 1, and shared where the weight is."""


class PowerSums(NamedTuple):
    """Sums that a corrected mean is a function of, of one unit or of many; numbers or arrays of one shape.

    It is a tuple, so that a metric can give it as its statistics, which are summed column by column.
    """

    judged: float | Floats
    """Units."""
    scores: float | Floats
    """The judge's scores of all units."""
    squared_scores: float | Floats
    """Their squares."""
    labelled: float | Floats
    """Labelled units."""
    labels: float | Floats
    labelled_scores: float | Floats
    """The judge's scores of labelled units."""
    products: float | Floats
    """Label times score."""

    @classmethod
    def of_unit(cls, score: float, label: float | None) -> "PowerSums":
        """Those of one unit; its label is None where nobody gave one.

        >>> PowerSums.of_unit(0.5, 1.0)[3:], PowerSums.of_unit(0.5, None)[3:]
        ((1.0, 1.0, 0.5, 0.5), (0.0, 0.0, 0.0, 0.0))
        """
        if label is None:
            return cls(1.0, score, score**2, 0.0, 0.0, 0.0, 0.0)
        return cls(1.0, score, score**2, 1.0, label, score, label * score)

    @classmethod
    def from_columns(cls, sums: Floats) -> "PowerSums":
        """Name the columns of an array of shape (..., 7)."""
        return cls(*np.moveaxis(sums, -1, 0))


def power_tuned_mean(sums: PowerSums) -> Floats:
    """Mean of labels corrected with the variance-minimising weight (0 if the judge misleads), from sums.

    The judge's scores f are of all units, those labelled included. Then the paper's lambda, with the other units as its
    unlabelled sample, is covariance over variance: mean(y) + lambda (mean of f over all - over the labelled).

    Args:
        sums: sums of all units.

    Returns:
        The means, NaN without labels. Angelopoulos, Duchi & Zrnic (2023), "PPI++", eq. 3 and prop. 2. The weight is fitted
        to the labels themselves: intervals need ``corrected_means``, or a resampling of all of it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        label, heard = np.divide(sums.labels, sums.labelled), np.divide(sums.labelled_scores, sums.labelled)
        score = np.divide(sums.scores, sums.judged)
        covariance = np.divide(sums.products, sums.labelled) - label * heard
        spread = np.divide(sums.squared_scores, sums.judged) - score**2
        weight = np.where(spread > 0, np.maximum(covariance / spread, 0), 0.0)
        value: Floats = label + weight * (score - heard)
    return np.where(np.asarray(sums.labelled) > 0, value, np.nan)


def cross_fitted(table: JudgedTable, judge: Floats, labels: Floats) -> Weights:
    """Cross-fitted weight at each labelled row, from the labels of other clusters.

    Args:
        table: which rows are labelled, their cells, clusters and chances.
        judge: shape (N,), the scores (or what stands for them).
        labels: shape (N,), the labels (or what stands for them).

    Returns:
        Weights in units of labels per unit of the judge. The slope is that of weighted least squares with one intercept a
        cell; labels with unequal chances count by the square of one over the chance, as they do in the variance. Shrunk by
        1 - 1 / t^2 (James & Stein 1961 for one slope), 0 where t^2 is below 1.
    """
    rows = table.labelled
    cells = table.cell_of[rows]
    counts = np.bincount(cells, minlength=len(table.cell_systems))
    weights, lost = np.zeros(len(rows)), np.zeros(len(rows))
    fit = _Fit.of(table, judge, labels)
    shared = np.flatnonzero(counts > 1)
    for cell in np.flatnonzero(counts >= OWN_WEIGHT):
        own = np.flatnonzero(cells == cell)
        weights[own], lost[own] = fit.without_each(np.array([cell]), own)
    small = np.flatnonzero(((counts > 1) & (counts < OWN_WEIGHT))[cells])
    if len(small) and len(shared):
        weights[small], used = fit.without_each(shared, small)
        lost[small] = used / len(shared)
    means = [np.bincount(cells, each, minlength=len(counts)) / np.maximum(counts, 1) for each in (weights, lost)]
    return Weights(weights, means[0], means[1])


def constant(table: JudgedTable, weight: float) -> Weights:
    """Fixed weight: 0 for labels alone, 1 for plain prediction-powered inference."""
    cells = np.full(len(table.cell_systems), weight)
    return Weights(np.full(len(table.labelled), weight), cells, np.zeros(len(cells)))


@dataclass(frozen=True, eq=False)
class _Fit:
    """Moments of labelled rows, for slopes without a cluster."""

    cells: Ints
    clusters: Ints
    moments: Floats
    """Shape (n, 6): weight, f, y, f^2, f y, y^2 of each labelled row, weighted, about the means of its cell."""

    @classmethod
    def of(cls, table: JudgedTable, judge: Floats, labels: Floats) -> "_Fit":
        rows = table.labelled
        cells = table.cell_of[rows]
        _, clusters = np.unique(table.clusters[rows], return_inverse=True)
        inverse = 1 / table.chances[rows] ** 2
        sizes = np.maximum(np.bincount(cells, minlength=len(table.cell_systems)), 1)
        weight = inverse / (np.bincount(cells, inverse, minlength=len(sizes)) / sizes)[cells]
        f, y = (_centre(column[rows], cells, sizes) for column in (judge, labels))
        columns = (np.ones(len(rows)), f, y, f * f, f * y, y * y)
        return cls(cells, clusters.astype(np.int64), np.stack([weight * each for each in columns], axis=1))

    def without_each(self, among: Ints, at: Ints) -> tuple[Floats, Floats]:
        """(weight, share of the slope used) at some labelled rows, fitted to the cells ``among`` without their clusters."""
        place = np.full(int(self.cells.max()) + 1, -1)
        place[among] = np.arange(len(among))
        inside = np.flatnonzero(place[self.cells] >= 0)
        groups, group_of = np.unique(self.clusters[inside], return_inverse=True)
        part = np.zeros((len(groups), len(among), 6))
        np.add.at(part, (group_of, place[self.cells[inside]]), self.moments[inside])
        slope, used = _slopes(part.sum(axis=0) - part, len(groups) - 1)
        index = np.searchsorted(groups, self.clusters[at])
        return (slope * used)[index], used[index]


def _centre(values: Floats, cells: Ints, sizes: Floats | Ints) -> Floats:
    means = np.bincount(cells, values, minlength=len(sizes)) / sizes
    centred: Floats = values - means[cells]
    return centred


def _slopes(moments: Floats, clusters: int) -> tuple[Floats, Floats]:
    """(slope, share of it to use) from moments of shape (..., cells, 6) of so many clusters; 0 where nothing varies."""
    weight, f, y, ff, fy, yy = np.moveaxis(moments, -1, 0)
    held = weight > 1e-9  # a cell that is empty without a cluster
    safe = np.where(held, weight, 1.0)
    inside = [np.where(held, a - b * c / safe, 0.0).sum(axis=-1) for a, b, c in ((ff, f, f), (fy, f, y), (yy, y, y))]
    sff, sfy, syy = inside
    scale = np.maximum(ff.sum(axis=-1), 1e-300), np.maximum(yy.sum(axis=-1), 1e-300)
    varies = (sff > 1e-9 * scale[0]) & (syy > 1e-9 * scale[1]) & (sfy > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(varies, sfy / sff, 0.0)
        explained = np.where(varies, np.minimum(sfy**2 / (sff * syy), 1.0), 0.0)
        freedom = np.maximum(clusters - held.sum(axis=-1) - 1, 0)
        squared_t = explained * freedom / (1 - explained)
        used = np.where(squared_t > 1, 1 - 1 / squared_t, 0.0)
    return slope, used


@dataclass(frozen=True, eq=False)
class Parts:
    """Means of systems with their error contributions by cluster."""

    values: Floats
    """Shape (systems,): NaN for a system with a cell that holds fewer than two labels or labelled clusters."""
    errors: Floats
    """Shape (systems, clusters): contribution of each cluster to the error; variances are sums of squares."""
    cell_variances: Floats
    """Shape (systems, cells): what each cell adds to a system's variance."""
    freedom: Floats
    """Shape (cells,): degrees of freedom of each cell's variance."""
    noise: Floats
    """Shape (systems,): variance by the noise of single labels that the choice of labels does not show."""
    coefficients: Floats
    """Shape (systems, raters): weight of each rater in a system's mean."""
    error: RaterError
    """Error contributions of raters."""
    open_share: Floats
    """Shape (cells,): mean share of the variance of labels that the choice of labels leaves open: 1 - n / N, or 1."""
    is_panel: bool
    """Whether the truth is what these raters say on average; otherwise it is what all raters would say."""


@dataclass(frozen=True)
class ContrastError:
    """Error of a contrast."""

    variance: float
    freedom: float
    """Degrees of freedom (Satterthwaite)."""


def parts_of(
    table: JudgedTable,
    weights: Weights,
    error: RaterError,
    *,
    estimand: Estimand,
    raters: Estimand,
    judge_used: bool,
) -> Parts:
    """Contributions to every system's mean, corrected with the given weights of the judge.

    Args:
        table: the judged rows.
        weights: weights of the judge; all 0 for labels alone.
        error: error of raters.
        estimand: these units, or their population.
        raters: these raters, or the population of raters.
        judge_used: whether the judge's scores of the units are part of the estimate; False for labels alone.
    """
    rows, cells = table.labelled, table.cell_of
    here = cells[rows]
    count = len(table.cell_systems)
    sizes: Ints = np.bincount(cells, minlength=count).astype(np.int64)
    means = np.bincount(cells, table.judge, minlength=count) / sizes
    least = np.full(count, 1.0)
    np.minimum.at(least, here, table.chances[rows])
    inverse = least[here] / table.chances[rows]  # exactly 1 where chances are equal
    totals = np.bincount(here, inverse, minlength=count)
    share = inverse / totals[here]  # Hajek: shares of the cell's mean
    fixed = table.labels[rows] - weights.rows * (table.judge[rows] - means[here])
    centre = np.bincount(here, share * fixed, minlength=count)
    said, heard = (
        np.bincount(here, inverse * column[rows], minlength=count) / np.maximum(totals, 1e-300)
        for column in (table.labels, table.judge)
    )
    cell_values: Floats = (said + weights.cells * (means - heard)).astype(np.float64)
    groups = _labelled_clusters(table)
    cell_values[groups < 2] = np.nan
    of_system = sizes / np.bincount(table.cell_systems, sizes, minlength=len(table.systems))[table.cell_systems]
    values: Floats = np.bincount(table.cell_systems, of_system * cell_values, minlength=len(table.systems)).astype(
        np.float64
    )

    pull = share * (fixed - centre[here]) * np.sqrt(groups / np.maximum(groups - 1, 1))[here]
    if estimand is Estimand.THESE:
        pull = pull * np.sqrt(1 - table.chances[rows])
    by_row = np.zeros(len(cells))
    by_row[rows] = of_system[here] * pull
    if estimand is Estimand.POPULATION:
        by_row = by_row + _population_part(table, weights, values, cell_values, sizes, judge_used=judge_used)
    errors = np.zeros((len(table.systems), int(table.clusters.max()) + 1))
    np.add.at(errors, (table.system_of, table.clusters), by_row)
    errors = errors[:, np.abs(np.nan_to_num(errors, nan=1.0)).sum(axis=0) > 0]
    variances = np.zeros((len(table.systems), count))
    for cell in range(count):
        own = np.flatnonzero(cells == cell)
        sums = np.bincount(table.clusters[own], by_row[own])
        variances[table.cell_systems[cell], cell] = float(np.sum(sums**2))
    noise, coefficients = _rater_parts(table, share * of_system[here], estimand, error)
    freedom = np.maximum(groups - 1 - weights.lost, 1.0)
    open_share = np.ones(count)
    if estimand is Estimand.THESE:
        open_share = np.bincount(here, 1 - table.chances[rows], minlength=count) / np.maximum(
            np.bincount(here, minlength=count), 1
        )
    return Parts(values, errors, variances, freedom, noise, coefficients, error, open_share, raters is Estimand.THESE)


def spread_of(parts: Parts, contrast: Floats) -> ContrastError:
    """Error of a weighted sum of systems' means.

    Args:
        parts: parts of the means.
        contrast: shape (systems,): the weights; systems of weight 0 do not matter.
    """
    used = np.flatnonzero(contrast)
    weights = contrast[used]
    sampling = float(np.sum((weights @ parts.errors[used]) ** 2))
    noise = float(weights**2 @ parts.noise[used])
    shares = weights @ parts.coefficients[used]
    if parts.is_panel and len(shares):
        shares = shares - float(weights.sum()) / len(shares)
    leniency = parts.error.leniency * float(np.sum(shares**2))
    pieces = (weights**2) @ parts.cell_variances[used]
    lost = float(np.sum(pieces**2 / parts.freedom))
    apart = float(pieces.sum())
    # Pieces that share clusters do not add up to the whole; their squares are then scaled to it
    scale = (sampling / apart) ** 2 if apart > 0 else 0.0
    squares = lost * scale + leniency**2 / max(parts.error.raters - 1, 1)
    variance = sampling + noise + leniency
    return ContrastError(variance, variance**2 / squares if squares > 0 else float("inf"))


def _labelled_clusters(table: JudgedTable) -> Floats:
    """Clusters with a label in each cell, shape (cells,)."""
    rows = table.labelled
    pairs = np.unique(np.stack([table.cell_of[rows], table.clusters[rows]]), axis=1)
    return np.bincount(pairs[0], minlength=len(table.cell_systems)).astype(np.float64)


def _population_part(
    table: JudgedTable, weights: Weights, values: Floats, cell_values: Floats, sizes: Ints, *, judge_used: bool
) -> Floats:
    """Error contribution of sampling the units themselves, shape (N,)."""
    cells, systems = table.cell_of, table.system_of
    system_sizes = np.bincount(systems, minlength=len(table.systems))
    between = cell_values[cells] - values[systems]
    if not judge_used:
        return np.asarray(between / system_sizes[systems])
    means = np.bincount(cells, table.judge, minlength=len(sizes)) / sizes
    return np.asarray((weights.cells[cells] * (table.judge - means[cells]) + between) / system_sizes[systems])


def _rater_parts(table: JudgedTable, share: Floats, estimand: Estimand, error: RaterError) -> tuple[Floats, Floats]:
    """(variance by single labels' noise that the choice does not show, weight of each rater) of every system.

    The choice of labels varies with their noise as far as a row might not have been chosen; with chance pi it shows
    1 - pi of it. In samples from a population it shows all.
    """
    systems, rows = len(table.systems), table.labelled
    raters = sorted({each.rater for each in table.rater_labels}, key=str)
    noise, coefficients = np.zeros(systems), np.zeros((systems, len(raters)))
    if not error.doubled:
        return noise, coefficients
    index = {rater: place for place, rater in enumerate(raters)}
    who = raters_of_rows(table)
    for row, weight in zip(rows.tolist(), share.tolist(), strict=True):
        system = table.system_of[row]
        for rater in who[row]:
            coefficients[system, index[rater]] += weight / len(who[row])
        if estimand is Estimand.THESE:
            noise[system] += table.chances[row] * weight**2 * error.residual / len(who[row])
    return noise, coefficients
