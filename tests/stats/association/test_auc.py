"""AUC against scikit-learn and its definition."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit, stdtrit

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import auc
from trialogue.stats.arrays import Floats


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def scored(seed: int, n: int = 60, *, tied: bool = False) -> tuple[Floats, list[bool]]:
    labels = generator(seed).random(n) < 0.4
    scores = labels + generator(seed + 1).normal(size=n)
    return (np.round(scores) if tied else scores), labels.tolist()


def by_pairs(scores: Floats, labels: Any, groups: Any = None) -> float:
    wins = pairs = 0.0
    groups = [0] * len(scores) if groups is None else groups
    for s, yes, g in zip(scores, labels, groups, strict=True):
        for t, other, h in zip(scores, labels, groups, strict=True):
            if yes and not other and g == h:
                pairs += 1
                wins += float(s > t) + 0.5 * float(s == t)
    return wins / pairs if pairs else float("nan")


@pytest.mark.parametrize("tied", [False, True])
def test_values_agree_with_scikit_learn(tied: bool) -> None:
    from sklearn.metrics import roc_auc_score

    for seed in range(5):
        scores, labels = scored(seed, tied=tied)
        assert auc(scores, labels).value == pytest.approx(roc_auc_score(labels, scores))


@pytest.mark.parametrize("tied", [False, True])
def test_within_groups_only_pairs_of_a_group_count(tied: bool) -> None:
    scores, labels = scored(7, tied=tied)
    groups = generator(8).integers(0, 7, size=60).tolist()
    found = auc(scores, labels, groups=groups, method="percentile")
    assert found.value == pytest.approx(by_pairs(scores, labels, groups))


def test_a_difference_between_groups_counts_only_without_groups() -> None:
    scores, labels, groups = [1, 1, 2, 2], [False, False, True, True], ["x", "x", "y", "y"]
    assert auc(scores, labels).value == 1.0
    found = auc(scores, labels, groups=groups, method="percentile", rng=generator())
    assert (found.value, found.why) == (None, Reason.of(ReasonCode.NO_TRUE_AND_FALSE_PAIR_IN_GROUP))


def test_delongs_interval_is_that_of_the_placements() -> None:
    scores, labels = scored(3, tied=True)
    true, false = scores[np.array(labels)], scores[~np.array(labels)]
    psi = (true[:, None] > false) + 0.5 * (true[:, None] == false)
    # DeLong, DeLong & Clarke-Pearson (1988): S10 / m + S01 / n, sample variances of the row and column means
    error = np.sqrt(psi.mean(axis=1).var(ddof=1) / len(true) + psi.mean(axis=0).var(ddof=1) / len(false))
    found = auc(scores, labels)
    assert found.interval is not None
    parts = [psi.mean(axis=axis).var(ddof=1) / size for axis, size in ((1, len(true)), (0, len(false)))]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(true) - 1) + parts[1] ** 2 / (len(false) - 1))
    place = psi.mean()
    reach = stdtrit(freedom, 0.975) * error / (place * (1 - place))
    assert found.interval.low == pytest.approx(expit(logit(place) - reach), rel=1e-6)
    assert found.interval.method == "DeLong, logit, t"


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_bootstrap_is_one_over_units_or_clusters(grouped: bool, clustered: bool) -> None:
    scores, labels = scored(4, n=48, tied=True)
    groups = [index % 2 for index in range(48)] if grouped else None
    keys = np.arange(48) // 4 if clustered else np.arange(48)
    found = auc(
        scores,
        labels,
        groups=groups,
        clusters=keys.tolist() if clustered else None,
        rng=generator(),
        resamples=20_000,
        method="percentile",
    )
    rng, loop = generator(1), []
    for _ in range(600):
        drawn = rng.integers(0, keys.max() + 1, size=keys.max() + 1)
        index = np.concatenate([np.flatnonzero(keys == key) for key in drawn])
        loop.append(
            by_pairs(scores[index], np.array(labels)[index], None if groups is None else np.array(groups)[index])
        )
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        np.nanquantile(loop, [0.025, 0.975]).tolist(), abs=0.05
    )


@pytest.mark.parametrize(
    "options", [{}, {"method": "percentile"}, {"method": "percentile", "clusters": True, "groups": True}]
)
def test_the_order_of_units_does_not_matter(options: dict[str, Any]) -> None:
    scores, labels = scored(5)
    keys, results = np.arange(60) // 3, []
    for index in (np.arange(60), generator(1).permutation(60)):
        extra = dict(options)
        if "clusters" in options:
            extra |= {"clusters": keys[index].tolist(), "groups": (index % 2).tolist()}
        found = auc(scores[index], np.array(labels)[index], rng=generator(), resamples=200, **extra)
        results.append(found)
    assert results[0] == results[1]


def test_turning_scores_or_labels_around_mirrors_it() -> None:
    scores, labels = scored(6, tied=True)
    value = auc(scores, labels).value
    assert value is not None
    assert auc(-scores, labels).value == pytest.approx(1 - value)
    assert auc(scores, [not label for label in labels]).value == pytest.approx(1 - value)
    assert auc(scores**3, labels).value == pytest.approx(value)


def test_units_without_score_or_label_are_left_out() -> None:
    found = auc([0.1, None, 0.4, 0.8, 0.9], [0, 1, 0, 1, None])
    assert (found.value, found.n) == (1.0, 3)


def test_constant_scores_are_chance() -> None:
    found = auc([1.0] * 10, [True, False] * 5)
    assert (found.value, found.interval) == (0.5, None)


def test_perfect_scores_have_no_interval() -> None:
    for method in ("delong", "percentile"):
        found = auc(np.arange(20), [False] * 10 + [True] * 10, rng=generator(), method=method)
        assert (found.value, found.interval) == (1.0, None)
        assert found.why is not None
        assert "error cannot be estimated" in str(found.why)


@pytest.mark.parametrize(("scores", "labels"), [([], []), ([1.0], [True]), ([1.0, 2.0], [False, False])])
def test_without_a_pair_it_is_undefined(scores: Any, labels: Any) -> None:
    found = auc(scores, labels)
    assert (found.value, found.why) == (None, Reason.of(ReasonCode.NO_TRUE_AND_FALSE_PAIR))


def test_delong_needs_two_of_each_label() -> None:
    found = auc([1, 2, 3], [0, 0, 1])
    assert (found.value, found.why) == (1.0, Reason.of(ReasonCode.TOO_FEW_FOR_DELONG))


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 1, 2], {}, r"true or false \(1 or 0\), got \[0.0, 1.0, 2.0\]"),
        ([0, 1], {}, "equal lengths"),
        ([0, 1, 1], {"clusters": "abc"}, "does not support clusters or groups"),
        ([0, 1, 1], {"groups": "abc"}, "does not support clusters or groups"),
        ([0, 1, 1], {"method": "normal"}, "no method"),
    ],
)
def test_what_cannot_be_computed_is_refused(labels: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        auc([1.0, 2.0, 3.0], labels, **options)
