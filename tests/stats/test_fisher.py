"""Fisher's exact test against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from trialogue.stats.fisher import fisher_p


@given(n=st.integers(0, 400), m=st.integers(0, 400), shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_p_values_are_those_of_scipy(n: int, m: int, shares: tuple[float, float]) -> None:
    hits, others = round(shares[0] * n), round(shares[1] * m)
    expected = fisher_exact(np.array([[hits, n - hits], [others, m - others]])).pvalue
    assert fisher_p(hits, n, others, m) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert fisher_p(others, m, hits, n) == pytest.approx(expected, rel=1e-6, abs=1e-12)
