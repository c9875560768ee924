"""Percent agreement and Fleiss' kappa."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import cohen_kappa, fleiss_kappa, percent_agreement
from trialogue.stats.arrays import Ints

# Fleiss (1971), as retold in many textbooks: 10 subjects, 14 raters, 5 categories; kappa = .210
COUNTS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def labels_of(counts: Ints) -> Ints:
    return np.array([np.repeat(np.arange(counts.shape[1]), row) for row in counts])


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_fleiss_example_comes_out() -> None:
    found = fleiss_kappa(labels_of(COUNTS), rng=generator())
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert found.interval is not None
    assert found.interval.contains(0.21)


def test_fleiss_kappa_agrees_with_statsmodels() -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa as oracle

    counts = generator(1).multinomial(4, [0.2, 0.5, 0.3], size=50)
    assert fleiss_kappa(labels_of(counts)).value == pytest.approx(oracle(counts, method="fleiss"))


def test_raters_may_differ_from_item_to_item_if_their_number_does_not() -> None:
    table = [["a", "a", None], [None, "a", "b"]]
    assert fleiss_kappa(table).value == fleiss_kappa([["a", "a"], ["a", "b"]]).value


def test_unequal_numbers_of_ratings_are_refused_with_what_to_use() -> None:
    with pytest.raises(UsageError, match=r"here it is 1 to 2\. For incomplete data, use krippendorff_alpha"):
        fleiss_kappa([["a", "a"], ["a", None]])
    with pytest.raises(UsageError, match="at least two"):
        fleiss_kappa([["a"], ["b"]])


def test_fleiss_kappa_of_nothing_one_label_or_one_item_says_why() -> None:
    assert fleiss_kappa([]).why == Reason.of(ReasonCode.NO_DATA)
    assert fleiss_kappa([["a", "a"], ["a", "a"]]).why == Reason.of(ReasonCode.LABELS_ALL_EQUAL)
    assert fleiss_kappa([["a", "b"]], rng=generator()).interval is None


def test_percent_agreement_of_two_raters_is_the_share_of_equal_labels() -> None:
    found = percent_agreement([["a", "a"], ["b", "a"], ["c", "c"], ["c", None]], rng=generator())
    assert found.n == 3
    assert found.value == pytest.approx(2 / 3)
    assert found.interval is not None


def test_percent_agreement_is_the_p_o_of_kappa() -> None:
    a, b = generator(1).integers(0, 3, size=(2, 90))
    share, kappa = percent_agreement(np.column_stack([a, b])).value, cohen_kappa(a.tolist(), b.tolist()).value
    chance = sum(np.mean(a == label) * np.mean(b == label) for label in range(3))
    assert share is not None
    assert kappa == pytest.approx((share - chance) / (1 - chance))


def test_percent_agreement_without_pairs_says_why() -> None:
    assert percent_agreement([]).why == Reason.of(ReasonCode.NO_ITEM_RATED_TWICE)
    assert percent_agreement([["a", None]]).why == Reason.of(ReasonCode.NO_ITEM_RATED_TWICE)


@pytest.mark.parametrize("statistic", [percent_agreement, fleiss_kappa])
def test_clusters_widen_and_order_does_not_matter(statistic: Any) -> None:
    table = np.repeat(labels_of(generator(1).multinomial(3, [0.6, 0.2, 0.2], size=25)), 4, axis=0)
    order = generator(2).permutation(100)
    keys = np.arange(100) // 4
    clustered = statistic(table, clusters=keys.tolist(), rng=generator())
    plain = statistic(table, rng=generator())
    assert clustered == statistic(table[order], clusters=keys[order].tolist(), rng=generator())
    ratio = (clustered.interval.high - clustered.interval.low) / (plain.interval.high - plain.interval.low)
    assert ratio == pytest.approx(2, rel=0.15)  # four copies in a cluster: a quarter of the independent units


@pytest.mark.parametrize("statistic", [percent_agreement, fleiss_kappa])
def test_one_column_of_labels_is_refused(statistic: Any) -> None:
    with pytest.raises(UsageError, match=r"shape \(n_items, n_raters\)"):
        statistic(["a", "b"])
    with pytest.raises(UsageError, match="equal lengths"):
        statistic([["a", "b"]], clusters=["x", "y"])
