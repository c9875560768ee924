"""Rows into clusters: sums, keys and their order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.stats import cluster_sums
from trialogue.stats.resampling.clusters import units_of


def test_rows_of_a_cluster_are_summed_and_keys_sorted() -> None:
    data = cluster_sums([[1, 10], [2, 20], [4, 40]], ["b", "a", "b"])
    assert data.keys == ("a", "b")
    assert data.sums.tolist() == [[2, 20], [5, 50]]
    assert data.n == 3
    assert data.total.tolist() == [7, 70]


def test_a_single_column_needs_no_second_axis() -> None:
    assert cluster_sums([1.0, 2.0], [0, 0]).sums.tolist() == [[3.0]]


def test_no_rows_give_no_clusters() -> None:
    data = cluster_sums(np.zeros((0, 2)), [])
    assert (data.keys, data.sums.shape, data.n) == ((), (0, 2), 0)
    assert cluster_sums([], []).n == 0


def test_keys_of_different_types_that_look_alike_stay_apart() -> None:
    assert cluster_sums([1, 2], [1, "1"]).keys == (1, "1")


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.sampled_from("abcd")), min_size=1, max_size=40), st.randoms())
def test_the_order_of_rows_does_not_change_the_last_bit(rows: list[tuple[float, str]], random: object) -> None:
    shuffled = rows.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first = cluster_sums([value for value, _ in rows], [key for _, key in rows])
    second = cluster_sums([value for value, _ in shuffled], [key for _, key in shuffled])
    assert first.keys == second.keys
    assert np.array_equal(first.sums, second.sums)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(UsageError, match=r"have equal lengths \(one value per row\), got values: 2, clusters: 1"):
        cluster_sums([1, 2], ["a"])


def test_a_missing_value_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="Remove such units"):
        cluster_sums([1.0, float("nan")], ["a", "b"])


def test_a_unit_without_a_cluster_is_refused() -> None:
    with pytest.raises(UsageError, match="row 1 has no cluster"):
        cluster_sums([1.0, 2.0], ["a", None])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["x"], "must be numbers"),
        ([float("inf")], "infinite"),
        ([[[1.0]]], "must have 2 axes"),
    ],
)
def test_values_that_are_no_table_of_numbers_are_refused(values: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cluster_sums(values, ["a"])  # type: ignore[arg-type]


def test_equal_rows_without_clusters_are_pooled_into_one_unit() -> None:
    units = units_of(np.array([[2.0], [1.0], [2.0]]), None)
    assert units.rows.tolist() == [[1.0], [2.0]]
    assert units.counts.tolist() == [1, 2]
    assert units.row_counts.tolist() == [1, 2]
    assert units.n == 3


def test_rows_with_clusters_are_sorted_by_cluster() -> None:
    units = units_of(np.array([[2.0], [1.0], [3.0]]), ["b", "b", "a"])
    assert units.rows.tolist() == [[3.0], [1.0], [2.0]]
    assert units.of_row.tolist() == [0, 1, 1]
    assert units.counts.tolist() == [1, 1]
