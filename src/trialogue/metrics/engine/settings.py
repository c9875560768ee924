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
    """Treatment of failed dialogues and replies, overriding the metrics' cards; None: by the cards."""
