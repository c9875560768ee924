"""Bonferroni against statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.stats import bonferroni

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("size", [1, 2, 5, 36])
def test_it_agrees_with_statsmodels(size: int) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.round(np.random.default_rng(size).random(size) ** 3, 2).tolist()  # with ties, and zeros
    assert bonferroni(p) == pytest.approx(multipletests(p, method="bonferroni")[1].tolist())


@given(P_VALUES)
def test_adjusted_values_are_larger_keep_the_order_and_stay_below_one(p: list[float]) -> None:
    values = [value for value in bonferroni(p) if value is not None]
    assert all(raw <= value <= 1 for raw, value in zip(p, values, strict=True))
    assert sorted(values) == [value for _, value in sorted(zip(p, values, strict=True))]


def test_tests_that_could_not_be_made_are_passed_through_and_not_counted() -> None:
    assert bonferroni([0.02, None, 0.03]) == [0.04, None, 0.06]
    assert bonferroni([None]) == [None]
    assert bonferroni([]) == []


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="p-values lie between 0 and 1"):
        bonferroni([0.5, wrong])
