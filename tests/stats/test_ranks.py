"""Ranks and Student's t are SciPy's, to the last bit."""

import numpy as np
import pytest
from scipy.stats import rankdata, t

from trialogue.stats.arrays import midranks, midranks_of_rows
from trialogue.stats.student_t import t_quantile, two_sided_p


@pytest.mark.parametrize("shape", [(1,), (7,), (40, 1), (40, 6), (5, 8, 4), (0, 3)])
def test_ranks_are_those_of_scipy(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(len(shape)).integers(0, 4, shape).astype(float)
    expected = rankdata(values, axis=-1) if values.size else np.zeros(shape)
    assert midranks_of_rows(values).tolist() == expected.tolist()
    for row in values.reshape(-1, shape[-1]):
        assert midranks(row).tolist() == rankdata(row).tolist()


@pytest.mark.parametrize("freedom", [1, 2, 5.5, 30, 999])
def test_student_t_is_that_of_scipy(freedom: float) -> None:
    for p in (0.5, 0.9, 0.975, 0.9999):
        assert t_quantile(p, freedom) == float(t.ppf(p, freedom))
    for statistic in (0.0, 0.3, -2.2, 40.0):
        assert two_sided_p(statistic, freedom) == float(2 * t.sf(abs(statistic), freedom))
