"""A strategy distribution is one: its probabilities sum to 1."""

import pytest
from pydantic import ValidationError

from trialogue.records import StrategyDistribution


def test_rounded_probabilities_are_accepted() -> None:
    thirds = dict.fromkeys(("credibility", "similarity", "transparency"), 0.333333)
    assert StrategyDistribution(origin="m", probabilities=thirds).probabilities == thirds


@pytest.mark.parametrize(("given", "total"), [({"a": 0.5, "b": 0.4}, "0.9"), ({"a": 0.9, "b": 0.4}, "1.3"), ({}, "0")])
def test_scores_that_are_no_distribution_are_refused(given: dict[str, float], total: str) -> None:
    with pytest.raises(ValidationError, match=f"probabilities must sum to 1, got a sum of {total}"):
        StrategyDistribution(origin="m", probabilities=given)
