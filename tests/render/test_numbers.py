"""Digits, signs and p-values."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.findings import wording
from trialogue.records import Estimate, Interval
from trialogue.render.numbers import (
    column_decimals,
    level,
    number,
    p_value,
    plain_p,
    ranks,
    render_estimate,
    supported_decimals,
)


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method=""))


@pytest.mark.parametrize(
    ("low", "high", "decimals"),
    [
        (3.31, 3.92, 2),  # width 0.61: two significant digits are hundredths
        (0.499, 0.512, 3),  # width 0.013
        (12.0, 17.4, 1),  # width 5.4
        (900.0, 1100.0, 0),  # width 200: whole numbers, never rounded to tens
    ],
)
def test_decimals_leave_two_significant_digits_of_the_width(low: float, high: float, decimals: int) -> None:
    assert supported_decimals(estimate((low + high) / 2, low, high)) == decimals


def test_without_an_interval_a_value_gets_three_significant_digits() -> None:
    assert supported_decimals(Estimate(value=0.08125, n=1)) == 4  # .0813
    assert supported_decimals(Estimate(value=0.0, n=1)) == 2


def test_a_column_has_one_number_of_decimals_and_a_value_without_spread_does_not_decide_it() -> None:
    column = [estimate(0.5, 0.4, 0.6), estimate(0.4, 0.31, 0.52), Estimate(value=0.123456, n=1), estimate(0, 0, 0)]
    assert column_decimals(column) == 2
    assert column_decimals([]) == 2
    assert column_decimals([Estimate(value=None, why="no data")]) == 2


def test_zero_has_no_sign() -> None:
    assert number(-0.0004, 2) == "0.00"
    assert number(0.0004, 2, sign=True) == "0.00"


def test_very_large_and_very_small_values_are_powers_of_ten() -> None:
    assert number(-12_345_678.0, 0) == "−1.2 × 10⁷"
    assert number(0.00000012, 9) == "1.2 × 10⁻⁷"


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 12), st.booleans())
def test_every_number_can_be_written_without_a_hyphen_for_minus(value: float, decimals: int, sign: bool) -> None:
    text = number(value, decimals, sign=sign)
    assert text
    assert "-" not in text
    assert "e" not in text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "< .001"), (0.00099, "< .001"), (0.001, "= .001"), (0.0994, "= .099"), (0.0996, "= .10"), (0.994, "= .99")],
)
def test_p_values_are_never_zero_nor_one(p: float, text: str) -> None:
    assert p_value(p) == text


@given(st.floats(0, 1))
def test_no_p_value_reads_as_zero_or_one(p: float) -> None:
    assert plain_p(p) not in (".000", "0", "1", "1.00", ".00")


def test_small_words() -> None:
    assert level(0.1) == ".1"
    assert ranks(2, None) == ""
    assert render_estimate(Estimate(value=None, why="empty"), 2) == "—"


@given(st.floats(1e-6, 9), st.floats(0, 9), st.booleans(), st.integers(0, 4), st.booleans())
def test_an_interval_without_zero_has_no_end_that_reads_zero(
    near: float, width: float, negative: bool, decimals: int, sign: bool
) -> None:
    """ "by 0.8 [0.0, 1.5], p = .043" contradicts itself."""
    ends = sorted(-end if negative else end for end in (near, near + width))
    found = estimate(sum(ends) / 2, *ends)
    written = (
        render_estimate(found, decimals, sign=sign),
        wording.render_estimate(found),
        wording.render_estimate(found, digits=decimals),
        wording.render_points(found),
    )
    for text in written:
        for each in re.findall(r"[\d.,]*\d", text.partition("×")[0]):
            assert re.search("[1-9]", each), text


@given(st.floats(-9, 0), st.floats(0, 9), st.integers(0, 4))
def test_an_interval_with_zero_keeps_its_decimals_and_no_zero_has_a_sign(
    low: float, high: float, decimals: int
) -> None:
    text = wording.render_estimate(estimate(low, low, high), digits=decimals)
    assert not re.search(r"-[0.]+(?![0-9.])", text)
    assert {len(each.partition(".")[2]) for each in re.findall(r"[\d.]+", text)} == {decimals}


def test_only_the_end_beside_zero_has_more_decimals() -> None:
    assert render_estimate(estimate(0.8, 0.04, 1.5), 1) == "0.8 [0.04, 1.5]"
    assert wording.render_points(estimate(-0.21, -0.34, -0.0004)) == "-21 points [-34, -0.04]"
