"""Correlation of a column with partially observed labels, using a judge's scores of all units."""

from dataclasses import replace

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_same_length
from trialogue.stats.correction.means import Correction, corrected_means
from trialogue.stats.correction.table import Estimand, JudgedTable, pool_table

FEWEST = 20
"""Labels below which there is no correlation: with 10 normal ones the intervals held the truth in 91 to 93 %."""
MOMENTS = 5  # two means, two variances and a covariance
CAP = 0.999999  # a correlation whose Fisher transform is still finite


def corrected_correlation(
    table: JudgedTable, column: Values, *, estimand: Estimand = Estimand.THESE, confidence: float = 0.95
) -> Correction:
    """Pearson's correlation of a column with human labels over all units, by the judge, by labels alone and by both.

    One step from the correlation of the labelled units: its influence value of each, zx zy - r (zx^2 + zy^2) / 2, is what
    the same expression with the judge's scores in place of labels predicts for every unit; the mean of these values is
    corrected as any mean is (see ``corrected_means``). The interval is Fisher's; the error counts the five moments that were
    estimated from the same labels, sqrt((n - 1) / (n - 5)).

    Args:
        table: judged units, of which labels were drawn at random over all together.
        column: shape (N,), such as a metric's values; not the judge itself, whose scores would then predict themselves.
        estimand: these units, or their population.
        confidence: of the interval.

    Returns:
        The three; without a value, and why, with fewer than 20 labels, or where labels or the column do not vary.

    Raises:
        UsageError: the column has another length.
    """
    x = as_floats(column, "column")
    check_same_length(judge=table.judge, column=x)
    rows = table.labelled
    judge = _pearson(x, table.judge)
    if len(rows) < FEWEST:
        why = Reason.of(ReasonCode.TOO_FEW_LABELS, labels=len(rows), least=FEWEST)
        return _no_correlation(judge, len(rows), why)
    alone = _pearson(x[rows], table.labels[rows])
    if alone is None or np.isnan(x).any():
        return _no_correlation(judge, len(rows), Reason.of(ReasonCode.STATISTIC_UNDEFINED))
    labels = np.full(len(x), np.nan)
    labels[rows] = alone + _influence(x[rows], table.labels[rows], alone)
    predicted = np.zeros(len(x)) if judge is None else _influence(x, table.judge, judge)
    found = corrected_means(
        replace(pool_table(table), judge=predicted, labels=labels, rater_labels=()),
        estimand=estimand,
        confidence=confidence,
    ).overall
    return Correction(
        judge=float("nan") if judge is None else judge,
        alone=_with_fishers_interval(found.alone, confidence),
        corrected=_with_fishers_interval(found.corrected, confidence),
        weight=found.weight,
    )


def _pearson(x: Floats, y: Floats) -> float | None:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _influence(x: Floats, y: Floats, correlation: float) -> Floats:
    first, second = ((each - each.mean()) / each.std() for each in (x, y))
    values: Floats = first * second - correlation * (first**2 + second**2) / 2
    return values


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
