"""What a methods section says of repeated comparisons."""

import pytest

from trialogue.subjects.people.exclusions import EVERY, ONLY, WITHOUT
from trialogue.subjects.people.methods import _sensitivity

FIRST = "The comparison of ratings was repeated without exclusions (with and without unfinished participants)"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], []),
        (["All participants"], [f"{FIRST}."]),
        (["All participants", f"{ONLY}fast"], [f"{FIRST} and with each exclusion rule alone."]),
        (
            [f"{WITHOUT}fast", f"{ONLY}fast", EVERY],
            [
                f"{FIRST}, without each planned rule in turn, with each exclusion rule alone "
                "and with every exploratory flag."
            ],
        ),
    ],
)
def test_ways_of_repeating_are_listed(names: list[str], said: list[str]) -> None:
    assert list(_sensitivity("ratings", names)) == said
