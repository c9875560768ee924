"""How dialogues end, and how many of them fail: to be read next to every score of a simulation, failures are in it."""

from collections.abc import Collection, Sequence

from trialogue.metrics.base import Array, Undefined, ratio
from trialogue.metrics.names import full_name
from trialogue.records import Card, Dialogue, Variant
from trialogue.records.endings import AGENT_ERROR, ENDINGS, FAILURES, LOST, TIMEOUT

NOT_SAID = "nobody wrote down why it ended"
OURS = "The reason that whoever held the dialogue recorded (ended_by)."
REASONS = {
    "agenda_empty": "the user had done all that was meant to be done",
    "user_gave_up": "the user gave up",
    "agent_ended": "the system ended it",
    "turn_limit": "it reached the most turns allowed",
    "timeout": "the system did not answer in time",
    "agent_error": "the system failed",
    "lost": "the process that held it died each time",
    "other": "of another reason",
}

ENDING = Card(
    name="ending",
    title="Why dialogues end",
    summary="Share of dialogues that ended for a reason.",
    unit="share of dialogues",
    low=0,
    high=1,
    better="neither",
    level="dialogue",
    needs=("ended_by",),
    variants={name: Variant(summary=f"Because {what}.", source=OURS) for name, what in REASONS.items()},
    default="agenda_empty",
    caveats=("What a dialogue was cut short by says how far its other scores can be trusted.",),
    family="simulation",
)

FAILED = Card(
    name="failures",
    title="Failed dialogues",
    summary="Share of dialogues that a failure of the system ended. They are measured like all others, not dropped.",
    unit="share of dialogues",
    low=0,
    high=1,
    better="lower",
    level="dialogue",
    needs=("ended_by",),
    variants={
        "all": Variant(summary="Time-outs, errors, and dialogues lost with their process.", source=OURS),
        "timeout": Variant(summary="Time-outs only.", source=OURS),
        "error": Variant(summary="Errors and lost dialogues only.", source=OURS),
    },
    default="all",
    caveats=("A system that fails early has short dialogues: read length, reward and turns beside it.",),
    family="simulation",
)


class _Share:
    """Share of dialogues whose end is among some reasons."""

    per_dialogue = False
    measure: str
    card: Card

    def __init__(self, reasons: Collection[str], *, others: bool = False) -> None:
        self._reasons, self._others = reasons, others

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(1 if it ended so, 1)."""
        if unit.ended_by is None:
            return Undefined(NOT_SAID)
        return (float((unit.ended_by in self._reasons) != self._others), 1.0)

    def combine(self, sums: Array) -> Array:
        """The share."""
        return ratio(sums)


class Ending(_Share):
    """Share of dialogues that ended for one reason; undefined where none is recorded."""

    card = ENDING

    def __init__(self, *, variant: str = ENDING.default) -> None:
        self.measure = full_name(ENDING, variant, {})
        super().__init__(ENDINGS if variant == "other" else (variant,), others=variant == "other")


class Failures(_Share):
    """Share of dialogues that failed; undefined where no reason for the end is recorded."""

    card = FAILED

    def __init__(self, *, variant: str = FAILED.default) -> None:
        self.measure = full_name(FAILED, variant, {})
        super().__init__({"timeout": {TIMEOUT}, "error": {AGENT_ERROR, LOST}}.get(variant, FAILURES))
