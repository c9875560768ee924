"""Pairs of sentences that share a strategy or do not: drawing them, and scores that allow for shared sentences.

669 sentences make 42,006 pairs, so an interval over pairs is five to six times too narrow. Here clusters are resampled, and
a pair counts as often as both its ends were drawn; standard errors allow for shared ends as well. On 300 simulated sets of
all pairs of 40 (150) clusters of different difficulty, 95% intervals of accuracy covered 95% (93%) by cluster, 93% (94%) by
standard error, and 48% (25%) by pair.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import Estimate, Record
from trialogue.stats import auc
from trialogue.stats.resampling.replicates import Plan, Weighted, bootstrap_weighted
from trialogue.strategies.base import Floats, Ints


class Pairs(NamedTuple):
    """Pairs of rows."""

    left: Ints
    """Row of the one, shape (n,)."""
    right: Ints
    """Row of the other, shape (n,)."""
    same: npt.NDArray[np.bool_]
    """Whether both have one label, shape (n,)."""


def count_pairs(columns: Ints) -> tuple[int, int]:
    """Number of unordered pairs of distinct rows with one label, and with two.

    >>> count_pairs(np.array([0, 0, 0, 1]))
    (3, 3)
    """
    sizes = np.bincount(columns)
    same = int((sizes * (sizes - 1) // 2).sum())
    return same, len(columns) * (len(columns) - 1) // 2 - same


def draw_pairs(columns: Ints, count: int | None, *, rng: np.random.Generator) -> Pairs:
    """Sample ``count`` pairs with one label and as many with two, the former first.

    Pairs with one label are drawn from all there are, so that a label weighs by its number of pairs, as in the paper's
    test set; the others from all pairs with two labels. No pair is drawn twice, no row is paired with itself, and either
    end may come first.

    Args:
        columns: label of each row, as a number from 0, shape (n,).
        count: pairs of either kind, at most; None: as many as the scarcer kind has.
        rng: source of randomness.

    Raises:
        UsageError: there are no pairs of one kind.
    """
    scarcer = min(count_pairs(columns))
    if scarcer == 0:
        raise UsageError("pairs require a strategy with at least two sentences, and two different strategies.")
    size = scarcer if count is None else min(count, scarcer)
    return _draw(columns, size, size, rng)


def draw_exact_pairs(columns: Ints, n_same: int, n_different: int, *, rng: np.random.Generator) -> Pairs:
    """Sample as ``draw_pairs`` does, but exactly ``n_same`` pairs with one label and ``n_different`` with two.

    Raises:
        UsageError: there are fewer pairs of either kind.
    """
    most_same, most_different = count_pairs(columns)
    if n_same > most_same or n_different > most_different:
        raise UsageError(
            f"{n_same} pairs with one strategy and {n_different} with two were requested; {len(columns)} sentences have "
            f"{most_same} and {most_different}."
        )
    return _draw(columns, n_same, n_different, rng)


def _draw(columns: Ints, n_same: int, n_different: int, rng: np.random.Generator) -> Pairs:
    ends = np.concatenate([_draw_same_pairs(columns, n_same, rng), _draw_different_pairs(columns, n_different, rng)])
    ends = np.where(rng.random(len(ends))[:, None] < 0.5, ends, ends[:, ::-1])  # neither end is always the earlier row
    return Pairs(ends[:, 0], ends[:, 1], np.repeat([True, False], [n_same, n_different]))


def draw_matching(columns: Ints, count: int, others: int, *, rng: np.random.Generator) -> Pairs:
    """Sample ``count`` pairs with one label and ``others`` with two, as for replies and references.

    The left row is any row that has a partner; the right one any other row with its label, or any row with another. So a
    label weighs by its rows, not by its pairs as in ``draw_pairs``, where three of thirteen strategies make more than half
    of the matches: a share of matches among replies that is estimated by those is up to .035 too low on INSPIRED.

    Pairs may occur twice.

    Raises:
        UsageError: there are no pairs of one kind.
    """
    if min(count_pairs(columns)) == 0:
        raise UsageError("pairs require a strategy with at least two sentences, and two different strategies.")
    members = np.argsort(columns, kind="stable")
    sizes = np.bincount(columns)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(columns), dtype=np.int64)
    place[members] = np.arange(len(columns)) - np.repeat(starts, sizes)  # of each row among those with its label
    left = rng.choice(np.flatnonzero(sizes[columns] > 1), size=count)
    label = columns[left]
    partner = rng.integers(0, sizes[label] - 1)
    right = members[starts[label] + partner + (partner >= place[left])]
    ends = rng.integers(0, len(columns), size=(2, others))
    while (alike := columns[ends[0]] == columns[ends[1]]).any():
        ends[:, alike] = rng.integers(0, len(columns), size=(2, int(alike.sum())))
    both = np.concatenate([left, ends[0]]), np.concatenate([right, ends[1]])
    return Pairs(*both, np.repeat([True, False], [count, others]))


def _draw_same_pairs(columns: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Distinct pairs with one label, shape (size, 2): numbers of pairs are drawn, and turned into pairs."""
    members = np.argsort(columns, kind="stable")
    sizes = np.bincount(columns)
    later = (np.repeat(np.cumsum(sizes), sizes) - np.arange(len(columns)) - 1).astype(np.int64)  # partners behind it
    ends = np.cumsum(later)
    drawn = rng.choice(int(ends[-1]), size=size, replace=False)
    first = np.searchsorted(ends, drawn, side="right")
    second = first + 1 + drawn - (ends[first] - later[first])
    return np.column_stack([members[first], members[second]])


def _draw_different_pairs(columns: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Distinct pairs with two labels, shape (size, 2)."""
    n = len(columns)
    if size * 3 > count_pairs(columns)[1]:  # so many that drawing again and again would take long: list them all
        low, high = np.triu_indices(n, 1)
        fit = np.flatnonzero(columns[low] != columns[high])
        chosen = rng.choice(fit, size=size, replace=False)
        return np.column_stack([low[chosen], high[chosen]])
    found = np.empty(0, dtype=np.int64)
    while len(found) < size:
        ends = np.sort(rng.integers(0, n, size=(2, size + 100)), axis=0)
        ends = ends[:, columns[ends[0]] != columns[ends[1]]]
        both = np.concatenate([found, ends[0] * n + ends[1]])
        _, earliest = np.unique(both, return_index=True)
        found = both[np.sort(earliest)]
    return np.column_stack(np.divmod(found[:size], n))


RESAMPLES = 2_000
Bools = npt.NDArray[np.bool_]


class PairMeasures(Record):
    """Measures on pairs, with one kind of interval."""

    accuracy: Estimate
    """Accuracy on pairs at a threshold of one half."""
    kappa: Estimate
    """The same beyond chance (Cohen)."""
    auc: Estimate
    """Chance that a pair with one strategy gets a higher probability than one with two."""
    true_positive_rate: Estimate
    """Share of the pairs with one strategy that are called so."""
    false_positive_rate: Estimate
    """Share of the pairs with two strategies that are called one."""


class PairScores(Record):
    """Accuracy of pair classification."""

    n: int
    """Number of pairs scored."""
    prevalence: float
    """Share of pairs with one strategy. Accuracy and kappa hold for this prevalence only."""
    identical: int = 0
    """Pairs of a text with itself."""
    clusters: int
    """Dialogues, or different sentences, that the pairs are made of."""
    unit: str
    """Resampling unit: ``"dialogue"`` or ``"sentence"``."""
    by_cluster: PairMeasures
    """Intervals by drawing clusters: the ones to believe."""
    by_pair: PairMeasures
    """Intervals as if pairs were independent, as in print; too narrow."""
    accuracy_se: float | None = None
    """Dyadic-cluster-robust standard error of the accuracy; None where it comes out negative (few clusters)."""
    kappa_se: float | None = None
    """The same of kappa."""


@dataclass(frozen=True, eq=False)
class Dyads:
    """Predicted pairs with their clusters."""

    left: Ints
    """Cluster of one end, 0 to clusters - 1, shape (n,)."""
    right: Ints
    """Cluster of the other end."""
    truth: Bools
    """Whether they share a strategy."""
    said: Bools
    """Whether the model says so."""
    scores: Floats
    """Predicted probability that the pair matches."""
    clusters: int
    """Number of clusters."""

    @classmethod
    def from_pairs(cls, pairs: Pairs, chances: Floats, places: Ints) -> "Dyads":
        """Pairs of rows with their probabilities of one strategy, and the cluster of each row."""
        left, right = places[pairs.left], places[pairs.right]
        _, ends = np.unique(np.concatenate([left, right]), return_inverse=True)
        size = len(left)
        return cls(ends[:size], ends[size:], pairs.same, chances >= 0.5, chances, int(ends.max(initial=-1)) + 1)

    @property
    def cells(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Distinct (low end, high end, 2 truth + said) with their number of pairs."""
        ends = np.sort(np.column_stack([self.left, self.right]), axis=1)
        kinds = np.column_stack([ends, 2 * self.truth + self.said])
        distinct, counts = np.unique(kinds, axis=0, return_counts=True)
        low, high, kind = distinct.T
        return low, high, kind, counts.astype(np.float64)


def pair_scores(
    dyads: Dyads, *, unit: str, rng: np.random.Generator, identical: int = 0, resamples: int = RESAMPLES
) -> PairScores:
    """All pair measures, with intervals by cluster and by pair.

    Raises:
        UsageError: there are no pairs.
    """
    accuracy, kappa = _influence(dyads)
    return PairScores(
        n=len(dyads.truth),
        prevalence=float(dyads.truth.mean()),
        identical=identical,
        clusters=dyads.clusters,
        unit=unit,
        by_cluster=_resample_clusters(dyads, Plan(rng, resamples)),
        by_pair=_resample_pairs(dyads, Plan(rng, resamples)),
        accuracy_se=dyadic_se(accuracy, dyads),
        kappa_se=dyadic_se(kappa, dyads),
    )


MEASURES = ("accuracy", "kappa", "true_positive_rate", "false_positive_rate")


def measure(table: Floats, name: str) -> Floats:
    """One of MEASURES from counts of shape (..., 4): truth and answer no-no, no-yes, yes-no, yes-yes; NaN if undefined.

    >>> table = np.array([40.0, 10.0, 20.0, 30.0])
    >>> [round(float(measure(table, name)), 3) for name in MEASURES]     # kappa: (.7 - .5) / (1 - .5)
    [0.7, 0.4, 0.6, 0.2]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return _measure(table, name)


def _measure(table: Floats, name: str) -> Floats:
    no_no, no_yes, yes_no, yes_yes = np.moveaxis(table, -1, 0)
    n = table.sum(axis=-1)
    observed = (no_no + yes_yes) / n
    if name == "accuracy":
        return np.asarray(observed)
    if name == "true_positive_rate":
        return np.asarray(yes_yes / (yes_no + yes_yes))
    if name == "false_positive_rate":
        return np.asarray(no_yes / (no_no + no_yes))
    expected = ((yes_no + yes_yes) * (no_yes + yes_yes) + (no_no + no_yes) * (no_no + yes_no)) / n**2
    return np.asarray((observed - expected) / (1 - expected))


def accuracy_difference(ours: Dyads, theirs: Bools, plan: Plan) -> Estimate:
    """Accuracy of one classifier minus that of another on the same pairs, with an interval that draws clusters.

    Args:
        ours: pairs with the answers of the one.
        theirs: answers of the other, in the same order, shape (n,).
        plan: plan of the resamples.
    """
    gaps = (ours.said == ours.truth).astype(np.float64) - (theirs == ours.truth)

    def statistic(weights: Floats) -> Floats:
        drawn = _draw_counts(weights, ours.left, ours.right)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((drawn @ gaps) / drawn.sum(axis=1))

    units = np.ones(ours.clusters, dtype=np.int64)
    return bootstrap_weighted(statistic, units, plan, n=len(gaps), width=len(gaps))


def _resample_pairs(dyads: Dyads, plan: Plan) -> PairMeasures:
    counts = np.bincount(2 * dyads.truth + dyads.said, minlength=4)
    present = np.flatnonzero(counts)
    spread = np.eye(4)[present]

    def estimate_measure(name: str) -> Estimate:
        found = bootstrap_weighted(
            lambda weights: measure(weights @ spread, name), counts[present], plan, n=len(dyads.truth)
        )
        return _name_method(found, "bootstrap of pairs")

    return PairMeasures(auc=auc(dyads.scores, dyads.truth), **{name: estimate_measure(name) for name in MEASURES})


def _name_method(estimate: Estimate, method: str) -> Estimate:
    if estimate.interval is None:
        return estimate
    words = f"{method}, {estimate.interval.method.partition(', ')[2]}"
    return estimate.model_copy(update={"interval": estimate.interval.model_copy(update={"method": words})})


def _resample_clusters(dyads: Dyads, plan: Plan) -> PairMeasures:
    low, high, kind, counts = dyads.cells
    spread = np.eye(4)[kind] * counts[:, None]
    units = np.ones(dyads.clusters, dtype=np.int64)

    def estimate_statistic(statistic: Weighted, width: int) -> Estimate:
        return bootstrap_weighted(statistic, units, plan, n=len(dyads.truth), width=width)

    def cells(name: str) -> Weighted:
        return lambda weights: measure(_draw_counts(weights, low, high) @ spread, name)

    found = {name: estimate_statistic(cells(name), len(low)) for name in MEASURES}
    return PairMeasures(auc=estimate_statistic(auc_by_weights(dyads), 2 * len(dyads.truth)), **found)


def _draw_counts(weights: Floats, left: Ints, right: Ints) -> Floats:
    """Resampling weights of pairs, shape (r, n): the product of both clusters' counts; for a pair within one cluster, its
    count."""
    drawn = weights[:, left]
    return np.where(left == right, drawn, drawn * weights[:, right])


def auc_by_weights(dyads: Dyads) -> Weighted:
    """AUC of the pairs by weights of the clusters."""
    order = np.argsort(dyads.scores, kind="stable")
    left, right, truth = dyads.left[order], dyads.right[order], dyads.truth[order]
    scores = dyads.scores[order]
    ties = np.flatnonzero(np.diff(scores, prepend=scores[:1] - 1))  # where runs of equal scores begin

    def statistic(weights: Floats) -> Floats:
        drawn = _draw_counts(weights, left, right)
        above = np.add.reduceat(np.where(truth, drawn, 0), ties, axis=1)
        below = np.add.reduceat(np.where(truth, 0, drawn), ties, axis=1)
        lower = np.cumsum(below, axis=1) - below / 2
        return np.asarray((above * lower).sum(axis=1) / (above.sum(axis=1) * below.sum(axis=1)))

    return statistic


def _influence(dyads: Dyads) -> tuple[Floats, Floats]:
    """Influence of each pair on accuracy and kappa; shape (n,) each (delta method for kappa)."""
    truth, said = dyads.truth.astype(np.float64), dyads.said.astype(np.float64)
    right = (dyads.truth == dyads.said).astype(np.float64)
    a, b, observed = truth.mean(), said.mean(), right.mean()
    expected = a * b + (1 - a) * (1 - b)
    moves = (1 - observed) * ((2 * b - 1) * (truth - a) + (2 * a - 1) * (said - b))
    gap = max((1 - expected) ** 2, 1e-12)
    return right - observed, ((1 - expected) * (right - observed) - moves) / gap


def dyadic_se(influence: Floats, dyads: Dyads) -> float | None:
    """Standard error of a mean over pairs that allows for dependence between pairs with a common end.

    Sums the products of influences over all pairs of pairs that share an end; None if that sum is not positive.
    Aronow, Samii & Assenova (2015), "Cluster-Robust Variance Estimation for Dyadic Data", eq. 3.
    """
    inside = dyads.left == dyads.right
    ends = np.zeros(dyads.clusters)
    np.add.at(ends, dyads.left, influence)
    np.add.at(ends, dyads.right[~inside], influence[~inside])
    low, high = np.minimum(dyads.left, dyads.right)[~inside], np.maximum(dyads.left, dyads.right)[~inside]
    _, code = np.unique(low * dyads.clusters + high, return_inverse=True)
    both = np.bincount(code, weights=influence[~inside]) if len(code) else np.zeros(1)
    total = float((ends**2).sum() - (both**2).sum())  # pairs with both ends in common were counted twice
    return total**0.5 / len(influence) if total > 0 else None
