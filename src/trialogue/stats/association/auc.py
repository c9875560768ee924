"""Area under the ROC curve: the probability that a positive unit scores higher than a negative one; ties count half.

Computed as the Mann-Whitney statistic over its number of pairs. Within groups, pairs are formed only inside a group (such as
the dialogues of one system), so that differences between groups have no influence.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_confidence, check_same_length
from trialogue.stats.resampling.clusters import Units, codes_of, select_keys, units_of
from trialogue.stats.resampling.replicates import (
    Plan,
    Weighted,
    bootstrap_weighted,
    check_method,
    evaluate,
    logit_interval,
)


def auc(
    scores: Values,
    labels: Sequence[Any] | npt.NDArray[Any],
    *,
    groups: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: Literal["delong", "percentile"] = "delong",
) -> Estimate:
    """Area under the ROC curve of scores for a binary label, 0 to 1, 0.5 by chance.

    Args:
        scores: numbers; None or NaN where missing. Units without score or label are left out; ``n`` counts the others.
        labels: True or False (1 or 0), None where unknown.
        groups: form pairs only inside these groups; pooled over pairs, so a group counts by its true times its false
            units.
        clusters: which units belong together; whole clusters are drawn, so it needs a bootstrap ``method``.
        rng: source of randomness of the bootstrap; without it a bootstrap gives no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.
        method: ``delong``: DeLong, DeLong & Clarke-Pearson (1988), for independent units without groups;
            ``percentile``: the (cluster) bootstrap; of fewer than 50 clusters a jackknife.

    Returns:
        The estimate; undefined if no pair of a true and a false unit exists. No interval, and why, if one label occurs
        only once (DeLong) or the scores separate the labels perfectly.

    Raises:
        UsageError: if lengths differ, a label is neither true nor false, or options do not go together.

    95% intervals: DeLong's on the logit, with Satterthwaite's t, cover .95 to .97 with 5 true and 30 false units (.81 to .86
    on the scale itself), the percentile bootstrap .946 with 100 clusters of two.

    >>> auc([0.1, 0.4, 0.4, 0.8], [False, False, True, True]).value     # wins in 3 of 4 pairs, half in the other
    0.875
    """
    check_confidence(confidence)
    check_method(method, ("delong", "percentile"))
    if method == "delong" and (clusters is not None or groups is not None):
        raise UsageError("DeLong's interval does not support clusters or groups; with those use method='percentile'.")
    rows, units = _rows(scores, labels, groups, clusters)
    counts = units.counts.astype(np.float64)
    statistic = weighted_auc(units)
    value = float(evaluate(statistic, counts[None])[0]) if len(rows) else float("nan")
    if np.isnan(value):
        why = (
            Reason.of(ReasonCode.NO_TRUE_AND_FALSE_PAIR)
            if groups is None
            else Reason.of(ReasonCode.NO_TRUE_AND_FALSE_PAIR_IN_GROUP)
        )
        return Estimate(value=None, n=len(rows), clusters=int(units.counts.sum()), why=why)
    if method == "delong":
        return _delong(rows, value, confidence)
    plan = Plan(rng, resamples, confidence, (0.0, 1.0))
    return bootstrap_weighted(statistic, units.counts, plan, n=len(rows), width=len(units.rows), value=value)


def _rows(
    scores: Values,
    labels: Sequence[Any] | npt.NDArray[Any],
    groups: Sequence[Hashable] | None,
    clusters: Sequence[Hashable] | None,
) -> tuple[Floats, Units]:
    """Complete units as (group, score, label), shape (n, 3), and the same as units of resampling."""
    numbers, truth = as_floats(scores, "scores"), as_floats(labels, "labels")
    check_same_length(scores=numbers, labels=truth, groups=groups, clusters=clusters)
    if not np.isin(truth[~np.isnan(truth)], (0.0, 1.0)).all():
        raise UsageError(f"labels must be true or false (1 or 0), got {sorted(set(truth[~np.isnan(truth)].tolist()))}.")
    group = np.zeros(len(numbers)) if groups is None else codes_of(groups)[1].astype(np.float64)
    rows = np.column_stack([group, numbers, truth])
    keep = np.flatnonzero(~np.isnan(rows).any(axis=1))
    return rows[keep], units_of(rows[keep], select_keys(clusters, keep))


def weighted_auc(units: Units) -> Weighted:
    """AUC as a function of unit weights, from rows sorted by group and score."""
    order = np.lexsort((units.rows[:, 1], units.rows[:, 0]))
    group, score, label = units.rows[order].T
    true, false = order[label == 1], order[label == 0]
    blocks = np.flatnonzero(np.diff(group, prepend=-1) + (np.diff(score, prepend=np.inf) != 0))  # ties in a group
    block_of = np.cumsum(np.isin(np.arange(len(order)), blocks)) - 1
    first_block = np.flatnonzero(np.diff(group[blocks], prepend=-1))  # of each group
    group_of_block = np.repeat(np.arange(len(first_block)), np.diff([*first_block, len(blocks)]))
    true_block, false_block = block_of[label == 1], block_of[label == 0]

    def statistic(weights: Floats) -> Floats:
        above = _totals(weights[:, units.of_row[true]], true_block, len(blocks))
        below = _totals(weights[:, units.of_row[false]], false_block, len(blocks))
        lower = np.cumsum(below, axis=1) - below
        lower -= lower[:, first_block][:, group_of_block]
        wins = (above * (lower + below / 2)).sum(axis=1)
        pairs = (np.add.reduceat(above, first_block, axis=1) * np.add.reduceat(below, first_block, axis=1)).sum(axis=1)
        return np.where(pairs > 0, wins / pairs, np.nan)

    return statistic


def _totals(weights: Floats, blocks: npt.NDArray[np.intp], size: int) -> Floats:
    """Sums of columns in each block, shape (r, size); ``blocks`` ascends."""
    totals = np.zeros((len(weights), size))
    if len(blocks):
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        totals[:, blocks[starts]] = np.add.reduceat(weights, starts, axis=1)
    return totals


def _delong(rows: Floats, value: float, confidence: float) -> Estimate:
    counted = {"n": len(rows), "clusters": len(rows)}
    true, false = np.sort(rows[rows[:, 2] == 1, 1]), np.sort(rows[rows[:, 2] == 0, 1])
    if min(len(true), len(false)) < 2:
        return Estimate(value=value, why=Reason.of(ReasonCode.TOO_FEW_FOR_DELONG), **counted)
    parts = [
        (float(np.var(_placements(one, other), ddof=1)) / len(one), len(one) - 1)
        for one, other in ((true, false), (false, true))
    ]
    variance = sum(part for part, _ in parts)
    if not variance > 0:
        return Estimate(value=value, why=Reason.of(ReasonCode.PERFECT_SEPARATION), **counted)
    freedom = variance**2 / sum(part**2 / own for part, own in parts)  # Satterthwaite's
    return Estimate(
        value=value,
        interval=logit_interval(value, variance**0.5, freedom, (0.0, 1.0), confidence, "DeLong, logit, t"),
        **counted,
    )


def _placements(values: Floats, others: Floats) -> Floats:
    """For each value the share of the others below it, ties half."""
    placed: Floats = (np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")) / (
        2 * len(others)
    )
    return placed
