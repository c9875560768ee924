"""Inter-rater agreement: percent agreement and Fleiss' kappa.

Which coefficient: Krippendorff's alpha (``alpha``) for any number of raters with gaps, on any scale; Cohen's kappa
(``kappa``) for two raters of labels; Fleiss' kappa for comparison with papers that report it; ICC (``icc``) for the
reliability of numeric ratings and of their mean.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ints, Ratings, check_same_length
from trialogue.stats.raters.alpha import krippendorff_alpha
from trialogue.stats.raters.icc import icc, spearman_brown
from trialogue.stats.raters.kappa import cohen_kappa
from trialogue.stats.raters.labels import encode_table, label_counts
from trialogue.stats.resampling.bootstrap import bootstrap_sums, mean_of
from trialogue.stats.resampling.clusters import cluster_sums, select_keys

__all__ = ["cohen_kappa", "fleiss_kappa", "icc", "krippendorff_alpha", "percent_agreement", "spearman_brown"]


def percent_agreement(
    ratings: Ratings,
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Share of equal pairs of ratings of the same item, 0 to 1, with a bootstrap interval over items.

    Args:
        ratings: labels of shape (n_items, n_raters), None or NaN where a rater skipped.
        clusters: cluster of each item; whole clusters are resampled.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Pairs are pooled over items, so an item with more ratings counts more. ``n`` counts the items with two ratings or
    more; undefined without any. Not corrected for chance.

    >>> percent_agreement([["a", "a", "a"], ["a", "b", None]]).value     # 3 of 3 pairs and 0 of 1
    0.75
    """
    counts, groups = _label_counts(ratings, clusters)
    size = counts.sum(axis=1)
    keep = np.flatnonzero(size >= 2)
    pairs, equal = size[keep] * (size[keep] - 1), (counts[keep] * (counts[keep] - 1)).sum(axis=1)
    data = cluster_sums(np.column_stack([equal, pairs]), select_keys(groups, keep) or [])
    if not data.n:
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_ITEM_RATED_TWICE))
    return bootstrap_sums(data, mean_of, rng=rng, resamples=resamples, confidence=confidence)


def fleiss_kappa(
    ratings: Ratings,
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Fleiss' kappa of labels by an equal number of raters per item, with a bootstrap interval over items.

    Args:
        ratings: labels of shape (n_items, n_raters); None or NaN where a rater did not rate that item, but every item
            needs the same number of ratings. Which rater gave which does not matter.
        clusters: cluster of each item; whole clusters are resampled.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Returns:
        The estimate; undefined if all labels are the same.

    Raises:
        UsageError: if items have different numbers of ratings, or fewer than two; use alpha for those.

    Fleiss (1971), "Measuring Nominal Scale Agreement among Many Raters".

    >>> fleiss_kappa([["a", "a"], ["a", "b"]]).value     # P = (1 + 0)/2, P_e = (3/4)^2 + (1/4)^2 = 5/8
    -0.3333333333333333
    """
    counts, groups = _label_counts(ratings, clusters)
    if not len(counts):
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_DATA))
    size = counts.sum(axis=1)
    if size.min() != size.max() or size[0] < 2:
        raise UsageError(
            "Fleiss' kappa needs the same number of ratings, at least two, for every item; here it is "
            f"{int(size.min())} to {int(size.max())}. For incomplete data, use krippendorff_alpha(..., level='nominal')."
        )
    raters = size[0]
    equal = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))

    def kappa(sums: Floats) -> Floats:
        items = sums[..., 1]
        chance = ((sums[..., 2:] / (items * raters)[..., None]) ** 2).sum(axis=-1)
        return np.where(chance < 1 - 1e-12, (sums[..., 0] / items - chance) / (1 - chance), np.nan)

    data = cluster_sums(np.column_stack([equal, np.ones(len(equal)), counts]), groups)
    why = Reason.of(ReasonCode.LABELS_ALL_EQUAL)
    return bootstrap_sums(
        data, kappa, rng=rng, resamples=resamples, confidence=confidence, undefined=why, ends=(-1.0, 1.0)
    )


def _label_counts(ratings: Any, clusters: Sequence[Hashable] | None) -> tuple[Ints, Sequence[Hashable]]:
    """Label counts of each item, shape (n_items, n_labels), and the cluster of each item."""
    names, codes = encode_table(ratings)
    check_same_length(ratings=codes, clusters=clusters)
    return label_counts(codes, len(names)), clusters if clusters is not None else range(len(codes))
