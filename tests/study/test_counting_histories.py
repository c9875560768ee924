"""Collector, staff page, export and report say the same about every item, whatever happened."""

import pytest

from tests.study.counting_schedules import failures

pytestmark = pytest.mark.usefixtures("store")


def test_whatever_people_staff_and_the_platform_do_everybody_counts_the_same_and_items_get_their_k_answers() -> None:
    assert failures(range(50)) == {}
