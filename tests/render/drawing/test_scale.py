"""Axes: what they span and where their ticks stand."""

import math

from hypothesis import given
from hypothesis import strategies as st

from trialogue.render.drawing.scale import Scale, extent, tick_labels, ticks

NUMBERS = st.floats(-1e9, 1e9)


@given(NUMBERS, st.floats(1e-6, 1e9), st.integers(2, 9))
def test_ticks_are_few_and_inside(low: float, width: float, most: int) -> None:
    high = low + width
    found = ticks(low, high, most)
    assert len(found) <= most
    slack = 1e-6 * max(1.0, width)
    assert all(low - slack <= tick <= high + slack for tick in found)
    assert len(set(tick_labels(found))) == len(set(found)) or width < 1e-3 * max(1.0, abs(low))


def test_an_axis_of_one_value_has_one_tick() -> None:
    assert ticks(4.0, 4.0) == [4.0]


@given(st.lists(NUMBERS, min_size=1))
def test_an_extent_holds_all_values_and_is_never_empty(values: list[float]) -> None:
    low, high = extent(values)
    assert low < high or math.isclose(low, high)
    assert all(low <= value <= high for value in values)


def test_an_extent_stays_within_what_is_possible() -> None:
    assert extent([0.0, 1.0], within=(0.0, 1.0)) == (0.0, 1.0)
    assert extent([], within=(0.0, 1.0)) == (0.0, 1.0)


def test_a_scale_holds_values_on_the_sheet() -> None:
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale(value) for value in (-5.0, 0.0, 5.0, 99.0)] == [100.0, 100.0, 150.0, 200.0]
    assert Scale(3.0, 3.0, 0.0, 50.0)(3.0) == 25.0
