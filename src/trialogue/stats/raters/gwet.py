"""Gwet's AC1: inter-rater agreement that stays meaningful where nearly everything gets one label."""

from collections.abc import Hashable, Sequence

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ratings, check_same_length
from trialogue.stats.raters.labels import encode_table, label_counts
from trialogue.stats.resampling.bootstrap import bootstrap_sums
from trialogue.stats.resampling.clusters import cluster_sums


def gwet_ac1(
    ratings: Ratings,
    *,
    levels: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Gwet's AC1, chance-corrected agreement that is robust to a prevailing label.

    Kappa and alpha can be near 0 although raters agree on 95% of the items, if 95% of all labels are one; AC1 is not.
    It answers another question (would raters agree on an item that is hard to label?), so quote it beside them.

    Args:
        ratings: labels of shape (n_items, n_raters), None or NaN where a rater skipped.
        levels: all labels that could have been given; by default those that were. Chance depends on their number.
        clusters: which items belong together; whole clusters are drawn.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Returns:
        The estimate; ``n`` counts the items with a label. Undefined without an item that two people labelled, or where there
        is one label only.

    Gwet (2008), "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement", eq. 4 and 5; with
    gaps as in Gwet (2014), "Handbook of Inter-Rater Reliability".

    >>> gwet_ac1([["a", "a"], ["a", "b"]]).value     # P = 1/2; P_e = (3/4 * 1/4 + 1/4 * 3/4) / (2 - 1) = 3/8
    0.2
    """
    names, codes = encode_table(ratings, levels=levels)
    check_same_length(ratings=codes, clusters=clusters)
    counts = label_counts(codes, len(names))
    size = counts.sum(axis=1)
    keep = np.flatnonzero(size > 0)
    counts, size = counts[keep], size[keep]
    if not (size >= 2).any():
        return Estimate(value=None, n=len(keep), clusters=0, why=Reason.of(ReasonCode.NO_ITEM_LABELLED_TWICE))
    if len(names) < 2:
        return Estimate(value=None, n=len(keep), clusters=0, why=Reason.of(ReasonCode.ONE_LABEL))
    several = size >= 2
    pairs = np.where(several, size * (size - 1), 1.0)
    equal = np.where(several, (counts * (counts - 1)).sum(axis=1) / pairs, 0.0)
    rows = np.column_stack([equal, several, np.ones(len(counts)), counts / size[:, None]])
    groups = list(range(len(codes))) if clusters is None else list(clusters)

    def ac1(sums: Floats) -> Floats:
        shares = sums[..., 3:] / sums[..., 2:3]
        chance = (shares * (1 - shares)).sum(axis=-1) / (len(names) - 1)
        return np.asarray((sums[..., 0] / sums[..., 1] - chance) / (1 - chance))

    data = cluster_sums(rows, [groups[place] for place in keep.tolist()])
    return bootstrap_sums(data, ac1, rng=rng, resamples=resamples, confidence=confidence, ends=(-1.0, 1.0))
