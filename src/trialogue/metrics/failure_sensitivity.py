"""Sensitivity of results to counting the system's own failures as the worst outcome: both ways, side by side."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from trialogue.metrics.base import AnyMetric, Conversation, CountMetric
from trialogue.metrics.engine.accumulate import Settings
from trialogue.metrics.engine.engine import measure
from trialogue.metrics.failure_policy import failure_of
from trialogue.records import FailurePolicy, Fault, Record, Score

LEVEL = 0.05  # of significance


class FailureSensitivity(Record):
    """One value, or one difference, under both policies."""

    kind: ClassVar[str] = "failure_sensitivity"

    measure: str
    """Full name of the measure."""
    worst: Score
    """With the dialogues in which the system failed as the worst outcome."""
    left_out: Score
    """Without the dialogues in which the system failed."""

    @property
    def shift(self) -> float | None:
        """Change of the value when failures are left out; None if either is undefined."""
        if self.worst.value is None or self.left_out.value is None:
            return None
        return self.left_out.value - self.worst.value

    @property
    def conclusion_differs(self) -> bool:
        """Whether significance or direction of a difference depends on the policy; False for a single system."""
        return self.worst.level == "difference" and _direction(self.worst) != _direction(self.left_out)


def failure_sensitivity(
    conversations: Iterable[Conversation], metrics: Sequence[AnyMetric], *, settings: Settings | None = None
) -> list[FailureSensitivity]:
    """Every value and difference that may depend on the policy; [] if no system failed through its own fault.

    Args:
        conversations: all of them.
        metrics: those whose cards do not count failures as the worst value are left out.
        settings: how estimates are made.
    """
    if not isinstance(conversations, Collection):
        conversations = list(conversations)
    settings = settings or Settings()
    bounded = [metric for metric in metrics if _counts_failures(metric)]
    if not bounded or not any(map(was_failed_by_its_system, conversations)):
        return []
    worst = measure(conversations, bounded, settings=replace(settings, failed=FailurePolicy.WORST))
    left_out = measure(conversations, bounded, settings=replace(settings, failed=FailurePolicy.UNDEFINED))
    return [
        FailureSensitivity(measure=one.measure, worst=one, left_out=other)
        for one, other in zip(worst, left_out, strict=True)
    ]


def _counts_failures(metric: AnyMetric) -> bool:
    return not isinstance(metric, CountMetric) and metric.card.failure_policy is FailurePolicy.WORST


def was_failed_by_its_system(conversation: Conversation) -> bool:
    """Whether the system failed in it by its own fault."""
    units = conversation.replies if conversation.dialogue is None else (conversation.dialogue,)
    endings = map(failure_of, units)
    return any(ending is not None and ending.fault is Fault.AGENT for ending in endings)


def _direction(score: Score) -> int:
    """1 or -1 where a difference excludes 0, by its interval or, where all differences are equal, by its p-value; else 0."""
    if score.value is None:
        return 0
    if score.interval is None:
        differs = score.p is not None and score.p < LEVEL
    else:
        differs = not score.interval.low <= 0 <= score.interval.high
    return (1 if score.value > 0 else -1) if differs else 0
