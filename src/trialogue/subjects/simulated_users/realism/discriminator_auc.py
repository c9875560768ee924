"""AUC of a score that tells simulated from real dialogues, with an interval that holds where nothing tells them apart.

Delete-one-cluster jackknife on the logit, Student's t. A score learned by cross-validation has a larger variance than its
held-out dialogues show: without a difference, its AUC is a degenerate quadratic form. Let d be what speaks for "simulated"
in each fold, by chance; a fold that is held out is scored along the sum of the others, so the AUC adds up d_j d_k over
*ordered* pairs of folds, each pair twice, while the variance given the fits takes the two for independent. That is a factor
of 2; Nadeau and Bengio (2003), "Inference for the Generalization Error", have 1 + k/(k-1), 2.25 for five folds, which is
used. Measured on halves of real users: ``benchmarks/PASSPORTS.md``. Bates, Hastie and Tibshirani (2024) show the same for
error rates.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats import auc
from trialogue.stats.resampling.clusters import codes_of
from trialogue.subjects.agreement.score_pairs import Floats

FOLDS = 5
CROSS_FIT = 1 + FOLDS / (FOLDS - 1)
"""Variance of the AUC of cross-validated scores, relative to that given the fits."""


def discriminator_auc(
    scores: Floats,
    labels: npt.NDArray[np.intp] | Floats,
    clusters: Sequence[Hashable],
    *,
    groups: Sequence[Hashable] | None = None,
    is_learned: bool = False,
    confidence: float = 0.95,
) -> Estimate:
    """AUC of scores, shape (n,), for labels, shape (n,): 1 simulated, 0 real.

    Args:
        scores: the higher, the more likely simulated.
        labels: the kind of each dialogue.
        clusters: the user of each dialogue.
        groups: form pairs only inside these, such as dialogues scored by the same fit, or of one agent.
        is_learned: whether the scores come from a cross-validated classifier (variance times ``CROSS_FIT``).
        confidence: confidence level of the interval.

    Undefined without a pair of both kinds. No interval, and why, with fewer than two clusters of a kind, or if the scores
    separate the kinds perfectly.

    >>> found = discriminator_auc(np.array([1.0, 3.0, 2.0, 4.0]), np.array([0, 0, 1, 1]), ["a", "b", "c", "d"])
    >>> found.value     # of four pairs, three are won
    0.75
    """
    found = auc(scores, labels, groups=groups, clusters=clusters, rng=None, method="percentile", confidence=confidence)
    if found.value is None:
        return found
    if not 0 < found.value < 1:
        return found.model_copy(update={"why": Reason.of(ReasonCode.PERFECT_SEPARATION)})
    group_of = np.zeros(len(scores), dtype=np.intp) if groups is None else codes_of(groups)[1]
    keys, codes = codes_of(clusters)
    influences = np.bincount(codes, _influences(scores, labels == 1, group_of, found.value), minlength=len(keys))
    kinds = np.zeros(len(keys), dtype=np.intp)
    kinds[codes] = labels
    sides = [influences[kinds == kind] for kind in (0, 1)]
    sizes = np.array([len(side) for side in sides], dtype=np.float64)
    if sizes.min() < 2:
        return found.model_copy(update={"why": Reason.of(ReasonCode.ONE_CLUSTER)})
    parts = np.array([float(np.sum(np.sort(side**2))) for side in sides]) * sizes / (sizes - 1)
    if not parts.sum() > 0:
        return found.model_copy(update={"why": Reason.of(ReasonCode.CLUSTERS_ALL_EQUAL)})
    variance = parts.sum() * (CROSS_FIT if is_learned else 1.0)
    freedom = parts.sum() ** 2 / np.sum(parts**2 / (sizes - 1))  # Satterthwaite, over the two kinds
    interval = _logit_interval(found.value, float(variance) ** 0.5, float(freedom), confidence, len(keys))
    return found.model_copy(update={"interval": interval, "why": None})


def _influences(scores: Floats, simulated: npt.NDArray[np.bool_], groups: npt.NDArray[np.intp], value: float) -> Floats:
    """For each dialogue, how much more of its pairs it wins than ``value``, over all pairs; ties count half."""
    wins, pairs = np.zeros(len(scores)), np.zeros(len(scores))
    for group in np.unique(groups):
        for own, sign in ((simulated, 1), (~simulated, -1)):
            rows, others = np.flatnonzero((groups == group) & own), np.flatnonzero((groups == group) & ~own)
            rivals, mine = np.sort(sign * scores[others]), sign * scores[rows]
            wins[rows] = (np.searchsorted(rivals, mine, "left") + np.searchsorted(rivals, mine, "right")) / 2
            pairs[rows] = len(others)
    found: Floats = (wins - value * pairs) / pairs[simulated].sum()
    return found


def _logit_interval(value: float, error: float, freedom: float, confidence: float, clusters: int) -> Interval:
    from scipy.special import expit, logit, stdtrit

    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error / (value * (1 - value))
    low, high = expit([logit(value) - reach, logit(value) + reach])
    label = f"jackknife over {clusters} clusters, logit, t"
    return Interval(low=float(low), high=float(high), confidence=confidence, method=label)
