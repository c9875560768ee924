"""Pearson's chi-square test: the same p-values as scipy's."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from trialogue.stats.chi_square import equal_shares_p


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (2, 7), (3, 4), (1, 3), (4, 1)])
def test_p_values_are_those_of_scipy(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows * 10 + columns)
    for _ in range(50):
        table = rng.integers(1, 40, (rows, columns)).tolist()
        assert equal_shares_p(table) == pytest.approx(chi2_contingency(table).pvalue, rel=1e-12)


def test_a_table_that_is_as_expected_has_p_one() -> None:
    assert equal_shares_p([[2, 4], [3, 6]]) == 1.0  # Yates's correction does not go beyond what is expected
