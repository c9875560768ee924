"""Cliff's delta and the probability of superiority: effect sizes that only use the order of ratings."""

from collections.abc import Hashable, Sequence

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_same_length
from trialogue.stats.resampling.bootstrap import bootstrap_sums
from trialogue.stats.resampling.clusters import cluster_sums


def dominance(
    a: Values,
    b: Values,
    *,
    clusters_a: Sequence[Hashable] | None = None,
    clusters_b: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Vargha and Delaney's A: the probability that a rating of a is higher than one of b, ties counting half.

    0.5 is no difference; Cliff's delta is 2A - 1 (``cliff_delta``).

    Args:
        a: ratings of one system; missing ones (None, NaN) are left out.
        b: ratings of the other.
        clusters_a: who gave each rating; the same key on both sides is the same person, drawn with all ratings.
        clusters_b: the same for b. Without clusters every rating is drawn alone.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Vargha & Delaney (2000), "A Critique and Improvement of the CL Common Language Effect Size Statistics of McGraw and
    Wong"; Cliff (1993). Memory grows with the number of different ratings; meant for scales, not for continuous numbers.

    >>> dominance([3, 4], [2, 3]).value     # of four pairs three are higher and one is a tie
    0.875
    """
    left, right = as_floats(a, "a"), as_floats(b, "b")
    check_same_length(a=left, clusters_a=clusters_a)
    check_same_length(b=right, clusters_b=clusters_b)
    keys = [
        *(clusters_a if clusters_a is not None else [("a", i) for i in range(len(left))]),
        *(clusters_b if clusters_b is not None else [("b", i) for i in range(len(right))]),
    ]
    values, of_b = np.concatenate([left, right]), np.repeat([0, 1], [len(left), len(right)])
    keep = np.flatnonzero(~np.isnan(values))
    points = np.unique(values[keep])
    size = len(points)
    if not (of_b[keep] == 0).any() or not (of_b[keep] == 1).any():
        return Estimate(value=None, n=len(keep), clusters=0, why=Reason.of(ReasonCode.ONE_SIDE_UNRATED))
    counts = np.zeros((len(keep), 2 * size))
    counts[np.arange(len(keep)), np.searchsorted(points, values[keep]) + size * of_b[keep]] = 1

    def higher(sums: Floats) -> Floats:
        ours, theirs = sums[..., :size], sums[..., size:]
        below = np.cumsum(theirs, axis=-1) - theirs / 2
        return np.asarray((ours * below).sum(axis=-1) / (ours.sum(axis=-1) * theirs.sum(axis=-1)))

    data = cluster_sums(counts, [keys[index] for index in keep.tolist()])
    return bootstrap_sums(data, higher, rng=rng, resamples=resamples, confidence=confidence)


def cliff_delta(chance: Estimate) -> Estimate:
    """Convert a probability of superiority to Cliff's delta, -1 to 1.

    >>> cliff_delta(dominance([3, 4], [2, 3])).value     # 2 * .875 - 1
    0.75
    """
    if chance.value is None:
        return chance
    interval = chance.interval and chance.interval.model_copy(
        update={"low": 2 * chance.interval.low - 1, "high": 2 * chance.interval.high - 1}
    )
    return chance.model_copy(update={"value": 2 * chance.value - 1, "interval": interval})
