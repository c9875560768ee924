"""The difference of two scores' associations with a target."""

import numpy as np
import pytest

from tests.untraced import untraced
from trialogue.errors import UsageError
from trialogue.stats import association_difference, auc, kendall, pearson, spearman


def data(size: int = 120) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    target = rng.normal(size=size)
    return target + rng.normal(size=size), target + 2 * rng.normal(size=size), target, rng.integers(0, 30, size)


@pytest.mark.parametrize(("kind", "of"), [("pearson", pearson), ("spearman", spearman)])
def test_the_value_is_the_difference_of_the_two_correlations(kind: str, of: object) -> None:
    a, b, target, clusters = data()
    found = association_difference(kind, a, b, target, rng=np.random.default_rng(0), clusters=clusters, resamples=200)  # type: ignore[arg-type]
    assert found.value == pytest.approx(of(a, target).value - of(b, target).value)  # type: ignore[operator]
    assert found.interval is not None
    assert found.value is not None
    assert found.interval.low < found.value < found.interval.high
    assert (found.n, found.clusters) == (120, len(set(clusters.tolist())))


def test_auc_forms_pairs_inside_groups_only() -> None:
    a, b, target, clusters = data()
    truth, groups = (target > 0).astype(float), (clusters % 3).tolist()
    found = association_difference("auc", a, b, truth, groups=groups, rng=np.random.default_rng(0), resamples=50)
    expected = [auc(score, truth, groups=groups, method="percentile").value for score in (a, b)]
    assert expected[0] is not None
    assert expected[1] is not None
    assert found.value == pytest.approx(expected[0] - expected[1])


def test_a_score_compared_with_itself_has_no_error() -> None:
    a, _, target, _ = data()
    found = association_difference("pearson", a, a, target, rng=np.random.default_rng(0), resamples=50)
    assert found.value == 0
    assert found.interval is None


def test_only_units_with_both_scores_count() -> None:
    found = association_difference(
        "pearson", [1, 2, 3, None], [1, None, 3, 4], [1, 2, 4, 4], rng=np.random.default_rng(0), resamples=50
    )
    assert found.n == 2


def test_what_never_varies_is_undefined_and_says_why() -> None:
    found = association_difference("auc", [1, 1, 1], [1, 2, 3], [0, 1, 1], rng=np.random.default_rng(0), resamples=50)
    assert found.value is None
    assert "never varies" in str(found.why)
    assert association_difference("auc", [], [], [], rng=np.random.default_rng(0)).value is None


def test_impossible_requests_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="no association"):
        association_difference("tau", [1], [1], [1], rng=rng)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Only the AUC"):
        association_difference("pearson", [1], [1], [1], rng=rng, groups=["a"])


def test_kendall_s_tau_of_two_pairs_is_one_or_minus_one() -> None:
    assert kendall([1, 2], [5, 3]).value == -1
    assert kendall([1, 2], [5, 7]).value == 1


@pytest.mark.slow
@pytest.mark.atlas
@untraced()
def test_the_interval_covers_the_true_difference() -> None:
    # Correlations with the target: 1/sqrt(2) and 1/sqrt(5); 300 data sets, binomial sd of the coverage 1.3%.
    true, hits = 2**-0.5 - 5**-0.5, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        target = rng.normal(size=150)
        a, b = target + rng.normal(size=150), target + 2 * rng.normal(size=150)
        interval = association_difference("pearson", a, b, target, rng=rng, resamples=300).interval
        hits += interval is not None and interval.contains(true)
    assert 0.90 <= hits / 300 <= 0.98
