"""Pairs that share sentences: measures against scikit-learn, intervals against drawing for real, errors against a sum."""

import numpy as np
import pytest

from tests.untraced import untraced
from trialogue.stats import auc
from trialogue.strategies.learning.dyads import MEASURES, Dyads, Pairs, dyadic_se, measure, pair_scores


def made(seed: int, *, clusters: int = 12, n: int = 150, inside: bool = True) -> Dyads:
    """Random pairs whose answer is right most of the time, worse for some clusters than for others."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, clusters, (2, n))
    if not inside:
        right = (left + rng.integers(1, clusters, n)) % clusters
    truth = rng.random(n) < 0.5
    skill = rng.normal(size=clusters)
    scores = 1 / (1 + np.exp(-(2 * truth - 1) * (1 + skill[left] + skill[right]) - 0.5 * rng.normal(size=n)))
    return Dyads(left, right, truth, scores >= 0.5, scores, clusters)


def test_measures_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import accuracy_score, cohen_kappa_score, recall_score, roc_auc_score

    dyads = made(0)
    found = pair_scores(dyads, unit="sentence", rng=np.random.default_rng(0), resamples=50)
    for part in (found.by_cluster, found.by_pair):
        assert part.accuracy.value == pytest.approx(accuracy_score(dyads.truth, dyads.said))
        assert part.kappa.value == pytest.approx(cohen_kappa_score(dyads.truth, dyads.said))
        assert part.true_positive_rate.value == pytest.approx(recall_score(dyads.truth, dyads.said))
        assert part.false_positive_rate.value == pytest.approx(1 - recall_score(~dyads.truth, ~dyads.said))
        assert part.auc.value == pytest.approx(roc_auc_score(dyads.truth, dyads.scores))
    assert (found.n, found.clusters) == (150, 12)
    assert found.prevalence == pytest.approx(dyads.truth.mean())


def _repeated(dyads: Dyads, weights: np.ndarray) -> Dyads:
    """The pairs as often as both ends were drawn, written out; within one cluster as often as that."""
    times = np.where(dyads.left == dyads.right, weights[dyads.left], weights[dyads.left] * weights[dyads.right])
    keep = np.repeat(np.arange(len(times)), times.astype(int))
    left, right, truth = dyads.left[keep], dyads.right[keep], dyads.truth[keep]
    return Dyads(left, right, truth, dyads.said[keep], dyads.scores[keep], dyads.clusters)


def test_drawing_clusters_is_repeating_their_pairs() -> None:
    from trialogue.strategies.learning.dyads import _draw_counts, auc_by_weights

    dyads = made(1)
    rng = np.random.default_rng(0)
    low, high, kind, counts = dyads.cells
    for _ in range(20):
        weights = rng.multinomial(12, np.full(12, 1 / 12)).astype(float)
        again = _repeated(dyads, weights)
        table = np.bincount(2 * again.truth + again.said, minlength=4)
        assert (_draw_counts(weights[None], low, high) @ (np.eye(4)[kind] * counts[:, None]))[
            0
        ].tolist() == table.tolist()
        assert auc_by_weights(dyads)(weights[None])[0] == pytest.approx(auc(again.scores, again.truth).value)


def test_the_dyadic_error_is_the_sum_over_pairs_that_share_an_end() -> None:
    dyads = made(2, n=80)
    influence = np.random.default_rng(0).normal(size=80) + dyads.left
    ends = [set(pair) for pair in zip(dyads.left.tolist(), dyads.right.tolist(), strict=True)]
    total = sum(
        influence[one] * influence[other] for one in range(80) for other in range(80) if ends[one] & ends[other]
    )
    assert dyadic_se(influence, dyads) == pytest.approx(total**0.5 / 80)


def test_pairs_that_share_no_end_have_the_usual_error() -> None:
    n = 200
    dyads = Dyads(
        np.arange(n), np.arange(n, 2 * n), np.arange(n) % 2 == 0, np.arange(n) % 3 == 0, np.arange(n) / n, 2 * n
    )
    right = (dyads.truth == dyads.said).astype(float)
    assert dyadic_se(right - right.mean(), dyads) == pytest.approx((right.var() / n) ** 0.5)


def test_intervals_by_cluster_are_wider_where_pairs_share_sentences() -> None:
    found = pair_scores(made(3, clusters=30, n=4_000), unit="sentence", rng=np.random.default_rng(0), resamples=400)
    for name in (*MEASURES, "auc"):
        by_cluster, by_pair = getattr(found.by_cluster, name).interval, getattr(found.by_pair, name).interval
        assert by_cluster.high - by_cluster.low > 2 * (by_pair.high - by_pair.low)
    assert found.accuracy_se is not None
    interval = found.by_cluster.accuracy.interval
    assert interval is not None
    assert 2 * 1.96 * found.accuracy_se == pytest.approx(interval.high - interval.low, rel=0.3)
    assert "cluster bootstrap" in interval.method
    assert "bootstrap of pairs" in found.by_pair.accuracy.interval.method  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.atlas
@untraced()
def test_intervals_cover_the_truth() -> None:
    """Clusters with random skill; the truth is the accuracy over endless clusters."""

    def accuracy(rng: np.random.Generator, clusters: int) -> Dyads:
        skill = rng.normal(size=clusters)
        low, high = np.triu_indices(clusters, 1)
        right = rng.random(len(low)) < 1 / (1 + np.exp(-1 - skill[low] - skill[high]))
        truth = rng.random(len(low)) < 0.5
        said = np.where(right, truth, ~truth)
        return Dyads(low, high, truth, said, said.astype(float), clusters)

    draws = np.random.default_rng(1).normal(size=(400_000, 2)).sum(axis=1)
    true = float(np.mean(1 / (1 + np.exp(-1 - draws))))
    hits = errors = 0
    for seed in range(300):
        dyads = accuracy(np.random.default_rng(seed), 40)
        found = pair_scores(dyads, unit="sentence", rng=np.random.default_rng(seed), resamples=200)
        interval, value = found.by_cluster.accuracy.interval, found.by_cluster.accuracy.value
        assert interval is not None
        assert value is not None
        assert found.accuracy_se is not None
        hits += interval.contains(true)
        errors += abs(value - true) < 1.96 * found.accuracy_se
    assert 0.90 <= hits / 300 <= 0.99  # .953 was measured
    assert 0.88 <= errors / 300 <= 0.98


def test_judged_pairs_know_their_clusters() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([2, 3]), np.array([True, False]))
    dyads = Dyads.from_pairs(pairs, np.array([0.9, 0.5]), np.array([7, 7, 3, 7]))
    assert dyads.clusters == 2
    assert (dyads.left == dyads.right).tolist() == [False, True]
    assert dyads.said.tolist() == [True, True]


def test_a_classifier_that_always_says_the_same_has_no_kappa_interval_but_a_value() -> None:
    dyads = made(4)
    always = Dyads(dyads.left, dyads.right, dyads.truth, np.ones(150, dtype=bool), np.ones(150), 12)
    found = pair_scores(always, unit="sentence", rng=np.random.default_rng(0), resamples=50)
    assert found.by_cluster.kappa.value == 0
    assert found.by_cluster.kappa.interval is None
    assert found.by_cluster.kappa.why
    assert found.by_cluster.auc.value == 0.5


def test_a_measure_that_needs_absent_pairs_is_undefined() -> None:
    assert np.isnan(measure(np.array([3.0, 1.0, 0.0, 0.0]), "true_positive_rate"))
