"""The size of a catalogue that is smaller than the number of recommended items."""

import pytest

import trialogue
from trialogue.errors import UsageError


@pytest.mark.parametrize(
    "metric", ["coverage(size=5)", "coverage(size=5)@ranking", "gini(size=5)", "gini(size=100)@ranking"]
)
def test_a_catalogue_smaller_than_what_is_recommended_is_refused(metric: str) -> None:
    with pytest.raises(UsageError, match=r"different items are recommended, more than the catalogue is said to have"):
        trialogue.score("demo", metrics=[metric])
