"""Rarefaction: exact enumeration, subsamples drawn at random, and every leave-one-out against a recount."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.rarefaction import (
    Rarefied,
    comparable,
    expected_distinct,
    miss_probability,
    occurrences_of,
    rarefy_to_common_size,
)


def curve(clusters: Sequence[str]) -> Rarefied:
    """A sample whose types are letters and whose size is their number."""
    pairs = sorted({(ord(letter), place) for place, letters in enumerate(clusters) for letter in letters})
    times = np.array([sum(letter == other for other, _ in pairs) for letter, _ in pairs], dtype=np.int64)
    owners = np.array([place for _, place in pairs], dtype=np.int64)
    return Rarefied(
        occurrences_of(times, owners, count=len(clusters)), np.array([len(one) for one in clusters], dtype=float)
    )


def enumerated(clusters: Sequence[str], drawn: int) -> float:
    """Mean number of distinct letters over all ways to draw so many clusters."""
    return float(np.mean([len(set("".join(some))) for some in combinations(clusters, drawn)]))


def test_hurlberts_formula_for_single_tokens_worked_by_hand() -> None:
    # Tokens a a a b b c, 3 of 6 drawn: C(6,3) = 20. Missed: a in C(3,3) = 1, b in C(4,3) = 4, c in C(5,3) = 10 of 20.
    # 3 - (1 + 4 + 10) / 20 = 2.25
    found = expected_distinct(np.array([1, 2, 3]), np.array([1, 1, 1]), 6, np.array([3.0]))
    assert found[0] == pytest.approx(2.25)
    assert found[0] == pytest.approx(enumerated("aaabbc", 3))


def test_whole_clusters_worked_by_hand() -> None:
    # Clusters ab, ac, ad; two of three hold a and two of b, c, d: 3, however they are drawn. One holds 2.
    own = curve(["ab", "ac", "ad"])
    assert own.expected_distinct(np.array([0.0, 2.0, 4.0, 6.0])) == pytest.approx([0, 2, 3, 4])


@pytest.mark.parametrize("most", [3, 400])  # types of a cluster, of which those of one or many are sorted at once
def test_pairs_may_come_in_any_order(most: int) -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(900), rng.integers(0, most, size=900))
    times = rng.integers(1, 12, size=len(clusters))
    order = rng.permutation(len(clusters))
    ordered, shuffled = (occurrences_of(times[way], clusters[way], count=900) for way in (slice(None), order))
    for own, other in zip(vars(ordered).values(), vars(shuffled).values(), strict=True):
        assert np.array_equal(own, other)


@given(st.lists(st.text("abcdefg", min_size=1, max_size=5), min_size=1, max_size=6), st.data())
def test_the_curve_is_the_mean_over_all_draws(clusters: list[str], data: st.DataObject) -> None:
    drawn = data.draw(st.integers(0, len(clusters)))
    own = curve(clusters)
    assert own.expected_distinct(np.array([drawn * own.size / len(clusters)]))[0] == pytest.approx(
        enumerated(clusters, drawn)
    )


@given(st.lists(st.text("abcdefg", max_size=5), min_size=2, max_size=6), st.floats(0.05, 1))
def test_without_each_cluster_the_curve_is_that_of_a_recount(clusters: list[str], share: float) -> None:
    own = curve(clusters)
    sizes = share * (own.size - own.sizes)
    for place, value in enumerate(own.leave_one_out(sizes)):
        rest = curve(clusters[:place] + clusters[place + 1 :])
        if rest.size:
            assert value == pytest.approx(rest.expected_distinct(sizes[[place]])[0])
        else:
            assert np.isnan(value)


def test_all_of_a_sample_holds_all_of_its_types_to_the_last_digit() -> None:
    own = curve(["abc", "abd", "ae", "", "xyz"])
    assert own.expected_distinct(np.array([own.size])).tolist() == [8.0]
    without = own.leave_one_out(own.size - own.sizes)
    assert without.tolist() == (own.counts.distinct - own.counts.unique_counts()).tolist() == [7.0, 7.0, 7.0, 8.0, 5.0]


def test_drawn_at_random_a_large_sample_has_as_many_types_as_expected() -> None:
    """400 draws of 3,000 of 20,000 Zipf tokens: the mean lies within 4 of its standard errors."""
    rng = np.random.default_rng(7)
    chances = 1 / np.arange(1, 5_001)
    tokens = rng.choice(5_000, 20_000, p=chances / chances.sum())
    counts = Counter(Counter(tokens.tolist()).values())
    occurrences = np.array(sorted(counts))
    types = np.array([counts[each] for each in sorted(counts)])
    expected = expected_distinct(occurrences, types, 20_000, np.array([3_000.0]))[0]
    drawn = [len(set(rng.choice(tokens, 3_000, replace=False).tolist())) for _ in range(400)]
    assert abs(np.mean(drawn) - expected) < 4 * np.std(drawn) / 20


def test_millions_of_tokens_are_no_trouble_for_the_formula() -> None:
    # A type with one token among 10 million, half drawn, is missed with chance 1/2, with two tokens with nearly 1/4.
    missed = miss_probability(np.array([1, 2, 9_999_999]), 10_000_000, np.array([5_000_000.0]))[0]
    assert missed == pytest.approx([1 / 2, 1 / 4, 0], rel=1e-6)


@given(st.lists(st.text("abcde", min_size=1, max_size=4), min_size=2, max_size=8))
def test_the_curve_never_falls_between_whole_clusters_either(clusters: list[str]) -> None:
    own = curve(clusters)
    values = own.expected_distinct(np.linspace(0, own.size, 41))
    assert np.all(np.diff(values) >= -1e-9)
    assert values[-1] == own.counts.distinct


def test_without_a_cluster_of_the_smaller_side_both_are_rarefied_to_what_is_left() -> None:
    small, large = curve(["ab", "cd"]), curve(["ab", "ac", "ad", "ae", "afg"])  # 4 and 11 letters
    assert rarefy_to_common_size(small, large).sizes.tolist() == [2.0, 2.0]
    assert (
        rarefy_to_common_size(small, large).other_at.tolist() == large.expected_distinct(np.array([2.0, 2.0])).tolist()
    )
    assert rarefy_to_common_size(large, small).sizes.tolist() == [4.0] * 5  # 11 less 2 or 3 is still more than 4


def test_less_than_one_cluster_is_nothing_to_rarefy_to() -> None:
    small, large = curve(["a", "b"]), curve(["abcdefg", "abcdefg"])  # 2 letters, of clusters of 7
    assert not comparable(small, large)
    assert not comparable(large, small)
    assert not comparable(curve([""]), large)
    assert comparable(curve(["abcd", "abc"]), large)


def test_in_pieces_the_numbers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    clusters = ["".join(rng.choice(list("abcdefghijklm"), rng.integers(1, 12))) for _ in range(30)]

    def numbers() -> Floats:
        own = curve(clusters)
        return np.concatenate(
            [own.expected_distinct(np.linspace(1, own.size, 50)), own.leave_one_out((own.size - own.sizes) / 3)]
        )

    whole = numbers()
    monkeypatch.setattr("trialogue.stats.resampling.rarefaction.CELLS", 16)
    assert numbers() == pytest.approx(whole, rel=1e-12)
