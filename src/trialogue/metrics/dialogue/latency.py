"""Response latency: how long the system makes the user wait."""

from collections.abc import Sequence
from typing import ClassVar

from trialogue.errors import UsageError
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Utterance, Variant

FIELD = "latency_s"
"""Key in an utterance's ``meta`` for the seconds taken by the turn that it begins."""

LATENCY = Card(
    name="latency",
    title="Latency",
    summary="How long the user waits for the system's turn.",
    unit="seconds",
    low=0,
    better="neither",
    level="dialogue",
    failed=FailurePolicy.UNDEFINED,
    needs=("latency",),
    variants={
        "mean": Variant(
            summary="Mean over all turns of the system, pooled over dialogues.",
            source="Seconds that a log records with a turn; trialogue simulate --latency records them.",
        ),
        "longest": Variant(
            summary="The longest wait in a dialogue, averaged over dialogues.",
            source="The longest wait, which users remember.",
        ),
        "over": Variant(
            summary="Share of turns that take longer than 'seconds', pooled over dialogues.",
            source="Seconds as in @mean.",
        ),
    },
    default="mean",
    parameters={"seconds": "wait in seconds above which a turn counts as slow (@over; default 5)"},
    caveats=(
        "It measures the machine, its load and the network as much as the system.",
        "Latency decides no verdict: a log that records the times of fast turns only would flatter its system.",
        ("Simulated dialogues contain no times unless requested: with them, no two runs are identical byte for byte."),
    ),
    family="simulation",
)


class Latency(RatioMetric):
    """Seconds per turn; undefined without measurements."""

    card = LATENCY
    dialogue_means = ("longest",)
    of_variants: ClassVar = {"over": {"unit": "share of turns", "high": 1.0, "is_share": True}}

    def __init__(self, *, variant: str = LATENCY.default, seconds: float | None = None) -> None:
        self.declare(variant, **({} if seconds is None else {"seconds": seconds}))
        if seconds is not None and (variant != "over" or isinstance(seconds, bool) or not seconds >= 0):
            raise UsageError(f"'seconds' requires @over and must be at least 0, got {seconds!r} for @{variant}.")
        self._seconds = 5.0 if seconds is None else float(seconds)

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(seconds or slow turns, turns); (the longest, 1)."""
        waits = [wait for wait in map(wait_of, unit.utterances) if wait is not None]
        if not waits:
            return Undefined(Reason.of(ReasonCode.LATENCY_NOT_MEASURED))
        if self.variant == "longest":
            return (max(waits), 1.0)
        slow = sum(wait > self._seconds for wait in waits)
        return (float(slow) if self.variant == "over" else sum(waits), float(len(waits)))


def wait_of(said: Utterance) -> float | None:
    """Latency in seconds of the turn that an utterance begins; None if not recorded."""
    if said.speaker == "system" and said.trace is not None and said.trace.latency_s is not None:
        return said.trace.latency_s
    value = said.meta.get(FIELD) if said.speaker == "system" else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
