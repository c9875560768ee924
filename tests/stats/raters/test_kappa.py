"""Cohen's kappa against scikit-learn, statsmodels and its definition."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import cohen_kappa
from trialogue.stats.arrays import Ints

WEIGHTS: list[Any] = ["none", "linear", "quadratic"]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def two_raters(seed: int, n: int = 200, labels: int = 4) -> tuple[Ints, Ints]:
    rng = generator(seed)
    a = rng.integers(0, labels, size=n)
    return a, np.where(rng.random(n) < 0.6, a, rng.integers(0, labels, size=n))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_values_agree_with_scikit_learn(weights: Any) -> None:
    from sklearn.metrics import cohen_kappa_score

    for seed in range(5):
        a, b = two_raters(seed)
        expected = cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
        assert cohen_kappa(a.tolist(), b.tolist(), weights=weights).value == pytest.approx(expected)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_analytic_intervals_agree_with_statsmodels(weights: Any) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    a, b = two_raters(3)
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    expected = cohens_kappa(table, wt=None if weights == "none" else weights)
    found = cohen_kappa(a.tolist(), b.tolist(), weights=weights, method="analytic")
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.kappa_low, expected.kappa_upp))


def test_a_table_worked_by_hand_comes_out() -> None:
    table = np.array([[106, 10, 4], [22, 28, 10], [2, 12, 6]])  # margins 120, 60, 20 and 130, 50, 20
    a, b = np.repeat(np.arange(3), table.sum(axis=1)), np.concatenate([np.repeat(np.arange(3), row) for row in table])
    # p_o = 140/200 = .70; p_e = .6*.65 + .3*.25 + .1*.1 = .475; kappa = .225/.525 = .4286
    assert cohen_kappa(a.tolist(), b.tolist()).value == pytest.approx(0.225 / 0.525)


def test_the_bootstrap_of_tables_has_the_spread_of_the_bootstrap_of_items() -> None:
    a, b = two_raters(4, n=80, labels=3)
    rng = generator(1)
    drawn = (rng.integers(0, 80, size=80) for _ in range(1_500))
    by_items = [cohen_kappa(a[index].tolist(), b[index].tolist()).value or 0 for index in drawn]
    found = cohen_kappa(a.tolist(), b.tolist(), rng=generator(2), resamples=50_000)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(np.quantile(by_items, [0.025, 0.975]), abs=0.02)


def test_clusters_of_one_item_are_the_plain_bootstrap() -> None:
    a, b = two_raters(5)
    plain = cohen_kappa(a.tolist(), b.tolist(), rng=generator())
    clustered = cohen_kappa(a.tolist(), b.tolist(), rng=generator(), clusters=range(200))
    assert plain.value == pytest.approx(clustered.value)
    assert plain.interval is not None
    assert clustered.interval is not None
    assert clustered.interval.low == pytest.approx(plain.interval.low, abs=0.02)


def test_repeating_every_item_in_its_cluster_narrows_nothing() -> None:
    a, b = (side.tolist() for side in two_raters(6, n=60))
    once = cohen_kappa(a, b, rng=generator(), clusters=range(60))
    thrice = cohen_kappa(a * 3, b * 3, rng=generator(), clusters=list(range(60)) * 3)
    assert (thrice.n, thrice.clusters) == (180, 60)
    assert once.interval is not None
    assert thrice.interval is not None
    assert thrice.interval.low == pytest.approx(once.interval.low, abs=1e-9)


def test_the_order_of_items_and_the_sides_do_not_matter() -> None:
    a, b = two_raters(7)
    order = generator(1).permutation(200)
    found = cohen_kappa(a.tolist(), b.tolist(), rng=generator())
    assert found == cohen_kappa(a[order].tolist(), b[order].tolist(), rng=generator())
    assert cohen_kappa(b.tolist(), a.tolist()).value == pytest.approx(found.value)


def test_items_that_one_rater_skipped_are_left_out() -> None:
    found = cohen_kappa(["y", None, "n", "n", "y"], ["y", "y", "n", float("nan"), "n"])
    assert found.n == 3
    assert found.value == pytest.approx(0.4)  # p_o = 2/3, p_e = (2*1 + 1*2)/9 = 4/9: (2/9) / (5/9)


def test_perfect_agreement_is_one_without_an_interval() -> None:
    methods: list[Any] = ["percentile", "analytic"]
    for method in methods:
        found = cohen_kappa([1, 2, 2] * 9, [1, 2, 2] * 9, rng=generator(), method=method)
        assert (found.value, found.interval) == (1.0, None)
        assert found.why is not None
        assert "error cannot be estimated" in str(found.why)


def test_perfect_disagreement_of_two_labels_is_minus_one() -> None:
    assert cohen_kappa([1, 2], [2, 1]).value == -1.0  # p_o = 0, p_e = 1/2


@pytest.mark.parametrize("method", ["percentile", "analytic"])
def test_a_single_label_throughout_is_undefined(method: Any) -> None:
    found = cohen_kappa(["y"] * 4, ["y"] * 4, rng=generator(), method=method)
    assert (found.value, found.n) == (None, 4)
    assert found.why == Reason.of(ReasonCode.RATERS_GAVE_ONE_LABEL)


@pytest.mark.parametrize("method", ["percentile", "analytic"])
def test_no_items_are_undefined(method: Any) -> None:
    assert cohen_kappa([], [], rng=generator(), method=method).why == Reason.of(ReasonCode.NO_DATA)
    assert cohen_kappa([None], ["y"], method=method).why == Reason.of(ReasonCode.NO_DATA)


def test_one_item_has_no_interval() -> None:
    found = cohen_kappa([1], [2], rng=generator())
    assert (found.value, found.interval) == (0.0, None)


def test_weights_count_the_steps_between_levels() -> None:
    a, b = [1, 5, 1, 5, 2], [1, 5, 5, 2, 2]
    assert (
        cohen_kappa(a, b, weights="linear").value != cohen_kappa(a, b, weights="linear", levels=[1, 2, 3, 4, 5]).value
    )
    words = {1: "poor", 2: "fair", 5: "good"}
    named = cohen_kappa([words[x] for x in a], [words[x] for x in b], weights="linear", levels=["poor", "fair", "good"])
    assert named.value == cohen_kappa(a, b, weights="linear").value


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1], [1, 2]), {}, "equal lengths"),
        ((["a"], ["b"]), {"weights": "linear"}, "needs the order of the labels"),
        (([1], [2]), {"weights": "cubic"}, "no weights 'cubic'. Known: none, linear, quadratic"),
        (([1], [2]), {"levels": [1]}, "not among the levels"),
        (([1], [2]), {"clusters": ["x"], "method": "analytic"}, "assumes independent items"),
        (([1], [2]), {"method": "exact"}, "no method 'exact'"),
        (([1], [2]), {"method": "analytic", "confidence": 2}, "confidence"),
    ],
)
def test_what_cannot_be_computed_is_refused(arguments: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cohen_kappa(*arguments, **options)
