"""Difference of two associations with one target: AUCs or correlations of two scores over the same units.

Overlapping intervals do not mean that two metrics are equally good: both are computed on the same dialogues and share their
sampling error. Here every resample draws the same clusters for both, and the interval is that of the difference.
"""

from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_same_length
from trialogue.stats.association.auc import weighted_auc
from trialogue.stats.association.correlation import weighted_pearson, weighted_spearman
from trialogue.stats.resampling.clusters import codes_of, select_keys, units_of
from trialogue.stats.resampling.replicates import Plan, Weighted, bootstrap_weighted

Association: TypeAlias = Literal["auc", "pearson", "spearman"]

UNDEFINED = Reason.of(ReasonCode.ONE_ASSOCIATION_UNDEFINED)


def association_difference(
    kind: Association,
    a: Values,
    b: Values,
    target: Values,
    *,
    rng: np.random.Generator,
    groups: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Difference of the associations of scores ``a`` and ``b`` with a target, over the units that have all three.

    Args:
        kind: ``auc`` (the target is 1 or 0), ``pearson`` or ``spearman``.
        a: one score of each unit; None or NaN where missing.
        b: the other score.
        target: values with which they should be associated.
        rng: source of randomness.
        groups: groups for the AUC, inside which pairs are formed.
        clusters: which units belong together; each unit for itself by default.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Returns:
        The statistic of ``a`` less that of ``b``; ``n`` counts the units that have all three.

    Raises:
        UsageError: lengths differ, or groups are given for a correlation.

    >>> rng = np.random.default_rng(0)
    >>> association_difference("auc", [1, 2, 3, 4], [1, 3, 2, 4], [0, 0, 1, 1], rng=rng).value     # 4/4 pairs less 3/4
    0.25
    """
    if kind not in get_args(Association):
        raise UsageError(f"There is no association {kind!r}. Known: {', '.join(get_args(Association))}.")
    if groups is not None and kind != "auc":
        raise UsageError(f"Only the AUC supports groups, not {kind}; rank inside the groups first.")
    columns = [as_floats(values, name) for values, name in ((a, "a"), (b, "b"), (target, "target"))]
    check_same_length(a=columns[0], b=columns[1], target=columns[2], groups=groups, clusters=clusters)
    keep = np.flatnonzero(~np.isnan(np.column_stack(columns)).any(axis=1))
    if not len(keep):
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_UNITS_WITH_BOTH_SCORES))
    first, second, wanted = (column[keep] for column in columns)
    group = np.zeros(len(keep)) if groups is None else codes_of(select_keys(groups, keep) or [])[1].astype(np.float64)
    keys = select_keys(clusters, keep) or list(range(len(keep)))
    if any(column.min() == column.max() for column in (first, second, wanted)):
        return Estimate(value=None, n=len(keep), clusters=len(set(keys)), why=UNDEFINED)
    one, other = (_statistic(kind, score, wanted, group, keys) for score in (first, second))
    counts = np.ones(len(set(keys)), dtype=np.int64)
    return bootstrap_weighted(
        lambda weights: one(weights) - other(weights),
        counts,
        Plan(rng, resamples, confidence),
        n=len(keep),
        width=len(keep),
        undefined=UNDEFINED,
    )


def _statistic(kind: Association, score: Floats, target: Floats, group: Floats, keys: Sequence[Hashable]) -> Weighted:
    """The statistic as a function of the weights of the clusters, which are in the order of their sorted keys."""
    if kind == "auc":
        return weighted_auc(units_of(np.column_stack([group, score, target]), keys))
    units = units_of(np.column_stack([score, target]), keys)
    return weighted_pearson(units) if kind == "pearson" else weighted_spearman(units)
