"""Resampling settings shared by all agreement intervals."""

from dataclasses import dataclass

import numpy as np

from trialogue.seeds import rng_for


@dataclass(frozen=True)
class Resampling:
    """Settings of the cluster bootstrap with percentile intervals."""

    seed: int = 0
    resamples: int = 2_000
    """Number of cluster resamples."""
    confidence: float = 0.95
    """Confidence level of intervals: 2.5 to 97.5% at .95."""

    def rng(self, *names: str) -> np.random.Generator:
        """Generator for a named quantity; measures with the same name share resamples."""
        return rng_for(self.seed, "agreement", *names)


DEFAULT = Resampling()
