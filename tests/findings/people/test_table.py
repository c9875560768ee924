"""Tables of ratings: means by hand, and what counts as drawn."""

import numpy as np
import pytest

from trialogue.findings.people.table import RatingTable, Row


def row(rating: float, rater: str, system: str, group: str) -> Row:
    return Row(rating, rater, system, group, (group, system), group, None, None)


def people(count: int) -> RatingTable:
    return RatingTable(tuple(row(3.0, f"r{number}", "a", f"d{number % 2}") for number in range(count)))


@pytest.mark.parametrize(("raters", "unit"), [(2, "group"), (5, "group"), (6, "rater"), (7, "rater")])
def test_six_people_are_the_first_that_are_a_sample(raters: int, unit: str) -> None:
    assert people(raters).unit == unit


def test_means_are_of_each_unit_and_system() -> None:
    table = RatingTable((row(1.0, "x", "a", "d1"), row(4.0, "y", "a", "d1"), row(2.0, "x", "b", "d2")))
    units, means = table.means(["a", "b"])
    assert units == ["d1", "d2"]
    np.testing.assert_array_equal(means, [[2.5, np.nan], [np.nan, 2.0]])
