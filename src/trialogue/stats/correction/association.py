"""Correlation of a column with partially observed labels, using a judge's scores of all units."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_same_length
from trialogue.stats.correction.means import Correction, corrected_means
from trialogue.stats.correction.table import Estimand, JudgedTable, pool_table

FEWEST = 20
"""Labels below which there is no correlation: with 10 normal ones the intervals held the truth in 91 to 93%."""
MOMENTS = 5  # two means, two variances and a covariance
AT_ONCE = 2_000_000  # pairs of units that are compared at a time
CAP = 0.999999  # a correlation whose Fisher transform is still finite

Statistic: TypeAlias = Literal["pearson", "spearman", "kendall"]


def corrected_correlation(
    table: JudgedTable,
    column: Values,
    *,
    statistic: Statistic = "pearson",
    estimand: Estimand = Estimand.THESE,
    drawn_overall: bool = True,
    confidence: float = 0.95,
) -> Correction:
    """Correlation of a column with human labels over all units, by the judge, by labels alone and by both.

    One step from the correlation of the labelled units: its influence values are what the same expression with the judge's
    scores in place of labels predicts for every unit; the mean of these values is corrected as any mean is (see
    ``corrected_means``). The interval is Fisher's; the error counts the five moments that were estimated from the same
    labels, sqrt((n - 1) / (n - 5)).

    Args:
        table: judged units, labelled in part.
        column: shape (N,), such as a metric's values; not the judge itself, whose scores would then predict themselves.
        statistic: Pearson's r, Spearman's rho (of midranks) or Kendall's tau-b.
        estimand: these units, or their population.
        drawn_overall: labels were drawn at random over all units together; False: within each cell, so that units count by
            one over the share of their cell that is labelled.
        confidence: confidence level of the interval.

    Returns:
        The three; without a value, and why, with fewer than 20 labels, where labels or the column do not vary, or where a
        system has no labels although they were drawn within systems.

    Raises:
        UsageError: the column has another length.
    """
    x = as_floats(column, "column")
    check_same_length(judge=table.judge, column=x)
    rows = table.labelled
    equal = np.full(len(x), 1 / len(x))
    judge = _correlation(x, table.judge, equal, statistic)
    if len(rows) < FEWEST:
        why = Reason.of(ReasonCode.TOO_FEW_LABELS, labels=len(rows), least=FEWEST)
        return _no_correlation(judge, len(rows), why)
    if not drawn_overall and (without := [s for i, s in enumerate(table.systems) if not table.labels_in(i)]):
        return _no_correlation(judge, len(rows), Reason.of(ReasonCode.SYSTEMS_WITHOUT_ESTIMATE, systems=without))
    if not drawn_overall:
        table = replace(table, has_chances=True)
    pooled = pool_table(table)
    weights = 1 / pooled.chances[rows]
    weights = weights / weights.sum()
    heard = _ranks(x, equal) if statistic == "spearman" else x  # the column is known of all units, and so are its ranks
    alone = _correlation(heard[rows], table.labels[rows], weights, statistic)
    if alone is None or np.isnan(x).any():
        return _no_correlation(judge, len(rows), Reason.of(ReasonCode.STATISTIC_UNDEFINED))
    labels = np.full(len(x), np.nan)
    labels[rows] = alone + _influence(heard[rows], table.labels[rows], weights, alone, statistic)
    predicted = np.zeros(len(x)) if judge is None else _influence(heard, table.judge, equal, judge, statistic)
    found = corrected_means(
        replace(pooled, judge=predicted, labels=labels, rater_labels=()), estimand=estimand, confidence=confidence
    ).overall
    return Correction(
        judge=float("nan") if judge is None else judge,
        alone=_with_fishers_interval(found.alone, confidence),
        corrected=_with_fishers_interval(found.corrected, confidence),
        weight=found.weight,
    )


def _correlation(x: Floats, y: Floats, weights: Floats, statistic: Statistic) -> float | None:
    """The statistic of weighted units; weights sum to 1. None where one side does not vary."""
    if np.isnan(x).any() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    if statistic == "kendall":
        return _kendall(x, y, weights).value
    if statistic == "spearman":
        x, y = _ranks(x, weights), _ranks(y, weights)
    first, second = _standardise(x, weights), _standardise(y, weights)
    return float(weights @ (first * second))


def _influence(x: Floats, y: Floats, weights: Floats, correlation: float, statistic: Statistic) -> Floats:
    """How far each unit moves the statistic, times their number; the mean is 0.

    Of Pearson's r: zx zy - r (zx^2 + zy^2) / 2. Of Spearman's rho the same of ranks, and what a unit does to the ranks of
    the other labels; ``x`` are ranks among all units, which no label moves. Of Kendall's tau-b: the derivative of
    S / sqrt(A B).
    """
    if statistic == "kendall":
        return _kendall(x, y, weights).influence()
    ranks = _ranks(y, weights) if statistic == "spearman" else y
    first, second = _standardise(x, weights), _standardise(ranks, weights)
    values: Floats = first * second - correlation * (first**2 + second**2) / 2
    if statistic == "pearson":
        return values
    pull = weights * (first - correlation * second)
    spread = float(np.sqrt(weights @ (ranks - weights @ ranks) ** 2))
    _, places = np.unique(y, return_inverse=True)
    by_place = np.bincount(places, pull)
    above = by_place[::-1].cumsum()[::-1] - by_place
    moved: Floats = (above + by_place / 2)[places] - float(pull @ ranks)
    return np.asarray(values + moved / spread, dtype=np.float64)


def _standardise(values: Floats, weights: Floats) -> Floats:
    centred = values - weights @ values
    return np.asarray(centred / np.sqrt(weights @ centred**2), dtype=np.float64)


def _ranks(values: Floats, weights: Floats) -> Floats:
    """Weighted midranks, from 0 to 1: the weight below each value, and half of that at it."""
    _, places = np.unique(values, return_inverse=True)
    own = np.bincount(places, weights)
    return np.asarray((own.cumsum() - own / 2)[places], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Kendall:
    """Sums over pairs with each unit, shape (n,): concordance, and whether each side differs."""

    concordant: Floats
    x_differs: Floats
    y_differs: Floats
    weights: Floats

    @property
    def totals(self) -> tuple[float, float, float]:
        """Weighted means of the three."""
        concordant, x, y = (float(self.weights @ each) for each in (self.concordant, self.x_differs, self.y_differs))
        return concordant, x, y

    @property
    def value(self) -> float:
        concordant, x, y = self.totals
        return float(concordant / (x * y) ** 0.5)

    def influence(self) -> Floats:
        concordant, x, y = self.totals
        moved = 2 * (self.concordant - concordant) / (x * y) ** 0.5
        ties = (self.x_differs - x) / x + (self.y_differs - y) / y
        return np.asarray(moved - self.value * ties, dtype=np.float64)


def _kendall(x: Floats, y: Floats, weights: Floats) -> _Kendall:
    found = np.zeros((3, len(x)))
    step = max(1, AT_ONCE // len(x))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        first, second = (np.sign(each[part, None] - each[None, :]) for each in (x, y))
        for place, pairs in enumerate((first * second, np.abs(first), np.abs(second))):
            found[place, part] = pairs @ weights
    return _Kendall(found[0], found[1], found[2], weights)


def _with_fishers_interval(found: Estimate, confidence: float) -> Estimate:
    """The same with Fisher's interval."""
    from scipy.special import stdtrit

    if found.value is None or found.interval is None:
        return found
    value = min(max(found.value, -CAP), CAP)
    error = found.interval.facts["error"] * ((found.n - 1) / (found.n - MOMENTS)) ** 0.5 / (1 - value**2)
    reach = float(stdtrit(found.interval.facts["freedom"], (1 + confidence) / 2)) * error
    low, high = (float(np.tanh(np.arctanh(value) + side * reach)) for side in (-1, 1))
    facts = {"freedom": found.interval.facts["freedom"], "error": error * (1 - value**2)}
    method = "Fisher's, of influence values"
    interval = found.interval.model_copy(update={"low": low, "high": high, "method": method, "facts": facts})
    return found.model_copy(update={"value": value, "interval": interval})


def _no_correlation(judge: float | None, labels: int, why: Reason) -> Correction:
    nothing = Estimate(value=None, n=labels, why=why)
    return Correction(float("nan") if judge is None else judge, nothing, nothing, 0.0)
