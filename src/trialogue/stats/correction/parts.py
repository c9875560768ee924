"""Decompose each system's mean into cluster contributions, so that the variance of any contrast is a sum of squares.

Two-phase sampling (Särndal, Swensson & Wretman 1992, ch. 9): first the units from their population, if that is the
estimand, then the labels from the units. Each cluster's contribution to the error is kept, not only a variance: systems that
share clusters (the same users, the same needs) have correlated errors, and a difference subtracts before it squares.
"""

from dataclasses import dataclass

import numpy as np

from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.correction.table import Estimand, JudgedTable, RaterError, raters_of_rows
from trialogue.stats.correction.weights import Weights


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
    """Variance."""
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
