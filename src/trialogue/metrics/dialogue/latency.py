"""Response latency: how long the system makes the user wait."""

from collections.abc import Sequence

from trialogue.errors import UsageError
from trialogue.metrics.base import Array, Undefined, ratio
from trialogue.metrics.names import Parameter, full_name
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


class Latency:
    """Seconds per turn; undefined without measurements."""

    card = LATENCY

    def __init__(self, *, variant: str = LATENCY.default, seconds: float | None = None) -> None:
        parameters: dict[str, Parameter] = {} if seconds is None else {"seconds": seconds}
        self.measure = full_name(LATENCY, variant, parameters)
        if seconds is not None and (variant != "over" or isinstance(seconds, bool) or not seconds >= 0):
            raise UsageError(f"'seconds' requires @over and must be at least 0, got {seconds!r} for @{variant}.")
        self.per_dialogue = variant == "longest"
        self._variant, self._seconds = variant, 5.0 if seconds is None else float(seconds)
        if variant == "over":
            self.card = LATENCY.model_copy(update={"unit": "share of turns", "high": 1.0, "is_share": True})

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(seconds or slow turns, turns); (the longest, 1)."""
        waits = [wait for wait in map(wait_of, unit.utterances) if wait is not None]
        if not waits:
            return Undefined(Reason.of(ReasonCode.LATENCY_NOT_MEASURED))
        if self._variant == "longest":
            return (max(waits), 1.0)
        slow = sum(wait > self._seconds for wait in waits)
        return (float(slow) if self._variant == "over" else sum(waits), float(len(waits)))

    def combine(self, sums: Array) -> Array:
        """The mean, or the share."""
        return ratio(sums)


def wait_of(said: Utterance) -> float | None:
    """Latency in seconds of the turn that an utterance begins; None if not recorded."""
    if said.speaker == "system" and said.trace is not None and said.trace.latency_s is not None:
        return said.trace.latency_s
    value = said.meta.get(FIELD) if said.speaker == "system" else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
