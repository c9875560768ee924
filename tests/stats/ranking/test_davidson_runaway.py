"""A resample without a loss has no maximum: it is left out, and the fit of the others goes on."""

import numpy as np

from trialogue.stats import Vote, bradley_terry


def test_votes_between_two_with_few_losses_have_an_interval() -> None:
    votes = [Vote("x", "y", "b" if i % 7 == 0 else "tie" if i % 7 == 1 else "a", f"p{i}") for i in range(20)]
    for seed in range(5):
        model = bradley_terry(votes, rng=np.random.default_rng(seed), resamples=500)
        assert model.strengths[0].name == "x"
        assert model.why is None or "never lost" in str(model.why)
