"""Collector, staff page, export and report say the same about every item, whatever happened."""

import pytest

from tests.study.counting_schedules import failures
from tests.study.histories import a_few_and_more

pytestmark = pytest.mark.usefixtures("store")


@pytest.mark.parametrize("seeds", a_few_and_more(range(40), few=[*range(8), 10, 12]))
def test_whatever_people_staff_and_the_platform_do_everybody_counts_the_same_and_items_get_their_k_answers(
    seeds: list[int],
) -> None:
    assert failures(seeds) == {}


@pytest.mark.parametrize("seeds", a_few_and_more(range(10_000, 10_020), few=[*range(10_000, 10_004), 10_011]))
def test_every_item_has_its_ratings_of_every_stratum_whatever_people_do(seeds: list[int]) -> None:
    assert failures(seeds, strata=True) == {}


@pytest.mark.parametrize("seed", [1212, 1232, 1797])
def test_who_is_readmitted_at_work_and_then_stays_away_holds_no_place_for_ever(seed: int) -> None:
    assert failures(range(seed, seed + 1)) == {}
