"""Fisher's and Pearson's tests of tables of counts against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

from trialogue.stats.contingency import equal_shares_p, fisher_p


@given(n=st.integers(0, 400), m=st.integers(0, 400), shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_p_values_of_fishers_test_are_those_of_scipy(n: int, m: int, shares: tuple[float, float]) -> None:
    hits, others = round(shares[0] * n), round(shares[1] * m)
    expected = fisher_exact(np.array([[hits, n - hits], [others, m - others]])).pvalue
    assert fisher_p(hits, n, others, m) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert fisher_p(others, m, hits, n) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (2, 7), (3, 4), (1, 3), (4, 1)])
def test_p_values_of_equal_shares_are_those_of_scipy(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows * 10 + columns)
    for _ in range(50):
        table = rng.integers(1, 40, (rows, columns)).tolist()
        assert equal_shares_p(table) == pytest.approx(chi2_contingency(table).pvalue, rel=1e-12)


def test_a_table_that_is_as_expected_has_p_one() -> None:
    assert equal_shares_p([[2, 4], [3, 6]]) == 1.0  # Yates's correction does not go beyond what is expected
