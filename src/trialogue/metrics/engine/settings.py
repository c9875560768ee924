"""Settings of estimation: seed, resamples, permutations, confidence level and failure policy."""

from dataclasses import dataclass

from trialogue.records import FailurePolicy


@dataclass(frozen=True)
class Settings:
    """Settings of estimation."""

    seed: int = 0
    resamples: int = 10_000
    confidence: float = 0.95
    permutations: int = 10_000
    failed: FailurePolicy | None = None
    """How failed dialogues and replies count, in place of what each metric's card says; None: as it says."""
